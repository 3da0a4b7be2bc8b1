//! Rows as named tuples, a block of them at a time.
//!
//! A block is `map(make, zip(*columns))` over lists, so that the loops of Python run through built-in
//! code from row to row and come here once a block. Threads can share such an iterator; all that fetches
//! blocks is behind a lock.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple};

use super::error::Failure;
use super::handle::{Core, Handle};
use super::schema::Schema;
use super::values::Column;
use crate::arrow::schema::words;

/// Rows that become Python objects at once.
const BLOCK: usize = 256;

/// Rows as named tuples.
///
/// A reader has one iterator. Loops over it share its rows: a second loop continues where the first stopped.
/// Threads share them too: each row comes once.
#[pyclass(frozen, module = "jelly")]
pub(super) struct RowIterator {
    handle: Arc<Handle>,
    maker: RowMaker,
}

/// The blocks of an iterator, for one loop over it.
#[pyclass(frozen, module = "jelly")]
pub(super) struct BlockIterator {
    rows: Py<RowIterator>,
    /// The block that the loop has.
    last: Mutex<Option<Block>>,
}

/// The block whose rows are given out now.
#[derive(Default)]
pub(super) struct Given(Mutex<Option<Block>>);

/// What a reader decoded and gave to nobody yet, because its rows are requested one by one.
#[derive(Default)]
pub(super) struct Waiting {
    /// The batch of the block, and those behind it that were looked at.
    batches: VecDeque<RecordBatch>,
    /// Rows of the first batch that are in this block and in those before.
    at: usize,
    columns: Vec<Column>,
}

/// Some rows.
struct Block {
    rows: Py<PyIterator>,
    /// The iterator of its first list, which knows how many are left.
    first: Py<PyIterator>,
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

impl Block {
    fn clone_ref(&self, py: Python<'_>) -> Self {
        Block { rows: self.rows.clone_ref(py), first: self.first.clone_ref(py) }
    }

    /// Rows that were not given out.
    fn left(&self, py: Python<'_>) -> PyResult<usize> {
        self.first.call_method0(py, intern!(py, "__length_hint__"))?.extract(py)
    }

    /// Ends the block, for all loops that have it; returns the rows that it did not give out.
    fn end(&self, py: Python<'_>) -> usize {
        self.first.bind(py).clone().count()
    }

    fn is(&self, other: Option<&Block>) -> bool {
        other.is_some_and(|other| self.rows.is(&other.rows))
    }
}

impl Waiting {
    /// Takes the first batch away; what is remembered is of its rows.
    fn pop(&mut self) -> Option<RecordBatch> {
        self.at = 0;
        self.columns.clear();
        self.batches.pop_front()
    }

    /// The rest of a batch of which rows were given out or looked at: no loop over rows gets it any more.
    ///
    /// The caller may be attached or not.
    pub(super) fn take(&mut self, given: &Given) -> Option<RecordBatch> {
        if self.batches.is_empty() {
            return None;
        }
        let rest = Python::try_attach(|py| {
            let mut start = self.at - given.block(py).map_or(0, |block| block.end(py));
            given.set(None);
            while let Some(batch) = self.pop() {
                let rows = batch.num_rows() - start;
                if rows > 0 {
                    return Some(batch.slice(start, rows));
                }
                start = 0;
            }
            None
        });
        rest.flatten()
    }

    /// Whether there are no decoded rows that nobody got.
    pub(super) fn is_empty(&self, given: &Given) -> PyResult<bool> {
        Python::attach(|py| Ok(self.row(py, given, 0)?.is_none()))
    }

    /// Where the row is that comes after `skipped` others, among the rows that were decoded.
    fn row(&self, py: Python<'_>, given: &Given, skipped: usize) -> PyResult<Option<(RecordBatch, usize)>> {
        if self.batches.is_empty() {
            return Ok(None);
        }
        let in_block = given.block(py).map_or(Ok(0), |block| block.left(py))?;
        let mut at = self.at - in_block + skipped;
        for batch in &self.batches {
            if at < batch.num_rows() {
                return Ok(Some((batch.clone(), at)));
            }
            at -= batch.num_rows();
        }
        Ok(None)
    }
}

impl Given {
    fn lock(&self) -> MutexGuard<'_, Option<Block>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn block(&self, py: Python<'_>) -> Option<Block> {
        self.lock().as_ref().map(|block| block.clone_ref(py))
    }

    /// The block that came after `exhausted`.
    fn block_after(&self, py: Python<'_>, exhausted: Option<&Block>) -> Option<Block> {
        self.block(py).filter(|block| !block.is(exhausted))
    }

    fn set(&self, block: Option<Block>) {
        let before = std::mem::replace(&mut *self.lock(), block);
        drop(before); // not under the lock: it may run Python code
    }
}

impl RowIterator {
    pub(super) fn new(py: Python<'_>, handle: Arc<Handle>, schema: &Schema) -> PyResult<Self> {
        Ok(RowIterator { handle, maker: RowMaker::new(py, schema)? })
    }

    /// A block that comes after `exhausted`; `None` at the end.
    fn next_block(&self, py: Python<'_>, exhausted: Option<&Block>) -> PyResult<Option<Block>> {
        let given = self.handle.given();
        if let Some(block) = given.block_after(py, exhausted) {
            return Ok(Some(block));
        }
        let more = self.handle.with(py, |core| self.fetch(core, exhausted))?;
        Ok(if more { given.block(py) } else { None })
    }

    /// Puts the next block in the place of `exhausted`, unless another thread did; false at the end.
    fn fetch(&self, core: &mut Core, exhausted: Option<&Block>) -> Result<bool, Failure> {
        let given = self.handle.given();
        if Python::attach(|py| given.block_after(py, exhausted).is_some()) {
            return Ok(true);
        }
        loop {
            match core.waiting.batches.front() {
                Some(batch) if core.waiting.at < batch.num_rows() => break,
                Some(_) => drop(Python::attach(|_| core.waiting.pop())),
                None => match core.next()? {
                    Some(batch) => core.waiting.batches.push_back(batch),
                    None => return Ok(false),
                },
            }
        }
        Python::attach(|py| {
            let Waiting { batches, at, columns } = &mut core.waiting;
            let batch = &batches[0];
            let rows = *at..batch.num_rows().min(*at + BLOCK);
            *at = rows.end;
            given.set(Some(self.maker.block(py, batch, rows, columns)?));
            Ok(true)
        })
    }

    /// The row that comes after `skipped` others, if it is there: an error before it waits until rows are taken.
    fn look(&self, py: Python<'_>, skipped: usize) -> PyResult<Option<(RecordBatch, usize)>> {
        self.handle.with(py, |core| {
            loop {
                if let Some(found) = Python::attach(|py| core.waiting.row(py, self.handle.given(), skipped))?
                {
                    return Ok(Some(found));
                }
                match core.next_ahead()? {
                    Some(batch) => core.waiting.batches.push_back(batch),
                    None => return Ok(None),
                }
            }
        })
    }

    /// See [`super::reader::Reader::peek`].
    pub(super) fn peek(&self, py: Python<'_>, skipped: usize) -> PyResult<Option<Py<PyAny>>> {
        let Some((batch, at)) = self.look(py, skipped)? else {
            return Ok(None);
        };
        let block = self.maker.block(py, &batch, at..at + 1, &mut Vec::new())?;
        block.rows.bind(py).clone().next().transpose().map(|row| row.map(Bound::unbind))
    }
}

impl RowMaker {
    fn new(py: Python<'_>, schema: &Schema) -> PyResult<Self> {
        let types = py.import("jelly.types")?;
        let names = PyTuple::new(py, schema.names_vec())?;
        let (terms, _) = words(&schema.arrow);
        let make = types.getattr("row_maker")?.call1((schema.kind.word(), terms, names))?;
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

    /// Some rows of a batch; `columns` remembers texts of its rows before.
    fn block(
        &self,
        py: Python<'_>,
        batch: &RecordBatch,
        rows: Range<usize>,
        columns: &mut Vec<Column>,
    ) -> PyResult<Block> {
        columns.resize_with(batch.num_columns(), Column::default);
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
        let mut block = self.handle.given().block(py);
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

    /// The row after ``skipped`` others, without taking it.
    #[pyo3(name = "_peek")]
    fn peek_after(&self, py: Python<'_>, skipped: usize) -> PyResult<Option<Py<PyAny>>> {
        self.peek(py, skipped)
    }

    /// The next row, if it is one of this patch or the record of an error.
    ///
    /// Committed rows have no ``Z``, so an error of the next patch is the end of this one; it is raised when the next
    /// patch is taken.
    fn _next_of_patch(&self, py: Python<'_>, patch: Option<i64>) -> PyResult<Option<Py<PyAny>>> {
        match self.look(py, 0)? {
            Some((batch, at)) => {
                let numbers = batch.column_by_name("patch").map(|column| column.as_primitive::<Int64Type>());
                let number = numbers.filter(|numbers| numbers.is_valid(at)).map(|numbers| numbers.value(at));
                if number.is_none() || number == patch { self.__next__(py) } else { Ok(None) }
            }
            None if self.handle.refused_a_patch(py)? => Ok(None),
            None => self.__next__(py),
        }
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
