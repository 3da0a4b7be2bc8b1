//! The fast path for statements in the form that Jena writes; their terms go to a sink one by one. A term
//! that repeats is compared but not parsed.
//!
//! The fast path accepts only valid statements with members in order and short heads. For all others, valid
//! or not, the careful path in `row.rs` begins the row again, checks every rule, and reports what is wrong
//! and where.

use super::compact::utf8;
use crate::default_graph::is_default_graph;
use crate::encode::bytes::same;
use crate::limits::Limits;
use crate::scan::{is_plain_literal, plain_ascii_iri, plain_ascii_literal};
use crate::sink::TermSink;
use crate::term::{Datatype, Iri, Literal, LiteralKind, XSD_STRING, is_named_plainly};

/// Heads of fields and ends of structs, as bytes of a row.
mod head {
    pub(super) const ADD: u8 = 0x2c;
    pub(super) const DELETE: u8 = 0x3c;
    /// A term of a statement, directly after the previous term.
    pub(super) const PLACE: u8 = 0x1c;
    pub(super) const IRI: u8 = 0x1c;
    pub(super) const BLANK_NODE: u8 = 0x2c;
    pub(super) const LITERAL: u8 = 0x3c;
    /// The first string of a struct, or the string after it.
    pub(super) const STRING: u8 = 0x18;
    /// A datatype after a lexical form.
    pub(super) const DATATYPE: u8 = 0x28;
}

/// Reads the statements at the start of an input.
pub(super) struct Quick<'a> {
    input: &'a [u8],
    limits: &'a Limits,
    /// The start of the last row and of the next one.
    row: usize,
    at: usize,
    /// The bytes of the terms of the last row; empty if there are none.
    last: [&'a [u8]; 4],
}

impl<'a> Quick<'a> {
    pub(super) fn new(input: &'a [u8], limits: &'a Limits) -> Self {
        Quick { input, limits, row: 0, at: 0, last: [&[]; 4] }
    }

    /// Number of bytes of the rows that were read.
    pub(super) fn taken(&self) -> usize {
        self.at
    }

    /// The bytes of the last row that was read.
    pub(super) fn last_row(&self) -> &'a [u8] {
        &self.input[self.row..self.at]
    }

    /// Whether the next statement is added or deleted; `None` if no statement follows.
    #[inline(always)]
    pub(super) fn adds(&self) -> Option<bool> {
        match self.input[self.at..] {
            [head::ADD, head::PLACE, ..] => Some(true),
            [head::DELETE, head::PLACE, ..] => Some(false),
            _ => None,
        }
    }

    /// Passes on the terms of the next statement; `false`: it is not simple enough, and nothing more can be
    /// read.
    #[inline(always)]
    pub(super) fn statement(&mut self, out: &mut impl TermSink<'a>) -> bool {
        let rest = &self.input[self.at..];
        let row = &rest[..rest.len().min(self.limits.row_bytes)];
        let most = self.limits.term_bytes;
        let mut terms = Terms { rest: &row[1..], most, last: &mut self.last };
        let done = terms.place::<0>(out)
            && terms.place::<1>(out)
            && terms.place::<2>(out)
            && if terms.ends() { terms.default_graph(out) } else { terms.place::<3>(out) && terms.ends() };
        if done {
            let taken = row.len() - terms.rest.len() + ENDS.len();
            (self.row, self.at) = (self.at, self.at + taken);
        }
        done
    }
}

/// The ends of two structs.
const ENDS: [u8; 2] = [0, 0];

/// The remaining bytes of a row.
struct Terms<'a, 'r> {
    rest: &'a [u8],
    /// Maximum size of a string in bytes.
    most: usize,
    last: &'r mut [&'a [u8]; 4],
}

impl<'a> Terms<'a, '_> {
    #[inline(always)]
    fn ends(&self) -> bool {
        self.rest.starts_with(&ENDS)
    }

    #[inline(always)]
    fn default_graph(&mut self, out: &mut impl TermSink<'a>) -> bool {
        self.last[3] = &[];
        out.default_graph(3)
    }

    /// Reads a term; one function for each place, so that values stay in registers.
    #[inline(never)]
    fn place<const PLACE: usize>(&mut self, out: &mut impl TermSink<'a>) -> bool {
        let (all, last) = (self.rest, self.last[PLACE]);
        if let Some((first, rest)) = all.split_at_checked(last.len())
            && !last.is_empty()
            && same(last, first)
            && out.repeat(PLACE)
        {
            self.rest = rest;
            return true;
        }
        let taken = self.term::<PLACE>(out) == Some(true);
        self.last[PLACE] = &all[..all.len() - self.rest.len()];
        taken
    }

    #[inline(always)]
    fn term<const PLACE: usize>(&mut self, out: &mut impl TermSink<'a>) -> Option<bool> {
        let [head::PLACE, kind, head::STRING, ref rest @ ..] = *self.rest else { return None };
        let (bytes, rest) = self.string(rest)?;
        match kind {
            head::IRI => {
                self.rest = rest.strip_prefix(&ENDS)?;
                let iri = Iri::new_plain(iri(bytes)?);
                (PLACE != 3 || !is_default_graph(&iri)).then(|| out.iri(PLACE, iri))
            }
            head::BLANK_NODE => {
                self.rest = rest.strip_prefix(&ENDS)?;
                Some(out.blank_node(PLACE, utf8(bytes)?))
            }
            head::LITERAL if PLACE == 2 => {
                let (plain, lex) = match plain_ascii_literal(bytes) {
                    Some(lex) => (true, lex),
                    None => any_literal(bytes)?,
                };
                let kind = self.literal_kind(rest)?;
                Some(out.literal(PLACE, Literal { lex, plain, kind }))
            }
            _ => None,
        }
    }

    /// Reads the rest of a literal after its lexical form, and its end.
    #[inline(always)]
    fn literal_kind(&mut self, rest: &'a [u8]) -> Option<LiteralKind<'a>> {
        let (kind, rest) = match *rest {
            [head::STRING, ref rest @ ..] => {
                let (tag, rest) = self.string(rest)?;
                (LiteralKind::Language(utf8(tag).filter(|tag| !tag.is_empty())?), rest)
            }
            [head::DATATYPE, ref rest @ ..] => {
                let (iri, rest) = self.string(rest)?;
                let datatype = self::iri(iri).filter(|iri| *iri != XSD_STRING)?;
                (LiteralKind::Datatype(Datatype::new_plain(datatype)), rest)
            }
            _ => (LiteralKind::Simple, rest),
        };
        self.rest = rest.strip_prefix(&ENDS)?;
        Some(kind)
    }

    /// Reads a string after its length; also returns the bytes after it.
    #[inline(always)]
    fn string(&self, bytes: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let (length, rest) = match *bytes {
            [length @ 0..0x80, ref rest @ ..] => (usize::from(length), rest),
            [low, high @ 1..0x80, ref rest @ ..] => (usize::from(high) << 7 | usize::from(low & 0x7f), rest),
            _ => return None,
        };
        if length > self.most {
            return None;
        }
        rest.split_at_checked(length)
    }
}

/// An IRI, if it can be used unchanged.
#[inline(always)]
fn iri(bytes: &[u8]) -> Option<&str> {
    plain_ascii_iri(bytes).filter(|iri| !iri.starts_with("_:")).or_else(|| other_iri(bytes))
}

#[inline(never)]
fn other_iri(bytes: &[u8]) -> Option<&str> {
    utf8(bytes).filter(|iri| is_named_plainly(iri))
}

/// A lexical form, and whether it needs no escapes.
#[inline(never)]
fn any_literal(bytes: &[u8]) -> Option<(bool, &str)> {
    let lex = utf8(bytes)?;
    Some((is_plain_literal(lex), lex))
}
