//! Options of a stream as the data classes of `jelly.types`.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::create::{default_patch_options, default_rdf_options};
use crate::options::StreamOptions;
use crate::options::values::Value;

/// A `jelly.RdfOptions` or `jelly.PatchOptions`.
pub(super) fn object<'py>(py: Python<'py>, options: &StreamOptions) -> PyResult<Bound<'py, PyAny>> {
    let values = PyDict::new(py);
    for (name, value) in options.fields() {
        match value {
            Value::Flag(on) => values.set_item(name, on)?,
            Value::Number(number) => values.set_item(name, number)?,
            Value::Text(text) => values.set_item(name, text)?,
            _ => {}
        }
    }
    let class = if let StreamOptions::Rdf(_) = options { "RdfOptions" } else { "PatchOptions" };
    py.import("jelly.types")?.getattr(class)?.call((), Some(&values))
}

/// Reads a `jelly.RdfOptions` or `jelly.PatchOptions`.
pub(super) fn read(object: &Bound<'_, PyAny>) -> PyResult<StreamOptions> {
    let types = object.py().import("jelly.types")?;
    let mut options = if object.is_instance(&types.getattr("RdfOptions")?)? {
        StreamOptions::Rdf(default_rdf_options(false))
    } else if object.is_instance(&types.getattr("PatchOptions")?)? {
        StreamOptions::Patch(default_patch_options())
    } else {
        let name = object.get_type().name()?;
        let message = format!("options must be a jelly.RdfOptions or jelly.PatchOptions, not {name}");
        return Err(PyTypeError::new_err(message));
    };
    for (name, default) in options.fields() {
        let given = object.getattr(name)?;
        let value = match default {
            Value::Flag(_) => Value::Flag(given.extract()?),
            Value::Number(_) => Value::Number(given.extract::<u32>()?.into()),
            _ => Value::Text(given.extract()?),
        };
        options.set_field(name, &value)?;
    }
    Ok(options)
}
