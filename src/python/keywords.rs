//! Keywords that come as a dictionary; None is as good as absent.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Keywords by name.
#[derive(Clone, Copy)]
pub(super) struct Keywords<'a, 'py>(pub(super) &'a Bound<'py, PyDict>);

impl<'py> Keywords<'_, 'py> {
    /// The value of a keyword.
    pub(super) fn get(self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    /// The value as what it should be.
    pub(super) fn value<T: for<'v> FromPyObjectOwned<'v>>(self, name: &str) -> PyResult<Option<T>> {
        self.get(name)?.map(|value| value.extract().map_err(Into::into)).transpose()
    }

    /// A word, or its default.
    pub(super) fn word(self, name: &str, default: &str) -> PyResult<String> {
        Ok(self.value(name)?.unwrap_or_else(|| default.to_owned()))
    }

    /// A flag, or its default.
    pub(super) fn flag(self, name: &str, default: bool) -> PyResult<bool> {
        Ok(self.value(name)?.unwrap_or(default))
    }
}
