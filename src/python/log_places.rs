//! `LogPlaces`.

use pyo3::prelude::*;

use super::column::Exported;
use super::keys::column_of;
use crate::arrow;

/// Which rows of a log count, and which version each belongs to; made of the source of each patch that counts, its number
/// there, its version, and its transactions that do not count.
#[pyclass(frozen, module = "jelly")]
pub(super) struct LogPlaces(arrow::LogPlaces);

#[pymethods]
impl LogPlaces {
    #[new]
    fn new(patches: Vec<(Option<String>, i64, i64, Vec<i64>)>) -> Self {
        let mut places = arrow::LogPlaces::default();
        for (source, patch, version, dropped) in patches {
            places.insert(source, patch, version, dropped);
        }
        LogPlaces(places)
    }

    /// The version of each row, for ``pyarrow.record_batch``: the column ``version``, null in rows that do not count.
    fn versions(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<Exported> {
        column_of(py, rows, "version", |batch| self.0.versions(batch))
    }
}
