//! Rows as named tuples, a block of them at a time.
//!
//! A block is `map(make, zip(*columns))` over lists, so that the loops of Python run through built-in
//! code from row to row and come here once a block. Threads can share such an iterator; all that fetches
//! blocks is behind a lock.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple};

use super::error::Failure;
use super::guard::Guarded;
use super::handle::Handle;
use super::objects;
use super::schema::Schema;
use super::values::Column;

/// Rows that become Python objects at once.
const BLOCK: usize = 256;

/// Rows as named tuples.
///
/// Loops over it share its rows: a second loop goes on where the first stopped. So can threads:
/// each row comes once.
#[pyclass(frozen, module = "jelly")]
pub(super) struct RowIterator {
    handle: Arc<Handle>,
    maker: RowMaker,
    current: Arc<Current>,
    refill: Guarded<Refill>,
    schema: Schema,
}

/// The blocks of an iterator, for one loop over it.
#[pyclass(frozen, module = "jelly")]
pub(super) struct BlockIterator {
    rows: Py<RowIterator>,
    /// The block that the loop has.
    last: Mutex<Option<Block>>,
}

/// The rows that are given out now.
#[derive(Default)]
pub(super) struct Current(Mutex<State>);

#[derive(Default)]
struct State {
    /// What comes before the block: somebody looked ahead.
    ahead: VecDeque<Ahead>,
    block: Option<Block>,
    /// Rows of the batch that are in no block yet.
    behind: usize,
}

/// What was given out and put back.
enum Ahead {
    Row(Py<PyAny>),
    Error(PyErr),
}

/// Some rows.
pub(super) struct Block {
    rows: Py<PyIterator>,
    /// The iterator of its first list, which knows how many are left.
    first: Py<PyIterator>,
}

/// What an iterator had when it was dropped.
pub(super) enum Left {
    /// Rows of a batch.
    Rows {
        /// The block that was given out last.
        block: Option<Block>,
        batch: RecordBatch,
        /// Rows of the batch that were in blocks.
        at: usize,
    },
    /// Rows that had become Python objects.
    Objects(Vec<Py<PyAny>>, Schema),
    Error(PyErr),
}

/// What turns columns into rows.
pub(super) struct RowMaker {
    /// `functools.partial(tuple.__new__, cls)`
    make: Py<PyAny>,
    /// `functools.partial(tuple.__new__, Term)`
    make_term: Py<PyAny>,
    zip: Py<PyAny>,
    map: Py<PyAny>,
    chain: Py<PyAny>,
}

/// A batch of which some rows were given out.
struct Refill {
    batch: Option<RecordBatch>,
    at: usize,
    columns: Vec<Column>,
}

impl Block {
    fn clone_ref(&self, py: Python<'_>) -> Self {
        Block { rows: self.rows.clone_ref(py), first: self.first.clone_ref(py) }
    }

    /// Rows that were not given out.
    fn left(&self, py: Python<'_>) -> PyResult<usize> {
        self.first.call_method0(py, intern!(py, "__length_hint__"))?.extract(py)
    }

    fn is(&self, other: Option<&Block>) -> bool {
        other.is_some_and(|other| self.rows.is(&other.rows))
    }
}

impl Current {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, py: Python<'_>) -> Option<Block> {
        self.lock().block.as_ref().map(|block| block.clone_ref(py))
    }

    /// What was put back first, else the block.
    fn next(&self, py: Python<'_>) -> (Option<Ahead>, Option<Block>) {
        let mut state = self.lock();
        match state.ahead.pop_front() {
            None => (None, state.block.as_ref().map(|block| block.clone_ref(py))),
            ahead => (ahead, None),
        }
    }

    /// Puts a block in the place of the last one; `behind` rows of its batch are in no block yet.
    fn set(&self, block: Block, behind: usize) {
        let before = {
            let mut state = self.lock();
            state.behind = behind;
            state.block.replace(block)
        };
        drop(before); // not under the lock: it may run Python code
    }

    /// Whether there are rows that were taken from the reader and not given out.
    pub(super) fn has_rows(&self, py: Python<'_>) -> PyResult<bool> {
        let (block, more) = {
            let state = self.lock();
            (state.block.as_ref().map(|block| block.clone_ref(py)), state.behind + state.ahead.len())
        };
        let left = block.map_or(Ok(0), |block| block.left(py))?;
        Ok(more + left > 0)
    }
}

impl Left {
    /// All rows of a batch.
    pub(super) fn whole(batch: RecordBatch) -> Self {
        Left::Rows { block: None, batch, at: 0 }
    }

    /// The rows that nobody got.
    pub(super) fn rows(self, py: Python<'_>) -> PyResult<RecordBatch> {
        match self {
            Left::Rows { block, batch, at } => {
                let in_block = block.map_or(Ok(0), |block| block.left(py))?;
                let from = at - in_block;
                Ok(batch.slice(from, batch.num_rows() - from))
            }
            Left::Objects(rows, schema) => objects::batch(py, &rows, &schema),
            Left::Error(error) => Err(error),
        }
    }
}

impl Drop for RowIterator {
    /// Rows that were not given out go back to the reader; which they are is seen when they are wanted,
    /// for no Python code may run here.
    fn drop(&mut self) {
        let State { ahead, block, .. } = std::mem::take(&mut *self.current.lock());
        let (mut rows, mut error) = (Vec::new(), None);
        for one in ahead {
            match one {
                Ahead::Row(row) => rows.push(row),
                Ahead::Error(one) => error = Some(one),
            }
        }
        if !rows.is_empty() {
            self.handle.give_back(Left::Objects(rows, self.schema.clone()));
        }
        if let Some(error) = error {
            self.handle.give_back(Left::Error(error));
        }
        let Refill { batch, at, .. } = self.refill.get_mut();
        if let Some(batch) = batch.take() {
            self.handle.give_back(Left::Rows { block, batch, at: *at });
        }
    }
}

impl RowIterator {
    pub(super) fn new(py: Python<'_>, handle: Arc<Handle>, schema: &Schema) -> PyResult<Self> {
        let columns = schema.arrow.fields().iter().map(|_| Column::default());
        Ok(RowIterator {
            current: handle.new_rows(),
            handle,
            maker: RowMaker::new(py, schema)?,
            refill: Guarded::new(Refill { batch: None, at: 0, columns: columns.collect() }),
            schema: schema.clone(),
        })
    }

    /// A block that comes after `exhausted`; `None` at the end.
    fn next_block(&self, py: Python<'_>, exhausted: Option<&Block>) -> PyResult<Option<Block>> {
        let another = || {
            let current = self.current.get(py);
            current.filter(|block| !block.is(exhausted))
        };
        if let Some(block) = another() {
            return Ok(Some(block));
        }
        let more = py.detach(|| self.refill.with(|refill| self.fetch(refill, exhausted)))?;
        Ok(if more { self.current.get(py) } else { None })
    }

    /// Puts the next block in the place of `exhausted`, unless another thread did; false at the end.
    fn fetch(&self, refill: &mut Refill, exhausted: Option<&Block>) -> Result<bool, Failure> {
        if Python::attach(|py| self.current.get(py).is_some_and(|block| !block.is(exhausted))) {
            return Ok(true);
        }
        while refill.is_used_up() {
            refill.batch = self.handle.next_of_stream()?;
            refill.at = 0;
            if refill.batch.is_none() {
                return Ok(false);
            }
            Python::attach(|_| refill.columns.iter_mut().for_each(Column::forget));
        }
        Python::attach(|py| {
            let block = self.maker.block(py, refill)?;
            self.current.set(block, refill.left());
            Ok(true)
        })
    }
}

impl Refill {
    fn left(&self) -> usize {
        let rows = self.batch.as_ref().map_or(0, RecordBatch::num_rows);
        rows - self.at
    }

    fn is_used_up(&self) -> bool {
        self.left() == 0
    }
}

impl RowMaker {
    fn new(py: Python<'_>, schema: &Schema) -> PyResult<Self> {
        let types = py.import("jelly.types")?;
        let names = PyTuple::new(py, schema.names_vec())?;
        let make = types.getattr("row_maker")?.call1((schema.kind.word(), schema.terms_word(), names))?;
        let builtins = py.import("builtins")?;
        let chain = py.import("itertools")?.getattr("chain")?;
        Ok(RowMaker {
            make: make.unbind(),
            make_term: types.getattr("make_term")?.unbind(),
            zip: builtins.getattr("zip")?.unbind(),
            map: builtins.getattr("map")?.unbind(),
            chain: chain.getattr("from_iterable")?.unbind(),
        })
    }

    fn block(&self, py: Python<'_>, refill: &mut Refill) -> PyResult<Block> {
        let Refill { batch, at, columns, .. } = refill;
        let Some(batch) = batch else {
            return Err(PyRuntimeError::new_err("rows of no batch"));
        };
        let rows = *at..batch.num_rows().min(*at + BLOCK);
        *at = rows.end;
        let lists = batch
            .columns()
            .iter()
            .zip(columns)
            .map(|(array, column)| column.list(py, array.as_ref(), rows.clone(), self))
            .collect::<PyResult<Vec<Bound<'_, PyList>>>>()?;
        if lists.is_empty() {
            let empty = PyList::new(py, rows.map(|_| PyTuple::empty(py)))?;
            let first = empty.try_iter()?;
            return Ok(Block { rows: self.mapped(py, &self.make, first.as_any())?, first: first.unbind() });
        }
        let iterators = lists.iter().map(|list| list.try_iter()).collect::<PyResult<Vec<_>>>()?;
        let zipped = self.zip.bind(py).call1(PyTuple::new(py, &iterators)?)?;
        Ok(Block { rows: self.mapped(py, &self.make, &zipped)?, first: iterators[0].clone().unbind() })
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
        let rows = self.map.bind(py).call1((make, values))?;
        Ok(rows.try_iter()?.unbind())
    }
}

#[pymethods]
impl RowIterator {
    /// What a loop runs through: the same rows as `__next__`, and any number of loops share them.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let blocks = BlockIterator { rows: slf.clone().unbind(), last: Mutex::new(None) };
        slf.get().maker.chain.bind(slf.py()).call1((blocks,))
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let (ahead, mut block) = self.current.next(py);
        match ahead {
            Some(Ahead::Row(row)) => return Ok(Some(row)),
            Some(Ahead::Error(error)) => return Err(error),
            None => {}
        }
        loop {
            if let Some(block) = &block
                && let Some(row) = block.rows.bind(py).clone().next()
            {
                return row.map(|row| Some(row.unbind()));
            }
            match self.next_block(py, block.as_ref())? {
                None => return Ok(None),
                next => block = next,
            }
        }
    }

    /// Takes back rows that were given out last, in their order, so that they are the next.
    fn _put_back(&self, rows: Vec<Py<PyAny>>) {
        let mut state = self.current.lock();
        rows.into_iter().rev().for_each(|row| state.ahead.push_front(Ahead::Row(row)));
    }

    /// Takes back the error that came last, so that it is the next.
    fn _put_error_back(&self, error: Bound<'_, PyAny>) {
        self.current.lock().ahead.push_front(Ahead::Error(PyErr::from_value(error)));
    }
}

#[pymethods]
impl BlockIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyIterator>>> {
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last().as_ref().map(|block| block.clone_ref(py));
        let Some(block) = self.rows.get().next_block(py, before.as_ref())? else {
            return Ok(None);
        };
        let rows = block.rows.clone_ref(py);
        let before = last().replace(block);
        drop(before);
        Ok(Some(rows))
    }
}
