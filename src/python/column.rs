//! Columns of whole streams: thousands of short ones, without a call from Python for each.

use arrow_array::RecordBatch;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::capsule::{self, Capsules};
use super::error::warn;
use super::guard::Guarded;
use super::open::options;
use super::schema::Kind;
use super::signals::Interrupt;
use crate::arrow::ColumnStreams;

/// Rows of the streams in a column, as batches with ``__arrow_c_array__``; small ones are joined.
///
/// Rows before an error are given first.
#[pyclass(frozen, module = "jelly")]
pub(super) struct ColumnReader {
    streams: Guarded<ColumnStreams>,
    interrupt: Interrupt,
}

/// A batch, for Arrow libraries alone.
#[pyclass(frozen, module = "jelly")]
pub(super) struct Exported(pub(super) RecordBatch);

#[pymethods]
impl Exported {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Capsules<'py>> {
        let _ = requested_schema; // a wish, which the protocol allows to pass over
        capsule::batch(py, &self.0)
    }
}

/// Reads each value of a column as a source of its own; a Jelly stream without a byte is rejected.
///
/// The column is a record batch of two: large binary, the streams, where null is none; string, their names, which may be
/// null. If `numbered`, batches end with the row that their stream has in it. `scope` is what tells the nodes of these
/// streams from those of others with the same names.
#[pyfunction]
#[pyo3(signature = (kind, keywords, column, numbered, scope=None))]
pub(super) fn read_column(
    kind: &str,
    keywords: &Bound<'_, PyDict>,
    column: &Bound<'_, PyAny>,
    numbered: bool,
    scope: Option<String>,
) -> PyResult<ColumnReader> {
    let batch = capsule::Batches::of(column)?.map(|mut batches| batches.next()).transpose()?.flatten();
    let batch = batch.ok_or_else(|| PyValueError::new_err("no record batch of values and names"))?;
    let kind = Kind::of(kind)?;
    let options = options(kind, keywords, None)?;
    let streams = ColumnStreams::new(kind == Kind::Patch, options, &batch, numbered, scope);
    Ok(ColumnReader { streams: Guarded::new(streams?), interrupt: Interrupt::default() })
}

#[pymethods]
impl ColumnReader {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Exported>> {
        let (next, warnings) = self.streams.run(py, &self.interrupt, |streams, signals| {
            let next = streams.next_batch(&mut || signals.poll())?;
            Ok((next, streams.take_warnings()))
        })?;
        warnings.iter().try_for_each(|warning| warn(py, warning))?;
        Ok(next.map(Exported))
    }
}
