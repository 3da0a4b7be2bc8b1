//! `RDF_Term`: a union of all kinds of terms.

use super::compact::{Cursor, Field, Read, kind};
use super::value;
use crate::error::ErrorKind;
use crate::term::{Datatype, Literal, LiteralKind, Term, TermBuf, Triple, XSD_STRING};
use crate::wire::Fault;

pub(super) const RDF_LANG_STRING: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";
pub(super) const RDF_DIR_LANG_STRING: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString";

/// Members of the union.
pub(super) mod member {
    pub(in super::super) const IRI: i32 = 1;
    pub(in super::super) const BLANK_NODE: i32 = 2;
    pub(in super::super) const LITERAL: i32 = 3;
    pub(in super::super) const PREFIX_NAME: i32 = 4;
    pub(in super::super) const VARIABLE: i32 = 5;
    pub(in super::super) const ANY: i32 = 6;
    pub(in super::super) const UNDEFINED: i32 = 7;
    pub(in super::super) const REPEAT: i32 = 8;
    pub(in super::super) const TRIPLE: i32 = 9;
    pub(in super::super) const INTEGER: i32 = 10;
    pub(in super::super) const DOUBLE: i32 = 11;
    pub(in super::super) const DECIMAL: i32 = 12;
}

/// A parsed term.
#[derive(Debug)]
pub(super) enum Parsed<'a> {
    /// A term that is in the input.
    Plain(Term<'a>),
    /// A term that had to be created.
    Made(Box<TermBuf>),
    /// The term at the same place of the previous statement, and the bytes of the repetition.
    Repeat(&'a [u8]),
}

impl Parsed<'_> {
    fn into_buf(self) -> Read<TermBuf> {
        Ok(match self {
            Parsed::Made(term) => *term,
            Parsed::Plain(term) => term.into(),
            Parsed::Repeat(at) => return Err(nothing_to_repeat(at).into()),
        })
    }
}

#[cold]
pub(super) fn nothing_to_repeat(at: &[u8]) -> Fault {
    Fault::new(ErrorKind::TableRepeated, at, "a term is repeated, but no term comes before it")
}

/// Reads a field that is a term.
#[inline(always)]
pub(super) fn term<'a>(cursor: &mut Cursor<'a>, field: &Field<'a>) -> Read<Parsed<'a>> {
    field.expect(kind::STRUCT)?;
    match cursor.short_string_member() {
        Some((member::IRI, iri)) => Ok(Parsed::Plain(Term::iri(iri))),
        Some((_, label)) => Ok(Parsed::Plain(Term::BlankNode(label))),
        None => any_term(cursor, field),
    }
}

#[inline(never)]
fn any_term<'a>(cursor: &mut Cursor<'a>, field: &Field<'a>) -> Read<Parsed<'a>> {
    let mut last = 0;
    let found = union_member(cursor, &mut last, field)?;
    let parsed = match found.id {
        member::TRIPLE => triple(cursor, &found).map(|term| Parsed::Made(Box::new(term))),
        _ => leaf(cursor, &found),
    };
    let parsed = parsed.map_err(|halt| halt.within(name(found.id)))?;
    union_end(cursor, &mut last)?;
    Ok(parsed)
}

fn name(id: i32) -> &'static str {
    match id {
        member::IRI => "iri",
        member::BLANK_NODE => "bnode",
        member::LITERAL => "literal",
        member::PREFIX_NAME => "prefixName",
        member::VARIABLE => "variable",
        member::ANY => "any",
        member::UNDEFINED => "undefined",
        member::REPEAT => "repeat",
        member::TRIPLE => "tripleTerm",
        member::INTEGER => "valInteger",
        member::DOUBLE => "valDouble",
        _ => "valDecimal",
    }
}

/// Reads the member that is set; unknown members are skipped.
#[inline]
fn union_member<'a>(cursor: &mut Cursor<'a>, last: &mut i32, term: &Field<'a>) -> Read<Field<'a>> {
    while let Some(field) = cursor.field(last)? {
        if (member::IRI..=member::DECIMAL).contains(&field.id) {
            return Ok(field);
        }
        cursor.skip(&field)?;
    }
    Err(term.fault(ErrorKind::WireUnset, "no term is set"))
}

/// Checks the end of a union after the member that was set.
#[inline]
fn union_end(cursor: &mut Cursor<'_>, last: &mut i32) -> Read<()> {
    while let Some(field) = cursor.field(last)? {
        if (member::IRI..=member::DECIMAL).contains(&field.id) {
            return Err(field.fault(ErrorKind::WireTerm, "a term has two kinds"));
        }
        cursor.skip(&field)?;
    }
    Ok(())
}

/// Reads a term that is not a triple.
#[inline]
fn leaf<'a>(cursor: &mut Cursor<'a>, field: &Field<'a>) -> Read<Parsed<'a>> {
    match field.id {
        member::IRI => only_string(cursor, field).map(|iri| Parsed::Plain(Term::iri(iri))),
        member::BLANK_NODE => only_string(cursor, field).map(|label| Parsed::Plain(Term::BlankNode(label))),
        member::LITERAL => literal(cursor, field),
        member::INTEGER => value::integer(cursor, field).map(|term| Parsed::Made(Box::new(term))),
        member::DOUBLE => value::double(cursor, field).map(|term| Parsed::Made(Box::new(term))),
        member::DECIMAL => value::decimal(cursor, field).map(|term| Parsed::Made(Box::new(term))),
        member::REPEAT => {
            field.expect(kind::STRUCT)?;
            cursor.skip(field)?;
            Ok(Parsed::Repeat(field.at))
        }
        other => Err(field.fault(
            ErrorKind::WireTerm,
            match other {
                member::PREFIX_NAME => "a prefixed name, but there are no prefixes to resolve it",
                member::VARIABLE => "a variable, which is not a term of a patch",
                member::ANY => "a wildcard, which is not a term of a patch",
                _ => "an undefined term",
            },
        )),
    }
}

/// Reads a struct whose field 1 is a string: `RDF_IRI` or `RDF_BNode`.
#[inline]
fn only_string<'a>(cursor: &mut Cursor<'a>, field: &Field<'a>) -> Read<&'a str> {
    field.expect(kind::STRUCT)?;
    let (mut text, mut last) = (None, 0);
    while let Some(part) = cursor.field(&mut last)? {
        if part.id == 1 {
            text = Some(cursor.string(&part)?);
        } else {
            cursor.skip(&part)?;
        }
    }
    text.ok_or_else(|| field.fault(ErrorKind::WireUnset, "its string is not set"))
}

/// Reads an `RDF_Literal`.
fn literal<'a>(cursor: &mut Cursor<'a>, field: &Field<'a>) -> Read<Parsed<'a>> {
    field.expect(kind::STRUCT)?;
    let (mut lex, mut tag, mut datatype, mut direction) = (None, "", None, "");
    let mut last = 0;
    while let Some(part) = cursor.field(&mut last)? {
        match part.id {
            1 => lex = Some(cursor.string(&part).map_err(|halt| halt.within("lex"))?),
            2 => tag = cursor.string(&part).map_err(|halt| halt.within("langtag"))?,
            3 => datatype = Some(cursor.string(&part).map_err(|halt| halt.within("datatype"))?),
            4 => {
                let message = "a prefixed name, but there are no prefixes to resolve it";
                return Err(part.fault(ErrorKind::WireTerm, message).within("dtPrefix"));
            }
            5 => direction = cursor.string(&part).map_err(|halt| halt.within("baseDirection"))?,
            _ => cursor.skip(&part)?,
        }
    }
    let lex = lex.ok_or_else(|| field.fault(ErrorKind::WireUnset, "its lexical form is not set"))?;
    let kind = match (tag, direction, datatype) {
        ("", "", None | Some(XSD_STRING)) => LiteralKind::Simple,
        ("", "", Some(datatype)) => LiteralKind::Datatype(Datatype::new(datatype)),
        // Jena writes only the datatype for a base direction, and loses the direction
        (_, "", None | Some(RDF_LANG_STRING | RDF_DIR_LANG_STRING)) => LiteralKind::Language(tag),
        (_, "ltr" | "rtl", None | Some(RDF_DIR_LANG_STRING)) if !tag.is_empty() => {
            let term = TermBuf::language_literal(lex, &format!("{tag}--{direction}"));
            return Ok(Parsed::Made(Box::new(term)));
        }
        _ => {
            let message = "language tag, base direction and datatype contradict each other";
            return Err(field.fault(ErrorKind::WireTerm, message));
        }
    };
    Ok(Parsed::Plain(Term::Literal(Literal::new(lex, kind))))
}

/// Reads an `RDF_Triple`, depth first and without recursion.
#[cold]
#[inline(never)]
fn triple<'a>(cursor: &mut Cursor<'a>, field: &Field<'a>) -> Read<TermBuf> {
    struct Open<'a> {
        at: Field<'a>,
        /// Last fields of the triple and of the union around it.
        last: i32,
        union: i32,
        place: usize,
        terms: [Option<TermBuf>; 3],
    }
    let open = |at, union| Open { at, last: 0, union, place: 0, terms: [None, None, None] };
    field.expect(kind::STRUCT)?;
    let mut size = 0;
    let mut stack = vec![open(*field, 0)];
    while let Some(top) = stack.last_mut() {
        let done = match cursor.field(&mut top.last)? {
            Some(part @ Field { id: 1..=3, .. }) => {
                part.expect(kind::STRUCT)?;
                top.place = part.id as usize - 1;
                let mut union = 0;
                let found = union_member(cursor, &mut union, &part)?;
                if found.id == member::TRIPLE {
                    found.expect(kind::STRUCT)?;
                    if stack.len() >= cursor.limits().nesting {
                        let message =
                            format!("quoted triples are nested more than {} deep", cursor.limits().nesting);
                        return Err(
                            Fault::limit(ErrorKind::LimitNesting, "nesting", found.at, message).into()
                        );
                    }
                    stack.push(open(found, union));
                    continue;
                }
                let leaf = leaf(cursor, &found).map_err(|halt| halt.within(name(found.id)))?.into_buf()?;
                union_end(cursor, &mut union)?;
                leaf
            }
            Some(part) => {
                cursor.skip(&part)?;
                continue;
            }
            None => {
                let [Some(subject), Some(predicate), Some(object)] = std::mem::take(&mut top.terms) else {
                    return Err(top.at.fault(ErrorKind::WireUnset, "a term of a quoted triple is not set"));
                };
                let mut union = top.union;
                stack.pop();
                let triple = TermBuf::Triple(Box::new(Triple { terms: [subject, predicate, object] }));
                if stack.is_empty() {
                    return Ok(triple);
                }
                union_end(cursor, &mut union)?;
                triple
            }
        };
        size += size_of::<TermBuf>() + done.text_bytes();
        if size > cursor.limits().term_bytes {
            let message = format!("a quoted triple of more than {} bytes", cursor.limits().term_bytes);
            return Err(Fault::limit(ErrorKind::LimitTerm, "term_bytes", field.at, message).into());
        }
        if let Some(top) = stack.last_mut() {
            top.terms[top.place] = Some(done);
        }
    }
    Err(field.fault(ErrorKind::Internal, "a quoted triple does not end"))
}
