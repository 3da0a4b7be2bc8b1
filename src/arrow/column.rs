//! Columns of whole streams: thousands of short ones, as few batches.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, LargeBinaryArray, RecordBatch, StringArray};
use arrow_buffer::Buffer;

use super::{Joined, ReadBatches, ReadOptions, numbered, read};
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::reader::Poll;
use crate::warning::Warning;

/// Reads each value of a column as a source of its own; small batches are joined.
///
/// Rows before an error are given first. A Jelly stream without a byte is rejected.
pub struct ColumnStreams {
    is_patch: bool,
    options: ReadOptions,
    values: LargeBinaryArray,
    names: StringArray,
    is_numbered: bool,
    /// What tells these streams from others of the same names.
    scope: Option<String>,
    row: usize,
    stream: Option<Box<dyn ReadBatches>>,
    joined: Joined,
    ready: VecDeque<RecordBatch>,
    failed: Option<Error>,
    /// Of the streams that were read to their ends, and not taken yet.
    warnings: Vec<Warning>,
}

/// One value of the column.
struct Value(Buffer);

impl AsRef<[u8]> for Value {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl ColumnStreams {
    /// Of a batch of two columns: large binary, the streams, where null is none; string, their names, which may be null.
    ///
    /// `scope`: what tells the nodes of these streams from those of others with the same names.
    /// `numbered`: batches have, as their last column, the row that their stream has in `column`.
    ///
    /// # Errors
    /// `argument`: it has other columns.
    pub fn new(
        is_patch: bool,
        mut options: ReadOptions,
        column: &RecordBatch,
        numbered: bool,
        scope: Option<String>,
    ) -> Result<Self> {
        let argument = |message: &str| Error::new(ErrorKind::Argument, message);
        let [values, names] = column.columns() else {
            return Err(argument("no record batch of values and names"));
        };
        let (Some(values), Some(names)) = (values.as_binary_opt::<i64>(), names.as_string_opt::<i32>())
        else {
            return Err(argument("values are large binary, and names string"));
        };
        options.open.threads = Some(1); // streams are short, and there may be a task for each processor
        options.open.refuse_empty = true; // a null is no stream; this is a damaged one
        Ok(ColumnStreams {
            is_patch,
            options,
            values: values.clone(),
            names: names.clone(),
            is_numbered: numbered,
            scope,
            row: 0,
            stream: None,
            joined: Joined::default(),
            ready: VecDeque::new(),
            failed: None,
            warnings: Vec::new(),
        })
    }

    /// The next batch; `None` after the last.
    pub fn next_batch(&mut self, poll: Poll<'_>) -> Result<Option<RecordBatch>> {
        while self.ready.is_empty() && self.failed.is_none() && !self.is_done() {
            if let Err(error) = poll().and_then(|()| self.step(poll)) {
                self.failed = Some(error);
                self.row = self.values.len();
                self.close();
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

    /// What was found and ignored since it was last asked.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    fn is_done(&self) -> bool {
        self.stream.is_none() && self.row == self.values.len()
    }

    fn close(&mut self) {
        if let Some(stream) = self.stream.take() {
            self.warnings.extend(stream.source().warnings());
        }
    }

    /// One batch of a stream, or its end.
    fn step(&mut self, poll: Poll<'_>) -> Result<()> {
        if self.stream.is_none() {
            self.stream = self.open()?;
        }
        let Some(stream) = &mut self.stream else {
            return Ok(());
        };
        let Some(batch) = stream.next_batch(poll)? else {
            self.close();
            return Ok(());
        };
        let batch = if self.is_numbered { numbered(&batch, self.row as i64 - 1)? } else { batch };
        self.joined.add(batch, &mut self.ready)
    }

    /// The stream in the next row, if there is one.
    fn open(&mut self) -> Result<Option<Box<dyn ReadBatches>>> {
        let row = self.row;
        self.row += 1;
        if self.values.is_null(row) {
            return Ok(None);
        }
        let start = self.values.value_offsets()[row] as usize;
        let length = self.values.value(row).len();
        let source = Source::Bytes(Arc::new(Value(self.values.values().slice_with_length(start, length))));
        let name = self.names.is_valid(row).then(|| self.names.value(row));
        self.options.open.scope =
            self.scope.as_ref().map(|scope| format!("{} {scope}", name.unwrap_or_default()));
        self.options.open.decode.source = name.map(Arc::from);
        read(self.is_patch, source, &self.options).map(Some)
    }
}
