//! Rows as named tuples, a block of them at a time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple};

use super::error::Failure;
use super::guard::Guarded;
use super::handle::Handle;
use super::schema::Schema;
use super::values::Column;

/// Rows that become Python objects at once.
const BLOCK: usize = 1024;

/// Iterates over the remaining rows of a reader.
#[pyclass(frozen, module = "jelly")]
pub(super) struct RowIterator {
    handle: Arc<Handle>,
    maker: RowMaker,
    /// Gives the rows of a block; a built-in iterator over lists, which threads can share.
    block: Mutex<Option<Py<PyIterator>>>,
    refill: Guarded<Refill>,
    /// Rows taken from the reader and not given out.
    waiting: Arc<AtomicU64>,
}

/// What turns columns into rows.
pub(super) struct RowMaker {
    /// `functools.partial(tuple.__new__, cls)`
    make: Py<PyAny>,
    /// `functools.partial(tuple.__new__, Term)`
    make_term: Py<PyAny>,
    zip: Py<PyAny>,
    map: Py<PyAny>,
}

/// A batch of which some rows were given out.
struct Refill {
    batch: Option<RecordBatch>,
    at: usize,
    columns: Vec<Column>,
}

impl RowIterator {
    pub(super) fn new(py: Python<'_>, handle: Arc<Handle>, schema: &Schema) -> PyResult<Self> {
        let types = py.import("jelly.types")?;
        let row_maker = types.getattr("row_maker")?;
        let make = row_maker.call1((schema.kind.word(), PyTuple::new(py, schema.names_vec())?))?;
        let builtins = py.import("builtins")?;
        Ok(RowIterator {
            waiting: handle.count_waiting(),
            handle,
            maker: RowMaker {
                make: make.unbind(),
                make_term: types.getattr("make_term")?.unbind(),
                zip: builtins.getattr("zip")?.unbind(),
                map: builtins.getattr("map")?.unbind(),
            },
            block: Mutex::new(None),
            refill: Guarded::new(Refill {
                batch: None,
                at: 0,
                columns: schema.arrow.fields().iter().map(|_| Column::default()).collect(),
            }),
        })
    }

    fn current(&self, py: Python<'_>) -> Option<Py<PyIterator>> {
        let block = self.block.lock().unwrap_or_else(PoisonError::into_inner);
        block.as_ref().map(|block| block.clone_ref(py))
    }

    /// Puts the next block in place of `exhausted`, unless another thread did; false at the end.
    fn next_block(&self, refill: &mut Refill, exhausted: Option<&Py<PyIterator>>) -> Result<bool, Failure> {
        if Python::attach(|py| match (self.current(py), exhausted) {
            (Some(now), Some(before)) => !now.is(before),
            (now, before) => now.is_some() != before.is_some(),
        }) {
            return Ok(true);
        }
        while refill.batch.as_ref().is_none_or(|batch| refill.at == batch.num_rows()) {
            refill.batch = self.handle.next_of_stream()?;
            refill.at = 0;
            let rows = refill.batch.as_ref().map_or(0, RecordBatch::num_rows) as u64;
            self.waiting.fetch_add(rows, Ordering::Relaxed);
            if refill.batch.is_none() {
                return Ok(false);
            }
            Python::attach(|_| refill.columns.iter_mut().for_each(Column::forget));
        }
        Python::attach(|py| {
            let block = self.maker.block(py, refill)?;
            let old = self.block.lock().unwrap_or_else(PoisonError::into_inner).replace(block);
            drop(old);
            Ok(true)
        })
    }
}

impl RowMaker {
    fn block(&self, py: Python<'_>, refill: &mut Refill) -> PyResult<Py<PyIterator>> {
        let Refill { batch, at, columns, .. } = refill;
        let batch = batch.as_ref().ok_or_else(|| pyo3::exceptions::PyRuntimeError::new_err("no batch"))?;
        let end = batch.num_rows().min(*at + BLOCK);
        let lists = batch
            .columns()
            .iter()
            .zip(columns)
            .map(|(array, column)| column.list(py, array.as_ref(), *at..end, self))
            .collect::<PyResult<Vec<Bound<'_, PyList>>>>()?;
        let rows = end - *at;
        *at = end;
        if lists.is_empty() {
            let empty = PyList::new(py, (0..rows).map(|_| PyTuple::empty(py)))?;
            return self.mapped(py, &self.make, empty.as_any());
        }
        let zipped = self.zip.bind(py).call1(PyTuple::new(py, lists)?)?;
        self.mapped(py, &self.make, &zipped)
    }

    /// Terms of their parts.
    pub(super) fn terms(&self, py: Python<'_>, parts: &[Bound<'_, PyList>]) -> PyResult<Py<PyIterator>> {
        let zipped = self.zip.bind(py).call1(PyTuple::new(py, parts)?)?;
        self.mapped(py, &self.make_term, &zipped)
    }

    fn mapped(
        &self,
        py: Python<'_>,
        make: &Py<PyAny>,
        values: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyIterator>> {
        Ok(self.map.bind(py).call1((make, values))?.try_iter()?.unbind())
    }
}

#[pymethods]
impl RowIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        loop {
            let block = self.current(py);
            if let Some(rows) = &block
                && let Some(row) = rows.bind(py).clone().next()
            {
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                return row.map(|row| Some(row.unbind()));
            }
            let more = py.detach(|| self.refill.with(|refill| self.next_block(refill, block.as_ref())))?;
            if !more {
                return Ok(None);
            }
        }
    }
}
