//! Readers for Python.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};

use super::batch::RecordBatch;
use super::capsule;
use super::handle::Handle;
use super::rows::RowIterator;
use super::schema::Schema;
use super::stream_options;

/// What readers of both formats have.
#[pyclass(frozen, subclass, module = "jelly")]
pub(super) struct Reader {
    handle: Arc<Handle>,
    schema: Schema,
}

/// Reads Jelly-RDF.
#[pyclass(frozen, extends = Reader, module = "jelly")]
pub(super) struct RdfReader;

/// Reads Jelly-Patch.
#[pyclass(frozen, extends = Reader, module = "jelly")]
pub(super) struct PatchReader;

impl Reader {
    pub(super) fn new(handle: Handle, schema: Schema) -> Self {
        Reader { handle: Arc::new(handle), schema }
    }

    /// The next batch; detaches while it decodes.
    pub(super) fn next_batch(&self, py: Python<'_>) -> PyResult<Option<arrow_array::RecordBatch>> {
        Ok(self.handle.next(py)?)
    }
}

#[pymethods]
impl Reader {
    #[getter]
    fn schema(&self) -> Schema {
        self.schema.clone()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.schema.arrow)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema; // a wish, which the protocol allows to pass over
        if self.handle.is_over(py)? {
            let message = "the reader is closed or was read to its end; read the source again";
            return Err(PyValueError::new_err(message));
        }
        capsule::stream(py, Arc::clone(&self.handle), self.schema.arrow.clone())
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let Some(arrow) = self.next_batch(py)? else {
            return Ok(None);
        };
        let schema = Py::new(py, self.schema.clone())?;
        Ok(Some(RecordBatch { arrow, schema }))
    }

    fn rows(&self, py: Python<'_>) -> PyResult<RowIterator> {
        RowIterator::new(py, Arc::clone(&self.handle), &self.schema)
    }

    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let options = self.handle.options(py)?;
        options.map(|options| stream_options::object(py, &options)).transpose()
    }

    #[getter]
    fn namespaces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (label, iri) in self.handle.namespaces(py)? {
            all.set_item(label, iri)?;
        }
        Ok(all)
    }

    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (key, value) in self.handle.metadata(py)? {
            all.set_item(key, PyBytes::new(py, &value))?;
        }
        Ok(all)
    }

    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let at = self.handle.progress(py)?;
        let class = py.import("jelly.types")?.getattr("Position")?;
        class.call1((at.frame, at.rows, at.offset))
    }

    #[getter]
    fn closed(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.handle.is_closed(py)?)
    }

    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.handle.snapshot(py)?))
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        Ok(self.handle.close(py)?)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        let _ = exception;
        self.close(py)
    }
}

#[pymethods]
impl PatchReader {
    fn patches<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("jelly.patches")?.getattr("iterate")?.call1((slf,))
    }
}
