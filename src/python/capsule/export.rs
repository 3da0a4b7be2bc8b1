//! Our schemas, batches and readers for others.
//!
//! The stream is ours and not that of `arrow-array`, because an error must come through as its one line, and
//! a panic must not cross the border.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::super::error::Failure;
use super::super::handle::Handle;
use crate::error::catch_panic;

/// A schema, or the type of a column, in a capsule.
pub(in super::super) fn schema<T>(py: Python<'_>, of: T) -> PyResult<Bound<'_, PyCapsule>>
where
    FFI_ArrowSchema: TryFrom<T, Error = ArrowError>,
{
    PyCapsule::new_with_value(py, ffi_schema(of)?, c"arrow_schema")
}

fn ffi_schema<T>(of: T) -> PyResult<FFI_ArrowSchema>
where
    FFI_ArrowSchema: TryFrom<T, Error = ArrowError>,
{
    FFI_ArrowSchema::try_from(of).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// What `__arrow_c_array__` gives.
pub(in super::super) type Capsules<'py> = (Bound<'py, PyCapsule>, Bound<'py, PyCapsule>);

/// A schema and a batch in capsules.
pub(in super::super) fn batch<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Capsules<'py>> {
    column(py, &StructArray::from(batch.clone()))
}

/// A type and a column in capsules.
pub(in super::super) fn column<'py>(py: Python<'py>, column: &dyn Array) -> PyResult<Capsules<'py>> {
    let array = FFI_ArrowArray::new(&column.to_data());
    Ok((schema(py, column.data_type())?, PyCapsule::new_with_value(py, array, c"arrow_array")?))
}

/// What the callbacks of a stream work on.
struct Exported {
    handle: Arc<Handle>,
    schema: SchemaRef,
    last_error: Option<CString>,
}

/// The remaining batches of a reader in a capsule.
pub(in super::super) fn stream(
    py: Python<'_>,
    handle: Arc<Handle>,
    schema: SchemaRef,
) -> PyResult<Bound<'_, PyCapsule>> {
    let exported = Box::new(Exported { handle, schema, last_error: None });
    let stream = FFI_ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release),
        private_data: Box::into_raw(exported).cast::<c_void>(),
    };
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// Runs a callback; a failure is kept for `get_last_error`.
///
/// # Safety
/// `stream` is a stream made by [`stream`] and not released.
unsafe fn run(
    stream: *mut FFI_ArrowArrayStream,
    work: impl FnOnce(&Exported) -> Result<(), Failure>,
) -> c_int {
    // SAFETY: the consumer passes the live stream that it was given, whose private data is ours, and calls
    // its functions one at a time
    let exported = unsafe { &mut *(*stream).private_data.cast::<Exported>() };
    match catch_panic(|| work(exported)) {
        Ok(()) => 0,
        Err(failure) => {
            let (line, code) = failure.to_line();
            exported.last_error = CString::new(line.replace('\0', "\\0")).ok();
            code
        }
    }
}

unsafe extern "C" fn get_schema(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowSchema) -> c_int {
    let work = |exported: &Exported| {
        let schema = ffi_schema(exported.schema.as_ref())?;
        // SAFETY: `out` is memory of the consumer for one schema, not initialised
        unsafe { out.write(schema) };
        Ok(())
    };
    // SAFETY: called through the stream, as `run` wants
    unsafe { run(stream, work) }
}

unsafe extern "C" fn get_next(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowArray) -> c_int {
    let work = |exported: &Exported| {
        let batch = exported.handle.next()?;
        let array = match batch {
            Some(batch) => FFI_ArrowArray::new(&StructArray::from(batch).to_data()),
            None => FFI_ArrowArray::empty(), // released: the end
        };
        // SAFETY: `out` is memory of the consumer for one array, not initialised
        unsafe { out.write(array) };
        Ok(())
    };
    // SAFETY: called through the stream, as `run` wants
    unsafe { run(stream, work) }
}

unsafe extern "C" fn get_last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: as in `run`
    let exported = unsafe { &*(*stream).private_data.cast::<Exported>() };
    exported.last_error.as_ref().map_or(std::ptr::null(), |line| line.as_ptr())
}

unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: the consumer releases a stream once; `release` is cleared below so that it cannot again
    let stream = unsafe { &mut *stream };
    // SAFETY: the private data came from `Box::into_raw` in `stream`
    drop(unsafe { Box::from_raw(stream.private_data.cast::<Exported>()) });
    stream.private_data = std::ptr::null_mut();
    stream.release = None;
}
