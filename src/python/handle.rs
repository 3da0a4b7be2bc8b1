//! A reader that threads, iterators and streams share.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use arrow_array::RecordBatch;
use pyo3::exceptions::PyValueError;
use pyo3::{PyResult, Python};

use super::error::{Failure, warn};
use super::guard::Guarded;
use super::rows::{Current, Left};
use super::signals::{Interrupt, Signals};
use crate::arrow::ReadBatches;
use crate::error::{Error, ErrorKind, Result};
use crate::options::StreamOptions;
use crate::push::Progress;

/// A reader behind a lock.
pub(super) struct Handle {
    core: Guarded<Core>,
    /// What iterators hold.
    held: Mutex<Vec<Weak<Current>>>,
    /// What iterators left when they were dropped: the next rows of all.
    left: Mutex<VecDeque<Left>>,
}

struct Core {
    reader: Box<dyn ReadBatches>,
    interrupt: Interrupt,
    signals: Signals,
    /// The end or an error was delivered.
    ended: bool,
    closed: bool,
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
            warned: 0,
        };
        Handle { core: Guarded::new(core), held: Mutex::default(), left: Mutex::default() }
    }

    /// The rows that an iterator holds; no snapshot is taken while it holds some.
    pub(super) fn new_rows(&self) -> Arc<Current> {
        let rows = Arc::new(Current::default());
        let mut held = self.held();
        held.retain(|rows| rows.strong_count() > 0);
        held.push(Arc::downgrade(&rows));
        rows
    }

    fn held(&self) -> MutexGuard<'_, Vec<Weak<Current>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an iterator holds rows that it did not give out.
    fn iterators_hold_rows(&self, py: Python<'_>) -> PyResult<bool> {
        let held: Vec<_> = self.held().iter().filter_map(Weak::upgrade).collect();
        for rows in held {
            if rows.has_rows(py)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Refuses to go on while an iterator holds rows that would be missing.
    pub(super) fn refuse_held(&self, py: Python<'_>) -> PyResult<()> {
        if self.iterators_hold_rows(py)? {
            let message = "an iterator of rows() holds rows that were not taken, and they would be missing here: \
                           use it to its end, or let go of it, which gives them back";
            return Err(PyValueError::new_err(message));
        }
        Ok(())
    }

    fn left(&self) -> MutexGuard<'_, VecDeque<Left>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes back the rows of an iterator that is dropped.
    pub(super) fn give_back(&self, rows: Left) {
        self.left().push_back(rows);
    }

    /// Rows that were given back.
    fn take_left(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        loop {
            let first = self.left().pop_front();
            let Some(first) = first else {
                return Ok(None);
            };
            let rows = first.rows(py)?;
            if rows.num_rows() > 0 && !self.is_closed(py)? {
                return Ok(Some(rows));
            }
        }
    }

    /// Whether rows were given back.
    fn has_left(&self, py: Python<'_>) -> PyResult<bool> {
        let Some(rows) = self.take_left(py)? else {
            return Ok(false);
        };
        self.left().push_front(Left::whole(rows));
        Ok(true)
    }

    /// The next batch; detaches while it decodes.
    pub(super) fn next(&self, py: Python<'_>) -> Result<Option<RecordBatch>, Failure> {
        match self.take_left(py)? {
            Some(rows) => Ok(Some(rows)),
            None => py.detach(|| self.core.with(Core::next)),
        }
    }

    /// The next batch, for a caller that may be attached or not.
    pub(super) fn next_of_stream(&self) -> Result<Option<RecordBatch>, Failure> {
        if !self.left().is_empty()
            && let Some(rows) = Python::try_attach(|py| self.take_left(py)).transpose()?.flatten()
        {
            return Ok(Some(rows));
        }
        self.core.with_detached(Core::next)
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
        Ok(self.look(py, |core| core.closed || core.ended)? && !self.has_left(py)?)
    }

    pub(super) fn snapshot(&self, py: Python<'_>) -> Result<Vec<u8>, Failure> {
        let held = self.iterators_hold_rows(py)? || self.has_left(py)?;
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
