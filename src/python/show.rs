//! Functions that show changes to people.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::destination::target;
use super::job::Job;
use crate::error::Result;
use crate::io::{Compression, Output, OutputOptions, Target};
use crate::options::doors::Doors;
use crate::patch::{Again, DiffOptions, LogSources, NodeCounts};
use crate::show::{STYLE, Selection, ShowOptions, Shown};

/// Rows, prefixes, subjects that changed, are gone and are new, and those of them that are not shown.
type Fields = (u64, u64, u64, [u64; 3], [u64; 3]);

fn fields(shown: Shown) -> Fields {
    let Shown { added, deleted, prefixes, subjects, left_out } = shown;
    (added, deleted, prefixes, subjects, left_out)
}

fn open(target: Target) -> Result<Output> {
    Output::create(target, &OutputOptions { compression: Some(Compression::None), level: None })
}

/// Shows what patches change; returns the fields of Shown.
#[pyfunction]
pub(super) fn show(
    py: Python<'_>,
    patches: Vec<Bound<'_, PyAny>>,
    dest: &Bound<'_, PyAny>,
    base: Option<&Bound<'_, PyAny>>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Fields> {
    let job = Job::new(keywords, Doors::SHOW, progress)?;
    let log = job.log(&patches)?;
    let base = job.base(base)?;
    let options = ShowOptions::of(&job.values)?;
    let selection = Selection::of(&job.values)?;
    let target = target(dest, &job.interrupt)?;
    let shown = job.run(py, |watch| {
        let base = base.map(|(base, reading)| Again::new(base, reading)).transpose()?;
        Ok(crate::show::show(
            LogSources::open(log)?,
            base.as_ref(),
            &selection,
            &options,
            open(target)?,
            watch,
        )?)
    })?;
    Ok(fields(shown))
}

/// Shows what differs between two datasets; returns the fields of Shown, how blank nodes were compared and what became
/// of them.
#[pyfunction]
pub(super) fn show_diff(
    py: Python<'_>,
    old: &Bound<'_, PyAny>,
    new: &Bound<'_, PyAny>,
    dest: &Bound<'_, PyAny>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Fields, &'static str, [u64; 4])> {
    let job = Job::new(keywords, Doors::SHOW, progress)?;
    let (old, reading) = job.dataset(old, "old_format")?;
    let (new, new_reading) = job.dataset(new, "new_format")?;
    let diff = DiffOptions::of(&job.values, reading)?;
    let options = ShowOptions::of(&job.values)?;
    let target = target(dest, &job.interrupt)?;
    let (shown, compared) = job.run(py, |watch| {
        let new = Again::new(new, new_reading)?;
        Ok(crate::show::show_diff(old, &new, diff, &options, open(target)?, watch)?)
    })?;
    let NodeCounts { kept, new, gone, unsettled } = compared.nodes;
    Ok((fields(shown), compared.blank_nodes.name(), [kept, new, gone, unsettled]))
}

/// The style of pages with HTML that `show` and `show_diff` wrote as fragments.
#[pyfunction]
pub(super) fn show_style() -> &'static str {
    STYLE
}
