//! Rows that became Python objects as a batch again.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use pyo3::prelude::*;

use super::error::Failure;
use super::schema::Schema;
use crate::error::{Error, ErrorKind};

/// The batch of rows of this schema.
pub(super) fn batch(py: Python<'_>, rows: &[Py<PyAny>], schema: &Schema) -> PyResult<RecordBatch> {
    let columns = schema.arrow.fields().iter().enumerate().map(|(place, field)| {
        let cells = rows.iter().map(|row| row.bind(py).get_item(place)).collect::<PyResult<Vec<_>>>()?;
        column(field, &cells)
    });
    let columns = columns.collect::<PyResult<Vec<_>>>()?;
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows.len()));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema.arrow), columns, &options);
    Ok(batch.map_err(|error| Failure::Jelly(Error::new(ErrorKind::Internal, error.to_string())))?)
}

fn column(field: &Field, cells: &[Bound<'_, PyAny>]) -> PyResult<ArrayRef> {
    Ok(match field.data_type() {
        DataType::Int64 => {
            let cells = cells.iter().map(|cell| cell.extract()).collect::<PyResult<Vec<Option<i64>>>>()?;
            Arc::new(Int64Array::from(cells))
        }
        DataType::Struct(fields) => {
            let parts = fields.iter().enumerate().map(|(place, field)| {
                let parts = cells.iter().map(|cell| part(cell, place)).collect::<PyResult<Vec<_>>>()?;
                column(field, &parts)
            });
            let valid = cells.iter().map(|cell| !cell.is_none()).collect::<Vec<_>>();
            let parts = parts.collect::<PyResult<Vec<_>>>()?;
            let made = StructArray::try_new(fields.clone(), parts, Some(valid.into()));
            Arc::new(
                made.map_err(|error| Failure::Jelly(Error::new(ErrorKind::Internal, error.to_string())))?,
            )
        }
        _ => {
            let cells = cells.iter().map(|cell| cell.extract()).collect::<PyResult<Vec<Option<String>>>>()?;
            Arc::new(StringArray::from(cells))
        }
    })
}

/// A part of a term; none of none.
fn part<'py>(cell: &Bound<'py, PyAny>, place: usize) -> PyResult<Bound<'py, PyAny>> {
    if cell.is_none() { Ok(cell.clone()) } else { cell.get_item(place) }
}
