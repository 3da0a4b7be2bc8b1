//! Options of a stream as the data classes of `jelly.types`.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::error::Failure;
use crate::options::{
    Features, LogicalType, PatchOptions, PatchStreamType, PhysicalType, RdfOptions, StatementType,
    StreamOptions, TableSizes,
};

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

/// Reads a `jelly.RdfOptions` or `jelly.PatchOptions`.
pub(super) fn read(object: &Bound<'_, PyAny>) -> PyResult<StreamOptions> {
    let types = object.py().import("jelly.types")?;
    let get = |name: &str| object.getattr(name);
    let is_rdf = object.is_instance(&types.getattr("RdfOptions")?)?;
    if !is_rdf && !object.is_instance(&types.getattr("PatchOptions")?)? {
        let name = object.get_type().name()?;
        let message = format!("options must be a jelly.RdfOptions or jelly.PatchOptions, not {name}");
        return Err(PyTypeError::new_err(message));
    }
    let features = Features {
        generalized_statements: get("generalized_statements")?.extract()?,
        rdf_star: get("rdf_star")?.extract()?,
    };
    let tables = TableSizes {
        names: get("max_name_table_size")?.extract()?,
        prefixes: get("max_prefix_table_size")?.extract()?,
        datatypes: get("max_datatype_table_size")?.extract()?,
    };
    let version: u32 = get("version")?.extract()?;
    if is_rdf {
        return Ok(StreamOptions::Rdf(RdfOptions {
            stream_name: get("stream_name")?.extract()?,
            physical_type: of_name(
                "physical_type",
                &get("physical_type")?,
                PhysicalType::ALL,
                PhysicalType::name,
            )?,
            logical_type: LogicalType::from_name(&get("logical_type")?.extract::<String>()?)
                .map_err(Failure::Jelly)?,
            features,
            tables,
            version,
        }));
    }
    Ok(StreamOptions::Patch(PatchOptions {
        statement_type: of_name(
            "statement_type",
            &get("statement_type")?,
            StatementType::ALL,
            StatementType::name,
        )?,
        stream_type: of_name(
            "stream_type",
            &get("stream_type")?,
            PatchStreamType::ALL,
            PatchStreamType::name,
        )?,
        features,
        tables,
        version,
    }))
}

fn of_name<T: Copy>(
    field: &str,
    word: &Bound<'_, PyAny>,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> PyResult<T> {
    let word: String = word.extract()?;
    all.iter().copied().find(|&known| name(known) == word).ok_or_else(|| {
        let words: Vec<_> = all.iter().map(|&known| name(known)).collect();
        PyValueError::new_err(format!("{field} is {word:?}; it can be {}", words.join(", ")))
    })
}
