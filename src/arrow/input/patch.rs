//! Rows of patches out of record batches.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::DataType;

use super::bad_cell;
use super::strings::Strings;
use super::terms::{Statements, Terms};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::sink::{PatchEnd, PatchOp, PatchSink};
use crate::term::{Iri, Term};
use crate::transaction::Numbering;

/// Reads batches with the columns of `PATCH_SCHEMA`, one after the other.
///
/// A patch ends at `Z`; where that is missing, because rows were filtered, it ends where the column `patch` or
/// `source` has another value.
#[derive(Debug, Default)]
pub struct PatchRows {
    rows: u64,
    /// Source and patch of the last row, where its patch did not end yet.
    patch: Option<(Option<String>, i64)>,
    /// The last row was a statement in the columns of this batch.
    after_statement: bool,
    /// It said that this row is another of its patch.
    goes_on: bool,
    numbering: Numbering,
}

impl PatchRows {
    /// Hands the rows of a batch to `sink`; an error tells its row, counted over all batches.
    pub fn write<S: PatchSink>(&mut self, batch: &RecordBatch, sink: &mut S) -> Result<()> {
        let mut columns = Columns::of(batch)?;
        (self.after_statement, self.goes_on) = (false, false);
        for row in 0..batch.num_rows() {
            self.row(row, &mut columns, sink)
                .map_err(|error| error.located(&Position { row: Some(self.rows), ..Position::default() }))?;
            self.rows += 1;
        }
        Ok(())
    }

    /// Ends the patch.
    pub fn end_patch<S: PatchSink>(&mut self, sink: &mut S) -> Result<()> {
        self.patch = None;
        self.numbering.row(PatchOp::End(PatchEnd::Mark), sink)
    }

    #[inline(always)]
    fn row<S: PatchSink>(&mut self, row: usize, columns: &mut Columns<'_>, sink: &mut S) -> Result<()> {
        let op = columns.op.get(row).ok_or_else(|| bad_cell("op", "no op"))?;
        let went_on = std::mem::take(&mut self.goes_on);
        if !went_on && let Some(patches) = columns.patch.filter(|patches| patches.is_valid(row)) {
            self.note_patch(columns.source.get(row), patches.value(row), sink)?;
        }
        if let "A" | "D" = op {
            self.goes_on = columns.goes_on(row);
            if went_on && self.goes_on {
                let numbers = self.numbering.numbers();
                if columns.statements.hand_over(row, sink.terms(numbers)) {
                    self.numbering.pass_change();
                    return sink.end_change(op == "A", numbers);
                }
            }
            columns.statements.read(row)?;
            if !self.after_statement {
                columns.statements.forget();
            }
            self.after_statement = true;
            if self.goes_on && sink.asks_what_repeats() {
                columns.statements.announce_next();
            }
            let statement = columns.statements.statement();
            let op = if op == "A" { PatchOp::Add(statement) } else { PatchOp::Delete(statement) };
            return self.numbering.row(op, sink);
        }
        self.after_statement = false;
        self.other_row(op, row, columns, sink)
    }

    fn other_row<S: PatchSink>(
        &mut self,
        op: &str,
        row: usize,
        columns: &mut Columns<'_>,
        sink: &mut S,
    ) -> Result<()> {
        let op = match op {
            "TX" => PatchOp::Begin,
            "TC" => PatchOp::Commit,
            "TA" => PatchOp::Abort,
            "Z" => return self.end_patch(sink),
            "H" => {
                let key = columns.name(row)?;
                columns.read_value(row)?.ok_or_else(|| columns.value.missing())?;
                PatchOp::Header { key, value: columns.value() }
            }
            "PA" | "PD" => {
                columns.statements.read_graph(row)?;
                let has_iri = columns.read_value(row)?.is_some();
                let name = columns.name(row)?;
                let graph = columns.statements.graph();
                match columns.namespace(has_iri)? {
                    iri if op == "PD" => PatchOp::DeletePrefix { name, iri, graph },
                    Some(iri) => PatchOp::AddPrefix { name, iri, graph },
                    None => return Err(columns.value.missing()),
                }
            }
            other => {
                let message = format!("{other:?} is not an op; expected H, PA, PD, A, D, TX, TC, TA or Z");
                return Err(bad_cell("op", message));
            }
        };
        self.numbering.row(op, sink)
    }

    #[inline(always)]
    fn note_patch<S: PatchSink>(&mut self, source: Option<&str>, patch: i64, sink: &mut S) -> Result<()> {
        match &self.patch {
            Some((last, number)) if *number == patch && last.as_deref() == source => return Ok(()),
            Some(_) => {
                self.after_statement = false;
                self.end_patch(sink)?;
            }
            None => {}
        }
        self.patch = Some((source.map(str::to_owned), patch));
        Ok(())
    }
}

struct Columns<'b> {
    rows: usize,
    source: Strings<'b>,
    patch: Option<&'b Int64Array>,
    op: Strings<'b>,
    statements: Statements<'b>,
    name: Strings<'b>,
    value: Terms<'b>,
    /// The last term of `value`.
    term: Term<'b>,
}

impl<'b> Columns<'b> {
    fn of(batch: &'b RecordBatch) -> Result<Self> {
        let column = |name| batch.column_by_name(name);
        Ok(Columns {
            rows: batch.num_rows(),
            source: Strings::of("source", column("source"))?,
            patch: numbers("patch", column("patch"))?,
            op: Strings::of("op", column("op"))?,
            statements: Statements::of(batch)?,
            name: Strings::of("name", column("name"))?,
            value: Terms::of("value", column("value"))?,
            term: Term::DefaultGraph,
        })
    }

    /// Whether the row after this one is another statement of the patch.
    #[inline(always)]
    fn goes_on(&self, row: usize) -> bool {
        let next = row + 1;
        let patch =
            |row| self.patch.filter(|patches| patches.is_valid(row)).map(|patches| patches.value(row));
        next < self.rows
            && matches!(self.op.get(next), Some("A" | "D"))
            && patch(row) == patch(next)
            && self.source.get(row) == self.source.get(next)
    }

    fn name(&self, row: usize) -> Result<&'b str> {
        self.name.get(row).ok_or_else(|| bad_cell("name", "no name"))
    }

    fn read_value(&mut self, row: usize) -> Result<Option<()>> {
        Ok(self.value.read(row, &mut self.term)?.map(drop))
    }

    fn value(&self) -> Term<'_> {
        self.value.term(&self.term)
    }

    fn namespace(&self, has_iri: bool) -> Result<Option<Iri<'_>>> {
        match self.value() {
            _ if !has_iri => Ok(None),
            Term::Iri(iri) => Ok(Some(iri)),
            _ => Err(bad_cell("value", "the value of a prefix must be an IRI")),
        }
    }
}

/// A column of whole numbers.
pub(super) fn numbers<'b>(name: &str, column: Option<&'b ArrayRef>) -> Result<Option<&'b Int64Array>> {
    match column {
        None => Ok(None),
        Some(column) if *column.data_type() == DataType::Int64 => {
            Ok(Some(column.as_primitive::<Int64Type>()))
        }
        Some(column) if *column.data_type() == DataType::Null => Ok(None),
        Some(column) => {
            let message = format!("column {name:?} is of type {}; it must be int64", column.data_type());
            Err(Error::new(ErrorKind::Argument, message))
        }
    }
}
