//! Statements out of record batches.

use arrow_array::{Array, RecordBatch};

use super::strings::Strings;
use super::terms::Terms;
use crate::create::PlainRdfSink;
use crate::error::{Position, Result};
use crate::sink::Same;
use crate::term::PlainTerm;

/// Reads batches with the columns of `RDF_SCHEMA`, one after the other.
#[derive(Debug, Default)]
pub struct RdfRows {
    rows: u64,
    /// Source and frame of the last row.
    frame: Option<(Option<String>, i64)>,
}

impl RdfRows {
    /// Hands the rows of a batch to `sink`; an error tells its row, counted over all batches.
    pub fn write<S: PlainRdfSink>(&mut self, batch: &RecordBatch, sink: &mut S) -> Result<()> {
        let column = |name| batch.column_by_name(name);
        let mut terms = [
            Terms::of("subject", column("subject"))?,
            Terms::of("predicate", column("predicate"))?,
            Terms::of("object", column("object"))?,
            Terms::of("graph", column("graph"))?,
        ];
        let source = Strings::of("source", column("source"))?;
        let frames = super::patch::numbers("frame", column("frame"))?.filter(|_| sink.keeps_frames());
        for row in 0..batch.num_rows() {
            if let Some(frames) = frames.filter(|frames| frames.is_valid(row)) {
                self.note_frame(source.get(row), frames.value(row), sink)?;
            }
            hand_on(row, &mut terms, sink)
                .map_err(|error| error.located(&Position { row: Some(self.rows), ..Position::default() }))?;
            self.rows += 1;
        }
        Ok(())
    }

    /// Whether the first row is in a named graph, or none is there to tell.
    pub fn has_graphs(batch: &RecordBatch) -> bool {
        let graph = Terms::of("graph", batch.column_by_name("graph"));
        let first = graph
            .and_then(|mut graph| Ok(graph.read(0)?.is_some() && graph.term() != PlainTerm::DefaultGraph));
        first.unwrap_or(false)
    }

    fn note_frame<S: PlainRdfSink>(&mut self, source: Option<&str>, frame: i64, sink: &mut S) -> Result<()> {
        match &self.frame {
            Some((last, number)) if *number == frame && last.as_deref() == source => return Ok(()),
            Some(_) => sink.next_frame()?,
            None => {}
        }
        self.frame = Some((source.map(str::to_owned), frame));
        Ok(())
    }
}

#[inline(always)]
fn hand_on<S: PlainRdfSink>(row: usize, terms: &mut [Terms<'_>; 4], sink: &mut S) -> Result<()> {
    let same = statement(row, terms)?;
    let [s, p, o, g] = &*terms;
    sink.plain_statement(&[s.term(), p.term(), o.term(), g.term()], same)
}

/// Reads the terms of a statement; a null graph is the default graph.
#[inline(always)]
pub(super) fn statement(row: usize, terms: &mut [Terms<'_>; 4]) -> Result<Same> {
    let mut same = Same::NONE;
    for (place, column) in terms.iter_mut().enumerate() {
        match column.read(row)? {
            Some(true) => same.set(place),
            Some(false) => {}
            None if place == 3 => {
                if column.set_default_graph() {
                    same.set(place);
                }
            }
            None => return Err(column.missing()),
        }
    }
    Ok(same)
}
