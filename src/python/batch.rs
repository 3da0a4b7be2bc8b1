//! Record batches for Python.

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyCapsule, PyTuple};

use super::capsule::{self, Capsules};
use super::schema::Schema;

/// Rows in Arrow columns; ``pyarrow.record_batch(batch)`` shares its memory.
#[pyclass(frozen, module = "jelly")]
pub(super) struct RecordBatch {
    pub(super) arrow: arrow_array::RecordBatch,
    pub(super) schema: Py<Schema>,
}

#[pymethods]
impl RecordBatch {
    /// Rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.arrow.num_rows()
    }

    /// Columns.
    #[getter]
    fn num_columns(&self) -> usize {
        self.arrow.num_columns()
    }

    /// Names of the columns.
    #[getter]
    fn column_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.schema.get().names_vec())
    }

    /// Names and types of the columns.
    #[getter]
    fn schema(&self, py: Python<'_>) -> Py<Schema> {
        self.schema.clone_ref(py)
    }

    fn __len__(&self) -> usize {
        self.arrow.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<jelly.RecordBatch: {} rows of {} columns>", self.arrow.num_rows(), self.arrow.num_columns())
    }

    /// The schema as an ``arrow_schema`` capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, self.schema.get().arrow.as_ref())
    }

    /// The batch as an ``arrow_schema`` and an ``arrow_array`` capsule.
    ///
    /// Args:
    ///     requested_schema: Ignored, as the protocol allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Capsules<'py>> {
        let _ = requested_schema; // a wish, which the protocol allows to pass over
        capsule::batch(py, &self.arrow)
    }
}
