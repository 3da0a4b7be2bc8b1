//! What batches of both formats share: rows counted, bytes weighed, columns put in order.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;

use super::columns::{TextColumn, constant, internal};
use super::schema::{CORRUPT_RECORD, schema};
use super::settings::BatchSettings;
use crate::error::{Error, ErrorKind, Result};

/// Counts the rows of a batch and knows when it is full.
pub(super) struct BatchFrame {
    pub(super) settings: BatchSettings,
    pub(super) schema: SchemaRef,
    columns: Vec<&'static str>,
    corrupt: Option<TextColumn>,
    /// The columns have their memory.
    begun: bool,
    rows: usize,
    bytes: usize,
    largest: usize,
    full: bool,
    pausing: bool,
    /// Bytes of text in batches that were taken.
    taken_bytes: u64,
    /// Bytes of the source name that every row repeats.
    source_bytes: usize,
}

impl BatchFrame {
    pub(super) fn new(settings: BatchSettings, columns: Vec<&'static str>) -> Self {
        let source = settings.source.as_deref().filter(|_| columns.contains(&"source"));
        BatchFrame {
            schema: schema(&columns, settings.terms, settings.strings, settings.corrupt_record),
            corrupt: settings.corrupt_record.then(|| TextColumn::new(settings.strings)),
            source_bytes: source.map_or(0, str::len),
            columns,
            begun: false,
            rows: 0,
            bytes: 0,
            largest: 0,
            full: false,
            pausing: false,
            taken_bytes: 0,
            settings,
        }
    }

    /// A row comes; whether it is the first that comes for this batch.
    #[inline(always)]
    pub(super) fn begins(&mut self) -> bool {
        !std::mem::replace(&mut self.begun, true)
    }

    /// A row is complete; `bytes` is all text of the batch.
    #[inline(always)]
    pub(super) fn end_row(&mut self, bytes: usize) -> Result<()> {
        let bytes = bytes + (self.rows + 1) * self.source_bytes;
        if bytes > i32::MAX as usize {
            return Err(too_large(bytes));
        }
        self.rows += 1;
        self.largest = self.largest.max(bytes - self.bytes);
        self.bytes = bytes;
        // one more row like the largest must not pass the budget
        self.full = self.rows >= self.settings.limits.batch_rows
            || bytes + self.largest > self.settings.limits.batch_bytes;
        Ok(())
    }

    /// The row of an error; the other columns have their nulls already.
    pub(super) fn end_corrupt_row(&mut self, error: &Error) {
        if let Some(column) = &mut self.corrupt {
            column.pad_to(self.rows);
            column.push(&error.to_string());
            self.rows += 1;
        }
    }

    /// A frame of the stream ended.
    pub(super) fn end_frame(&mut self) {
        self.full |= self.settings.ends_with_frames && self.rows > 0;
    }

    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// The options came.
    pub(super) fn pause(&mut self) {
        self.full |= self.pausing;
    }

    pub(super) fn pause_at_options(&mut self, pause: bool) {
        self.pausing = pause;
        // options come before the rows of a batch, or the batch is full for another reason
        self.full &= pause || self.rows > 0;
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn text_bytes(&self) -> u64 {
        self.taken_bytes + self.bytes as u64
    }

    /// Takes the batch; `column` gives a column by name.
    pub(super) fn take(
        &mut self,
        mut column: impl FnMut(&str, usize) -> Result<ArrayRef>,
    ) -> Result<RecordBatch> {
        let rows = self.rows;
        let mut arrays = Vec::with_capacity(self.columns.len() + 1);
        for &name in &self.columns {
            arrays.push(match name {
                "source" => constant(self.settings.source.as_deref(), rows, self.settings.strings)?,
                _ => column(name, rows)?,
            });
        }
        if let Some(column) = &mut self.corrupt {
            arrays.push(column.take(rows)?);
        }
        self.taken_bytes += self.bytes as u64;
        (self.rows, self.bytes, self.largest, self.full, self.begun) = (0, 0, 0, false, false);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options).map_err(internal)
    }

    /// Whether a column was requested.
    pub(super) fn wants(&self, name: &str) -> bool {
        debug_assert!(name != CORRUPT_RECORD);
        self.columns.contains(&name)
    }
}

/// Arrow counts the bytes of a column in 31 bits.
#[cold]
fn too_large(bytes: usize) -> Error {
    let message = format!("{bytes} bytes of text in a batch, which can have 2^31-1 at most");
    Error::new(ErrorKind::LimitTerm, message)
}
