//! `quad_keys`.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use super::capsule::{self, Batches};
use super::error::Failure;
use crate::arrow::{KeyColumn, Required};
use crate::error::catch_panic;

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
        capsule::data_type(py, self.0.data_type())
    }

    /// The keys as an ``arrow_schema`` and an ``arrow_array`` capsule.
    ///
    /// Args:
    ///     requested_schema: Passed over, as the protocol allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema; // a wish, which the protocol allows to pass over
        capsule::column(py, &self.0)
    }
}

/// The keys by which quads are told apart: 16 bytes for each row.
///
/// Two rows have the same key if they are the same quad: the same terms, whatever the case of language
/// tags, and the same graph; a null graph is the default graph, as ``''`` is. A row without subject, predicate and
/// object, as a header of a patch is, has a null for a key.
///
/// The key is SipHash-2-4-128 under a secret, so that nobody who does not know the secret can make two
/// quads with one key. Keys can be compared if they were made under one secret, by whatever process and version
/// of this library: draw one for each run, ``secrets.token_bytes(16)``.
///
/// Args:
///     rows: A record batch, a table or whatever else of any Arrow library, with the columns
///         ``subject``, ``predicate``, ``object`` and ``graph``: canonical N-Triples or structs, as
///         the readers give them. Other columns are passed over.
///     secret: 16 bytes.
///     canonical: Refuse a text that is not the canonical one of its term, such as `"1"^^xsd:string`
///         for `"1"`, rather than take it for that term.
///
/// Returns:
///     The keys, an Arrow column of type binary: ``pyarrow.array(keys)``.
///
/// Raises:
///     EncodeError: A row has some of the terms, but not all.
///     TextError: There is no term in the text of a cell, or, with ``canonical``, it is spelled in another way.
///     ValueError: The secret has not 16 bytes; a column is missing or holds no strings.
///     TypeError: ``rows`` is no object of an Arrow library.
#[pyfunction]
#[pyo3(signature = (rows, secret, *, canonical=false))]
pub(super) fn quad_keys(
    py: Python<'_>,
    rows: &Bound<'_, PyAny>,
    secret: &Bound<'_, PyBytes>,
    canonical: bool,
) -> PyResult<QuadKeys> {
    keys_of(py, rows, secret, Required { canonical, ..Required::default() })
}

/// The keys of the quads of a table that is compared with others: as `quad_keys`, and refuses terms that are not canonical.
///
/// Args:
///     rows: As those of `quad_keys`.
///     secret: 16 bytes.
///     labels: What labels of blank nodes may be: ``"any"``; ``"unscoped"``, none behind the scope of a source; ``"named"``,
///         no positions either.
///     quads: Refuse rows without a subject, predicate and object, which have no key else.
///
/// Raises:
///     EncodeError: A row has no quad.
///     PatchError: A label is refused.
///     TextError: A term is not canonical.
///     ValueError: As of `quad_keys`.
#[pyfunction]
#[pyo3(signature = (rows, secret, *, labels, quads=true))]
pub(super) fn table_keys(
    py: Python<'_>,
    rows: &Bound<'_, PyAny>,
    secret: &Bound<'_, PyBytes>,
    labels: &str,
    quads: bool,
) -> PyResult<QuadKeys> {
    let labels = labels.parse().map_err(Failure::Jelly)?;
    keys_of(py, rows, secret, Required { canonical: true, quads, labels })
}

fn keys_of(
    py: Python<'_>,
    rows: &Bound<'_, PyAny>,
    secret: &Bound<'_, PyBytes>,
    required: Required,
) -> PyResult<QuadKeys> {
    let secret = <[u8; 16]>::try_from(secret.as_bytes()).map_err(|_| {
        PyValueError::new_err(format!("a secret has 16 bytes, not {}", secret.as_bytes().len()))
    })?;
    let Some(mut batches) = Batches::of(rows)? else {
        let kind = rows.get_type().name()?;
        return Err(PyTypeError::new_err(format!("rows must be of an Arrow library, not {kind}")));
    };
    let keys = py.detach(|| {
        catch_panic(|| {
            let mut column = KeyColumn::new(secret, required);
            while let Some(batch) = batches.next().map_err(Failure::Python)? {
                column.push(&batch)?;
            }
            Ok::<_, Failure>(column.finish())
        })
    })?;
    Ok(QuadKeys(Arc::new(keys)))
}
