//! Ctrl-C, and other exceptions that must not wait for the rows before them.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::error::{Error, Result};

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
    pub(super) fn call(&mut self, call: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>) -> Result<()> {
        match Python::try_attach(call) {
            Some(Err(error)) => {
                self.interrupt.set(error);
                Err(Error::from(io::Error::other("interrupted")))
            }
            _ => Ok(()),
        }
    }

    /// What the core calls while it works; an exception of a handler stops it.
    pub(super) fn poll(&mut self) -> Result<()> {
        if self.polled.elapsed() < POLL {
            return Ok(());
        }
        self.polled = Instant::now();
        match Python::try_attach(|py| py.check_signals()) {
            Some(Err(error)) => {
                self.interrupt.set(error);
                Err(Error::from(io::Error::other("interrupted")))
            }
            _ => Ok(()),
        }
    }
}
