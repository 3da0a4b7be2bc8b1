//! `apply` and `as_of`: a dataset with patches applied.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::destination::target;
use super::job::Job;
use crate::create::{WriteOptions, Writer};
use crate::io::Output;
use crate::options::doors::Doors;
use crate::patch::{self, Applied, ApplyOptions, ApplyTarget, LogSources, Needs};

/// The fields of `jelly.Applied`: version, id, the numbers after them, the version of the base the order of files, and whether the base got content labels.
type Fields = (u64, Option<String>, [u64; 9], (u64, Vec<String>), bool);

/// Applies patches to a dataset.
///
/// Returns version and id of the result, the numbers of Applied, how the log was taken, and whether the base got content
/// labels.
#[pyfunction]
pub(super) fn apply(
    py: Python<'_>,
    base: &Bound<'_, PyAny>,
    patches: Vec<Bound<'_, PyAny>>,
    dest: &Bound<'_, PyAny>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Fields> {
    let job = Job::new(keywords, Doors::RESULT_RDF, progress)?;
    let (base, reading) = job.dataset(base, "base_format")?;
    let log = job.log(&patches)?;
    let options = ApplyOptions::of(&job.values, reading)?;
    let target = target(dest, &job.interrupt)?;
    let write = WriteOptions::of(false, &job.values, target.name().as_deref());
    let write = write?;
    let done = job.run(py, |watch| {
        let log = LogSources::open(log)?;
        let output = Output::create(target, &write.output())?;
        let make = |needs: &Needs| Ok(ApplyTarget::of(write, needs));
        Ok(patch::apply(base, log, options, make, Writer::new(output), watch)?)
    })?;
    let Applied { version, id, base, statements, added, deleted, changes, .. } = done;
    let Applied { prefixes, prefixes_left_out, bytes, without_effect, base_version, order, .. } = done;
    let has_content_labels = done.has_content_labels;
    let counts =
        [base, statements, added, deleted, changes, prefixes, prefixes_left_out, bytes, without_effect];
    Ok((version, id, counts, (base_version, order), has_content_labels))
}
