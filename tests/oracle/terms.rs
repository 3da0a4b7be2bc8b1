//! Lookup tables, ids and terms, on owned strings.

use crate::common::rows::{Class, Fault};
use crate::common::term::{Kind, Term};

use super::fault;
use super::members::{Member, Place, Position};
use super::proto::v1::rdf_literal::LiteralKind;
use super::proto::v1::{RdfIri, RdfLiteral};

const NESTING: usize = 64;

#[derive(Clone, Copy)]
pub struct Sizes {
    pub names: u32,
    pub prefixes: u32,
    pub datatypes: u32,
}

impl Sizes {
    pub const LEAST_NAMES: u32 = 8;
    pub const LIMIT: Sizes = Sizes { names: 4096, prefixes: 1024, datatypes: 256 };
}

pub struct Table {
    what: &'static str,
    entries: Vec<Option<String>>,
    last_set: u32,
}

impl Table {
    fn new(what: &'static str, size: u32, limit: u32) -> Result<Self, Fault> {
        if size > limit {
            return fault(Class::Limit, format!("a {what} table of {size}"));
        }
        Ok(Table { what, entries: vec![None; size as usize], last_set: 0 })
    }

    pub fn set(&mut self, id: u32, value: &str) -> Result<(), Fault> {
        let id = if id == 0 { self.last_set + 1 } else { id };
        let Some(slot) = self.entries.get_mut(id as usize - 1) else {
            return fault(Class::Table, format!("{} entry {id} is beyond the table", self.what));
        };
        *slot = Some(value.to_owned());
        self.last_set = id;
        Ok(())
    }

    fn get(&self, id: u32) -> Result<&str, Fault> {
        match id.checked_sub(1).and_then(|at| self.entries.get(at as usize)) {
            Some(Some(value)) => Ok(value),
            _ => fault(Class::Table, format!("{} id {id} is not defined", self.what)),
        }
    }
}

pub struct Terms {
    pub names: Table,
    pub prefixes: Table,
    pub datatypes: Table,
    last_name: u32,
    last_prefix: u32,
    star: bool,
    generalized: bool,
}

impl Terms {
    pub fn new(sizes: Sizes, star: bool, generalized: bool) -> Result<Self, Fault> {
        if sizes.names < Sizes::LEAST_NAMES {
            return fault(Class::Options, format!("a name table of {}", sizes.names));
        }
        Ok(Terms {
            names: Table::new("name", sizes.names, Sizes::LIMIT.names)?,
            prefixes: Table::new("prefix", sizes.prefixes, Sizes::LIMIT.prefixes)?,
            datatypes: Table::new("datatype", sizes.datatypes, Sizes::LIMIT.datatypes)?,
            last_name: 0,
            last_prefix: 0,
            star,
            generalized,
        })
    }

    pub fn iri(&mut self, iri: RdfIri) -> Result<Term, Fault> {
        if iri.prefix_id != 0 {
            self.last_prefix = iri.prefix_id;
        }
        let prefix = if self.last_prefix == 0 { "" } else { self.prefixes.get(self.last_prefix)? };
        // No overflow: an id that went well is within the table.
        self.last_name = if iri.name_id == 0 { self.last_name + 1 } else { iri.name_id };
        Ok(Term::Iri(format!("{prefix}{}", self.names.get(self.last_name)?)))
    }

    fn literal(&self, literal: &RdfLiteral) -> Result<Term, Fault> {
        let kind = match &literal.literal_kind {
            None => Kind::Simple,
            Some(LiteralKind::Langtag(tag)) => Kind::Language(tag.clone()),
            Some(LiteralKind::Datatype(id)) => Kind::Datatype(self.datatypes.get(*id)?.to_owned()),
        };
        Ok(Term::Literal(literal.lex.clone(), kind))
    }

    pub fn term(&mut self, member: Member<'_>, position: Position) -> Result<Term, Fault> {
        self.nested(member, position, 0)
    }

    fn nested(&mut self, member: Member<'_>, at: Position, depth: usize) -> Result<Term, Fault> {
        let is_generalized = match member {
            Member::Iri(_) | Member::DefaultGraph => false,
            Member::Blank(_) | Member::Triple(_) => at == Position::Predicate,
            Member::Literal(_) => at != Position::Object,
        };
        if is_generalized && !self.generalized {
            return fault(Class::Options, "a generalized term that the options do not declare");
        }
        match member {
            Member::Iri(iri) => self.iri(*iri),
            Member::Blank(label) => Ok(Term::Blank(label.to_owned())),
            Member::Literal(literal) => self.literal(literal),
            Member::DefaultGraph => Ok(Term::DefaultGraph),
            Member::Triple(_) if !self.star => {
                fault(Class::Options, "a quoted triple that the options do not declare")
            }
            Member::Triple(_) if depth == NESTING => fault(Class::Limit, "quoted triples nested too deep"),
            Member::Triple(triple) => {
                let mut terms = Vec::new();
                for (member, at) in triple.places() {
                    let Some(member) = member else {
                        return fault(Class::Other, "a quoted triple without one of its terms");
                    };
                    terms.push(self.nested(member, at, depth + 1)?);
                }
                Ok(Term::Triple(Box::new(terms.try_into().expect("three terms"))))
            }
        }
    }
}

/// The last term of each position: a term, not its ids, whose slots may be overwritten.
#[derive(Default)]
pub struct Repeat {
    last: [Option<Term>; 4],
}

impl Repeat {
    /// The text of a term that is set or repeated.
    pub fn resolve(&mut self, terms: &mut Terms, place: Place<'_>) -> Result<String, Fault> {
        let (member, position) = place;
        let last = &mut self.last[position as usize];
        if let Some(member) = member {
            *last = Some(terms.term(member, position)?);
        }
        match last {
            Some(term) => Ok(term.to_string()),
            None => fault(Class::Table, "a repeated term that was never set"),
        }
    }

    /// Subject, predicate and object.
    pub fn statement(
        &mut self,
        terms: &mut Terms,
        [subject, predicate, object]: [Place<'_>; 3],
    ) -> Result<[String; 3], Fault> {
        Ok([self.resolve(terms, subject)?, self.resolve(terms, predicate)?, self.resolve(terms, object)?])
    }
}
