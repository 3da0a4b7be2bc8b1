//! A mutex that knows its owner, so that a call back into a locked object is an error and not a deadlock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

use pyo3::{PyResult, Python};

use super::error::Failure;
use super::signals::{Interrupt, Signals};
use crate::error::catch_panic;

thread_local! {
    static MARK: u8 = const { 0 };
}

/// A number of this thread that no other living thread has; never 0.
fn thread_mark() -> usize {
    MARK.with(|mark| std::ptr::from_ref(mark) as usize)
}

/// A mutex around what one thread at a time may use.
#[derive(Default)]
pub(super) struct Guarded<T> {
    inner: Mutex<T>,
    /// The thread that holds the mutex, or 0.
    owner: AtomicUsize,
}

impl<T: Send> Guarded<T> {
    pub(super) fn new(inner: T) -> Self {
        Guarded { inner: Mutex::new(inner), owner: AtomicUsize::new(0) }
    }

    /// Runs `work` with the mutex held. The caller must not be attached to Python: whoever holds the
    /// mutex may need to attach.
    ///
    /// A panic becomes an internal error.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut T) -> Result<R, Failure>) -> Result<R, Failure> {
        self.refuse_reentry()?;
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        self.hold(&mut inner, work)
    }

    /// As [`Self::with`], for callers who are attached.
    pub(super) fn detached<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut T) -> Result<R, Failure> + Send,
    ) -> PyResult<R> {
        Ok(py.detach(|| self.with(work))?)
    }

    /// As [`Self::detached`], with signals; an exception of a source or handler is what is raised.
    pub(super) fn run<R: Send>(
        &self,
        py: Python<'_>,
        interrupt: &Interrupt,
        work: impl FnOnce(&mut T, &mut Signals) -> Result<R, Failure> + Send,
    ) -> PyResult<R> {
        interrupt.run(py, |signals| self.with(|inner| work(inner, signals)))
    }

    /// As [`Self::with`], for callers of whom it is not known whether they are attached.
    pub(super) fn with_detached<R: Send>(
        &self,
        work: impl FnOnce(&mut T) -> Result<R, Failure> + Send,
    ) -> Result<R, Failure> {
        self.refuse_reentry()?;
        let mut inner = match self.inner.try_lock() {
            Ok(inner) => inner,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                // wait without holding what the owner may need
                let mut work = Some(work);
                let mut wait = || match work.take() {
                    Some(work) => self.with(work),
                    None => Err(Failure::Reentered),
                };
                let waited = Python::try_attach(|py| py.detach(&mut wait));
                return waited.unwrap_or_else(wait);
            }
        };
        self.hold(&mut inner, work)
    }

    fn refuse_reentry(&self) -> Result<(), Failure> {
        if self.owner.load(Ordering::Relaxed) == thread_mark() {
            return Err(Failure::Reentered);
        }
        Ok(())
    }

    fn hold<R>(&self, inner: &mut T, work: impl FnOnce(&mut T) -> Result<R, Failure>) -> Result<R, Failure> {
        self.owner.store(thread_mark(), Ordering::Relaxed);
        let done = catch_panic(|| work(inner));
        self.owner.store(0, Ordering::Relaxed);
        done
    }
}
