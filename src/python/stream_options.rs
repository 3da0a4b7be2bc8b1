//! Options of a stream as the data classes of `jelly.types`.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::options::StreamOptions;
use crate::options::{Features, TableSizes};

/// A `jelly.RdfOptions` or `jelly.PatchOptions`.
pub(super) fn object<'py>(py: Python<'py>, options: &StreamOptions) -> PyResult<Bound<'py, PyAny>> {
    let values = PyDict::new(py);
    let (class, features, tables, version): (_, Features, TableSizes, u32) = match options {
        StreamOptions::Rdf(options) => {
            values.set_item("stream_name", &options.stream_name)?;
            values.set_item("physical_type", options.physical_type.name())?;
            let logical = options.logical_type;
            match logical.name() {
                Some(name) => values.set_item("logical_type", name)?,
                None => values.set_item("logical_type", logical.0.to_string())?,
            }
            ("RdfOptions", options.features, options.tables, options.version)
        }
        StreamOptions::Patch(options) => {
            values.set_item("statement_type", options.statement_type.name())?;
            values.set_item("stream_type", options.stream_type.name())?;
            ("PatchOptions", options.features, options.tables, options.version)
        }
    };
    values.set_item("generalized_statements", features.generalized_statements)?;
    values.set_item("rdf_star", features.rdf_star)?;
    values.set_item("max_name_table_size", tables.names)?;
    values.set_item("max_prefix_table_size", tables.prefixes)?;
    values.set_item("max_datatype_table_size", tables.datatypes)?;
    values.set_item("version", version)?;
    py.import("jelly.types")?.getattr(class)?.call((), Some(&values))
}
