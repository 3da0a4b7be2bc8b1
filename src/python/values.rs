//! Values of Arrow columns as Python objects; a text that repeats is one object.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayAccessor, Int64Array, StringArray, StructArray};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::rows::RowMaker;

/// Texts remembered for each column.
const REMEMBERED: usize = 512;
/// Longer texts rarely repeat.
const LONGEST: usize = 200;

/// A column and the objects that its last texts became; the rows are those of the current batch.
#[derive(Default)]
pub(super) struct Column {
    texts: Texts,
    /// Columns of a struct.
    parts: Vec<Column>,
}

#[derive(Default)]
struct Texts {
    last: Option<(usize, Py<PyString>)>,
    recent: Vec<Option<(usize, Py<PyString>)>>,
}

impl Column {
    /// Some rows as a list.
    pub(super) fn list<'py>(
        &mut self,
        py: Python<'py>,
        array: &dyn Array,
        rows: Range<usize>,
        maker: &RowMaker,
    ) -> PyResult<Bound<'py, PyList>> {
        if let Some(array) = array.as_string_opt::<i32>() {
            return self.texts.list(py, array, rows);
        }
        if let Some(array) = array.as_string_view_opt() {
            return self.texts.list(py, array, rows);
        }
        let places = array.as_dictionary_opt::<Int32Type>();
        if let Some(array) = places.and_then(|array| array.downcast_dict::<StringArray>()) {
            return self.texts.list(py, array, rows);
        }
        if let Some(array) = array.as_primitive_opt::<Int64Type>() {
            return integers(py, array, rows);
        }
        match array.as_struct_opt() {
            Some(array) => self.structs(py, array, rows, maker),
            None => Err(PyRuntimeError::new_err("a column of an unknown type")),
        }
    }

    fn structs<'py>(
        &mut self,
        py: Python<'py>,
        array: &StructArray,
        rows: Range<usize>,
        maker: &RowMaker,
    ) -> PyResult<Bound<'py, PyList>> {
        self.parts.resize_with(array.num_columns(), Column::default);
        let lists = array
            .columns()
            .iter()
            .zip(&mut self.parts)
            .map(|(part, column)| column.list(py, part.as_ref(), rows.clone(), maker))
            .collect::<PyResult<Vec<_>>>()?;
        let terms =
            PyList::new(py, maker.terms(py, &lists)?.bind(py).try_iter()?.collect::<PyResult<Vec<_>>>()?)?;
        for (index, row) in rows.enumerate() {
            if array.is_null(row) {
                terms.set_item(index, py.None())?;
            }
        }
        Ok(terms)
    }
}

fn integers<'py>(py: Python<'py>, array: &Int64Array, rows: Range<usize>) -> PyResult<Bound<'py, PyList>> {
    let mut last: Option<(i64, Bound<'py, PyAny>)> = None;
    let none = py.None().into_bound(py);
    let values = rows.map(|row| {
        if array.is_null(row) {
            return none.clone();
        }
        let value = array.value(row);
        match &last {
            Some((before, object)) if *before == value => object.clone(),
            _ => {
                let Ok(object) = value.into_pyobject(py);
                last = Some((value, object.clone().into_any()));
                object.into_any()
            }
        }
    });
    PyList::new(py, values)
}

impl Texts {
    fn list<'py, 'a>(
        &mut self,
        py: Python<'py>,
        array: impl ArrayAccessor<Item = &'a str> + Copy,
        rows: Range<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let none = py.None().into_bound(py);
        let values =
            rows.map(
                |row| {
                    if array.is_null(row) { none.clone() } else { self.object(py, array, row).into_any() }
                },
            );
        PyList::new(py, values)
    }

    fn object<'py, 'a>(
        &mut self,
        py: Python<'py>,
        array: impl ArrayAccessor<Item = &'a str> + Copy,
        row: usize,
    ) -> Bound<'py, PyString> {
        let text = array.value(row);
        if let Some((before, object)) = &self.last
            && array.value(*before) == text
        {
            return object.bind(py).clone();
        }
        let object = self.recent(py, array, row, text);
        self.last = Some((row, object.clone().unbind()));
        object
    }

    fn recent<'py, 'a>(
        &mut self,
        py: Python<'py>,
        array: impl ArrayAccessor<Item = &'a str> + Copy,
        row: usize,
        text: &str,
    ) -> Bound<'py, PyString> {
        if text.len() > LONGEST {
            return PyString::new(py, text);
        }
        if self.recent.is_empty() {
            self.recent.resize_with(REMEMBERED, || None);
        }
        let slot = &mut self.recent[place(text)];
        match slot {
            Some((before, object)) if array.value(*before) == text => object.bind(py).clone(),
            _ => {
                let object = PyString::new(py, text);
                *slot = Some((row, object.clone().unbind()));
                object
            }
        }
    }
}

/// Where a text is remembered: by its last bytes, since IRIs begin alike.
fn place(text: &str) -> usize {
    let bytes = text.as_bytes();
    let tail = |end: usize| {
        let mut word = [0; 8];
        let start = end.saturating_sub(8);
        word[..end - start].copy_from_slice(&bytes[start..end]);
        u64::from_le_bytes(word)
    };
    let end = bytes.len();
    let mixed = tail(end)
        .wrapping_add(tail(end.saturating_sub(8)).rotate_left(29))
        .wrapping_add(end as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize % REMEMBERED
}
