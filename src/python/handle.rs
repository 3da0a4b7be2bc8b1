//! A reader that threads, iterators and streams share.

use arrow_array::RecordBatch;
use pyo3::Python;

use super::error::{Failure, warn};
use super::guard::Guarded;
use super::rows::Rows;
use super::signals::{Interrupt, Signals};
use crate::arrow::ReadBatches;
use crate::error::{Error, ErrorKind, Result};
use crate::options::StreamOptions;
use crate::push::Progress;

/// A reader behind a lock.
pub(super) struct Handle {
    core: Guarded<Core>,
    rows: Rows,
}

struct Core {
    reader: Box<dyn ReadBatches>,
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
            signals: Signals::new(interrupt.clone()),
            interrupt,
            ended: false,
            closed: false,
            pending: None,
            warned: 0,
        };
        Handle { core: Guarded::new(core), rows: Rows::default() }
    }

    /// Rows that were decoded and are given out one by one.
    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The next batch, or the rest of one whose first rows were given out; for a caller that may be attached or not.
    pub(super) fn next(&self) -> Result<Option<RecordBatch>, Failure> {
        self.core.with_detached(|core| if core.closed { Err(Failure::Closed) } else { Ok(()) })?;
        match self.rows.take()? {
            Some(rest) => Ok(Some(rest)),
            None => self.core.with_detached(Core::next),
        }
    }

    /// The next batch, all of it; the caller is not attached.
    pub(super) fn decode(&self) -> Result<Option<RecordBatch>, Failure> {
        self.core.with(Core::next)
    }

    /// As [`Self::decode`], but an error waits until rows are taken: there is no batch before it.
    pub(super) fn decode_ahead(&self) -> Result<Option<RecordBatch>, Failure> {
        self.core.with(|core| match core.next() {
            Err(error) if !core.closed => {
                core.pending = Some(error);
                Ok(None)
            }
            batch => batch,
        })
    }

    /// The options; reads as far as they are.
    pub(super) fn options(&self, py: Python<'_>) -> Result<Option<StreamOptions>, Failure> {
        py.detach(|| {
            self.core.with(|core| {
                if !core.ended && !core.closed {
                    core.attempt(|reader, poll| {
                        reader.read_ahead(poll);
                        Ok(())
                    })?;
                }
                Ok(core.reader.source().stream_options())
            })
        })
    }

    pub(super) fn namespaces(&self, py: Python<'_>) -> Result<Vec<(String, String)>, Failure> {
        let owned = |(label, iri): (&str, &str)| (label.to_owned(), iri.to_owned());
        self.look(py, |core| core.reader.namespaces().iter().map(owned).collect())
    }

    pub(super) fn metadata(&self, py: Python<'_>) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        self.look(py, |core| core.reader.source().decoder().metadata().to_vec())
    }

    pub(super) fn progress(&self, py: Python<'_>) -> Result<Progress, Failure> {
        self.look(py, |core| core.reader.source().decoder().progress())
    }

    /// Whether the last error was that of a patch of which no row was given.
    pub(super) fn refused_a_patch(&self, py: Python<'_>) -> Result<bool, Failure> {
        self.look(py, |core| core.reader.source().refused_a_patch())
    }

    pub(super) fn is_closed(&self, py: Python<'_>) -> Result<bool, Failure> {
        self.look(py, |core| core.closed)
    }

    /// Whether nothing more will come.
    pub(super) fn is_over(&self, py: Python<'_>) -> Result<bool, Failure> {
        let (closed, at_end) = self.look(py, |core| (core.closed, core.ended && core.pending.is_none()))?;
        Ok(closed || (at_end && self.rows.is_empty(py)?))
    }

    pub(super) fn snapshot(&self, py: Python<'_>) -> Result<Vec<u8>, Failure> {
        let held = !self.rows.is_empty(py)?;
        py.detach(|| {
            self.core.with(|core| {
                if core.closed {
                    return Err(Failure::Closed);
                }
                if held || core.reader.has_waiting_rows() {
                    let message = "rows that were decoded wait to be taken: no snapshot now";
                    return Err(Error::new(ErrorKind::Argument, message).into());
                }
                Ok(core.reader.source().snapshot()?)
            })
        })
    }

    pub(super) fn close(&self, py: Python<'_>) -> Result<(), Failure> {
        py.detach(|| {
            self.core.with(|core| {
                core.closed = true;
                core.reader.close();
                Ok(())
            })
        })
    }

    fn look<T: Send>(&self, py: Python<'_>, look: impl FnOnce(&Core) -> T + Send) -> Result<T, Failure> {
        py.detach(|| self.core.with(|core| Ok(look(core))))
    }
}

impl Core {
    fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        if self.closed {
            return Err(Failure::Closed);
        }
        if let Some(error) = self.pending.take() {
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
