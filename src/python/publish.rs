//! What publishing to a log asks the core: what a patch says, and whether it can be the next one.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::guard::Guarded;
use super::job::Job;
use super::keys::batches_of;
use super::keywords;
use crate::arrow::BatchDigest;
use crate::create::WriteOptions;
use crate::options::doors::Doors;
use crate::options::shape::Shape;
use crate::patch::{self, Again, Claim, Head, Header, LogOptions, PatchOut, PatchSummary, Placed, Version};

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
    let part = job.patch(patches)?;
    let found = job.run(py, |watch| Ok(patch::summarize(&part.into_source()?, takes_positions, watch)?))?;
    Ok(fields(found))
}

fn fields(found: PatchSummary) -> Summary {
    let PatchSummary { patches, headers, id, prev, added, deleted, prefixes, digest } = found;
    let headers = texts(headers);
    let same = id.as_ref().map(patch::id_identity);
    let [id, prev] = [id, prev].map(|id| id.map(|id| id.as_term().to_string()));
    (patches, headers, id, prev, same, added, deleted, prefixes, patch::hex_digest(digest))
}

fn texts(headers: Vec<Header>) -> Vec<(String, String)> {
    headers.into_iter().map(|(key, value)| (key, value.as_term().to_string())).collect()
}

/// Reads a source of one patch to its end, and writes it to a file that is not flushed, with headers that it lacks.
///
/// Returns what it says, without those headers, and the ones that were added.
#[pyfunction]
pub(super) fn stamp_patch(
    py: Python<'_>,
    patch: &Bound<'_, PyAny>,
    dest: PathBuf,
    more: Vec<(String, String)>,
    skip: usize,
    read: &Bound<'_, PyDict>,
    write: &Bound<'_, PyDict>,
) -> PyResult<(Summary, Vec<(String, String)>)> {
    let job = Job::new(read, Doors::DECODE_PATCH.and(Doors::READ), None)?;
    let (source, reading) = job.dataset(patch, "format")?;
    let write = keywords::values(write, Doors::WRITE_PATCH)?;
    let more = patch::headers_of(more)?;
    let (found, added) = job.run(py, |watch| {
        let source = Again::new(source, reading)?;
        let name = dest.to_string_lossy();
        let mut out = || PatchOut::scratch(&dest, WriteOptions::of(true, &write, Some(&name))?);
        Ok(patch::stamp(&source, more, skip, &mut out, watch)?)
    })?;
    Ok((fields(found), texts(added)))
}

/// The digest of the rows of one patch, which come as record batches of any size.
#[pyclass(module = "jelly._internal", frozen)]
#[derive(Default)]
pub(super) struct RowsDigest(Guarded<BatchDigest>);

#[pymethods]
impl RowsDigest {
    #[new]
    fn new() -> Self {
        RowsDigest::default()
    }

    /// Adds rows.
    fn update(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut batches = batches_of(rows)?;
        self.0.detached(py, |digest| batches.each(|batch| Ok(digest.push(&batch)?)))
    }

    /// The digest of all rows; the next rows are of another patch.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        self.0.detached(py, |digest| Ok(patch::hex_digest(std::mem::take(digest).finish())))
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
    let id = |text: Option<String>| text.map(|text| patch::id_of(&text)).transpose();
    let expect = expect.map(|value| version(value, "expect")).transpose()?;
    let claim = Claim { id: id(claim.0)?, prev: id(claim.1)?, digest: claim.2, expect };
    let head = Head { version: head.0, id: id(head.1)? };
    let known = known.as_ref().map(|(version, digest)| (*version, digest.as_str()));
    match patch::place(&claim, &head, known)? {
        Placed::Next => Ok(None),
        Placed::Replay(version) => Ok(Some(version)),
    }
}

/// A version: a number, or an id as a term or a bare IRI.
pub(super) fn version(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Version> {
    let value = keywords::read(Shape::Version, name, value)?;
    Ok(Version::of(&value, name)?)
}

/// The last version that the index of a folder knows.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "arguments of Python are owned")]
pub(super) fn log_known_end(folder: PathBuf) -> Option<u64> {
    patch::known_end(&folder)
}

/// Rejects a file of a log that is not the one that its index knows by name, bytes and digest of its rows.
#[pyfunction]
#[pyo3(signature = (path, known, size, digest=None))]
#[allow(clippy::needless_pass_by_value, reason = "arguments of Python are owned")]
pub(super) fn refuse_changed(
    path: std::path::PathBuf,
    known: (String, u64, String),
    size: u64,
    digest: Option<&str>,
) -> PyResult<()> {
    let known = (known.0.as_str(), known.1, known.2.as_str());
    Ok(patch::refuse_changed(&path, known, size, digest)?)
}
