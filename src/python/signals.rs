//! Ctrl-C, and other exceptions that must not wait for the rows before them.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use super::error::{Failure, is_interrupt};
use crate::error::{Error, Result, catch_panic};

/// How often signals are looked for.
const POLL: Duration = Duration::from_millis(50);

/// An exception to be raised as soon as the core returns.
#[derive(Clone, Default)]
pub(super) struct Interrupt(Arc<Mutex<Option<PyErr>>>);

impl Interrupt {
    pub(super) fn set(&self, error: PyErr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    pub(super) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Works without Python; an exception of a source or handler is what is raised.
    pub(super) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Signals) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let mut signals = Signals::new(self.clone());
        let done = py.detach(|| catch_panic(|| work(&mut signals)));
        done.map_err(|failure| self.take().map_or(failure, Failure::Python).into())
    }

    /// Calls an object that the core reads or writes; what wants to end the program waits for no row.
    pub(super) fn call<T>(&self, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> io::Result<T> {
        let called = Python::try_attach(|py| {
            call(py).map_err(|error| {
                if is_interrupt(py, &error) {
                    self.set(error.clone_ref(py));
                }
                io::Error::other(error)
            })
        });
        called.unwrap_or_else(|| Err(io::Error::other("the Python interpreter has ended")))
    }
}

/// Runs Python's signal handlers now and then.
pub(super) struct Signals {
    interrupt: Interrupt,
    polled: Instant,
}

impl Signals {
    pub(super) fn new(interrupt: Interrupt) -> Self {
        Signals { interrupt, polled: Instant::now() }
    }

    /// Calls Python; an exception stops the core.
    pub(super) fn call<T>(&self, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<()> {
        if let Some(Err(error)) = Python::try_attach(call) {
            self.interrupt.set(error);
            return Err(Error::from(io::Error::other("interrupted")));
        }
        Ok(())
    }

    /// What the core calls while it works; an exception of a handler stops it.
    pub(super) fn poll(&mut self) -> Result<()> {
        if self.polled.elapsed() < POLL {
            return Ok(());
        }
        self.polled = Instant::now();
        self.call(|py| py.check_signals())
    }
}
