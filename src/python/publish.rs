//! What publishing to a log asks the core: what a patch says, and whether it can be the next one.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::capsule::Batches;
use super::error::Failure;
use super::job::{Job, LogPart};
use super::keywords;
use crate::arrow::BatchDigest;
use crate::error::catch_panic;
use crate::options::doors::Doors;
use crate::options::shape::Shape;
use crate::patch::{self, Again, Claim, Head, LogOptions, PatchSummary, Placed, Version};

/// Patches, headers, id, prev, what the id is compared by, adds, deletes, rows of prefixes, digest.
type Summary =
    (u64, Vec<(String, String)>, Option<String>, Option<String>, Option<String>, u64, u64, u64, String);

/// Reads a source of patches to its end: what it says, and the digest of its rows.
#[pyfunction]
pub(super) fn summarize(
    py: Python<'_>,
    patches: Bound<'_, PyAny>,
    keywords: &Bound<'_, PyDict>,
) -> PyResult<Summary> {
    let job = Job::new(keywords, Doors::LOG, None)?;
    let takes_positions = LogOptions::of(&job.values).takes_positions;
    let part = job.log(&[patches])?.pop();
    let Some(LogPart::Source(opening)) = part else {
        return Err(pyo3::exceptions::PyValueError::new_err(
            "a folder has no summary: its files have one each",
        ));
    };
    let found = job.run(py, |watch| {
        let source = Again::new(opening.source, opening.options)?;
        Ok(patch::summarize(&source, takes_positions, watch)?)
    })?;
    let PatchSummary { patches, headers, id, prev, added, deleted, prefixes, digest } = found;
    let headers = headers.into_iter().map(|(key, value)| (key, value.as_term().to_string())).collect();
    let same = id.as_ref().map(patch::id_identity);
    let [id, prev] = [id, prev].map(|id| id.map(|id| id.as_term().to_string()));
    Ok((patches, headers, id, prev, same, added, deleted, prefixes, hex(digest)))
}

pub(super) fn hex(digest: [u8; 32]) -> String {
    digest.map(|byte| format!("{byte:02x}")).concat()
}

/// The digest of the rows of one patch, which come as record batches of any size.
#[pyclass(module = "jelly._internal", frozen)]
#[derive(Default)]
pub(super) struct RowsDigest(Mutex<BatchDigest>);

#[pymethods]
impl RowsDigest {
    #[new]
    fn new() -> Self {
        RowsDigest::default()
    }

    /// Adds rows.
    fn update(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(mut batches) = Batches::of(rows)? else {
            return Err(pyo3::exceptions::PyTypeError::new_err("rows must be of an Arrow library"));
        };
        py.detach(|| {
            catch_panic(|| {
                let mut digest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                while let Some(batch) = batches.next().map_err(Failure::Python)? {
                    digest.push(&batch)?;
                }
                Ok::<_, Failure>(())
            })
        })?;
        Ok(())
    }

    /// The digest of all rows; the next rows are of another patch.
    fn finish(&self) -> String {
        hex(std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).finish())
    }
}

/// Whether a patch can be the next one of a log whose head is this one; the version that it made already, or None.
#[pyfunction]
#[pyo3(signature = (claim, expect, head, known))]
pub(super) fn place_patch(
    claim: (Option<String>, Option<String>, String),
    expect: Option<&Bound<'_, PyAny>>,
    head: (u64, Option<String>),
    known: Option<(u64, String)>,
) -> PyResult<Option<u64>> {
    let id = |text: Option<String>| text.map(|text| patch::id_of(&text)).transpose().map_err(Failure::Jelly);
    let expect = expect.map(|value| version(value, "expect")).transpose()?;
    let claim = Claim { id: id(claim.0)?, prev: id(claim.1)?, digest: claim.2, expect };
    let head = Head { version: head.0, id: id(head.1)? };
    let known = known.as_ref().map(|(version, digest)| (*version, digest.as_str()));
    match patch::place(&claim, &head, known).map_err(Failure::from)? {
        Placed::Next => Ok(None),
        Placed::Replay(version) => Ok(Some(version)),
    }
}

/// A version: a number, or an id as a term or a bare IRI.
pub(super) fn version(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Version> {
    let value = keywords::read(Shape::Version, name, value)?;
    Ok(Version::of(&value, name).map_err(Failure::Jelly)?)
}

/// The last version that the index of a folder knows.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "arguments of Python are owned")]
pub(super) fn log_known_end(folder: std::path::PathBuf) -> Option<u64> {
    patch::known_end(&folder)
}
