//! Columns of terms: canonical text, or structs of kind, value, datatype and language.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::DataType;

use super::bad_cell;
use super::strings::Strings;
use crate::encode::bytes::same;
use crate::error::Result;
use crate::sink::{Same, Statement};
use crate::term::{Term, TermBuf};
use crate::text::lex::{Scratch, plain_term_of, term_of};

/// A column of terms. The term that was read last is with the caller, unless it does not lie in the column.
pub(super) struct Terms<'b> {
    name: &'static str,
    cells: Cells<'b>,
    /// The text of the last term.
    text: Option<&'b str>,
    /// The last term, where it does not lie in the column as it is.
    owned: Option<TermBuf>,
    /// The last row was null, which stands for the default graph.
    is_default_graph: bool,
}

enum Cells<'b> {
    Text(Strings<'b>),
    /// kind, value, datatype, language.
    Struct(&'b StructArray, [Strings<'b>; 4]),
}

impl<'b> Terms<'b> {
    /// The terms of a column.
    pub(super) fn of(name: &'static str, column: Option<&'b ArrayRef>) -> Result<Self> {
        let cells = match column {
            Some(column) if matches!(column.data_type(), DataType::Struct(_)) => {
                let parts = column.as_struct();
                let part = |part| Strings::of(name, parts.column_by_name(part));
                let strings = [part("kind")?, part("value")?, part("datatype")?, part("language")?];
                Cells::Struct(parts, strings)
            }
            column => Cells::Text(Strings::of(name, column)?),
        };
        Ok(Terms { name, cells, text: None, owned: None, is_default_graph: false })
    }

    /// Reads the term of a row; says whether it is certainly that of the row read before, and `None` of a null.
    #[inline(always)]
    pub(super) fn read(&mut self, row: usize, place: &mut Term<'b>) -> Result<Option<bool>> {
        let Cells::Text(strings) = &self.cells else {
            return self.read_struct(row);
        };
        let Some(text) = strings.get(row) else {
            return Ok(None);
        };
        if self.text.is_some_and(|last| same(last.as_bytes(), text.as_bytes())) {
            return Ok(Some(true));
        }
        if let Some(term) = plain_term_of(text) {
            (*place, self.owned) = (term, None);
        } else {
            self.owned = Some(self.odd_term(text)?);
        }
        (self.text, self.is_default_graph) = (Some(text), false);
        Ok(Some(false))
    }

    #[cold]
    fn odd_term(&self, text: &str) -> Result<TermBuf> {
        let mut scratch = Scratch::default();
        let term = term_of(text, &mut scratch).map_err(|error| error.with_field(self.name.to_owned()))?;
        Ok(term.into())
    }

    /// Whether there is no term in a row.
    #[inline(always)]
    fn is_null(&self, row: usize) -> bool {
        match &self.cells {
            Cells::Text(strings) => strings.get(row).is_none(),
            Cells::Struct(parts, _) => parts.is_null(row),
        }
    }

    /// The term that was read.
    #[inline(always)]
    pub(super) fn term<'t>(&'t self, place: &Term<'t>) -> Term<'t> {
        self.owned.as_ref().map_or(*place, TermBuf::as_term)
    }

    /// A null graph: the default graph; says whether it was that before.
    #[inline(always)]
    fn set_default_graph(&mut self, place: &mut Term<'b>) -> bool {
        if !self.is_default_graph {
            (self.text, *place, self.owned) = (None, Term::DefaultGraph, None);
        }
        std::mem::replace(&mut self.is_default_graph, true)
    }

    /// A null, where there must be a term.
    #[cold]
    pub(super) fn missing(&self) -> crate::Error {
        bad_cell(self.name, format!("no {}", self.name))
    }

    #[cold]
    fn read_struct(&mut self, row: usize) -> Result<Option<bool>> {
        let Cells::Struct(parts, [kind, value, datatype, language]) = &self.cells else {
            return Ok(None);
        };
        if parts.is_null(row) {
            return Ok(None);
        }
        self.is_default_graph = false;
        let Some(kind) = kind.get(row) else {
            return Err(bad_cell(self.name, "a term without a kind"));
        };
        let value = value.get(row);
        let text =
            || value.ok_or_else(|| bad_cell(self.name, format!("a term of kind {kind} without a value")));
        self.owned = Some(match kind {
            "iri" => TermBuf::iri(text()?),
            "bnode" => TermBuf::blank_node(text()?),
            "default" => TermBuf::DefaultGraph,
            "triple" => self.odd_term(text()?)?,
            "literal" => match (datatype.get(row), language.get(row)) {
                (None, None) => TermBuf::simple_literal(text()?),
                (None, Some(tag)) => TermBuf::language_literal(text()?, tag),
                (Some(datatype), None) => TermBuf::typed_literal(text()?, datatype),
                (Some(_), Some(_)) => {
                    return Err(bad_cell(self.name, "a literal with a datatype and a language"));
                }
            },
            other => {
                let message = format!("{other:?} is no kind of term: iri, bnode, literal, triple or default");
                return Err(bad_cell(self.name, message));
            }
        });
        Ok(Some(false))
    }
}

/// The columns of statements, and the statement that was read last.
pub(super) struct Statements<'b> {
    columns: [Terms<'b>; 4],
    /// Terms stay where they were put: copies of what was just written would wait for it.
    statement: Statement<'b>,
}

/// The place of the graph.
pub(super) const GRAPH: usize = 3;

impl<'b> Statements<'b> {
    /// The columns that a batch has.
    pub(super) fn of(batch: &'b RecordBatch) -> Result<Self> {
        let terms = |name| Terms::of(name, batch.column_by_name(name));
        Ok(Statements {
            columns: [terms("subject")?, terms("predicate")?, terms("object")?, terms("graph")?],
            statement: Statement::empty(),
        })
    }

    /// Reads the statement of a row; a null graph is the default graph.
    #[inline(always)]
    pub(super) fn read(&mut self, row: usize) -> Result<()> {
        self.statement.same = Same::NONE;
        // not a loop: each place has code, and branches, of its own
        self.read_place::<0>(row)?;
        self.read_place::<1>(row)?;
        self.read_place::<2>(row)?;
        self.read_place::<GRAPH>(row)
    }

    #[inline(always)]
    fn read_place<const PLACE: usize>(&mut self, row: usize) -> Result<()> {
        let (column, term) = (&mut self.columns[PLACE], &mut self.statement.terms[PLACE]);
        let repeats = match column.read(row, term)? {
            Some(repeats) => repeats,
            None if PLACE == GRAPH => column.set_default_graph(term),
            None => return Err(column.missing()),
        };
        if repeats {
            self.statement.same.set(PLACE);
        }
        Ok(())
    }

    /// Whether a row has no subject, no predicate and no object.
    pub(super) fn is_none(&self, row: usize) -> bool {
        self.columns[..GRAPH].iter().all(|column| column.is_null(row))
    }

    /// The statement that was read.
    #[inline(always)]
    pub(super) fn statement(&self) -> Statement<'_> {
        let mut statement = self.statement;
        if self.columns.iter().any(|column| column.owned.is_some()) {
            statement.terms = std::array::from_fn(|place| self.columns[place].term(&statement.terms[place]));
        }
        statement
    }

    /// The texts of the statement that was read; `None` of a struct, and of the default graph where it is null.
    pub(super) fn texts(&self) -> [Option<&'b str>; 4] {
        self.columns.each_ref().map(|column| column.text)
    }

    /// Reads the graph of a row alone.
    pub(super) fn read_graph(&mut self, row: usize) -> Result<()> {
        let (column, term) = (&mut self.columns[GRAPH], &mut self.statement.terms[GRAPH]);
        if column.read(row, term)?.is_none() {
            column.set_default_graph(term);
        }
        Ok(())
    }

    /// The graph that was read.
    pub(super) fn graph(&self) -> Term<'_> {
        self.columns[GRAPH].term(&self.statement.terms[GRAPH])
    }
}
