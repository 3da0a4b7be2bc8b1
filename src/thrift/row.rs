//! `RDF_Patch_Row`: a union of all kinds of rows.

use super::compact::{Cursor, Field, Halt, Read, kind};
use super::term::{Parsed, term};
use crate::default_graph::is_default_graph;
use crate::error::ErrorKind;
use crate::term::Term;

/// Members of the union.
pub(super) mod member {
    pub(in super::super) const HEADER: i32 = 1;
    pub(in super::super) const ADD: i32 = 2;
    pub(in super::super) const DELETE: i32 = 3;
    pub(in super::super) const ADD_PREFIX: i32 = 4;
    pub(in super::super) const DELETE_PREFIX: i32 = 5;
    pub(in super::super) const TRANSACTION: i32 = 6;
}

/// Values of `PatchTxn`.
pub(super) mod transaction {
    pub(in super::super) const BEGIN: i32 = 0;
    pub(in super::super) const COMMIT: i32 = 1;
    pub(in super::super) const ABORT: i32 = 2;
    pub(in super::super) const SEGMENT: i32 = 3;
}

/// A row that is completely in the input.
#[derive(Debug)]
pub(super) enum RawRow<'a> {
    Header { name: &'a str, value: Parsed<'a> },
    Statement { is_add: bool, terms: [Parsed<'a>; 4] },
    Prefix { name: &'a str, iri: Option<&'a str>, graph: Parsed<'a> },
    Begin,
    Commit,
    Abort,
    Segment,
}

const NO_GRAPH: Parsed<'static> = Parsed::Plain(Term::DefaultGraph);

/// Reads a row.
#[inline]
pub(super) fn row<'a>(cursor: &mut Cursor<'a>, start: &'a [u8]) -> Read<RawRow<'a>> {
    let (mut last, mut found) = (0, None);
    while let Some(field) = cursor.field(&mut last)? {
        if !(member::HEADER..=member::TRANSACTION).contains(&field.id) {
            cursor.skip(&field)?;
            continue;
        }
        if found.is_some() {
            return Err(field.fault(ErrorKind::WireRow, "a row has two kinds"));
        }
        found = Some(content(cursor, &field).map_err(|halt| halt.within(name(field.id)))?);
    }
    let nothing = Field { id: 0, kind: 0, at: start };
    found.ok_or_else(|| nothing.fault(ErrorKind::WireRow, "a row of no known kind"))
}

fn name(id: i32) -> &'static str {
    match id {
        member::HEADER => "header",
        member::ADD => "dataAdd",
        member::DELETE => "dataDel",
        member::ADD_PREFIX => "prefixAdd",
        member::DELETE_PREFIX => "prefixDel",
        _ => "txn",
    }
}

#[inline]
fn content<'a>(cursor: &mut Cursor<'a>, field: &Field<'a>) -> Read<RawRow<'a>> {
    match field.id {
        member::ADD | member::DELETE => {
            let terms = statement(cursor, field)?;
            Ok(RawRow::Statement { is_add: field.id == member::ADD, terms })
        }
        member::HEADER => header(cursor, field),
        member::ADD_PREFIX | member::DELETE_PREFIX => prefix(cursor, field),
        _ => {
            field.expect(kind::I32)?;
            match cursor.int32()? {
                transaction::BEGIN => Ok(RawRow::Begin),
                transaction::COMMIT => Ok(RawRow::Commit),
                transaction::ABORT => Ok(RawRow::Abort),
                transaction::SEGMENT => Ok(RawRow::Segment),
                other => Err(field
                    .fault(ErrorKind::WireRow, format!("there is no kind of row with the number {other}"))),
            }
        }
    }
}

#[inline]
fn statement<'a>(cursor: &mut Cursor<'a>, field: &Field<'a>) -> Read<[Parsed<'a>; 4]> {
    field.expect(kind::STRUCT)?;
    let [mut subject, mut predicate, mut object] = [None, None, None];
    let (mut graph, mut last) = (NO_GRAPH, 0);
    while let Some(part) = cursor.field(&mut last)? {
        match part.id {
            1 => subject = Some(term(cursor, &part).map_err(|halt| halt.within("s"))?),
            2 => predicate = Some(term(cursor, &part).map_err(|halt| halt.within("p"))?),
            3 => object = Some(term(cursor, &part).map_err(|halt| halt.within("o"))?),
            4 => graph = graph_term(cursor, &part).map_err(|halt| halt.within("g"))?,
            _ => cursor.skip(&part)?,
        }
    }
    match (subject, predicate, object) {
        (Some(subject), Some(predicate), Some(object)) => Ok([subject, predicate, object, graph]),
        (None, ..) => Err(unset(field, "s")),
        (_, None, _) => Err(unset(field, "p")),
        (.., None) => Err(unset(field, "o")),
    }
}

#[cold]
fn unset(field: &Field<'_>, name: &'static str) -> Halt {
    field.fault(ErrorKind::WireUnset, format!("{name} is not set")).within(name)
}

#[inline]
fn graph_term<'a>(cursor: &mut Cursor<'a>, field: &Field<'a>) -> Read<Parsed<'a>> {
    match term(cursor, field)? {
        Parsed::Plain(Term::Iri(iri)) if is_default_graph(&iri) => Ok(NO_GRAPH),
        Parsed::Made(made) if matches!(*made, crate::term::TermBuf::Triple(_)) => {
            Err(field.fault(ErrorKind::WireTerm, "a quoted triple as a graph"))
        }
        other => Ok(other),
    }
}

#[cold]
#[inline(never)]
fn header<'a>(cursor: &mut Cursor<'a>, field: &Field<'a>) -> Read<RawRow<'a>> {
    field.expect(kind::STRUCT)?;
    let (mut name, mut value, mut last) = (None, None, 0);
    while let Some(part) = cursor.field(&mut last)? {
        match part.id {
            1 => name = Some(cursor.string(&part).map_err(|halt| halt.within("name"))?),
            2 => value = Some(term(cursor, &part).map_err(|halt| halt.within("value"))?),
            _ => cursor.skip(&part)?,
        }
    }
    let name = name.ok_or_else(|| unset(field, "name"))?;
    let value = value.ok_or_else(|| unset(field, "value"))?;
    Ok(RawRow::Header { name, value })
}

#[cold]
#[inline(never)]
fn prefix<'a>(cursor: &mut Cursor<'a>, field: &Field<'a>) -> Read<RawRow<'a>> {
    field.expect(kind::STRUCT)?;
    let is_add = field.id == member::ADD_PREFIX;
    let (mut name, mut iri, mut graph, mut last) = (None, None, NO_GRAPH, 0);
    while let Some(part) = cursor.field(&mut last)? {
        match part.id {
            1 => graph = graph_term(cursor, &part).map_err(|halt| halt.within("graphNode"))?,
            2 => name = Some(cursor.string(&part).map_err(|halt| halt.within("prefix"))?),
            3 if is_add => iri = Some(cursor.string(&part).map_err(|halt| halt.within("iriStr"))?),
            _ => cursor.skip(&part)?,
        }
    }
    let name = name.ok_or_else(|| unset(field, "prefix"))?;
    if is_add && iri.is_none() {
        return Err(unset(field, "iriStr"));
    }
    Ok(RawRow::Prefix { name, iri, graph })
}
