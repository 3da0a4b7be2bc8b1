//! Statements of Jelly-RDF as record batches.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::columns::{IntColumn, TermColumn, push_statement};
use super::frame::BatchFrame;
use super::schema::{RDF_COLUMNS, choose};
use super::settings::{BatchSettings, Batches};
use crate::blank::{has_bare_position, refuse_positions};
use crate::error::{Error, ErrorKind, Result};
use crate::namespaces::Namespaces;
use crate::options::{LogicalType, RdfOptions};
use crate::sink::{RdfRow, RdfSink, Same, Sink};
use crate::term::Iri;

const TERMS: [&str; 4] = ["subject", "predicate", "object", "graph"];

/// Collects statements.
pub struct RdfBatches {
    batch: BatchFrame,
    frame: Option<IntColumn>,
    seq: Option<IntColumn>,
    terms: [Option<TermColumn>; 4],
    namespaces: Namespaces,
    logical_type: LogicalType,
    last_frame: Option<u64>,
}

impl RdfBatches {
    /// Batches of the columns asked for.
    pub fn new(settings: BatchSettings) -> Result<Self> {
        let columns = choose(&RDF_COLUMNS, settings.columns.as_deref())?;
        let style = settings.terms;
        let batch = BatchFrame::new(settings, columns)?;
        Ok(RdfBatches {
            frame: batch.wants("frame").then(IntColumn::default),
            seq: batch.wants("seq").then(IntColumn::default),
            terms: TERMS.map(|name| batch.wants(name).then(|| TermColumn::new(style))),
            batch,
            namespaces: Namespaces::default(),
            logical_type: LogicalType::default(),
            last_frame: None,
        })
    }
}

impl RdfBatches {
    /// Before the first row of a batch.
    #[cold]
    fn begin(&mut self) {
        let numbers = [&mut self.frame, &mut self.seq];
        numbers.into_iter().flatten().for_each(IntColumn::begin);
        self.terms.iter_mut().flatten().for_each(TermColumn::begin);
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
}

impl RdfSink for RdfBatches {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        self.logical_type = options.logical_type;
        self.last_frame = None; // a stream may follow another within a frame
        self.batch.pause();
        Ok(())
    }

    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        if self.batch.wants_names() {
            refuse_positions(&row.statement)?;
        }
        if self.batch.waits_for_a_position() && has_bare_position(&row.statement) {
            self.batch.scope_source()?;
        }
        let mut same = row.statement.same;
        if self.batch.rows() == 0 {
            self.begin();
        }
        if self.last_frame != Some(row.frame) {
            self.last_frame = Some(row.frame);
            if self.batch.scope_frame(row.frame, self.logical_type) {
                same = Same::NONE; // a blank node that repeats is another one here
            }
        }
        let most = self.batch.settings.limits.term_bytes;
        let bytes = push_statement(&mut self.terms, &row.statement.terms, same, self.batch.scope(), most)?;
        if let Some(column) = &mut self.frame {
            column.push(row.frame);
        }
        if let Some(column) = &mut self.seq {
            column.push(row.seq);
        }
        self.batch.end_row(bytes)
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
        let RdfBatches { batch, frame, seq, terms, .. } = self;
        let missing = || Error::new(ErrorKind::Internal, "a column was not built");
        batch.take(|name, rows| match name {
            "frame" => frame.as_mut().ok_or_else(missing)?.take(rows),
            "seq" => seq.as_mut().ok_or_else(missing)?.take(rows),
            _ => {
                let place = TERMS.iter().position(|term| *term == name).ok_or_else(missing)?;
                terms[place].as_mut().ok_or_else(missing)?.take(rows)
            }
        })
    }

    fn push_corrupt(&mut self, error: &Error) {
        for column in self.terms.iter_mut().flatten() {
            column.push_null();
        }
        for column in [&mut self.frame, &mut self.seq].into_iter().flatten() {
            column.push_option(None);
        }
        self.batch.end_corrupt_row(error);
    }
}
