//! Rows with blank nodes of two tables, which are compared apart from the others.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::change::Writing;
use super::column::Exported;
use super::error::Failure;
use super::guard::Guarded;
use super::job::Job;
use super::keys::{batches_of, column_of};
use crate::arrow;
use crate::open::OpenOptions;
use crate::options::doors::Doors;
use crate::patch::{self, DiffOptions};

/// Whether the labels of the blank nodes in each row last: the boolean column ``lasting``, null where there is no blank node.
#[pyfunction]
pub(super) fn lasting_labels(py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<Exported> {
    column_of(py, rows, "lasting", arrow::lasting_labels)
}

/// Compares the rows with blank nodes of two tables, as `diff` compares those of two datasets.
#[pyclass(frozen, module = "jelly")]
pub(super) struct BlankDiff {
    job: Job,
    core: Guarded<Option<patch::BlankDiff>>,
}

#[pymethods]
impl BlankDiff {
    #[new]
    fn new(keywords: &Bound<'_, PyDict>) -> PyResult<Self> {
        let job = Job::new(keywords, Doors::RESULT_PATCH, None)?;
        let open = OpenOptions::of(&job.values, "old_format", None)?;
        let options = DiffOptions::of(&job.values, open)?;
        let core = patch::BlankDiff::new(options.blank_nodes, &options.old.decode.limits);
        Ok(BlankDiff { job, core: Guarded::new(Some(core?)) })
    }

    /// Takes rows that have blank nodes, of the old or the new table.
    fn add(&self, py: Python<'_>, is_new: bool, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut batches = batches_of(rows)?;
        self.core.run(py, &self.job.interrupt, |core, signals| {
            let core = core.as_mut().ok_or(Failure::Closed)?;
            batches.each(|batch| {
                arrow::each_statement(&batch, |statement| core.add(is_new, statement))?;
                Ok(signals.poll()?)
            })
        })
    }

    /// Writes what differs as a patch; nothing can be added then.
    fn finish(&self, py: Python<'_>, dest: &Bound<'_, PyAny>) -> PyResult<()> {
        let writing = Writing::new(&self.job, dest)?;
        self.job.run(py, |_| {
            let core = self.core.with(|core| core.take().ok_or(Failure::Closed))?;
            core.finish(writing.open()?)?;
            Ok(())
        })
    }
}
