//! SPARQL Update: what a store is asked and sent to follow a log.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::guard::Guarded;
use super::job::Job;
use crate::convert::Skolem;
use crate::options::doors::Doors;
use crate::patch;
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
    /// Of the log with this IRI at a place, whose blank nodes become IRIs that begin with `start`.
    #[new]
    fn new(log: &str, start: Option<String>, place: &str) -> PyResult<Self> {
        if let Some(start) = &start {
            Skolem::new(start.clone())?;
        }
        let log = text::StoreLog::new(log, start.as_deref().unwrap_or_default(), place)?;
        Ok(StoreLog { log, start })
    }

    /// The query for what a store says.
    fn query(&self) -> String {
        self.log.query()
    }

    /// The query for the logs that a store says of this place.
    fn logs_here(&self) -> String {
        self.log.logs_here()
    }

    /// The update that makes a store say its first version, if it says none.
    fn begin(&self, version: At) -> String {
        self.log.begin(&at(version))
    }

    /// The update that makes a store say this place too.
    fn here(&self, version: At) -> String {
        self.log.here(&at(version))
    }

    /// The operation that makes a store say the next version.
    fn step(&self, version: At, to: At) -> String {
        self.log.step(&at(version), &at(to))
    }

    /// The rows of one patch, for stores that say this version; deletes name the default graph `default`.
    fn updates(
        &self,
        py: Python<'_>,
        version: At,
        patch: Bound<'_, PyAny>,
        keywords: &Bound<'_, PyDict>,
        default: Option<&str>,
    ) -> PyResult<Updates> {
        let job = Job::new(keywords, Doors::LOG, None)?;
        let part = job.patch(patch)?;
        let writer = UpdateWriter::new(&self.log, &at(version), default);
        let skolem = self.start.clone().map(Skolem::new).transpose()?;
        let found =
            job.run(py, |watch| Ok(patch::Updates::new(part.into_source()?, writer, skolem, watch)?))?;
        Ok(Updates(Guarded::new(found)))
    }
}

/// The operations of one patch.
#[pyclass(module = "jelly._internal", frozen)]
pub(super) struct Updates(Guarded<patch::Updates>);

#[pymethods]
impl Updates {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// The next operation.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.0.detached(py, |updates| Ok(updates.next_operation()?))
    }

    /// Rows that add, rows that delete, prefixes that change.
    #[getter]
    fn counts(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        self.0.detached(py, |updates| Ok((updates.added, updates.deleted, updates.prefixes)))
    }
}
