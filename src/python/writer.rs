//! Writers for Python: batches, readers and columns of any kind, to bytes of any format.

use arrow_array::RecordBatch;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::capsule::Batches;
use super::destination::target;
use super::guard::Guarded;
use super::keywords;
use super::reader::Reader;
use super::schema::Kind;
use super::signals::{Interrupt, Signals};
use super::write_rows;
use crate::arrow::BatchWriter;
use crate::error::Result;
use crate::options::doors::Doors;

/// What :class:`jelly.RdfWriter` and :class:`jelly.PatchWriter` stand on.
#[pyclass(frozen, module = "jelly")]
pub(super) struct Writer {
    core: Guarded<BatchWriter>,
    interrupt: Interrupt,
}

impl Writer {
    /// Works without Python; an exception of the destination is what is raised.
    fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut BatchWriter, &mut Signals) -> Result<R> + Send,
    ) -> PyResult<R> {
        self.core.run(py, &self.interrupt, |core, signals| Ok(work(core, signals)?))
    }

    fn write(&self, py: Python<'_>, batch: &RecordBatch) -> PyResult<usize> {
        self.with(py, |core, signals| core.write(batch, &mut |_| signals.poll()))
    }
}

#[pymethods]
impl Writer {
    #[new]
    fn new(kind: &str, dest: &Bound<'_, PyAny>, keywords: &Bound<'_, PyDict>) -> PyResult<Self> {
        let interrupt = Interrupt::default();
        let target = target(dest, &interrupt)?;
        let is_patch = Kind::of(kind)? == Kind::Patch;
        let values =
            keywords::values(keywords, if is_patch { Doors::WRITE_PATCH } else { Doors::WRITE_RDF })?;
        let core = BatchWriter::new(is_patch, &values, target, dest.hasattr("write")?)?;
        Ok(Writer { core: Guarded::new(core), interrupt })
    }

    /// Writes all batches of an object of an Arrow library; returns their rows.
    fn write_arrow(&self, py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<usize> {
        let Some(mut batches) = Batches::of(object)? else {
            return Err(PyValueError::new_err("expected record batches or a stream of record batches"));
        };
        let mut written = 0;
        while let Some(batch) = py.detach(|| batches.next())? {
            written += self.write(py, &batch)?;
        }
        Ok(written)
    }

    /// Writes the remaining rows of a reader; returns their number.
    fn write_reader(&self, py: Python<'_>, reader: &Bound<'_, Reader>) -> PyResult<usize> {
        let mut written = 0;
        while let Some(batch) = reader.get().next_batch(py)? {
            written += self.write(py, &batch)?;
        }
        Ok(written)
    }

    /// Writes columns by name; returns their rows.
    fn write_columns(&self, py: Python<'_>, columns: &Bound<'_, PyDict>) -> PyResult<usize> {
        self.write(py, &write_rows::batch(columns)?)
    }

    /// Ends the frame.
    #[expect(clippy::needless_pass_by_value, reason = "arguments of Python are owned")]
    fn end_frame(&self, py: Python<'_>, metadata: Vec<(String, Vec<u8>)>) -> PyResult<()> {
        self.with(py, |core, _| core.end_frame(&metadata))
    }

    /// Ends the patch.
    fn end_patch(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |core, _| core.end_patch())
    }

    /// Hands on what is complete, as a message of its own where the destination has messages.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |core, _| core.flush())
    }

    /// Whether frames have a meaning: patches, or elements of a grouped stream.
    #[getter]
    fn keeps_frames(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |core, _| Ok(core.keeps_frames()))
    }

    /// Ends the stream.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |core, _| core.close().map(drop))
    }

    /// Gives up.
    fn abort(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |core, _| {
            core.abort();
            Ok(())
        })
    }

    /// Whether nothing more can be written.
    #[getter]
    fn closed(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |core, _| Ok(core.is_closed()))
    }
}
