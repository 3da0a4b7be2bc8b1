//! Functions that look at logs: `verify_log`, `history`.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::error::Failure;
use super::job::{Job, Opening, id_term, term};
use crate::error::Result;
use crate::patch::{self, LogReport, LogVersion, Pattern};
use crate::term::TermBuf;

/// Kind, source, patch, id and message of a problem.
type Problem = (&'static str, Option<String>, Option<u64>, Option<String>, String);
/// The fields of `jelly.LogReport`.
type Report = (u64, u64, Option<String>, Option<String>, u64, u64, u64, u64, Option<u64>, Vec<Problem>);

/// Looks at a log; returns the fields of LogReport.
#[pyfunction]
#[pyo3(signature = (patches, base, keywords, progress=None))]
pub(super) fn verify_log(
    py: Python<'_>,
    patches: Vec<Bound<'_, PyAny>>,
    base: Option<&Bound<'_, PyAny>>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Report> {
    let job = Job::new(keywords, progress);
    let log = job.log(&patches)?;
    let base = base.map(|base| job.dataset(base, "base_format")).transpose()?;
    let options = job.log_options()?;
    let report = job.run(py, |watch| {
        let log = log.into_iter().map(Opening::again).collect::<Result<Vec<_>>>()?;
        Ok(patch::verify_log(log, base.map(|base| (base.source, base.options)), options, watch)?)
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
    } = report;
    let problems = problems.into_iter().map(|problem| {
        let source = problem.source.map(|source| source.to_string());
        (problem.kind, source, problem.patch, problem.id, problem.message)
    });
    Ok((patches, ids, prev, head, committed, aborted, changes, prefixes, without_effect, problems.collect()))
}

/// Source, patch, id, prev, and by what ids are compared: that of the id, that of prev.
type Version = (usize, u64, Option<String>, Option<String>, Option<String>, Option<String>);

/// Puts the patches of a log in order; returns source, patch, id, prev and what ids are compared by.
#[pyfunction]
#[pyo3(signature = (patches, keywords, progress=None))]
pub(super) fn log_versions(
    py: Python<'_>,
    patches: Vec<Bound<'_, PyAny>>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Version>> {
    let job = Job::new(keywords, progress);
    let log = job.log(&patches)?;
    let options = job.log_options()?;
    let versions = job.run(py, |watch| {
        let log = log.into_iter().map(Opening::again).collect::<Result<Vec<_>>>()?;
        Ok(patch::log_versions(log, options, watch)?)
    })?;
    let text = |id: Option<&TermBuf>| id.map(|id| id.as_term().to_string());
    let version = |LogVersion { source, patch, id, prev }: LogVersion| {
        let same = [&id, &prev].map(|id| id.as_ref().map(patch::id_identity));
        let [same_id, same_prev] = same;
        (source, patch, text(id.as_ref()), text(prev.as_ref()), same_id, same_prev)
    };
    Ok(versions.into_iter().map(version).collect())
}

/// Returns an id, a term or a bare IRI, as a term, and what it is compared by.
#[pyfunction]
pub(super) fn identify(id: &str) -> PyResult<(String, String)> {
    let id = id_term(id)?;
    Ok((id.as_term().to_string(), patch::id_identity(&id)))
}

/// Periods in which quads were there: subject, predicate, object, graph, valid_from, valid_to.
#[pyclass(module = "jelly._internal", frozen)]
pub(super) struct History(Mutex<patch::History>);

/// The fields of `jelly.Period`.
type Period = (String, String, String, String, u64, Option<u64>);

#[pymethods]
impl History {
    /// The next period.
    fn __next__(&self) -> PyResult<Option<Period>> {
        let mut history = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let period = history.next_period().map_err(Failure::from)?;
        Ok(period.map(|period| {
            let [subject, predicate, object, graph] = period.terms;
            (subject, predicate, object, graph, period.valid_from, period.valid_to)
        }))
    }

    /// Itself.
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// Periods that were not taken yet.
    fn __len__(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).left()
    }
}

/// Follows the quads of a pattern through a log.
#[pyfunction]
#[pyo3(signature = (patches, base, pattern, keywords, progress=None))]
pub(super) fn history(
    py: Python<'_>,
    patches: Vec<Bound<'_, PyAny>>,
    base: Option<&Bound<'_, PyAny>>,
    pattern: [Option<String>; 4],
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<History> {
    let job = Job::new(keywords, progress);
    let log = job.log(&patches)?;
    let base = base.map(|base| job.dataset(base, "base_format")).transpose()?;
    let options = job.log_options()?;
    let mut terms: Pattern = Default::default();
    for (place, text) in terms.iter_mut().zip(&pattern) {
        *place = text.as_deref().map(term).transpose()?;
    }
    let found = job.run(py, |watch| {
        let log = log.into_iter().map(Opening::again).collect::<Result<Vec<_>>>()?;
        let base = base.map(|base| (base.source, base.options));
        Ok(patch::history(log, base, &terms, options, watch)?)
    })?;
    Ok(History(Mutex::new(found)))
}
