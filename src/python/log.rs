//! Functions that look at logs: `verify_log`, `history`.

use std::collections::HashMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::guard::Guarded;
use super::job::Job;
use super::keywords;
use super::publish::version;
use crate::options::doors::Doors;
use crate::patch::{
    self, Again, Base, LogContext, LogOptions, LogReport, LogSources, LogVersion, Origin, PatchFacts, Pattern,
};
use crate::term::TermBuf;

/// Kind, source, patch, id and message of a problem.
type Problem = (&'static str, Option<String>, Option<u64>, Option<String>, String);
/// The fields of `jelly.LogReport`.
type Report = (
    u64,
    u64,
    Option<String>,
    Option<String>,
    u64,
    u64,
    u64,
    u64,
    Option<u64>,
    Vec<Problem>,
    (u64, Vec<String>),
);

/// Looks at a log; returns the fields of LogReport.
#[pyfunction]
pub(super) fn verify_log(
    py: Python<'_>,
    patches: Vec<Bound<'_, PyAny>>,
    base: Option<&Bound<'_, PyAny>>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Report> {
    let job = Job::new(keywords, Doors::LOG, progress)?;
    let log = job.log(&patches)?;
    let base = job.base(base)?;
    let options = LogOptions::of(&job.values);
    let report = job.run(py, |watch| {
        let log = LogSources::open(log)?;
        let base = base.map(|(base, reading)| Again::new(base, reading)).transpose()?;
        Ok(patch::verify_log(log, base.as_ref(), options, watch)?)
    })?;
    let LogReport {
        patches,
        ids,
        prev,
        head,
        committed,
        aborted,
        changes,
        prefixes,
        without_effect,
        problems,
        base_version,
        order,
    } = report;
    let problems = problems.into_iter().map(|problem| {
        let source = problem.source.map(|source| source.to_string());
        (problem.kind, source, problem.patch, problem.id, problem.message)
    });
    let (problems, taken) = (problems.collect(), (base_version, order));
    Ok((patches, ids, prev, head, committed, aborted, changes, prefixes, without_effect, problems, taken))
}

/// Source, patch, id, prev, by what ids are compared: that of the id, that of prev; the digest of the rows that count.
type Version = (usize, u64, Option<String>, Option<String>, Option<String>, Option<String>, Option<String>);

/// The dataset that a log begins with: the place of the log and the statements.
type FirstDataset = (String, u64);

fn said(dataset: patch::FirstDataset) -> FirstDataset {
    (dataset.place, dataset.statements)
}

/// Rejects an empty base, given the number of its statements, for a log that begins with a dataset.
#[pyfunction]
pub(super) fn refuse_empty_base(dataset: FirstDataset, base: u64) -> PyResult<()> {
    let (place, statements) = dataset;
    Ok(patch::FirstDataset { place, statements }.refuse_empty(base)?)
}

/// What [`log_versions`] returns.
type Versions = (Vec<Version>, Vec<Origin>, u64, Option<FirstDataset>);

/// Puts the patches of a log in order; returns source, patch, id, prev, what ids are compared by and the digest of the
/// rows that count, the origin of each source, the version that the patches come after, and the dataset that the log
/// begins with. Faults after the version `up_to` do not matter.
#[pyfunction]
#[pyo3(signature = (patches, keywords, progress=None, names=None, up_to=None))]
pub(super) fn log_versions(
    py: Python<'_>,
    patches: Vec<Bound<'_, PyAny>>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
    names: Option<Vec<Option<String>>>,
    up_to: Option<Bound<'_, PyAny>>,
) -> PyResult<Versions> {
    let up_to = up_to.map(|up_to| version(&up_to, "upto")).transpose()?;
    let job = Job::new(keywords, Doors::LOG, progress)?;
    let log = job.log(&patches)?;
    let options = LogOptions { fixed: true, digests: true, ..LogOptions::of(&job.values) };
    let (origins, found) = job.run(py, |watch| {
        let (sources, origins) = LogSources::with_origins(log, names.as_deref())?;
        Ok((origins, patch::log_versions(sources, options, up_to.as_ref(), watch)?))
    })?;
    let text = |id: Option<&TermBuf>| id.map(|id| id.as_term().to_string());
    let fields = |LogVersion { source, patch, id, prev, digest }: LogVersion| {
        let same = [&id, &prev].map(|id| id.as_ref().map(patch::id_identity));
        let [same_id, same_prev] = same;
        (
            source,
            patch,
            text(id.as_ref()),
            text(prev.as_ref()),
            same_id,
            same_prev,
            digest.map(patch::hex_digest),
        )
    };
    let patch::LogVersions { versions, before, dataset } = found;
    Ok((versions.into_iter().map(fields).collect(), origins, before, dataset.map(said)))
}

/// Source, patch, headers, first unfinished transaction, whether one is stray, whether something counts, net statements.
type Collected = (Option<String>, u64, Vec<(String, String)>, Option<u64>, bool, bool, i64);

/// The order of the patches of a log.
#[pyclass(module = "jelly._internal", frozen)]
pub(super) struct LogOrder(patch::LogOrder);

#[pymethods]
impl LogOrder {
    /// The patches of the versions, by their positions in the input.
    #[getter]
    fn order(&self) -> Vec<usize> {
        self.0.order.clone()
    }

    /// The version that the patches come after.
    #[getter]
    fn before(&self) -> u64 {
        self.0.before
    }

    /// The sources in the order in which they are read, if only their names decided this order.
    #[getter]
    fn by_name(&self) -> Vec<String> {
        self.0.by_name.clone()
    }

    /// The dataset that the log begins with.
    #[getter]
    fn dataset(&self) -> Option<FirstDataset> {
        self.0.dataset.clone().map(said)
    }

    /// The number of a version, which is given by its number or the id of its patch.
    #[pyo3(signature = (value, name="version"))]
    fn number(&self, value: &Bound<'_, PyAny>, name: &str) -> PyResult<u64> {
        Ok(self.0.number(&version(value, name)?)?)
    }
}

/// Puts patches in the order of a log by what their rows say.
#[pyfunction]
#[pyo3(signature = (patches, keywords, up_to=None, manifests=None))]
pub(super) fn order_log(
    patches: Vec<Collected>,
    keywords: &Bound<'_, PyDict>,
    up_to: Option<&Bound<'_, PyAny>>,
    manifests: Option<HashMap<String, [Option<Vec<u8>>; 2]>>,
) -> PyResult<LogOrder> {
    let values = keywords::values(keywords, Doors::LOG.and(Doors::CALL))?;
    let context = LogContext {
        sources: values.names("order").map(<[_]>::to_vec),
        up_to: up_to.map(|value| version(value, "version")).transpose()?,
        manifests: manifests.unwrap_or_default(),
    };
    let facts = |(source, patch, headers, unfinished, is_stray, counts, net): Collected| {
        let headers = patch::headers_of(headers)?;
        Ok(PatchFacts { source, patch, headers, unfinished, is_stray, counts, net })
    };
    let patches: Vec<_> = patches.into_iter().map(facts).collect::<PyResult<_>>()?;
    let found = patch::order_log(&patches, &context, LogOptions::of(&values));
    Ok(LogOrder(found?))
}

/// Rejects rows of a source that lack a patch between two others: numbers of patches, and whether each has a prev.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "arguments of Python are owned")]
pub(super) fn refuse_hole(source: Option<String>, patches: Vec<(u64, bool)>) -> PyResult<()> {
    Ok(patch::refuse_hole(source.as_deref(), patches)?)
}

/// The files of a folder that hold patches, in the order of a log.
#[pyfunction]
pub(super) fn patch_files(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<PathBuf>> {
    Ok(py.detach(|| patch::patch_files(&folder))?)
}

/// Rejects a result that would replace a file of a log, or be taken for one; `folder` is that of a log that is read.
#[pyfunction]
#[pyo3(signature = (dest, folder=None))]
pub(super) fn refuse_own_file(py: Python<'_>, dest: PathBuf, folder: Option<PathBuf>) -> PyResult<()> {
    Ok(py.detach(|| patch::refuse_own_file(&dest, folder.as_deref()))?)
}

/// Rejects a file that stands in the place of the base of a log.
#[pyfunction]
pub(super) fn refuse_other_base(py: Python<'_>, file: PathBuf) -> PyResult<()> {
    Ok(py.detach(|| patch::refuse_other_base(&file))?)
}

/// Whether a file of this name in the folder of a log holds patches.
#[pyfunction]
pub(super) fn holds_patches(name: &str) -> bool {
    patch::holds_patches(name)
}

/// Number and id of the last patch of a folder of `patch-0001` and so on.
#[pyfunction]
pub(super) fn log_head(py: Python<'_>, folder: PathBuf) -> PyResult<(u64, Option<String>)> {
    let keywords = PyDict::new(py);
    let head = Job::new(&keywords, Doors::LOG, None)?.run(py, |watch| Ok(patch::head(&folder, watch)?))?;
    Ok((head.version, head.id.map(|id| id.as_term().to_string())))
}

/// What the `base.json` of a backup says: file, statements, timestamp, version and id.
#[pyfunction]
pub(super) fn backup_base(
    py: Python<'_>,
    folder: PathBuf,
) -> PyResult<(String, u64, String, u64, Option<String>)> {
    let Base { file, statements, timestamp, version, id, .. } = py.detach(|| patch::backup_base(&folder))?;
    Ok((file, statements, timestamp, version, id.map(|id| id.as_term().to_string())))
}

/// Returns an id, a term or a bare IRI, as a term, and what it is compared by.
#[pyfunction]
pub(super) fn identify(id: &str) -> PyResult<(String, String)> {
    let id = patch::id_of(id)?;
    Ok((id.as_term().to_string(), patch::id_identity(&id)))
}

/// Periods in which quads were there: subject, predicate, object, graph, valid_from, valid_to.
#[pyclass(module = "jelly._internal", frozen)]
pub(super) struct History(Guarded<patch::History>);

/// The fields of `jelly.Period`.
type Period = (String, String, String, String, u64, Option<u64>);

#[pymethods]
impl History {
    /// The next period.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Period>> {
        let period = self.0.detached(py, |history| Ok(history.next_period()?))?;
        Ok(period.map(|period| {
            let [subject, predicate, object, graph] = period.terms;
            (subject, predicate, object, graph, period.valid_from, period.valid_to)
        }))
    }

    /// Files in the order in which they were read, if only their names decided this order.
    #[getter]
    fn order(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.0.detached(py, |history| Ok(history.order.clone()))
    }

    /// The headers of the patch that made a version, if it changed quads of the pattern.
    fn headers(&self, py: Python<'_>, version: u64) -> PyResult<Vec<(String, String)>> {
        self.0.detached(py, |history| Ok(history.headers(version).to_vec()))
    }

    /// Itself.
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// Periods that were not taken yet.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.0.detached(py, |history| Ok(history.left()))
    }
}

/// Follows the quads of a pattern through a log.
#[pyfunction]
pub(super) fn history(
    py: Python<'_>,
    patches: Vec<Bound<'_, PyAny>>,
    base: Option<&Bound<'_, PyAny>>,
    pattern: [Option<Vec<String>>; 4],
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<History> {
    let job = Job::new(keywords, Doors::LOG, progress)?;
    let log = job.log(&patches)?;
    let base = job.base(base)?;
    let options = LogOptions::of(&job.values);
    let mut terms: Pattern = Default::default();
    for (place, texts) in terms.iter_mut().zip(&pattern) {
        *place = texts
            .as_ref()
            .map(|texts| texts.iter().map(|text| patch::term_of(text)).collect())
            .transpose()?;
    }
    let found = job.run(py, |watch| {
        let log = LogSources::open(log)?;
        Ok(patch::history(log, base, &terms, options, watch)?)
    })?;
    Ok(History(Guarded::new(found)))
}
