//! The members of a row and of a statement as byte ranges, without state and without terms.

use crate::error::ErrorKind;
use crate::wire::{Cursor, Fault, LEN};

/// The single member of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    /// Its field number.
    pub(crate) field: u32,
    /// Its message.
    pub(crate) bytes: &'a [u8],
    /// The row from the tag of the member.
    pub(crate) at: &'a [u8],
}

/// Reads field number and message of a row that consists of a short member, which is the usual form.
#[inline(always)]
pub(super) fn short_member(row: &[u8]) -> Option<(u8, &[u8])> {
    match row {
        [key, len, rest @ ..] if key & 0x87 == LEN && usize::from(*len) == rest.len() => {
            Some((key >> 3, rest))
        }
        _ => None,
    }
}

/// Finds the single member of a row; `known` identifies known fields.
#[inline(always)]
pub(crate) fn member(row: &[u8], known: fn(u32) -> bool, nesting: usize) -> Result<Member<'_>, Fault> {
    if let [key, len, rest @ ..] = row
        && key & 0x87 == LEN
        && usize::from(*len) == rest.len()
        && known(u32::from(key >> 3))
    {
        return Ok(Member { field: u32::from(key >> 3), bytes: rest, at: row });
    }
    any_member(row, known, nesting)
}

#[inline(never)]
fn any_member<'a>(row: &'a [u8], known: fn(u32) -> bool, nesting: usize) -> Result<Member<'a>, Fault> {
    let mut found: Option<Member<'a>> = None;
    let mut cursor = Cursor::new(row);
    while let Some((key, at)) = cursor.next_key()? {
        if !known(key.field) {
            cursor.skip(key, at, nesting)?;
            continue;
        }
        let bytes = cursor.bytes_of(key, at)?;
        if found.is_some() {
            return Err(Fault::merge(at));
        }
        found = Some(Member { field: key.field, bytes, at });
    }
    found.ok_or_else(|| Fault::new(ErrorKind::WireRow, row, "a row of no known kind"))
}

/// A member of a oneof of terms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawTerm<'a> {
    /// Which member is set.
    pub(crate) kind: RawTermKind,
    /// Its payload.
    pub(crate) bytes: &'a [u8],
    /// The message from the tag of the member.
    pub(crate) at: &'a [u8],
}

/// The members that a oneof of terms can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawTermKind {
    Unset,
    Iri,
    BlankNode,
    Literal,
    Triple,
    DefaultGraph,
}

use RawTermKind::{BlankNode, DefaultGraph, Iri, Literal, Triple};

/// Members of a subject, predicate, object or header value, in the order of their fields.
pub(crate) const TERM: [RawTermKind; 4] = [Iri, BlankNode, Literal, Triple];
/// Members of a graph.
pub(crate) const GRAPH: [RawTermKind; 4] = [Iri, BlankNode, DefaultGraph, Literal];

impl<'a> RawTerm<'a> {
    pub(crate) const UNSET: RawTerm<'static> = RawTerm { kind: RawTermKind::Unset, bytes: &[], at: &[] };

    /// Sets the oneof; if it is set already, the row must be merged first.
    #[inline(always)]
    pub(crate) fn set(&mut self, kind: RawTermKind, bytes: &'a [u8], at: &'a [u8]) -> Result<(), Fault> {
        if self.kind != RawTermKind::Unset {
            return Err(Fault::merge(at));
        }
        *self = RawTerm { kind, bytes, at };
        Ok(())
    }
}

/// Reads the oneofs of an `RdfTriple` (3 places) or `RdfQuad` (4 places).
pub(crate) fn read_statement<const PLACES: usize>(
    bytes: &[u8],
    nesting: usize,
) -> Result<[RawTerm<'_>; PLACES], Fault> {
    let mut terms = [RawTerm::UNSET; PLACES];
    let mut cursor = Cursor::new(bytes);
    while let Some((key, at)) = cursor.next_key()? {
        let place = (key.field as usize - 1) / 4;
        if place >= PLACES {
            cursor.skip(key, at, nesting)?;
            continue;
        }
        let member = (key.field as usize - 1) % 4;
        let bytes = cursor.bytes_of(key, at).map_err(|fault| fault.within(field_name(place, member)))?;
        let kind = if place == 3 { GRAPH[member] } else { TERM[member] };
        terms[place].set(kind, bytes, at)?;
    }
    Ok(terms)
}

/// The name of a member of a statement, for errors.
fn field_name(place: usize, member: usize) -> &'static str {
    const NAMES: [[&str; 4]; 4] = [
        ["s_iri", "s_bnode", "s_literal", "s_triple_term"],
        ["p_iri", "p_bnode", "p_literal", "p_triple_term"],
        ["o_iri", "o_bnode", "o_literal", "o_triple_term"],
        ["g_iri", "g_bnode", "g_default_graph", "g_literal"],
    ];
    NAMES[place.min(3)][member.min(3)]
}

/// The role of a term: decides its name in errors and whether it is generalized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Subject = 0,
    Predicate = 1,
    Object = 2,
    Graph = 3,
    Header = 4,
}

impl Place {
    pub(crate) const STATEMENT: [Place; 4] = [Place::Subject, Place::Predicate, Place::Object, Place::Graph];

    /// The name of the member in this role, for errors.
    pub(crate) fn field(self, kind: RawTermKind) -> &'static str {
        const HEADER: [&str; 4] = ["h_iri", "h_bnode", "h_literal", "h_triple_term"];
        const UNSET: [&str; 5] = ["subject", "predicate", "object", "graph", "value"];
        let members = if self == Place::Graph { GRAPH } else { TERM };
        match members.iter().position(|&member| member == kind) {
            Some(member) if self == Place::Header => HEADER[member],
            Some(member) => field_name(self as usize, member),
            None => UNSET[self as usize],
        }
    }
}
