//! Statements of Jelly-RDF as record batches.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::columns::IntColumn;
use super::frame::BatchFrame;
use super::schema::{RDF_COLUMNS, choose};
use super::settings::{BatchSettings, Batches};
use super::statement_columns::StatementColumns;
use crate::blank::{has_bare_position, refuse_positions};
use crate::convert::Skolem;
use crate::error::{Error, ErrorKind, Result};
use crate::namespaces::Namespaces;
use crate::options::{LogicalType, RdfOptions};
use crate::sink::{RdfRow, RdfSink, Same, Sink, TermSink};
use crate::term::Iri;

/// Collects statements.
pub struct RdfBatches {
    batch: BatchFrame,
    frame: Option<IntColumn>,
    seq: Option<IntColumn>,
    statements: StatementColumns,
    namespaces: Namespaces,
    logical_type: LogicalType,
    last_frame: Option<u64>,
    names: Option<Box<Skolem>>,
}

impl RdfBatches {
    /// Batches of the columns asked for.
    pub fn new(settings: BatchSettings) -> Result<Self> {
        let columns = choose(&RDF_COLUMNS, settings.columns.as_deref())?;
        let batch = BatchFrame::new(settings, columns);
        Ok(RdfBatches {
            frame: batch.wants("frame").then(IntColumn::default),
            seq: batch.wants("seq").then(IntColumn::default),
            statements: StatementColumns::new(&batch.settings, |name| batch.wants(name))?,
            batch,
            namespaces: Namespaces::default(),
            logical_type: LogicalType::default(),
            last_frame: None,
            names: None,
        })
    }

    /// Blank nodes get other names.
    pub(super) fn rename(&mut self, names: Option<Skolem>) {
        if let Some(names) = names {
            self.names = Some(Box::new(names));
            self.statements.take_whole();
        }
    }
}

impl RdfBatches {
    /// Before the first row of a batch.
    #[cold]
    fn begin(&mut self) {
        let numbers = [&mut self.frame, &mut self.seq];
        numbers.into_iter().flatten().for_each(IntColumn::begin);
        self.statements.begin();
    }
}

impl Sink for RdfBatches {
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

impl RdfSink for RdfBatches {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        self.logical_type = options.logical_type;
        self.last_frame = None; // a stream may follow another within a frame
        self.batch.pause();
        Ok(())
    }

    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        let labels = &mut self.statements.labels;
        if labels.wants_names() {
            refuse_positions(&row.statement)?;
        }
        if labels.waits_for_a_position() && has_bare_position(&row.statement) {
            labels.scope_source()?;
        }
        let mut same = row.statement.same;
        if self.last_frame != Some(row.frame) {
            self.last_frame = Some(row.frame);
            if labels.scope_frame(row.frame, self.logical_type) {
                same = Same::NONE; // a blank node that repeats is another one here
            }
        }
        if self.batch.begins() {
            self.begin();
        }
        match &mut self.names {
            None => self.statements.push(&row.statement.terms, same)?,
            Some(names) => self.statements.push(&names.statement(&row.statement)?.terms, same)?,
        }
        self.end_statement(row.frame, row.seq)
    }

    #[inline(always)]
    fn terms(&mut self, frame: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        if self.batch.begins() {
            self.begin();
        }
        // the first row of a frame sets the scope of labels
        let goes_on = self.last_frame == Some(frame) || !self.statements.labels.depend_on_frames();
        self.statements.one_by_one(self.batch.rows()).filter(|_| goes_on)
    }

    #[inline(always)]
    fn end_statement(&mut self, frame: u64, seq: u64) -> Result<()> {
        if let Some(column) = &mut self.frame {
            column.push(frame);
        }
        if let Some(column) = &mut self.seq {
            column.push(seq);
        }
        self.batch.end_row(self.statements.bytes())
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        let most = self.batch.settings.limits.lookup_bytes;
        self.namespaces.declare(name, &iri, most)
    }
}

impl Batches for RdfBatches {
    /// Namespace declarations so far.
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
        let RdfBatches { batch, frame, seq, statements, .. } = self;
        let missing = || Error::new(ErrorKind::Internal, "a column was not built");
        batch.take(|name, rows| match name {
            "frame" => frame.as_mut().ok_or_else(missing)?.take(rows),
            "seq" => seq.as_mut().ok_or_else(missing)?.take(rows),
            _ => statements.take(name, rows).ok_or_else(missing)?,
        })
    }

    fn push_corrupt(&mut self, error: &Error) {
        self.statements.push_nulls();
        for column in [&mut self.frame, &mut self.seq].into_iter().flatten() {
            column.push_option(None);
        }
        self.batch.end_corrupt_row(error);
    }
}
