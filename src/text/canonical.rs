//! Reads statements in canonical text, whose terms go to a sink one by one and without changes.
//!
//! This fast path accepts only valid canonical text. For all other rows, valid or not, the lexer begins the
//! row again, checks every rule, and reports what is wrong and where.

use super::lex::{Lexer, is_language};
use crate::scan::{iri_run, plain_label_run, plain_run, tag_run};
use crate::sink::TermSink;
use crate::term::{DATATYPE_OPEN, XSD_STRING};

/// Reads three terms, an optional graph, and the dot, with a space after each term; `false`: the row is not
/// simple enough.
///
/// A term may have `most` bytes. `graphs`: there may be a graph; those for which `is_odd` is true are left to
/// the lexer.
#[inline(always)]
pub(super) fn statement<'t>(
    lexer: &mut Lexer<'t>,
    out: &mut impl TermSink<'t>,
    most: usize,
    graphs: Option<fn(&str) -> bool>,
) -> bool {
    let mut row = Row { rest: &lexer.text[lexer.at..], most };
    let done = row.term::<0>(out) && row.term::<1>(out) && row.term::<2>(out);
    if !done {
        return false;
    }
    let graph = row.rest;
    let done = if row.ends() {
        out.default_graph(3)
    } else if let Some(is_odd) = graphs {
        row.term::<3>(out) && !is_odd(graph) && row.ends()
    } else {
        false
    };
    lexer.at = lexer.text.len() - row.rest.len() + 1;
    done
}

/// The rest of a row, and the maximum size of a term.
struct Row<'t> {
    rest: &'t str,
    most: usize,
}

impl<'t> Row<'t> {
    #[inline(always)]
    fn ends(&self) -> bool {
        self.rest.as_bytes().first() == Some(&b'.')
    }

    /// Reads a term and the space after it; one function for each place, so that values stay in registers.
    #[inline(never)]
    fn term<const PLACE: usize>(&mut self, out: &mut impl TermSink<'t>) -> bool {
        let (text, bytes) = (self.rest, self.rest.as_bytes());
        if let Some(length) = out.repeats_in(PLACE, bytes) {
            self.rest = &text[length + 1..];
            return length <= self.most && out.repeat(PLACE);
        }
        let found = match *bytes {
            [b'<', b'_', b':', ref label @ ..] => {
                plain_label_run(label).filter(|_| PLACE != 1).map(|n| n + 4)
            }
            [b'<', ref iri @ ..] => Some(iri_run(iri) + 2),
            [b'_', b':', ref label @ ..] => plain_label_run(label).filter(|_| PLACE != 1).map(|n| n + 2),
            [b'"', ..] if PLACE == 2 => literal(bytes),
            _ => None,
        };
        let Some(length) = found else { return false };
        if bytes.get(length) != Some(&b' ') {
            return false;
        }
        self.rest = &text[length + 1..];
        let taken = match *bytes {
            [b'<', ..] if bytes[length - 1] != b'>' => false,
            [b'<', b'_', b':', ..] => out.labelled(PLACE, &text[1..], length - 2),
            [b'_', ..] => out.labelled(PLACE, text, length),
            _ => out.text(PLACE, text, length),
        };
        taken && length <= self.most
    }
}

/// Length of the literal at the start, if it is canonical.
#[inline(always)]
fn literal(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += plain_run(&bytes[at..]);
        match *bytes.get(at..)? {
            [b'"', ..] => break,
            [b'\\', b'"' | b'\\' | b'n' | b'r' | b't' | b'b' | b'f', ..] => at += 2,
            // not U+FFFE and U+FFFF, which are escaped
            [0xef, second, third, ..] if !(second == 0xbf && third >= 0xbe) => at += 3,
            _ => return None,
        }
    }
    let tail = &bytes[at + 1..];
    match tail.first()? {
        b' ' => Some(at + 1),
        b'@' => {
            let length = tag_run(&tail[1..]);
            let tag = &tail[1..=length];
            let is_word = length > 0 && tag.iter().all(u8::is_ascii_alphabetic);
            (is_word || is_language(std::str::from_utf8(tag).ok()?)).then_some(at + 2 + length)
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
