//! `RdfLiteral` and strings on the wire.

use super::lookup::Lookups;
use super::quick::short_bytes;
use crate::error::ErrorKind;
use crate::limits::Limits;
use crate::scan::{ascii, is_plain_literal, plain_ascii_literal};
use crate::wire::{Cursor, Fault};

/// A literal whose datatype is still an id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawLiteral<'a> {
    pub(crate) lex: &'a str,
    pub(crate) plain: bool,
    pub(crate) kind: RawKind<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum RawKind<'a> {
    Simple,
    Language(&'a str),
    Datatype(u32),
}

/// Checks that a string is UTF-8; `at` is its tag.
#[inline(always)]
pub(crate) fn utf8<'a>(bytes: &'a [u8], at: &[u8]) -> Result<&'a str, Fault> {
    simdutf8::basic::from_utf8(bytes).map_err(|_| not_utf8(bytes, at))
}

#[cold]
#[inline(never)]
fn not_utf8(bytes: &[u8], at: &[u8]) -> Fault {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    Fault::new(ErrorKind::WireUtf8, at, format!("not UTF-8 from byte {valid} of the string"))
}

/// Reads a string of a term: UTF-8 within the limit.
pub(crate) fn term_text<'a>(bytes: &'a [u8], at: &[u8], limits: &Limits) -> Result<&'a str, Fault> {
    if bytes.len() > limits.term_bytes {
        return Err(too_long(bytes.len(), at));
    }
    utf8(bytes, at)
}

#[cold]
#[inline(never)]
fn too_long(length: usize, at: &[u8]) -> Fault {
    Fault::limit(ErrorKind::LimitTerm, "term_bytes", at, format!("a string of {length} bytes"))
}

/// Reads a valid string of a term; `None` if it may be invalid.
#[inline(always)]
pub(super) fn short_text<'a>(bytes: &'a [u8], limits: &Limits) -> Option<&'a str> {
    if bytes.len() > limits.term_bytes {
        return None;
    }
    ascii(bytes).or_else(|| utf8_text(bytes))
}

#[inline(never)]
fn utf8_text(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

/// Reads a valid `RdfLiteral` with its fields in order, without checking tables; `None` for any other.
#[inline(always)]
pub(super) fn read_short_literal<'a>(bytes: &'a [u8], limits: &Limits) -> Option<RawLiteral<'a>> {
    let (mut lex, mut plain, mut rest) = ("", true, bytes);
    if let [0x0a, after @ ..] = bytes {
        let (text, after) = short_bytes(after)?;
        rest = after;
        if text.len() > limits.term_bytes {
            return None;
        }
        (lex, plain) = match plain_ascii_literal(text) {
            Some(lex) => (lex, true),
            None => odd_text(text)?,
        };
    }
    let kind = match *rest {
        [] => RawKind::Simple,
        [0x18, id @ 0..0x80] => RawKind::Datatype(id.into()),
        [0x12, ref rest @ ..] => match short_bytes(rest)? {
            (tag, []) => RawKind::Language(short_text(tag, limits)?),
            _ => return None,
        },
        _ => return None,
    };
    Some(RawLiteral { lex, plain, kind })
}

/// Reads text that is not ASCII or needs escapes; also returns whether it needs no escapes.
#[inline(never)]
fn odd_text(bytes: &[u8]) -> Option<(&str, bool)> {
    let text = utf8_text(bytes)?;
    Some((text, is_plain_literal(text)))
}

/// Reads an `RdfLiteral` and checks its datatype against the table.
pub(crate) fn read_literal<'a>(
    bytes: &'a [u8],
    lookups: &Lookups,
    limits: &Limits,
) -> Result<RawLiteral<'a>, Fault> {
    let (mut lex, mut kind) = ("", RawKind::Simple);
    let mut datatype_at = bytes;
    let mut cursor = Cursor::new(bytes);
    while let Some((key, at)) = cursor.next_key()? {
        match key.field {
            1 => {
                let bytes = cursor.bytes_of(key, at).map_err(|fault| fault.within("lex"))?;
                lex = term_text(bytes, at, limits).map_err(|fault| fault.within("lex"))?;
            }
            2 => {
                let bytes = cursor.bytes_of(key, at).map_err(|fault| fault.within("langtag"))?;
                let tag = term_text(bytes, at, limits).map_err(|fault| fault.within("langtag"))?;
                kind = RawKind::Language(tag);
            }
            3 => {
                let id = cursor.number_of(key, at).map_err(|fault| fault.within("datatype"))?;
                (kind, datatype_at) = (RawKind::Datatype(id), at);
            }
            _ => cursor.skip(key, at, limits.nesting)?,
        }
    }
    if let RawKind::Datatype(id) = kind {
        check_datatype(id, lookups, datatype_at).map_err(|fault| fault.within("datatype"))?;
    }
    Ok(RawLiteral { lex, plain: is_plain_literal(lex), kind })
}

fn check_datatype(id: u32, lookups: &Lookups, at: &[u8]) -> Result<(), Fault> {
    if id == 0 {
        return Err(Fault::new(ErrorKind::TableDatatype, at, "datatype id 0 does not exist"));
    }
    lookups.datatypes.check(id, at).map(drop)
}
