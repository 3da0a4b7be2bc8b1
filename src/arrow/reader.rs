//! Record batches pulled from a source.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::settings::Batches;
use crate::error::{Error, ErrorClass, ErrorKind, Result};
use crate::limits::{EXPANSION_GRACE, Limits};
use crate::namespaces::Namespaces;
use crate::push::{Progress, PushState};
use crate::reader::{Poll, RowSource, SourceState};

/// What an error of the input does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It is raised, after the rows before it.
    #[default]
    FailFast,
    /// It becomes the last row, in the column `_corrupt_record`; limits and I/O errors are raised all the same.
    Permissive,
}

/// Reads record batches of rows of any kind.
pub trait ReadBatches: Send {
    /// The schema of every batch.
    fn schema(&self) -> SchemaRef;

    /// The next batch; `None` after the last.
    fn next_batch(&mut self, poll: Poll<'_>) -> Result<Option<RecordBatch>>;

    /// Decodes as far as the options of the stream; loses no row.
    fn read_ahead(&mut self, poll: Poll<'_>);

    /// Whether rows wait in a batch that is not complete.
    fn has_waiting_rows(&self) -> bool;

    /// Bytes of text that were written so far.
    fn text_bytes(&self) -> u64;

    /// The namespaces that were declared so far.
    fn namespaces(&self) -> &Namespaces;

    /// These, to be taken or put there.
    fn namespaces_mut(&mut self) -> &mut Namespaces;

    /// Where the rows come from.
    fn source(&self) -> &dyn SourceState;

    /// Closes the source.
    fn close(&mut self);
}

/// Makes batches of the rows of a source.
pub struct BatchReader<B> {
    source: Box<dyn RowSource<B>>,
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

impl<B: Batches> BatchReader<B> {
    /// A reader that has not read anything yet.
    pub fn new(source: Box<dyn RowSource<B>>, batches: B, mode: Mode, limits: &Limits) -> Self {
        BatchReader { source, batches, mode, expansion: limits.expansion, state: State::Reading }
    }

    /// A reader of a source that could not be opened: `error` is raised, or is the only row.
    pub(super) fn failed(error: Error, batches: B, mode: Mode) -> Self {
        let state = State::Failing(error);
        BatchReader { source: Box::new(Nothing), batches, mode, expansion: 0, state }
    }

    fn fill(&mut self, poll: Poll<'_>) {
        self.state = match self.source.advance(&mut self.batches, poll) {
            Ok(false) => State::Reading,
            Ok(true) => State::Ended,
            Err(error) => State::Failing(error),
        };
    }
}

/// Stops input of which each byte becomes too much text.
pub(super) fn bomb(expansion: u64, out: u64, decoder: &dyn PushState) -> Option<Error> {
    let bytes_in = decoder.consumed();
    if expansion == 0 || out <= EXPANSION_GRACE || out / expansion <= bytes_in {
        return None;
    }
    let message = format!("{out} bytes of text out of {bytes_in} bytes");
    let error = Error::limit(ErrorKind::LimitExpansion, "expansion", message);
    Some(error.located(&decoder.position()))
}

impl<B: Batches> ReadBatches for BatchReader<B> {
    fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }

    fn read_ahead(&mut self, poll: Poll<'_>) {
        if matches!(self.state, State::Reading) && self.source.stream_options().is_none() {
            self.batches.pause_at_options(true);
            self.fill(poll);
            self.batches.pause_at_options(false);
        }
    }

    fn next_batch(&mut self, poll: Poll<'_>) -> Result<Option<RecordBatch>> {
        loop {
            if matches!(self.state, State::Reading) {
                self.fill(poll);
                let found = bomb(self.expansion, self.batches.text_bytes(), self.source.decoder());
                if let (State::Reading, Some(error)) = (&self.state, found) {
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

    fn has_waiting_rows(&self) -> bool {
        self.batches.rows() > 0
    }

    fn text_bytes(&self) -> u64 {
        self.batches.text_bytes()
    }

    fn namespaces(&self) -> &Namespaces {
        self.batches.namespaces()
    }

    fn namespaces_mut(&mut self) -> &mut Namespaces {
        self.batches.namespaces_mut()
    }

    fn source(&self) -> &dyn SourceState {
        &*self.source
    }

    fn close(&mut self) {
        self.source.close();
    }
}

/// What is read of a source that could not be opened.
struct Nothing;

impl PushState for Nothing {
    fn consumed(&self) -> u64 {
        0
    }

    fn progress(&self) -> Progress {
        Progress { frame: None, rows: 0, offset: 0 }
    }

    fn fail(&mut self, error: Error) -> Error {
        error
    }
}

impl SourceState for Nothing {
    fn decoder(&self) -> &dyn PushState {
        self
    }

    fn close(&mut self) {}
}

impl<S> RowSource<S> for Nothing {
    fn advance(&mut self, _: &mut S, _: Poll<'_>) -> Result<bool> {
        Ok(true)
    }
}

/// Whether an error is about the content of the input.
fn is_corrupt(error: &Error) -> bool {
    use ErrorClass::{Argument, Internal, Io, Limit};
    !matches!(error.kind().class(), Argument | Internal | Io | Limit)
}
