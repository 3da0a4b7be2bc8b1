//! Columns of Python values as record batches.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::term::TermBuf;

/// A batch of columns by name, whose values are strings, `Term`s, numbers or None.
pub(super) fn batch(columns: &Bound<'_, PyDict>) -> PyResult<RecordBatch> {
    let mut arrays: Vec<(String, ArrayRef)> = Vec::with_capacity(columns.len());
    for (name, values) in columns.iter() {
        let name: String = name.extract()?;
        let array: ArrayRef = match name.as_str() {
            "patch" | "frame" => {
                let values: Vec<Option<i64>> = values.extract()?;
                Arc::new(Int64Array::from(values))
            }
            // they are counted again
            "txn" | "seq" => continue,
            _ => {
                let cells =
                    values.try_iter()?.map(|value| text(&name, &value?)).collect::<PyResult<Vec<_>>>()?;
                Arc::new(StringArray::from(cells))
            }
        };
        arrays.push((name, array));
    }
    RecordBatch::try_from_iter(arrays).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A string as it is, a `jelly.Term` as canonical text.
fn text(column: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if value.is_none() {
        return Ok(None);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Some(text.to_str()?.to_owned()));
    }
    if let Ok(term) = value.cast::<PyTuple>()
        && let Ok((kind, value, datatype, language)) =
            term.extract::<(String, String, Option<String>, Option<String>)>()
    {
        return term_text(&kind, value, datatype, language).map(Some);
    }
    let message = format!(
        "column {column:?}: a value is a str, a jelly.Term or None, not {}",
        value.get_type().name()?
    );
    Err(PyTypeError::new_err(message))
}

fn term_text(
    kind: &str,
    value: String,
    datatype: Option<String>,
    language: Option<String>,
) -> PyResult<String> {
    let term = match (kind, datatype, language) {
        ("iri", _, _) => TermBuf::iri(&value),
        ("bnode", _, _) => TermBuf::blank_node(&value),
        ("literal", None, None) => TermBuf::simple_literal(&value),
        ("literal", Some(datatype), None) => TermBuf::typed_literal(&value, &datatype),
        ("literal", None, Some(language)) => TermBuf::language_literal(&value, &language),
        ("triple", _, _) => return Ok(value),
        ("default", _, _) => TermBuf::DefaultGraph,
        _ => return Err(PyValueError::new_err(format!("a term of kind {kind:?} cannot have these parts"))),
    };
    Ok(term.as_term().to_string())
}
