//! Statements of canonical text, whose terms go to a sink one by one and as they lie.
//!
//! Knows only what is right and canonical. Everything else, good or bad, it leaves to the lexer, which begins the
//! row anew, knows every rule, and says what is wrong and where.

use super::lex::{Lexer, is_language};
use crate::scan::{iri_run, label_run, plain_run, tag_run};
use crate::sink::TermSink;
use crate::term::{DATATYPE_OPEN, XSD_STRING};

/// Goes over three terms, perhaps a graph, and the dot, with a space behind each term; `false`: it is not that simple.
///
/// A term may have `most` bytes. `graphs`: there may be one, of which `is_odd` says that it is left to the lexer.
#[inline(always)]
pub(super) fn statement<'t>(
    lexer: &mut Lexer<'t>,
    out: &mut impl TermSink<'t>,
    most: usize,
    graphs: Option<fn(&str) -> bool>,
) -> bool {
    let mut row = Row { text: lexer.text, at: lexer.at, most };
    let done = row.term::<0>(out) && row.term::<1>(out) && row.term::<2>(out);
    if !done {
        return false;
    }
    let start = row.at;
    if row.peek() == Some(b'.') {
        lexer.at = start + 1;
        return out.default_graph(3);
    }
    let Some(is_odd) = graphs else { return false };
    if !row.term::<3>(out) || is_odd(&row.text[start..]) || row.peek() != Some(b'.') {
        return false;
    }
    lexer.at = row.at + 1;
    true
}

struct Row<'t> {
    text: &'t str,
    at: usize,
    most: usize,
}

impl<'t> Row<'t> {
    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// A term and the space behind it.
    #[inline(always)]
    fn term<const PLACE: usize>(&mut self, out: &mut impl TermSink<'t>) -> bool {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        if let Some(length) = out.repeats_in(PLACE, rest) {
            self.at += length + 1;
            return length <= self.most && out.repeat(PLACE);
        }
        let taken = match *rest {
            [b'<', b'_', b':', ..] if PLACE != 1 => {
                let length = iri_run(&rest[1..]) + 1;
                self.at += length + 1;
                rest.get(length) == Some(&b'>')
                    && out.blank_node(PLACE, &self.text[start + 3..start + length])
            }
            [b'<', b'_', b':', ..] => false,
            [b'<', ..] => {
                let length = iri_run(&rest[1..]) + 1;
                self.at += length + 1;
                rest.get(length) == Some(&b'>') && out.text(PLACE, &self.text[start..=start + length])
            }
            [b'_', b':', ..] if PLACE != 1 => {
                let length = label_run(&rest[2..]) + 2;
                self.at += length;
                out.blank_node(PLACE, &self.text[start + 2..start + length])
            }
            [b'"', ..] if PLACE == 2 => match literal(rest) {
                Some(length) => {
                    self.at += length;
                    out.text(PLACE, &self.text[start..start + length])
                }
                None => false,
            },
            _ => false,
        };
        let is_short = self.at - start <= self.most;
        let ends = self.peek() == Some(b' ');
        self.at += 1;
        taken & is_short & ends
    }
}

/// How long the literal at the start is, if it is canonical.
#[inline(always)]
fn literal(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += plain_run(&bytes[at..]);
        match *bytes.get(at..)? {
            [b'"', ..] => break,
            [b'\\', b'"' | b'\\' | b'n' | b'r' | b't' | b'b' | b'f', ..] => at += 2,
            // not U+FFFE and U+FFFF, which have escapes
            [0xef, second, third, ..] if !(second == 0xbf && third >= 0xbe) => at += 3,
            _ => return None,
        }
    }
    let tail = &bytes[at + 1..];
    match tail.first()? {
        b' ' => Some(at + 1),
        b'@' => {
            let length = tag_run(&tail[1..]);
            let tag = std::str::from_utf8(&tail[1..=length]).ok()?;
            is_language(tag).then_some(at + 2 + length)
        }
        b'^' => {
            let iri = bytes[at..].strip_prefix(DATATYPE_OPEN.as_bytes())?;
            let length = iri_run(iri);
            let datatype = &iri[..length];
            let is_plain = iri.get(length) == Some(&b'>') && !datatype.starts_with(b"_:");
            (is_plain && datatype != XSD_STRING.as_bytes()).then_some(at + DATATYPE_OPEN.len() + length + 1)
        }
        _ => None,
    }
}
