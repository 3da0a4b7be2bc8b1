//! Streams of others, batch by batch. `ArrowArrayStreamReader` would import a batch before its offsets can be looked at.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};

use super::ends::rows;

/// A stream of others.
pub struct ForeignStream {
    stream: FFI_ArrowArrayStream,
    schema: SchemaRef,
}

impl ForeignStream {
    /// The stream after its schema.
    ///
    /// # Errors
    /// It was released, or says what is wrong.
    pub fn new(mut stream: FFI_ArrowArrayStream) -> Result<Self, ArrowError> {
        let get_schema = stream.get_schema.ok_or_else(released)?;
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: a stream that is not released may be asked for its schema, into a struct that is not in use
        if unsafe { get_schema(&raw mut stream, &raw mut schema) } != 0 {
            return Err(last_error(&mut stream));
        }
        let schema = Arc::new(Schema::try_from(&schema)?);
        Ok(ForeignStream { stream, schema })
    }

    /// The next batch, which was checked.
    ///
    /// # Errors
    /// As of [`Self::new`].
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let get_next = self.stream.get_next.ok_or_else(released)?;
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as for the schema
        if unsafe { get_next(&raw mut self.stream, &raw mut array) } != 0 {
            return Err(last_error(&mut self.stream));
        }
        if array.is_released() {
            return Ok(None);
        }
        let rows = rows(array, DataType::Struct(self.schema.fields().clone()))?;
        let count = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), rows.into_parts().1, &count).map(Some)
    }
}

fn released() -> ArrowError {
    ArrowError::CDataInterface("the stream was released".to_owned())
}

fn last_error(stream: &mut FFI_ArrowArrayStream) -> ArrowError {
    // SAFETY: the text is null or ends with 0, and lives until the stream is used again
    let text = stream.get_last_error.and_then(|get_last_error| unsafe {
        let text = get_last_error(&raw mut *stream);
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    });
    ArrowError::CDataInterface(text.unwrap_or_else(|| "the stream failed without a message".to_owned()))
}
