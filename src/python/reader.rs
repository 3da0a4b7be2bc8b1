//! Readers for Python.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyBytes, PyCapsule, PyDict, PyType};

use super::batch::RecordBatch;
use super::capsule;
use super::handle::Handle;
use super::rows::RowIterator;
use super::schema::Schema;
use super::stream_options;
use crate::decode::{PatchDecoder, RdfDecoder};

/// What :class:`RdfReader` and :class:`PatchReader` have in common.
///
/// A reader is read once: each row goes to exactly one of the batches, rows, patches and streams
/// taken from it, in order. They can be mixed: each continues where the last row was taken, and :meth:`peek`
/// takes no row.
///
/// Several threads can use it at a time, with the GIL released; it also works after a fork if no thread was
/// reading. Rows before an error are delivered first, then the error is raised, then the
/// reader is at its end. Ctrl-C closes it.
///
/// A source that refers to its own reader is freed only after the reader is closed or at its end, because
/// Python cannot see this cycle.
#[pyclass(frozen, subclass, module = "jelly")]
pub(super) struct Reader {
    handle: Arc<Handle>,
    schema: Schema,
    rows: PyOnceLock<Py<RowIterator>>,
    patches: PyOnceLock<Py<PyAny>>,
}

/// Statements, from :func:`jelly.read_rdf`.
#[pyclass(frozen, extends = Reader, module = "jelly")]
pub(super) struct RdfReader;

/// Rows of patches, from :func:`jelly.read_patch`.
#[pyclass(frozen, extends = Reader, module = "jelly")]
pub(super) struct PatchReader;

impl Reader {
    pub(super) fn new(handle: Handle, schema: Schema) -> Self {
        Reader { handle: Arc::new(handle), schema, rows: PyOnceLock::new(), patches: PyOnceLock::new() }
    }

    /// The next batch; detaches while it decodes.
    pub(super) fn next_batch(&self, py: Python<'_>) -> PyResult<Option<arrow_array::RecordBatch>> {
        Ok(py.detach(|| self.handle.next())?)
    }

    fn row_iterator(&self, py: Python<'_>) -> PyResult<&Py<RowIterator>> {
        let make = || Py::new(py, RowIterator::new(py, Arc::clone(&self.handle), &self.schema)?);
        self.rows.get_or_try_init(py, make)
    }
}

#[pymethods]
impl Reader {
    /// The schema of the batches.
    #[getter]
    fn schema(&self) -> Schema {
        self.schema.clone()
    }

    /// The schema as an ``arrow_schema`` capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, self.schema.arrow.as_ref())
    }

    /// The remaining batches as an ``arrow_array_stream`` capsule.
    ///
    /// The stream can be read on any thread, with or without the GIL. An error comes through it as
    /// the line of text that ``str()`` of the exception has, in an exception of the Arrow library
    /// that reads it; Ctrl-C as ``KeyboardInterrupt``.
    ///
    /// Args:
    ///     requested_schema: Ignored, as the protocol allows.
    ///
    /// Raises:
    ///     ValueError: The reader is closed or was read to its end.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema; // a wish, which the protocol allows to pass over
        if self.handle.is_over(py)? {
            let message = "the reader is closed or was read to its end; open the source again";
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

    /// The remaining rows as named tuples, with fields as in ``schema``.
    ///
    /// With ``columns``, ``mode="permissive"`` or ``terms="struct"`` the class has other fields or
    /// values: the requested columns, ``corrupt_record`` at the end, :class:`jelly.Term`.
    ///
    /// A reader has one iterator of rows: a second call continues where the last row was taken.
    fn rows(&self, py: Python<'_>) -> PyResult<Py<RowIterator>> {
        Ok(self.row_iterator(py)?.clone_ref(py))
    }

    /// The next row, without taking it.
    ///
    /// None at the end, and before an error, which is raised when rows are taken.
    ///
    /// Raises:
    ///     ValueError: The reader is closed.
    fn peek(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.row_iterator(py)?.get().peek(py, 0)
    }

    /// Options of the stream; reads on until they are known, without losing a row.
    ///
    /// None if the stream is empty, fails before its options, or has a format without options.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let options = self.handle.options(py)?;
        options.map(|options| stream_options::object(py, &options)).transpose()
    }

    /// IRIs by label, as far as decoding got; the mapping grows while rows are read.
    ///
    /// For statements, the namespace declarations, the last one of each label. For patches, the prefixes that
    /// rows added and did not delete again, of any graph or transaction.
    #[getter]
    fn namespaces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.handle.look(py, |reader| reader.namespaces().owned())?.into_py_dict(py)
    }

    /// Metadata of the frame that began last (``RdfStreamFrame.metadata``).
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = self.handle.look(py, |reader| reader.source().decoder().metadata().to_vec())?;
        found.iter().map(|(key, value)| (key, PyBytes::new(py, value))).into_py_dict(py)
    }

    /// How far decoding got; rows that were decoded but not taken yet come before this position.
    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let at = self.handle.look(py, |reader| reader.source().decoder().progress())?;
        let class = py.import("jelly.types")?.getattr("Position")?;
        class.call1((at.frame, at.rows, at.offset))
    }

    /// Whether the reader was closed.
    #[getter]
    fn closed(&self, py: Python<'_>) -> PyResult<bool> {
        self.handle.is_closed(py)
    }

    /// The state of the decoder, for ``resume``.
    ///
    /// It can be taken between two batches, after all rows of the last batch were used. A reader made with
    /// ``resume=snapshot`` over the bytes from ``position.offset`` (of the decompressed stream)
    /// on, in this process or another, gives the rows that this one would give.
    ///
    /// Rows that only the end of the input implied (``eof``) are not included: a reader that is made from the last
    /// snapshot and no more bytes gives them again. ``namespaces`` are not included either, and begin empty.
    ///
    /// Raises:
    ///     OptionsError: The decoder failed, or is at a place where no snapshot can be taken.
    ///     ValueError: Rows wait to be taken, or only committed rows are read.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.handle.snapshot(py)?))
    }

    /// Closes the source; reading after this is a ``ValueError``.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.handle.close(py)
    }

    /// `RdfReader[RdfTermRow]` in annotations.
    #[classmethod]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        cls.py().import("types")?.getattr("GenericAlias")?.call1((cls, item))
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
    /// The remaining patches; the rows of a patch can be read until the next patch is taken.
    ///
    /// A patch takes no row before its rows are read. A reader has one iterator of patches: a second call continues
    /// with the next patch.
    ///
    /// Raises:
    ///     ValueError: A column that this needs was not requested.
    fn patches(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let (py, reader) = (slf.py(), slf.as_super().get());
        let make = || {
            let rows = reader.row_iterator(py)?;
            let class = py.import("jelly._patches")?.getattr("Patches")?;
            Ok::<_, PyErr>(class.call1((rows, reader.schema.names_vec()))?.unbind())
        };
        Ok(reader.patches.get_or_try_init(py, make)?.clone_ref(py))
    }
}

/// The state of a decoder of statements, or of patches, at this message of a log whose start is lost.
#[pyfunction]
pub(super) fn state_after_loss(py: Python<'_>, is_patch: bool, message: u64) -> PyResult<Bound<'_, PyBytes>> {
    let state = if is_patch { PatchDecoder::after_loss(message) } else { RdfDecoder::after_loss(message) };
    Ok(PyBytes::new(py, &state?))
}
