//! The lexer of terms for all text formats and for canonical text in columns.
//!
//! The lexer takes valid UTF-8, which may end anywhere: if more text is needed for a decision, the result is
//! [`Stop::End`]. A term is located in the text ([`Lexed`]) without a copy; only terms with escapes go to a
//! [`Scratch`].

mod iri;
mod lexed;
mod literal;
mod number;
#[allow(dead_code, reason = "for what reads columns back")]
mod plain;
mod triple;
mod unescape;

pub(crate) use lexed::{Kind, Lexed, Scratch};
pub(crate) use literal::is_language;
#[cfg_attr(not(feature = "arrow"), allow(unused_imports, reason = "columns use it"))]
pub(crate) use plain::plain_term_of;
pub(crate) use plain::term_of;

use crate::error::{Error, ErrorKind, Position};

/// The reason why there is no term.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The text ends too early.
    End,
    /// An error at a byte of the text.
    Bad(Error),
}

/// The result of the lexer.
pub(crate) type Lex<T = Lexed> = Result<T, Stop>;

/// Returns an error at a byte of the text.
#[cold]
pub(crate) fn bad<T>(kind: ErrorKind, at: usize, message: impl Into<String>) -> Lex<T> {
    let at = Position { offset: Some(at as u64), ..Position::default() };
    Err(Stop::Bad(Error::new(kind, message).located(&at)))
}

/// The terms that are allowed in addition to canonical N-Triples.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule by itself")]
pub(crate) struct Rules {
    /// IRIs that contain `"{}|^` or a backtick. They are invalid, but stores have them.
    pub(crate) odd_iris: bool,
    /// IRIs must have a scheme, and their escapes may not stand for forbidden characters.
    pub(crate) absolute_iris: bool,
    /// Reject `<_:label>`, which only RDF Patch has.
    pub(crate) no_angle_labels: bool,
    /// `'..'`, `"""..."""`, `'''...'''` and `\u{...}`.
    pub(crate) quotes: bool,
    /// Numbers, `true` and `false`.
    pub(crate) bare: bool,
    /// `<< s p o >>` in addition to `<<( s p o )>>`.
    pub(crate) old_triples: bool,
    /// Line ends and comments inside quoted triples and literals.
    pub(crate) free_lines: bool,
    /// White space before a language tag, and before and after `^^`.
    pub(crate) spaced_tails: bool,
    /// Line ends inside `"..."`.
    pub(crate) raw_lines: bool,
    /// Language tags of any characters, with escapes, and empty ones.
    pub(crate) odd_tags: bool,
    /// Maximum nesting of quoted triples.
    pub(crate) nesting: usize,
    /// Maximum size of a row.
    pub(crate) row_bytes: usize,
}

/// A lexer at a place in a text.
pub(crate) struct Lexer<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
    pub(crate) rules: Rules,
}

impl<'t> Lexer<'t> {
    #[inline]
    pub(crate) fn new(text: &'t str, at: usize, rules: Rules) -> Self {
        Lexer { text, at, rules }
    }

    /// The next byte.
    #[inline(always)]
    pub(crate) fn peek(&self) -> Lex<u8> {
        self.byte(self.at)
    }

    /// The byte at `at`.
    #[inline(always)]
    pub(crate) fn byte(&self, at: usize) -> Lex<u8> {
        self.text.as_bytes().get(at).copied().ok_or(Stop::End)
    }

    #[inline(always)]
    pub(crate) fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Whether a row that began at `start` may end here.
    #[inline(always)]
    pub(crate) fn is_short_row(&self, start: usize) -> bool {
        self.at - start <= self.rules.row_bytes
    }

    /// Checks the length of the row that began at `start` and ends here.
    #[inline(always)]
    pub(crate) fn check_row(&self, start: usize) -> Lex<()> {
        if self.is_short_row(start) {
            return Ok(());
        }
        let message = format!("a row of more than {} bytes", self.rules.row_bytes);
        let error = Error::limit(ErrorKind::LimitRow, "row_bytes", message);
        Err(Stop::Bad(error.moved_to(start as u64)))
    }

    /// Skips spaces and tabs.
    #[inline(always)]
    pub(crate) fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\t') = bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// Skips the white space that is allowed inside a term.
    pub(super) fn skip_space(&mut self) -> Lex<()> {
        if self.rules.free_lines {
            return self.skip_lines();
        }
        self.skip_blanks();
        Ok(())
    }

    /// Skips white space, line ends and comments.
    #[inline(always)]
    pub(crate) fn skip_lines(&mut self) -> Lex<()> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'#') => self.skip_comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// Skips to the end of the line.
    #[cold]
    pub(crate) fn skip_comment(&mut self) -> Lex<()> {
        let rest = self.rest();
        match memchr::memchr2(b'\n', b'\r', rest) {
            Some(length) => {
                self.at += length;
                Ok(())
            }
            None => Err(Stop::End),
        }
    }

    /// Reads a term; other text is an error.
    #[inline(always)]
    pub(crate) fn term(&mut self, scratch: &mut Scratch) -> Lex {
        match self.peek()? {
            b'<' => self.iri_or_triple(scratch),
            b'"' => self.literal(scratch),
            b'_' => self.blank_node(),
            other => self.odd_term(other, scratch),
        }
    }

    #[cold]
    fn odd_term(&mut self, first: u8, scratch: &mut Scratch) -> Lex {
        match first {
            b'\'' if self.rules.quotes => self.literal(scratch),
            b'.' if !self.rules.bare || !self.byte(self.at + 1)?.is_ascii_digit() => {
                bad(ErrorKind::TextRow, self.at, "a term is missing before the dot")
            }
            b'0'..=b'9' | b'+' | b'-' | b'.' if self.rules.bare => self.number(scratch),
            b't' | b'f' if self.rules.bare => self.boolean(scratch),
            _ => self.no_term(),
        }
    }

    /// The end of the word at this place, for messages and keywords: letters, digits and other characters of
    /// names.
    pub(crate) fn word_end(&self) -> usize {
        let length = self.rest().iter().take_while(|&&b| is_word_byte(b)).count();
        self.at + length
    }

    #[cold]
    pub(crate) fn no_term<T>(&self) -> Lex<T> {
        let end = self.word_end();
        if end == self.text.len() {
            return Err(Stop::End);
        }
        let word = &self.text[self.at..end];
        let next = &self.text[end..];
        if next.starts_with(':') {
            let message = format!(
                "{word}: looks like a prefixed name, but this format has no prefixes; write the whole IRI"
            );
            return bad(ErrorKind::TextPrefixed, self.at, message);
        }
        let what =
            if word.is_empty() { next.chars().next().map(String::from) } else { Some(word.to_owned()) };
        let what = crate::error::excerpt(&what.unwrap_or_default());
        bad(ErrorKind::TextTerm, self.at, format!("{what} is not a term"))
    }

    /// Reads `_:label`.
    #[inline]
    fn blank_node(&mut self) -> Lex {
        let start = self.at;
        if self.byte(start + 1)? != b':' {
            return bad(ErrorKind::TextLabel, start, "a blank node must begin with _:");
        }
        let label = start + 2;
        let bytes = &self.text.as_bytes()[label..];
        let run = crate::scan::label_run(bytes);
        if run == bytes.len() {
            return Err(Stop::End);
        }
        self.label_within(start, label + run)
    }

    /// Reads a label that ends at `end`, or at the dots before it.
    #[inline]
    pub(crate) fn label_within(&mut self, start: usize, mut end: usize) -> Lex {
        let label = start + 2;
        let bytes = self.text.as_bytes();
        while end > label && bytes[end - 1] == b'.' {
            end -= 1;
        }
        if !crate::scan::is_plain_label(&self.text[label..end]) || bytes.get(end) == Some(&b':') {
            let label = crate::error::excerpt(&self.text[label..end]);
            return bad(
                ErrorKind::TextLabel,
                start,
                format!("{label} cannot be the label of a blank node; write it as <_:...>"),
            );
        }
        self.at = end;
        Ok(Lexed::at(Kind::BlankNode, start, end).with_text(label, end))
    }
}

/// Whether a byte can be part of a label, in UTF-8.
#[inline(always)]
fn is_label_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() | matches!(b, b'_' | b'-' | b'.') | (b >= 0x80)
}

fn is_word_byte(b: u8) -> bool {
    is_label_byte(b)
}
