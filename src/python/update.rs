//! SPARQL Update: what a store is asked and sent to follow a log.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::error::Failure;
use super::job::{Job, LogPart};
use crate::convert::Skolem;
use crate::error::catch_panic;
use crate::options::doors::Doors;
use crate::patch::{self, Again};
use crate::text::{self, StoreVersion, UpdateWriter};

/// Version, and what the id of its patch is compared by.
type At = (u64, String);

fn at((version, patch): At) -> StoreVersion {
    StoreVersion { version, patch }
}

/// What stores say of a log, and the updates that change it.
#[pyclass(module = "jelly._internal", frozen)]
pub(super) struct StoreLog {
    log: text::StoreLog,
    start: Option<String>,
}

#[pymethods]
impl StoreLog {
    /// Of the log with this IRI, whose blank nodes become IRIs that begin with `start`.
    #[new]
    #[pyo3(signature = (log, start=None))]
    fn new(log: &str, start: Option<String>) -> PyResult<Self> {
        if let Some(start) = &start {
            Skolem::new(start.clone()).map_err(Failure::Jelly)?;
        }
        let log = text::StoreLog::new(log, start.as_deref().unwrap_or_default()).map_err(Failure::Jelly)?;
        Ok(StoreLog { log, start })
    }

    /// The query for what a store says.
    fn query(&self) -> String {
        self.log.query()
    }

    /// The update that makes a store say its first version, if it says none.
    fn begin(&self, version: At) -> String {
        self.log.begin(&at(version))
    }

    /// The operation that makes a store say the next version.
    fn step(&self, version: At, to: At) -> String {
        self.log.step(&at(version), &at(to))
    }

    /// The rows of one patch, for stores that say this version.
    fn updates(
        &self,
        py: Python<'_>,
        version: At,
        patch: Bound<'_, PyAny>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Updates> {
        let job = Job::new(keywords, Doors::LOG, None)?;
        let Some(LogPart::Source(opening)) = job.log(&[patch])?.pop() else {
            return Err(pyo3::exceptions::PyValueError::new_err("a folder is no patch"));
        };
        let writer = UpdateWriter::new(&self.log, &at(version));
        let skolem = self.start.clone().map(Skolem::new).transpose().map_err(Failure::Jelly)?;
        let found = job.run(py, |watch| {
            let patch = Again::new(opening.source, opening.options)?;
            Ok(patch::Updates::new(patch, writer, skolem, watch)?)
        })?;
        Ok(Updates(Mutex::new(found)))
    }
}

/// The operations of one patch.
#[pyclass(module = "jelly._internal", frozen)]
pub(super) struct Updates(Mutex<patch::Updates>);

#[pymethods]
impl Updates {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// The next operation.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(py.detach(|| catch_panic(|| Ok::<_, Failure>(self.locked().next_operation()?)))?)
    }

    /// Rows that add, rows that delete, prefixes that change.
    #[getter]
    fn counts(&self) -> (u64, u64, u64) {
        let found = self.locked();
        (found.added, found.deleted, found.prefixes)
    }
}

impl Updates {
    fn locked(&self) -> std::sync::MutexGuard<'_, patch::Updates> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
