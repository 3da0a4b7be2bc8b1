//! A reader that threads, iterators and streams share.

use arrow_array::RecordBatch;
use pyo3::{PyResult, Python};

use super::error::{Failure, warn};
use super::guard::Guarded;
use super::rows::{Given, Waiting};
use super::signals::{Interrupt, Signals};
use crate::arrow::ReadBatches;
use crate::error::{Error, ErrorKind, Result};
use crate::options::StreamOptions;

/// A reader and its rows behind one lock.
pub(super) struct Handle {
    core: Guarded<Core>,
    given: Given,
}

pub(super) struct Core {
    reader: Box<dyn ReadBatches>,
    /// Rows that were decoded and are given out one by one.
    pub(super) waiting: Waiting,
    interrupt: Interrupt,
    signals: Signals,
    /// The end or an error was delivered.
    ended: bool,
    closed: bool,
    /// An error that was met by looking ahead.
    pending: Option<Failure>,
    /// Warnings that were given.
    warned: usize,
}

impl Handle {
    pub(super) fn new(reader: Box<dyn ReadBatches>, interrupt: Interrupt) -> Self {
        let core = Core {
            reader,
            waiting: Waiting::default(),
            signals: Signals::new(interrupt.clone()),
            interrupt,
            ended: false,
            closed: false,
            pending: None,
            warned: 0,
        };
        Handle { core: Guarded::new(core), given: Given::default() }
    }

    /// The rows that are given out now.
    pub(super) fn given(&self) -> &Given {
        &self.given
    }

    /// Works with the lock held, detached.
    pub(super) fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Core) -> Result<R, Failure> + Send,
    ) -> PyResult<R> {
        self.core.detached(py, work)
    }

    /// The next batch, or the rest of one whose first rows were given out; for a caller that may be attached or not.
    pub(super) fn next(&self) -> Result<Option<RecordBatch>, Failure> {
        self.core.with_detached(|core| match core.open()?.waiting.take(&self.given) {
            Some(rest) => Ok(Some(rest)),
            None => core.next(),
        })
    }

    /// The options; reads as far as they are.
    pub(super) fn options(&self, py: Python<'_>) -> PyResult<Option<StreamOptions>> {
        self.with(py, |core| {
            if !core.ended && !core.closed {
                core.attempt(|reader, poll| {
                    reader.read_ahead(poll);
                    Ok(())
                })?;
            }
            Ok(core.reader.source().stream_options())
        })
    }

    /// What the reader knows.
    pub(super) fn look<R: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&dyn ReadBatches) -> R + Send,
    ) -> PyResult<R> {
        self.with(py, |core| Ok(look(&*core.reader)))
    }

    /// Whether the last error was that of a patch of which no row was given.
    pub(super) fn refused_a_patch(&self, py: Python<'_>) -> PyResult<bool> {
        self.look(py, |reader| reader.source().refused_a_patch())
    }

    pub(super) fn is_closed(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |core| Ok(core.closed))
    }

    /// Whether nothing more will come.
    pub(super) fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |core| {
            let at_end = core.ended && core.pending.is_none();
            Ok(core.closed || (at_end && core.waiting.is_empty(&self.given)?))
        })
    }

    pub(super) fn snapshot(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.with(py, |core| {
            if !core.open()?.waiting.is_empty(&self.given)? || core.reader.has_waiting_rows() {
                let message = "no snapshot can be taken now, because decoded rows have not been taken yet";
                return Err(Error::new(ErrorKind::Argument, message).into());
            }
            Ok(core.reader.source().snapshot()?)
        })
    }

    pub(super) fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |core| {
            core.closed = true;
            core.reader.close();
            Ok(())
        })
    }
}

impl Core {
    fn open(&mut self) -> Result<&mut Self, Failure> {
        if self.closed { Err(Failure::Closed) } else { Ok(self) }
    }

    /// As [`Self::next`], but an error waits until rows are taken: there is no batch before it.
    pub(super) fn next_ahead(&mut self) -> Result<Option<RecordBatch>, Failure> {
        match self.next() {
            Err(error) if !self.closed => {
                self.pending = Some(error);
                Ok(None)
            }
            batch => batch,
        }
    }

    /// The next batch, all of it.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        if let Some(error) = self.open()?.pending.take() {
            return Err(error);
        }
        if self.ended {
            return Ok(None);
        }
        // a panic or an error leaves the reader at its end
        self.ended = true;
        let batch = self.attempt(|reader, poll| reader.next_batch(poll));
        self.warn()?;
        match &batch {
            Ok(Some(_)) => self.ended = false,
            _ => self.reader.close(),
        }
        batch
    }

    /// Gives the warnings that came since.
    fn warn(&mut self) -> Result<(), Failure> {
        let all = self.reader.source().warnings();
        let new = all.get(self.warned..).unwrap_or_default();
        self.warned = all.len();
        if new.is_empty() {
            return Ok(());
        }
        Python::try_attach(|py| new.iter().try_for_each(|warning| warn(py, warning))).transpose()?;
        Ok(())
    }

    /// Runs the reader with Ctrl-C honoured; an interrupt closes it.
    fn attempt<R>(
        &mut self,
        work: impl FnOnce(&mut dyn ReadBatches, &mut dyn FnMut() -> Result<()>) -> Result<R>,
    ) -> Result<R, Failure> {
        let signals = &mut self.signals;
        let mut poll = || signals.poll();
        let done = poll().and_then(|()| work(&mut *self.reader, &mut poll));
        match self.interrupt.take() {
            Some(error) => {
                self.closed = true;
                self.reader.close();
                Err(Failure::Python(error))
            }
            None => Ok(done?),
        }
    }
}
