//! Batches of others.

use std::io;

use arrow_array::RecordBatch;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyIterator, PyTuple};

use crate::arrow::foreign::{ForeignStream, check, rows};
use crate::python::error::Failure;
use crate::python::signals::Interrupt;

/// The batches of an object of an Arrow library.
pub(in super::super) enum Batches {
    /// Of `__arrow_c_stream__`.
    Stream(ForeignStream),
    /// Of `__arrow_c_array__`.
    One(Option<RecordBatch>),
}

impl Batches {
    /// Takes the batches of `object`; `None` if it is no object of an Arrow library.
    pub(in super::super) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let py = object.py();
        if object.hasattr(intern!(py, "__arrow_c_array__"))? {
            let pair = object.call_method0(intern!(py, "__arrow_c_array__"))?.cast_into::<PyTuple>()?;
            return one(&pair).map(|batch| Some(Batches::One(Some(batch))));
        }
        if object.hasattr(intern!(py, "__arrow_c_stream__"))? {
            let capsule = object.call_method0(intern!(py, "__arrow_c_stream__"))?.cast_into::<PyCapsule>()?;
            let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
            // SAFETY: a capsule of this name holds such a stream, alive as long as the capsule; it is moved out,
            // and the capsule is left with a released one
            let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
            return Ok(Some(Batches::Stream(ForeignStream::new(stream).map_err(wrong)?)));
        }
        Ok(None)
    }

    /// The next batch; call it detached.
    pub(in super::super) fn next(&mut self) -> PyResult<Option<RecordBatch>> {
        let batch = match self {
            Batches::Stream(stream) => stream.next_batch().map_err(wrong)?,
            Batches::One(batch) => batch.take(),
        };
        let Some(batch) = batch else {
            return Ok(None);
        };
        check(&batch).map_err(wrong)?;
        Ok(Some(batch))
    }

    /// Hands all batches to `take`; call it detached.
    pub(in super::super) fn each(
        &mut self,
        mut take: impl FnMut(RecordBatch) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        while let Some(batch) = self.next()? {
            take(batch)?;
        }
        Ok(())
    }
}

/// The batches of an iterable, attached to Python only while it gives the next one.
pub(in super::super) struct PythonBatches {
    iterator: Py<PyIterator>,
    now: Option<Batches>,
    interrupt: Interrupt,
}

impl PythonBatches {
    /// Of an iterable of record batches, or of streams of them.
    pub(in super::super) fn new(iterable: &Bound<'_, PyAny>, interrupt: &Interrupt) -> PyResult<Self> {
        let iterator = iterable.try_iter()?.unbind();
        Ok(PythonBatches { iterator, now: None, interrupt: interrupt.clone() })
    }

    fn next_object(&self) -> io::Result<Option<Batches>> {
        self.interrupt.call(|py| {
            let Some(object) = self.iterator.bind(py).clone().next() else { return Ok(None) };
            match Batches::of(&object?)? {
                None => Err(PyValueError::new_err("no record batches")),
                found => Ok(found),
            }
        })
    }
}

impl Iterator for PythonBatches {
    type Item = crate::error::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.now.as_mut().and_then(|batches| batches.next().transpose()) {
                return Some(batch.map_err(|error| io::Error::other(error).into()));
            }
            match self.next_object().transpose()? {
                Ok(batches) => self.now = Some(batches),
                Err(error) => return Some(Err(error.into())),
            }
        }
    }
}

fn one(pair: &Bound<'_, PyTuple>) -> PyResult<RecordBatch> {
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = pair.extract()?;
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?;
    let array = array.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: capsules of these names hold such structs, alive as long as the capsules; the array is moved out,
    // and its capsule is left with a released one
    let (schema, array): (&FFI_ArrowSchema, _) =
        unsafe { (schema.cast().as_ref(), FFI_ArrowArray::from_raw(array.as_ptr().cast())) };
    let data_type = DataType::try_from(schema).map_err(wrong)?;
    if !matches!(data_type, DataType::Struct(_)) {
        let message = format!("rows must be record batches, not an array of {data_type}");
        return Err(PyValueError::new_err(message));
    }
    rows(array, data_type).map(RecordBatch::from).map_err(wrong)
}

fn wrong(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
