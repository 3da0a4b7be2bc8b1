//! `quad_keys`.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use super::capsule::{self, Batches, Capsules};
use super::column::Exported;
use super::error::Failure;
use crate::arrow::{self, KeyColumn, Required};
use crate::error::{Result, catch_panic};

/// Keys of quads in one Arrow column of bytes; ``pyarrow.array(keys)`` shares its memory.
#[pyclass(frozen, module = "jelly")]
pub(super) struct QuadKeys(ArrayRef);

#[pymethods]
impl QuadKeys {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<jelly.QuadKeys of {} rows>", self.0.len())
    }

    /// The type as an ``arrow_schema`` capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, self.0.data_type())
    }

    /// The keys as an ``arrow_schema`` and an ``arrow_array`` capsule.
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
        capsule::column(py, &self.0)
    }
}

/// The keys of quads. Where they are compared with those of other tables, terms must be `canonical`.
///
/// Of `labels`, ``"any"`` takes all blank nodes; ``"unscoped"`` none behind the scope of a source; ``"named"`` no positions
/// either. Without `quads`, a row may lack terms.
#[pyfunction]
pub(super) fn quad_keys(
    py: Python<'_>,
    rows: &Bound<'_, PyAny>,
    secret: &Bound<'_, PyBytes>,
    canonical: bool,
    labels: &str,
    quads: bool,
) -> PyResult<QuadKeys> {
    let required = Required { canonical, quads, labels: labels.parse()? };
    let (secret, mut batches) = (key_of(secret)?, batches_of(rows)?);
    let keys = py.detach(|| {
        catch_panic(|| {
            let mut column = KeyColumn::new(secret, required);
            batches.each(|batch| Ok(column.push(&batch)?))?;
            Ok::<_, Failure>(column.finish())
        })
    })?;
    Ok(QuadKeys(Arc::new(keys)))
}

/// Keeps the rows whose quads have none of some keys: as `quad_keys`, without the way of the keys to Python.
#[pyclass(frozen, module = "jelly")]
pub(super) struct KeyFilter(arrow::KeyFilter);

#[pymethods]
impl KeyFilter {
    #[new]
    #[pyo3(signature = (keys, secret, *, labels))]
    fn new(keys: &Bound<'_, PyBytes>, secret: &Bound<'_, PyBytes>, labels: &str) -> PyResult<Self> {
        let labels = labels.parse()?;
        let required = Required { canonical: true, quads: true, labels };
        let filter = arrow::KeyFilter::new(keys.as_bytes(), key_of(secret)?, required);
        Ok(KeyFilter(filter?))
    }

    /// Whether each row is kept, for ``pyarrow.record_batch``: the boolean column ``kept``.
    fn keep(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<Exported> {
        column_of(py, rows, "kept", |batch| self.0.keep(batch))
    }
}

/// A column that is made of one record batch, as a batch with this column alone.
pub(super) fn column_of<C: Array + FromIterator<Option<T>> + 'static, T>(
    py: Python<'_>,
    rows: &Bound<'_, PyAny>,
    name: &str,
    make: impl FnOnce(&RecordBatch) -> Result<C> + Send,
) -> PyResult<Exported> {
    let mut batches = batches_of(rows)?;
    let column = py.detach(|| {
        catch_panic(|| match batches.next()? {
            Some(batch) => Ok(make(&batch)?),
            None => Ok::<_, Failure>(std::iter::empty::<Option<T>>().collect()),
        })
    })?;
    let column: ArrayRef = Arc::new(column);
    let batch = RecordBatch::try_from_iter([(name, column)]);
    batch.map(Exported).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn key_of(secret: &Bound<'_, PyBytes>) -> PyResult<[u8; 16]> {
    let found = secret.as_bytes();
    let refused = || PyValueError::new_err(format!("secret must have 16 bytes, not {}", found.len()));
    <[u8; 16]>::try_from(found).map_err(|_| refused())
}

pub(super) fn batches_of(rows: &Bound<'_, PyAny>) -> PyResult<Batches> {
    match Batches::of(rows)? {
        Some(batches) => Ok(batches),
        None => {
            let kind = rows.get_type().name()?;
            Err(PyTypeError::new_err(format!("rows must be an object of an Arrow library, not {kind}")))
        }
    }
}
