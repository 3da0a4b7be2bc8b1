//! Record batches pulled from a source.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::settings::Batches;
use crate::error::{Error, ErrorClass, ErrorKind, Result};
use crate::limits::{EXPANSION_GRACE, Limits};
use crate::open::FeedState;
use crate::reader::{Feed, Poll};
use crate::sink::Sink;

/// What an error of the input does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It is raised, after the rows before it.
    #[default]
    FailFast,
    /// It becomes the last row, in the column `_corrupt_record`; limits and I/O errors are raised all the same.
    Permissive,
}

/// Makes batches of what a feed gives.
pub struct BatchReader<F, B> {
    feed: F,
    batches: B,
    mode: Mode,
    expansion: u64,
    state: State,
}

enum State {
    Reading,
    /// Rows before this error are still to be delivered.
    Failing(Error),
    Ended,
}

impl<F, B: Batches + Sink> BatchReader<F, B>
where
    F: FeedState + Feed<B>,
{
    /// A reader that has not read anything yet.
    pub fn new(feed: F, batches: B, mode: Mode, limits: &Limits) -> Self {
        BatchReader { feed, batches, mode, expansion: limits.expansion, state: State::Reading }
    }

    /// The schema of every batch.
    pub fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }

    /// Where the rows come from.
    pub fn feed(&self) -> &F {
        &self.feed
    }

    /// Where the rows come from, to be closed.
    pub fn feed_mut(&mut self) -> &mut F {
        &mut self.feed
    }

    /// What was collected besides rows.
    pub fn batches(&self) -> &B {
        &self.batches
    }

    /// Decodes as far as the options of the stream; loses no row.
    pub fn read_ahead(&mut self, poll: Poll<'_>) {
        if matches!(self.state, State::Reading) && self.feed.stream_options().is_none() {
            self.batches.pause_at_options(true);
            self.fill(poll);
            self.batches.pause_at_options(false);
        }
    }

    /// Reads no further: `error` is raised when its turn comes.
    pub fn fail(&mut self, error: Error) {
        self.state = State::Failing(error);
    }

    /// The next batch; `None` after the last.
    pub fn next_batch(&mut self, poll: Poll<'_>) -> Result<Option<RecordBatch>> {
        loop {
            if matches!(self.state, State::Reading) {
                self.fill(poll);
                if let (State::Reading, Some(error)) =
                    (&self.state, self.bomb(self.feed.decoder().consumed()))
                {
                    self.state = State::Failing(error);
                }
            }
            if self.batches.rows() > 0 {
                return self.batches.take().map(Some);
            }
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Reading => self.state = State::Reading,
                State::Ended => return Ok(None),
                State::Failing(error) if self.mode == Mode::Permissive && is_corrupt(&error) => {
                    self.batches.push_corrupt(&error);
                }
                State::Failing(error) => return Err(error),
            }
        }
    }

    /// Whether rows wait in a batch that is not complete.
    pub fn has_waiting_rows(&self) -> bool {
        self.batches.rows() > 0
    }

    fn fill(&mut self, poll: Poll<'_>) {
        self.state = match self.feed.advance(&mut self.batches, poll) {
            Ok(false) => State::Reading,
            Ok(true) => State::Ended,
            Err(error) => State::Failing(error),
        };
    }

    /// Stops input of which each byte becomes too much text.
    fn bomb(&self, bytes_in: u64) -> Option<Error> {
        let out = self.batches.text_bytes();
        if self.expansion == 0 || out <= EXPANSION_GRACE || out / self.expansion <= bytes_in {
            return None;
        }
        let message = format!("{out} bytes of text out of {bytes_in} bytes");
        let error = Error::limit(ErrorKind::LimitExpansion, "expansion", message);
        Some(error.located(&self.feed.decoder().position()))
    }
}

/// Whether an error is about the content of the input.
fn is_corrupt(error: &Error) -> bool {
    use ErrorClass::{Argument, Internal, Io, Limit};
    !matches!(error.kind().class(), Argument | Internal | Io | Limit)
}
