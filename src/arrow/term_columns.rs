//! Terms in columns: as text, or as structs.

use std::sync::Arc;

use arrow_array::{ArrayRef, StructArray};

use super::columns::{Nulls, TextColumn, internal};
use super::schema::term_fields;
use super::settings::{BatchSettings, StringType, TermStyle};
use crate::blank::Scope;
use crate::error::Result;
use crate::term::{LiteralKind, Term};

/// Terms, as text or as structs.
pub(super) enum TermColumn {
    Text(TextColumn),
    Struct(Box<TermStruct>),
}

/// kind, value, datatype, language.
pub(super) struct TermStruct {
    parts: [TextColumn; 4],
    nulls: Nulls,
    strings: StringType,
}

impl TermColumn {
    pub(super) fn new(settings: &BatchSettings) -> Self {
        let strings = settings.strings;
        match settings.terms {
            TermStyle::Text => TermColumn::Text(TextColumn::new(strings)),
            TermStyle::Struct => TermColumn::Struct(Box::new(TermStruct {
                parts: std::array::from_fn(|_| TextColumn::new(strings)),
                nulls: Nulls::default(),
                strings,
            })),
        }
    }

    /// Before the first row of a batch.
    pub(super) fn begin(&mut self) {
        match self {
            TermColumn::Text(column) => column.begin(),
            TermColumn::Struct(column) => column.parts.iter_mut().for_each(TextColumn::begin),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            TermColumn::Text(column) => column.bytes(),
            TermColumn::Struct(column) => column.parts.iter().map(TextColumn::bytes).sum(),
        }
    }

    #[inline(never)]
    pub(super) fn push(&mut self, term: &Term<'_>, same: bool, scope: Scope<'_>, most: usize) -> Result<()> {
        match self {
            TermColumn::Text(column) => column.push_term(term, same, scope, most),
            TermColumn::Struct(column) => column.push(term, scope, most),
        }
    }

    /// Adds a term that is not of a statement: the next statement may repeat the last one all the same.
    pub(super) fn push_aside(&mut self, term: &Term<'_>, scope: Scope<'_>, most: usize) -> Result<()> {
        let last = match self {
            TermColumn::Text(column) => column.last_place(),
            TermColumn::Struct(_) => None,
        };
        self.push(term, false, scope, most)?;
        if let TermColumn::Text(column) = self {
            column.go_on_from(last);
        }
        Ok(())
    }

    pub(super) fn push_null(&mut self) {
        match self {
            TermColumn::Text(column) => column.push_null(),
            TermColumn::Struct(column) => {
                column.nulls.append(column.parts[0].rows(), 1);
                column.parts.iter_mut().for_each(TextColumn::push_null);
            }
        }
    }

    pub(super) fn take(&mut self, rows: usize) -> Result<ArrayRef> {
        match self {
            TermColumn::Text(column) => column.take(rows),
            TermColumn::Struct(column) => column.take(rows),
        }
    }
}

impl TermStruct {
    #[inline(never)]
    fn push(&mut self, term: &Term<'_>, scope: Scope<'_>, most: usize) -> Result<()> {
        let [kind, value, datatype, language] = &mut self.parts;
        let mut extra = (None, None);
        match term {
            Term::Iri(iri) => {
                kind.push("iri");
                value.push_both(iri.prefix(), iri.name());
            }
            Term::BlankNode(label) => {
                kind.push("bnode");
                value.push_both(scope.before(label), label);
            }
            Term::Literal(literal) => {
                kind.push("literal");
                value.push(literal.lex);
                match literal.kind {
                    LiteralKind::Simple => {}
                    LiteralKind::Language(tag) => extra.1 = Some(tag),
                    LiteralKind::Datatype(datatype) => extra.0 = Some(datatype.iri()),
                }
            }
            Term::Triple(_) => {
                kind.push("triple");
                value.push_term(term, false, scope, most)?;
            }
            Term::DefaultGraph => {
                kind.push("default");
                value.push("");
            }
        }
        datatype.push_option(extra.0);
        language.push_option(extra.1);
        Ok(())
    }

    fn take(&mut self, rows: usize) -> Result<ArrayRef> {
        let parts = self.parts.iter_mut().map(|part| part.take(rows)).collect::<Result<Vec<_>>>()?;
        StructArray::try_new(term_fields(self.strings), parts, self.nulls.take(rows))
            .map(|array| Arc::new(array) as ArrayRef)
            .map_err(internal)
    }
}
