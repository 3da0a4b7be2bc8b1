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
///
/// Args:
///     rows: One record batch, as of `quad_keys`.
///
/// Raises:
///     EncodeError: A row has no quad.
///     TextError: There is no term in the text of a cell.
#[pyfunction]
pub(super) fn lasting_labels(py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<Exported> {
    column_of(py, rows, "lasting", arrow::lasting_labels)
}

/// Compares the rows with blank nodes of two tables, as `diff` compares those of two datasets.
///
/// Args:
///     keywords: Options of `diff`; ``blank_nodes`` is ``match`` or ``content``.
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
        let open = OpenOptions::of(&job.values, "old_format", None).map_err(Failure::Jelly)?;
        let options = DiffOptions::of(&job.values, open).map_err(Failure::Jelly)?;
        let core = patch::BlankDiff::new(options.blank_nodes, &options.old.decode.limits);
        Ok(BlankDiff { job, core: Guarded::new(Some(core.map_err(Failure::Jelly)?)) })
    }

    /// Takes rows that have blank nodes, of the old or the new table.
    ///
    /// Raises:
    ///     LimitError: There are too many for ``limits.blank_bytes``.
    fn add(&self, py: Python<'_>, is_new: bool, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut batches = batches_of(rows)?;
        self.job.interrupt.run(py, |signals| {
            self.core.with(|core| {
                let core = core.as_mut().ok_or(Failure::Closed)?;
                while let Some(batch) = batches.next().map_err(Failure::Python)? {
                    arrow::each_statement(&batch, |statement| core.add(is_new, statement))?;
                    signals.poll()?;
                }
                Ok(())
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
