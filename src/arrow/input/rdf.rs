//! Statements out of record batches.

use arrow_array::{Array, RecordBatch};

use super::strings::Strings;
use super::terms::Statements;
use crate::error::{Position, Result};
use crate::sink::RdfSink;
use crate::term::Term;

/// Reads batches with the columns of `RDF_SCHEMA`, one after the other.
#[derive(Debug, Default)]
pub struct RdfRows {
    rows: u64,
    /// Source and frame of the last row.
    frame: Option<(Option<String>, i64)>,
    /// What was another frame becomes another frame.
    keeps_frames: bool,
}

impl RdfRows {
    /// `keeps_frames`: rows of different frames stay apart.
    pub fn new(keeps_frames: bool) -> Self {
        RdfRows { keeps_frames, ..RdfRows::default() }
    }

    /// Hands the rows of a batch to `sink`; an error tells its row, counted over all batches.
    pub fn write<S: RdfSink>(&mut self, batch: &RecordBatch, sink: &mut S) -> Result<()> {
        let column = |name| batch.column_by_name(name);
        let mut statements = Statements::of(batch)?;
        let source = Strings::of("source", column("source"))?;
        let frames = super::patch::numbers("frame", column("frame"))?.filter(|_| self.keeps_frames);
        let announces = sink.asks_what_repeats();
        for row in 0..batch.num_rows() {
            if let Some(frames) = frames.filter(|frames| frames.is_valid(row)) {
                self.note_frame(source.get(row), frames.value(row), sink)?;
            }
            let goes_on = announces && row + 1 < batch.num_rows();
            self.row(row, &mut statements, goes_on, sink)
                .map_err(|error| error.located(&Position { row: Some(self.rows), ..Position::default() }))?;
            self.rows += 1;
        }
        Ok(())
    }

    /// Whether the first row is in a named graph, or none is there to tell.
    pub fn has_graphs(batch: &RecordBatch) -> bool {
        let first = Statements::of(batch).and_then(|mut statements| {
            statements.read_graph(0)?;
            Ok(!matches!(statements.graph(), Term::DefaultGraph))
        });
        first.unwrap_or(false)
    }

    fn note_frame<S: RdfSink>(&mut self, source: Option<&str>, frame: i64, sink: &mut S) -> Result<()> {
        match &self.frame {
            Some((last, number)) if *number == frame && last.as_deref() == source => return Ok(()),
            Some(_) => sink.frame_end(&[])?,
            None => {}
        }
        self.frame = Some((source.map(str::to_owned), frame));
        Ok(())
    }

    #[inline(always)]
    fn row<S: RdfSink>(
        &mut self,
        row: usize,
        statements: &mut Statements<'_>,
        goes_on: bool,
        sink: &mut S,
    ) -> Result<()> {
        if goes_on && statements.hand_over(row, sink.terms(0)) {
            return sink.end_statement(0, self.rows);
        }
        statements.read(row)?;
        if goes_on {
            statements.announce_next();
        }
        statements.hand_on(self.rows, |row| sink.statement(row))
    }
}
