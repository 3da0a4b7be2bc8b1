//! Functions that write patches: `diff`, `invert`, `squash`, `canonicalize`.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::destination::target;
use super::job::Job;
use crate::create::WriteOptions;
use crate::error::Result;
use crate::io::Target;
use crate::options::doors::Doors;
use crate::patch::{
    self, Again, Compared, DiffOptions, InvertOptions, LogOptions, LogSources, NodeCounts, PatchOut, Patched,
    SquashOptions,
};

/// The fields of `jelly.Patched`.
type Fields = (Option<String>, u64, u64, u64, u64, u64, u64, Vec<String>);

/// How blank nodes were compared, and how many are kept, new, gone and not settled.
type Nodes = (&'static str, [u64; 4]);

fn fields(done: Patched) -> Fields {
    let Patched { id, patches, changes, added, deleted, prefixes, bytes, order } = done;
    (id, patches, changes, added, deleted, prefixes, bytes, order)
}

/// Where a patch goes.
pub(super) struct Writing {
    target: Target,
    options: WriteOptions,
}

impl Writing {
    pub(super) fn new(job: &Job, dest: &Bound<'_, PyAny>) -> PyResult<Self> {
        let target = target(dest, &job.interrupt)?;
        let options = WriteOptions::of(true, &job.values, target.name().as_deref());
        Ok(Writing { target, options: options? })
    }

    pub(super) fn open(self) -> Result<PatchOut> {
        PatchOut::new(self.target, self.options)
    }
}

/// Writes the patch that makes one dataset of another.
///
/// Returns statements of both, the fields of Patched, how blank nodes were compared and what became of them.
#[pyfunction]
pub(super) fn diff(
    py: Python<'_>,
    old: &Bound<'_, PyAny>,
    new: &Bound<'_, PyAny>,
    dest: &Bound<'_, PyAny>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, u64, Fields, Nodes)> {
    let job = Job::new(keywords, Doors::RESULT_PATCH, progress)?;
    let (old, reading) = job.dataset(old, "old_format")?;
    let (new, new_reading) = job.dataset(new, "new_format")?;
    let options = DiffOptions::of(&job.values, reading)?;
    let writing = Writing::new(&job, dest)?;
    let Compared { old, new, patch, blank_nodes, nodes } = job.run(py, |watch| {
        let new = Again::new(new, new_reading)?;
        Ok(patch::diff(old, &new, options, writing.open()?, watch)?)
    })?;
    let NodeCounts { kept, new: only_new, gone, unsettled } = nodes;
    Ok((old, new, fields(patch), (blank_nodes.name(), [kept, only_new, gone, unsettled])))
}

/// Whether two datasets are the same but for labels of blank nodes.
#[pyfunction]
pub(super) fn same(
    py: Python<'_>,
    old: &Bound<'_, PyAny>,
    new: &Bound<'_, PyAny>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<bool> {
    let job = Job::new(keywords, Doors::SAME, progress)?;
    let (old, new) = (job.dataset(old, "old_format")?, job.dataset(new, "new_format")?);
    job.run(py, |watch| Ok(patch::same(old, new, watch)?))
}

/// Writes the patch that takes others back; returns the fields of Patched.
#[pyfunction]
pub(super) fn invert(
    py: Python<'_>,
    patches: Vec<Bound<'_, PyAny>>,
    dest: &Bound<'_, PyAny>,
    base: Option<&Bound<'_, PyAny>>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Fields> {
    let job = Job::new(keywords, Doors::RESULT_PATCH, progress)?;
    let log = job.log(&patches)?;
    let base = job.base(base)?;
    let options = InvertOptions::of(&job.values)?;
    let writing = Writing::new(&job, dest)?;
    let done = job
        .run(py, |watch| Ok(patch::invert(LogSources::open(log)?, base, options, writing.open()?, watch)?))?;
    Ok(fields(done))
}

/// Writes one patch with the net effect of others; returns the fields of Patched.
#[pyfunction]
pub(super) fn squash(
    py: Python<'_>,
    patches: Vec<Bound<'_, PyAny>>,
    dest: &Bound<'_, PyAny>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Fields> {
    let job = Job::new(keywords, Doors::RESULT_PATCH, progress)?;
    let log = job.log(&patches)?;
    let options = SquashOptions::of(&job.values)?;
    let writing = Writing::new(&job, dest)?;
    let done =
        job.run(py, |watch| Ok(patch::squash(LogSources::open(log)?, options, writing.open()?, watch)?))?;
    Ok(fields(done))
}

/// Writes patches with only the rows that change a dataset; returns the fields of Patched.
#[pyfunction]
pub(super) fn canonicalize(
    py: Python<'_>,
    patches: Vec<Bound<'_, PyAny>>,
    base: &Bound<'_, PyAny>,
    dest: &Bound<'_, PyAny>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Fields> {
    let job = Job::new(keywords, Doors::RESULT_PATCH, progress)?;
    let log = job.log(&patches)?;
    let (base, reading) = job.dataset(base, "base_format")?;
    let options = LogOptions::of(&job.values);
    let writing = Writing::new(&job, dest)?;
    let done = job.run(py, |watch| {
        let out = writing.open()?;
        let base = Again::new(base, reading)?;
        Ok(patch::canonicalize(LogSources::open(log)?, &base, options, out, watch)?)
    })?;
    Ok(fields(done))
}
