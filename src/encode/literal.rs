//! Literals as members of a row, also parsed from unchecked text.

use super::bytes::same;
use super::lookup::Lookup;
use super::row::Rows;
use crate::scan::{has_quote, is_plain_part, starts_plainly};
use crate::term::XSD_STRING;
use crate::wire::{Buffer, varint_len};

/// The parts of a literal other than its lexical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail<'a> {
    None,
    Tag(&'a [u8]),
    /// The id of a datatype.
    Datatype(u32),
}

/// Writes a literal.
#[inline(always)]
pub(super) fn write(message: &mut Buffer, field: u32, lex: &[u8], tail: Tail<'_>) {
    let lex_size = if lex.is_empty() { 0 } else { size_of_bytes(lex) };
    let tail_size = match tail {
        Tail::None => 0,
        Tail::Tag(tag) => size_of_bytes(tag),
        Tail::Datatype(id) => 1 + varint_len(id.into()),
    };
    message.header(field, lex_size + tail_size);
    if !lex.is_empty() {
        message.bytes(1, lex);
    }
    match tail {
        Tail::None => {}
        Tail::Tag(tag) => message.bytes(2, tag),
        Tail::Datatype(id) => message.number(3, id.into()),
    }
}

#[inline(always)]
fn size_of_bytes(text: &[u8]) -> usize {
    1 + varint_len(text.len() as u64) + text.len()
}

/// The ids of recent datatypes; 0 means none. A match is compared with the table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recent {
    ids: [u32; 4],
    next: usize,
}

/// The text between a lexical form and its datatype.
const OPEN: &[u8; 4] = b"\"^^<";

impl Recent {
    /// Parses a literal from its canonical text, which ends with this byte. `None`: it has escapes, is not
    /// canonical, or is not a literal.
    #[inline(always)]
    pub(super) fn cut<'t>(
        &mut self,
        text: &'t [u8],
        last: u8,
        datatypes: &mut Lookup,
        rows: &mut Rows,
    ) -> Option<(&'t [u8], Tail<'t>)> {
        let (close, tail) = match last {
            b'"' => (text.len() - 1, Tail::None),
            b'>' => match self.known(text, datatypes) {
                Some((close, id)) => {
                    let lex = plain(text, close)?;
                    datatypes.touch(id);
                    return Some((lex, Tail::Datatype(id)));
                }
                None => return self.new_datatype(text, datatypes, rows),
            },
            _ => {
                let close = text.iter().rposition(|&b| b == b'"')?;
                let tag = text[close + 1..].strip_prefix(b"@")?;
                if tag.is_empty() || !is_plain_part(tag) {
                    return None;
                }
                (close, Tail::Tag(tag))
            }
        };
        Some((plain(text, close)?, tail))
    }

    /// The end of the lexical form, and the id of the datatype if it is a recent one.
    #[inline(always)]
    fn known(&self, bytes: &[u8], datatypes: &Lookup) -> Option<(usize, u32)> {
        for id in self.ids {
            let Some(iri) = datatypes.plain_text(id) else { continue };
            let Some(close) = bytes.len().checked_sub(OPEN.len() + iri.len() + 1) else { continue };
            if let Some((open, rest)) = bytes[close..].split_first_chunk()
                && open == OPEN
                && same(&rest[..iri.len()], iri)
            {
                return Some((close, id));
            }
        }
        None
    }

    #[inline(never)]
    fn new_datatype<'t>(
        &mut self,
        text: &'t [u8],
        datatypes: &mut Lookup,
        rows: &mut Rows,
    ) -> Option<(&'t [u8], Tail<'t>)> {
        let close = memchr::memrchr(b'"', text)?;
        let lex = plain(text, close)?;
        let iri = text[close + 1..].strip_prefix(b"^^<")?.strip_suffix(b">")?;
        if iri == XSD_STRING.as_bytes() || !starts_plainly(iri) {
            return None;
        }
        let id = datatypes.id(iri, rows).ok()?;
        self.ids[self.next] = id;
        self.next = (self.next + 1) % self.ids.len();
        Some((lex, Tail::Datatype(id)))
    }
}

/// The lexical form up to a quote, if no other quote and no escape precedes the quote.
#[inline(always)]
fn plain(bytes: &[u8], close: usize) -> Option<&[u8]> {
    let lex = bytes.get(1..close)?;
    if has_quote(lex) { None } else { Some(lex) }
}
