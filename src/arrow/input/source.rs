//! Record batches as a source of rows.

use arrow_array::{Array, RecordBatch};

use super::{PatchRows, RdfRows};
use crate::conversion::{Source, write_rows};
use crate::convert::Tally;
use crate::error::{Error, Result};
use crate::io::Target;
use crate::options::values::Values;
use crate::push::{Progress, PushState};
use crate::reader::{Poll, RowSource, SourceState};
use crate::sink::{PatchSink, RdfSink, Sink};

/// Rows of a batch between two looks at the sink.
const ROWS: usize = 8192;

/// Batches as they come, from any library.
pub type BatchIter = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// Batches of rows of one kind, before it is known where they go.
pub struct BatchSource {
    /// Whether the rows are those of patches.
    pub is_patch: bool,
    /// The batches.
    pub batches: BatchIter,
}

impl BatchSource {
    /// Writes all rows to `target`, with options of `convert` for its output; `poll` gets how far it came, and may
    /// stop it.
    ///
    /// # Errors
    /// As of [`Conversion::run`](crate::conversion::Conversion::run).
    pub fn convert(
        self,
        write: &Values,
        target: Target,
        poll: &mut dyn FnMut(Tally) -> Result<()>,
    ) -> Result<Tally> {
        let is_patch = self.is_patch;
        write_rows(self, is_patch, None, None, write, target, poll)
    }
}

impl Source for BatchSource {
    fn statements<S: RdfSink>(self, keeps_frames: bool) -> Result<Box<dyn RowSource<S>>> {
        Ok(Box::new(Pieces::new(self.batches, RdfRows::new(keeps_frames))))
    }

    fn patches<S: PatchSink>(self) -> Result<Box<dyn RowSource<S>>> {
        Ok(Box::new(Pieces::new(self.batches, PatchRows::default())))
    }
}

/// Batches on their way to a sink, which stops between two pieces of them.
struct Pieces<R> {
    batches: BatchIter,
    /// What is left of the batch that came last.
    left: Option<RecordBatch>,
    rows: R,
    state: State,
}

/// How much was read.
struct State {
    rows: u64,
    /// Bytes of the columns.
    bytes: u64,
}

impl<R> Pieces<R> {
    fn new(batches: BatchIter, rows: R) -> Self {
        Pieces { batches, left: None, rows, state: State { rows: 0, bytes: 0 } }
    }

    /// Hands the rows of the next piece of a batch to `write`; `false`: there is none.
    fn next(&mut self, write: impl FnOnce(&mut R, &RecordBatch) -> Result<()>) -> Result<bool> {
        let batch = match self.left.take() {
            Some(batch) => batch,
            None => match self.batches.next().transpose()? {
                Some(batch) => {
                    self.state.bytes += bytes(&batch);
                    batch
                }
                None => return Ok(false),
            },
        };
        let length = batch.num_rows().min(ROWS);
        write(&mut self.rows, &batch.slice(0, length))?;
        self.state.rows += length as u64;
        self.left = (length < batch.num_rows()).then(|| batch.slice(length, batch.num_rows() - length));
        Ok(true)
    }

    fn advance<S: Sink>(
        &mut self,
        sink: &mut S,
        poll: Poll<'_>,
        write: impl Fn(&mut R, &RecordBatch, &mut S) -> Result<()>,
    ) -> Result<bool> {
        while self.next(|rows, batch| write(rows, batch, sink))? {
            if sink.is_full() {
                return Ok(false);
            }
            poll()?;
        }
        Ok(true)
    }
}

/// Bytes of the columns of a batch.
pub(super) fn bytes(batch: &RecordBatch) -> u64 {
    let sizes = batch.columns().iter().map(|column| column.to_data().get_slice_memory_size());
    sizes.filter_map(|size| size.ok()).map(|size| size as u64).sum()
}

impl<S: RdfSink> RowSource<S> for Pieces<RdfRows> {
    fn advance(&mut self, sink: &mut S, poll: Poll<'_>) -> Result<bool> {
        Pieces::advance(self, sink, poll, |rows, batch, sink| rows.write(batch, sink))
    }
}

impl<S: PatchSink> RowSource<S> for Pieces<PatchRows> {
    fn advance(&mut self, sink: &mut S, poll: Poll<'_>) -> Result<bool> {
        Pieces::advance(self, sink, poll, |rows, batch, sink| rows.write(batch, sink))
    }
}

impl<R> SourceState for Pieces<R> {
    fn decoder(&self) -> &dyn PushState {
        &self.state
    }

    fn close(&mut self) {
        self.batches = Box::new(std::iter::empty());
        self.left = None;
    }
}

impl PushState for State {
    fn consumed(&self) -> u64 {
        self.bytes
    }

    fn progress(&self) -> Progress {
        Progress { frame: None, rows: self.rows, offset: self.bytes }
    }

    fn fail(&mut self, error: Error) -> Error {
        error
    }
}
