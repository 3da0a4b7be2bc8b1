//! Rows of patches as record batches.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::columns::{IntColumn, TextColumn};
use super::frame::BatchFrame;
use super::schema::{PATCH_COLUMNS, choose};
use super::settings::{BatchSettings, Batches};
use super::statement_columns::StatementColumns;
use crate::blank::refuse_position;
use crate::error::{Error, ErrorKind, Result};
use crate::namespaces::Namespaces;
use crate::options::PatchOptions;
use crate::sink::{PatchEnd, PatchOp, PatchRow, PatchSink, RowNumbers, Sink, TermSink};
use crate::term::Term;

const NUMBERS: [&str; 3] = ["patch", "txn", "seq"];
const TEXTS: [&str; 3] = ["op", "name", "value"];

/// Collects rows of patches.
pub struct PatchBatches {
    batch: BatchFrame,
    numbers: [Option<IntColumn>; 3],
    statements: StatementColumns,
    texts: [Option<TextColumn>; 3],
    /// Bytes of text in these.
    bytes: usize,
    namespaces: Namespaces,
}

impl PatchBatches {
    /// Batches of the columns asked for.
    pub fn new(settings: BatchSettings) -> Result<Self> {
        let columns = choose(&PATCH_COLUMNS, settings.columns.as_deref())?;
        let batch = BatchFrame::new(settings, columns);
        Ok(PatchBatches {
            numbers: NUMBERS.map(|name| batch.wants(name).then(IntColumn::default)),
            statements: StatementColumns::new(&batch.settings, |name| batch.wants(name))?,
            texts: TEXTS.map(|name| batch.wants(name).then(|| TextColumn::new(batch.settings.strings))),
            batch,
            bytes: 0,
            namespaces: Namespaces::default(),
        })
    }

    /// Before the first row of a batch.
    #[cold]
    fn begin(&mut self) {
        self.numbers.iter_mut().flatten().for_each(IntColumn::begin);
        self.statements.begin();
        self.texts.iter_mut().flatten().for_each(TextColumn::begin);
        self.bytes = 0;
    }

    fn name_and_value(&mut self, name: Option<&str>, value: Option<&Term<'_>>) -> Result<()> {
        let row = self.batch.rows();
        let [_, name_column, value_column] = &mut self.texts;
        if let (Some(column), Some(name)) = (name_column, name) {
            column.pad_to(row);
            column.push(name);
        }
        if let (Some(column), Some(value)) = (value_column, value) {
            column.pad_to(row);
            self.statements.push_value(column, value)?;
        }
        self.bytes = self.texts.iter().flatten().map(TextColumn::bytes).sum();
        Ok(())
    }

    fn note_prefix(&mut self, op: &PatchOp<'_>) -> Result<()> {
        match op {
            PatchOp::AddPrefix { name, iri, .. } => {
                let most = self.batch.settings.limits.lookup_bytes;
                self.namespaces.declare(name, iri, most)?;
            }
            PatchOp::DeletePrefix { name, .. } => self.namespaces.remove(name),
            _ => {}
        }
        Ok(())
    }

    /// The row is complete, except its letter and its numbers.
    #[inline(always)]
    fn end_row(&mut self, letter: &str, numbers: RowNumbers) -> Result<()> {
        if let Some(column) = &mut self.texts[0] {
            column.push(letter);
            self.bytes += letter.len();
        }
        let [patch, txn, seq] = &mut self.numbers;
        if let Some(column) = patch {
            column.push(numbers.patch);
        }
        if let Some(column) = txn {
            column.push_option(numbers.txn);
        }
        if let Some(column) = seq {
            column.push(numbers.seq);
        }
        self.batch.end_row(self.statements.bytes() + self.bytes)
    }
}

/// The letter of a row, as in RDF Patch.
fn letter(op: &PatchOp<'_>) -> &'static str {
    match op {
        PatchOp::Header { .. } => "H",
        PatchOp::AddPrefix { .. } => "PA",
        PatchOp::DeletePrefix { .. } => "PD",
        PatchOp::Add(_) => "A",
        PatchOp::Delete(_) => "D",
        PatchOp::Begin => "TX",
        PatchOp::Commit => "TC",
        PatchOp::Abort => "TA",
        PatchOp::End(_) => "Z",
    }
}

impl Sink for PatchBatches {
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.batch.is_full()
    }

    fn kept_bytes(&self) -> usize {
        self.namespaces.bytes()
    }

    fn frame_end(&mut self, _: &[(String, Vec<u8>)]) -> Result<()> {
        self.batch.end_frame();
        Ok(())
    }
}

impl PatchSink for PatchBatches {
    fn options(&mut self, _: &PatchOptions) -> Result<()> {
        self.batch.pause();
        Ok(())
    }

    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        if self.statements.labels.wants_names() {
            refuse_position(&row.op)?;
        }
        if self.batch.begins() {
            self.begin();
        }
        match &row.op {
            PatchOp::Add(statement) | PatchOp::Delete(statement) => {
                self.statements.push(&statement.terms, statement.same)?;
                // name and value have their nulls when the next value comes
            }
            op => {
                self.note_prefix(op)?;
                let graph = match op {
                    PatchOp::AddPrefix { graph, .. } | PatchOp::DeletePrefix { graph, .. } => Some(graph),
                    _ => None,
                };
                self.statements.push_no_statement(graph)?;
                let (name, value) = match op {
                    PatchOp::Header { key, value } => (Some(*key), Some(*value)),
                    PatchOp::AddPrefix { name, iri, .. } => (Some(*name), Some(Term::Iri(*iri))),
                    PatchOp::DeletePrefix { name, iri, .. } => (Some(*name), iri.map(Term::Iri)),
                    PatchOp::End(PatchEnd::Frame) => (Some("frame"), None),
                    PatchOp::End(PatchEnd::Header) => (Some("header"), None),
                    PatchOp::End(PatchEnd::Eof) => (Some("eof"), None),
                    _ => (None, None),
                };
                self.name_and_value(name, value.as_ref())?;
            }
        }
        let PatchRow { patch, txn, seq, ref op } = *row;
        self.end_row(letter(op), RowNumbers { patch, txn, seq })
    }

    #[inline(always)]
    fn terms(&mut self, _: RowNumbers) -> Option<&mut impl for<'t> TermSink<'t>> {
        if self.batch.begins() {
            self.begin();
        }
        self.statements.one_by_one(self.batch.rows())
    }

    #[inline(always)]
    fn end_change(&mut self, adds: bool, row: RowNumbers) -> Result<()> {
        self.end_row(if adds { "A" } else { "D" }, row)
    }
}

impl Batches for PatchBatches {
    /// Prefixes that rows added so far and did not delete again, of every graph and transaction.
    fn namespaces(&self) -> &Namespaces {
        &self.namespaces
    }

    fn namespaces_mut(&mut self) -> &mut Namespaces {
        &mut self.namespaces
    }

    fn schema(&self) -> SchemaRef {
        self.batch.schema.clone()
    }

    fn rows(&self) -> usize {
        self.batch.rows()
    }

    fn text_bytes(&self) -> u64 {
        self.batch.text_bytes()
    }

    fn pause_at_options(&mut self, pause: bool) {
        self.batch.pause_at_options(pause);
    }

    fn take(&mut self) -> Result<RecordBatch> {
        let PatchBatches { batch, numbers, statements, texts, .. } = self;
        let missing = || Error::new(ErrorKind::Internal, "a column was not built");
        let index = |names: &[&str], name: &str| names.iter().position(|known| *known == name);
        batch.take(|name, rows| {
            if let Some(column) = index(&NUMBERS, name).and_then(|i| numbers[i].as_mut()) {
                column.take(rows)
            } else if let Some(column) = statements.take(name, rows) {
                column
            } else {
                index(&TEXTS, name).and_then(|i| texts[i].as_mut()).ok_or_else(missing)?.take(rows)
            }
        })
    }

    fn push_corrupt(&mut self, error: &Error) {
        for column in self.numbers.iter_mut().flatten() {
            column.push_option(None);
        }
        self.statements.push_nulls();
        for column in self.texts.iter_mut().flatten() {
            column.pad_to(self.batch.rows() + 1);
        }
        self.batch.end_corrupt_row(error);
    }
}
