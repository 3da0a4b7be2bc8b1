//! Columns of terms: canonical text, or structs of kind, value, datatype and language.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::DataType;

use super::bad_cell;
use super::misspelled::refuse_misspelled;
use super::strings::Strings;
use crate::encode::bytes::same;
use crate::encode::is_same_term;
use crate::error::Result;
use crate::sink::{RdfRow, Same, Statement, TermSink};
use crate::term::{Literal, LiteralKind, Term, TermBuf};
use crate::text::lex::{Scratch, plain_term_of, term_of};

/// A column of terms. The term that was read last is with the caller, unless it does not lie in the column.
pub(super) struct Terms<'b> {
    name: &'static str,
    cells: Cells<'b>,
    /// The text of the last term.
    text: Option<&'b [u8]>,
    /// The last term, where it does not lie in the column as it is.
    owned: Option<TermBuf>,
    /// Another text may be that of the same term.
    is_odd: bool,
    /// The last row was null, which stands for the default graph.
    is_default_graph: bool,
    /// Memory for two terms with escapes.
    scratch: [Scratch; 2],
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
        let scratch = Default::default();
        Ok(Terms { name, cells, text: None, owned: None, is_odd: false, is_default_graph: false, scratch })
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
        if self.text.is_some_and(|last| same(last, text.as_bytes())) {
            return Ok(Some(true));
        }
        let plain = plain_term_of(text);
        let is_odd = is_odd(plain.as_ref(), text);
        let may_repeat = (is_odd || self.is_odd) && (self.text.is_some() || self.is_default_graph);
        let repeats = |term: &Term<'_>| may_repeat && is_same_term(&self.term(place), term);
        let repeats = if let Some(term) = plain {
            let repeats = repeats(&term);
            (*place, self.owned) = (term, None);
            repeats
        } else {
            let term = self.odd_term(text)?;
            let repeats = repeats(&term.as_term());
            self.owned = Some(term);
            repeats
        };
        (self.text, self.is_odd, self.is_default_graph) = (Some(text.as_bytes()), is_odd, false);
        Ok(Some(repeats))
    }

    /// Hands the term of a row over; `false`: the row must be read.
    #[inline(always)]
    fn hand_over(&mut self, row: usize, place: usize, sink: &mut impl for<'t> TermSink<'t>) -> bool {
        let Cells::Text(strings) = &self.cells else { return false };
        match strings.bytes(row) {
            Some(text) if self.text.is_some_and(|last| same(last, text)) => sink.repeat(place),
            Some(text) if !(self.is_odd && self.may_repeat(text)) && sink.cell(place, text) => {
                (self.text, self.is_odd) = (Some(text), false);
                true
            }
            Some(_) => self.hand_over_odd(row, place, sink),
            None => place == GRAPH && self.is_default_graph && sink.repeat(place),
        }
    }

    /// Hands a term over that is spelled in another way, or the one before was: it may repeat all the same.
    #[inline(never)]
    fn hand_over_odd(&mut self, row: usize, place: usize, sink: &mut impl for<'t> TermSink<'t>) -> bool {
        let Cells::Text(strings) = &self.cells else { return false };
        let (Some(text), Some(before)) = (strings.get(row), self.text) else { return false };
        let may_repeat = self.may_repeat(text.as_bytes());
        let [scratch, last] = &mut self.scratch;
        let Ok(term) = term_of(text, scratch) else { return false };
        let is_repeated = |before| term_of(before, last).is_ok_and(|before| is_same_term(&before, &term));
        let repeats = may_repeat && str::from_utf8(before).is_ok_and(is_repeated);
        let taken = if repeats { sink.repeat(place) } else { sink.term(place, term) };
        if taken {
            (self.text, self.is_odd) = (Some(text.as_bytes()), is_odd(plain_term_of(text).as_ref(), text));
        }
        taken
    }

    /// Whether a text may be another spelling of the last term. It is not if only one of them is a literal, or if they
    /// differ before any escape.
    #[inline(never)]
    fn may_repeat(&self, text: &[u8]) -> bool {
        let (Some([b'"', before @ ..]), [b'"', text @ ..]) = (self.text, text) else {
            return self.text.is_none_or(|before| before.starts_with(b"\"") == text.starts_with(b"\""));
        };
        let mut both = before.iter().zip(text);
        let differ = both.find(|(a, b)| a != b || matches!(a, b'"' | b'\\'));
        differ.is_none_or(|(a, b)| a == b || *a == b'\\' || *b == b'\\')
    }

    /// Nothing was read yet.
    fn forget(&mut self) {
        (self.text, self.owned, self.is_odd, self.is_default_graph) = (None, None, false, false);
    }

    /// Whether a repetition is always seen: structs are not compared.
    fn is_text(&self) -> bool {
        matches!(self.cells, Cells::Text(_))
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
        let repeats = self.is_default_graph || self.text == Some(b"");
        if !self.is_default_graph {
            (self.text, *place, self.owned) = (None, Term::DefaultGraph, None);
            (self.is_default_graph, self.is_odd) = (true, true);
        }
        repeats
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
            return Err(bad_cell(self.name, "a term has no kind"));
        };
        let value = value.get(row);
        let text = || value.ok_or_else(|| bad_cell(self.name, format!("a term of kind {kind} has no value")));
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
                    return Err(bad_cell(self.name, "a literal has both a datatype and a language"));
                }
            },
            other => {
                let message = format!(
                    "{other:?} is not a kind of term; expected iri, bnode, literal, triple or default"
                );
                return Err(bad_cell(self.name, message));
            }
        });
        Ok(Some(false))
    }
}

/// Whether a text may be another spelling of its term, which is plain or not: `"a"^^xsd:string`, and no text at all.
#[inline(always)]
fn is_odd(plain: Option<&Term<'_>>, text: &str) -> bool {
    match plain {
        Some(Term::Literal(Literal { kind: LiteralKind::Simple, .. })) => !text.ends_with('"'),
        Some(Term::DefaultGraph) | None => true,
        Some(_) => false,
    }
}

/// The columns of statements, and the statement that was read last.
pub(super) struct Statements<'b> {
    columns: [Terms<'b>; 4],
    /// The row that was read or handed over last.
    last: Option<usize>,
    /// Rows were handed over since one was read, or half of one.
    behind: bool,
    /// Terms stay where they were put: copies of what was just written would wait for it.
    row: RdfRow<'b>,
    /// Places of which the next row will say exactly whether they repeat.
    exact: u8,
}

/// The place of the graph.
pub(super) const GRAPH: usize = 3;

impl<'b> Statements<'b> {
    /// The columns that a batch has.
    ///
    /// # Errors
    /// `argument`: a column has a wrong type; or a column has nearly the name `graph`, without which all statements
    /// would be in the default graph.
    pub(super) fn of(batch: &'b RecordBatch) -> Result<Self> {
        refuse_misspelled(batch, "graph")?;
        let terms = |name| Terms::of(name, batch.column_by_name(name));
        let columns = [terms("subject")?, terms("predicate")?, terms("object")?, terms("graph")?];
        let exact = (0..4).map(|place| u8::from(columns[place].is_text()) << place).sum();
        Ok(Statements {
            columns,
            last: None,
            behind: false,
            row: RdfRow { frame: 0, seq: 0, statement: Statement::empty() },
            exact,
        })
    }

    /// Reads the statement of a row; a null graph is the default graph.
    #[inline(always)]
    pub(super) fn read(&mut self, row: usize) -> Result<()> {
        if self.behind {
            self.catch_up()?;
        }
        self.row.statement.same = Same::NONE;
        // not a loop: each place has code, and branches, of its own
        self.read_place::<0>(row)?;
        self.read_place::<1>(row)?;
        self.read_place::<2>(row)?;
        self.read_place::<GRAPH>(row)?;
        self.last = Some(row);
        Ok(())
    }

    /// Reads the row again that was handed over last: what a row repeats must be there as terms.
    #[cold]
    fn catch_up(&mut self) -> Result<()> {
        self.behind = false;
        for column in &mut self.columns {
            column.forget();
        }
        self.last.take().map_or(Ok(()), |row| self.read(row))
    }

    /// Hands the terms of a row over as the texts that they are; `false`: it must be read, and handed on as a whole.
    #[inline(always)]
    pub(super) fn hand_over(&mut self, row: usize, sink: Option<&mut impl for<'t> TermSink<'t>>) -> bool {
        let Some(sink) = sink else { return false };
        self.behind = true;
        let [subject, predicate, object, graph] = &mut self.columns;
        let taken = subject.hand_over(row, 0, sink)
            && predicate.hand_over(row, 1, sink)
            && object.hand_over(row, 2, sink)
            && graph.hand_over(row, GRAPH, sink);
        if taken {
            self.last = Some(row);
        } else {
            sink.cut();
        }
        taken
    }

    #[inline(always)]
    fn read_place<const PLACE: usize>(&mut self, row: usize) -> Result<()> {
        let (column, term) = (&mut self.columns[PLACE], &mut self.row.statement.terms[PLACE]);
        let repeats = match column.read(row, term)? {
            Some(repeats) => repeats,
            None if PLACE == GRAPH => column.set_default_graph(term),
            None => return Err(column.missing()),
        };
        if repeats {
            self.row.statement.same.set(PLACE);
        }
        Ok(())
    }

    /// Nothing is known to repeat.
    pub(super) fn forget(&mut self) {
        self.row.statement.same = Same::NONE;
    }

    /// Says that the next row that is read will be handed on right after this one.
    #[inline(always)]
    pub(super) fn announce_next(&mut self) {
        self.row.statement.same.announce(self.exact);
    }

    /// Whether a row has no subject, no predicate and no object.
    pub(super) fn is_none(&self, row: usize) -> bool {
        self.columns[..GRAPH].iter().all(|column| column.is_null(row))
    }

    /// The statement that was read.
    #[inline(always)]
    pub(super) fn statement(&self) -> Statement<'_> {
        let mut statement = self.row.statement;
        if self.has_owned() {
            statement.terms = std::array::from_fn(|place| self.columns[place].term(&statement.terms[place]));
        }
        statement
    }

    #[inline(always)]
    fn has_owned(&self) -> bool {
        self.columns.iter().any(|column| column.owned.is_some())
    }

    /// Hands the statement that was read on as a row, which is not copied if all of it lies in the columns.
    #[inline(always)]
    pub(super) fn hand_on<R>(&mut self, seq: u64, take: impl FnOnce(&RdfRow<'_>) -> R) -> R {
        self.row.seq = seq;
        let copy;
        take(if self.has_owned() {
            copy = RdfRow { statement: self.statement(), ..self.row };
            &copy
        } else {
            &self.row
        })
    }

    /// The texts of the statement that was read; `None` of a struct, and of the default graph where it is null.
    pub(super) fn texts(&self) -> [Option<&'b [u8]>; 4] {
        self.columns.each_ref().map(|column| column.text)
    }

    /// Reads the graph of a row alone.
    pub(super) fn read_graph(&mut self, row: usize) -> Result<()> {
        if self.behind {
            self.catch_up()?;
        }
        let (column, term) = (&mut self.columns[GRAPH], &mut self.row.statement.terms[GRAPH]);
        if column.read(row, term)?.is_none() {
            column.set_default_graph(term);
        }
        Ok(())
    }

    /// The graph that was read.
    pub(super) fn graph(&self) -> Term<'_> {
        self.columns[GRAPH].term(&self.row.statement.terms[GRAPH])
    }
}
