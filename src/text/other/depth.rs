//! Bounds the nesting of quoted triples before the library builds and drops them by recursion.

use std::io::{self, Read};

use crate::error::{Error, ErrorKind};

/// Where in a document of Turtle or `TriG` a byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Outside,
    /// Behind a `<` or `>`, which may be the first of two.
    Angle(u8),
    Iri,
    Comment,
    /// In a string; how many quotes in a row were seen, whether it is long, and whether a backslash was.
    String {
        quote: u8,
        seen: u8,
        long: bool,
        escaped: bool,
    },
}

/// Passes on what it reads, as long as the triples in it are not nested too deep.
pub(super) struct Bounded<R> {
    inner: R,
    state: State,
    depth: usize,
    most: usize,
}

impl<R> Bounded<R> {
    pub(super) fn new(inner: R, most: usize) -> Self {
        Bounded { inner, state: State::Outside, depth: 0, most }
    }

    fn look(&mut self, b: u8) {
        self.state = match self.state {
            State::Outside => match b {
                b'<' | b'>' => State::Angle(b),
                b'#' => State::Comment,
                b'"' | b'\'' => State::String { quote: b, seen: 1, long: false, escaped: false },
                // an escape in a name
                _ => State::Outside,
            },
            State::Angle(b'<') if b == b'<' => {
                self.depth += 1;
                State::Outside
            }
            State::Angle(b'<') => {
                if b == b'>' {
                    State::Outside
                } else {
                    State::Iri
                }
            }
            State::Angle(_) if b == b'>' => {
                self.depth = self.depth.saturating_sub(1);
                State::Outside
            }
            State::Angle(_) => {
                self.state = State::Outside;
                return self.look(b);
            }
            State::Iri => {
                if matches!(b, b'>' | b'\n') {
                    State::Outside
                } else {
                    State::Iri
                }
            }
            State::Comment => {
                if matches!(b, b'\n' | b'\r') {
                    State::Outside
                } else {
                    State::Comment
                }
            }
            State::String { quote, seen, long, escaped } => {
                return self.look_in_string(b, quote, seen, long, escaped);
            }
        };
    }

    fn look_in_string(&mut self, b: u8, quote: u8, seen: u8, long: bool, escaped: bool) {
        let is_quote = b == quote && !escaped;
        let inside = |seen, long| State::String { quote, seen, long, escaped: b == b'\\' && !escaped };
        self.state = match (long, seen) {
            // the opening: one quote, or three
            (false, 1) if is_quote => inside(2, false),
            (false, 2) if is_quote => inside(0, true),
            (false, 2) => {
                // the empty string
                self.state = State::Outside;
                return self.look(b);
            }
            (false, _) if is_quote || b == b'\n' => State::Outside,
            (true, 2) if is_quote => State::Outside,
            (true, seen) if is_quote => inside(seen + 1, true),
            _ => inside(0, long),
        };
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        for &b in &buffer[..n] {
            self.look(b);
            if self.depth > self.most {
                let message = format!("quoted triples nested deeper than {}", self.most);
                let error = Error::limit(ErrorKind::LimitNesting, "nesting", message);
                return Err(io::Error::other(error));
            }
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_triples_count() {
        let open = "<<( <a> <b> ".repeat(4);
        let close = ")>> ".repeat(4);
        for (text, fits) in [
            (format!("{open}<c>{close}"), false),
            (format!("{}<c>{}", &open[..36], &close[..12]).repeat(9), true),
            ("\"<<(\" ".repeat(9), true),
            ("'''<<('' \\''' <<(''' ".repeat(9), true),
            ("\"\\\"<<(\" \"\" ".repeat(9), true),
            ("<a<<<<> ".repeat(9), true),
            ("# <<(\n".repeat(9), true),
            ("\"\" << ".repeat(4), false),
            ("\"\"\"\"\"\" << ".repeat(4), false),
        ] {
            let mut out = Vec::new();
            let read = Bounded::new(text.as_bytes(), 3).read_to_end(&mut out);
            assert_eq!(read.is_ok(), fits, "{text}");
        }
    }
}
