//! Columns of whole streams: thousands of short ones, without a call from Python for each.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::{Array, LargeBinaryArray, RecordBatch, StringArray};
use arrow_buffer::Buffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use super::capsule;
use super::error::Failure;
use super::handle::Handle;
use super::open::options;
use super::schema::Kind;
use super::signals::{Interrupt, Signals};
use crate::arrow::{self, Joined, ReadBatches, ReadOptions, numbered};
use crate::error::{Result, catch_panic};
use crate::io::Source;

/// Rows of the streams in a column, as batches with ``__arrow_c_array__``; small ones are joined.
///
/// Rows before an error are given first.
#[pyclass(frozen, module = "jelly")]
pub(super) struct ColumnReader(Mutex<Streams>);

struct Streams {
    kind: Kind,
    options: ReadOptions,
    values: LargeBinaryArray,
    names: StringArray,
    is_numbered: bool,
    row: usize,
    stream: Option<Handle>,
    joined: Joined,
    ready: VecDeque<RecordBatch>,
    failed: Option<Failure>,
    interrupt: Interrupt,
    signals: Signals,
}

/// A batch, for Arrow libraries alone.
#[pyclass(frozen, module = "jelly")]
pub(super) struct Exported(RecordBatch);

#[pymethods]
impl Exported {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema; // a wish, which the protocol allows to pass over
        capsule::array(py, &self.0)
    }
}

/// One value of the column.
struct Value(Buffer);

impl AsRef<[u8]> for Value {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Reads each value of a column as a source of its own; a Jelly stream without a byte is refused.
///
/// Args:
///     kind: ``rdf`` or ``patch``.
///     keywords: Options of readers.
///     column: A record batch of two columns: large binary, the streams, where null is none; string, their
///         names, which may be null.
///     numbered: Whether batches have, as their last column, the row that their stream has in `column`.
#[pyfunction]
pub(super) fn read_column(
    kind: &str,
    keywords: &Bound<'_, PyDict>,
    column: &Bound<'_, PyAny>,
    numbered: bool,
) -> PyResult<ColumnReader> {
    let batch = capsule::Batches::of(column)?.map(|mut batches| batches.next()).transpose()?.flatten();
    let columns = batch.as_ref().map(RecordBatch::columns);
    let Some([values, names]) = columns else {
        return Err(PyValueError::new_err("no record batch of values and names"));
    };
    let (Some(values), Some(names)) = (values.as_binary_opt::<i64>(), names.as_string_opt::<i32>()) else {
        return Err(PyValueError::new_err("values are large binary, and names string"));
    };
    let kind = Kind::of(kind)?;
    let mut options = options(kind, keywords, None)?;
    options.open.refuse_empty = true; // a null is no stream; this is a damaged one
    let interrupt = Interrupt::default();
    Ok(ColumnReader(Mutex::new(Streams {
        kind,
        options,
        values: values.clone(),
        names: names.clone(),
        is_numbered: numbered,
        row: 0,
        stream: None,
        joined: Joined::default(),
        ready: VecDeque::new(),
        failed: None,
        signals: Signals::new(interrupt.clone()),
        interrupt,
    })))
}

#[pymethods]
impl ColumnReader {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Exported>> {
        let next = py.detach(|| {
            let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let next = catch_panic(|| streams.next());
            next.map_err(|failure| streams.interrupt.take().map_or(failure, Failure::Python))
        });
        Ok(next?.map(Exported))
    }
}

impl Streams {
    fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        while self.ready.is_empty() && self.failed.is_none() && !self.is_done() {
            self.signals.poll()?;
            if let Err(failure) = self.step() {
                self.failed = Some(failure);
                self.row = self.values.len();
                self.stream = None;
            }
            if self.failed.is_some() || self.is_done() {
                self.joined.flush(&mut self.ready)?;
            }
        }
        match self.ready.pop_front() {
            Some(batch) => Ok(Some(batch)),
            None => self.failed.take().map_or(Ok(None), Err),
        }
    }

    fn is_done(&self) -> bool {
        self.stream.is_none() && self.row == self.values.len()
    }

    /// One batch of a stream, or its end.
    fn step(&mut self) -> Result<(), Failure> {
        let stream = match self.stream.take() {
            Some(stream) => stream,
            None => match self.open()? {
                Some(stream) => stream,
                None => return Ok(()),
            },
        };
        if let Some(batch) = stream.next()? {
            self.stream = Some(stream);
            let batch = if self.is_numbered { numbered(&batch, self.row as i64 - 1)? } else { batch };
            self.joined.add(batch, &mut self.ready)?;
        }
        Ok(())
    }

    /// The stream in the next row, if there is one.
    fn open(&mut self) -> Result<Option<Handle>> {
        let row = self.row;
        self.row += 1;
        if self.values.is_null(row) {
            return Ok(None);
        }
        let start = self.values.value_offsets()[row] as usize;
        let length = self.values.value(row).len();
        let source = Source::Bytes(Arc::new(Value(self.values.values().slice_with_length(start, length))));
        let name = self.names.is_valid(row).then(|| Arc::from(self.names.value(row)));
        self.options.open.decode.source = name;
        let reader: Box<dyn ReadBatches> = match self.kind {
            Kind::Rdf => Box::new(arrow::read_rdf(source, &self.options)?),
            Kind::Patch => Box::new(arrow::read_patch(source, &self.options)?),
        };
        Ok(Some(Handle::new(reader, self.interrupt.clone())))
    }
}
