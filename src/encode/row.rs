//! The rows of the frame under construction.

use crate::decode::TableKind;
use crate::wire::{Buffer, Open, SHORT_HEAD, varint_len};

/// The field of rows in a frame.
const ROWS: u32 = 1;

/// Encoded rows, and the message of the row under construction in its final place.
#[derive(Debug)]
pub(crate) struct Rows {
    bytes: Buffer,
    /// The end of the complete rows. Room for the head of a row follows, then its message.
    end: usize,
    /// The message, while an entry is inserted before it.
    aside: Buffer,
    count: usize,
    /// The field of name entries in a row; the fields of prefixes and datatypes follow it.
    name_field: u32,
}

/// A message inside the message of the row, and the end of the rows when it was opened.
#[must_use]
pub(crate) struct Within(Open, usize);

impl Rows {
    pub(crate) fn new(name_field: u32) -> Self {
        Rows { bytes: Buffer::default(), end: 0, aside: Buffer::default(), count: 0, name_field }
    }

    /// A single row: a member and its message.
    pub(crate) fn alone(field: u32, message: &[u8]) -> Buffer {
        let mut bytes = Buffer::default();
        bytes.header_in(ROWS, field, message.len());
        bytes.raw(message);
        bytes
    }

    /// Counts a row that is written before these rows.
    pub(crate) fn count_one(&mut self) {
        self.count += 1;
    }

    /// Number of rows.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The complete rows.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes.as_bytes()[..self.end]
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        (self.end, self.count) = (0, 0);
    }

    /// Begins a row; removes an unfinished row.
    #[inline(always)]
    pub(crate) fn begin(&mut self) {
        self.bytes.truncate(self.end);
        self.bytes.open_in();
    }

    /// The message of the row, to be extended.
    #[inline(always)]
    pub(crate) fn message(&mut self) -> &mut Buffer {
        &mut self.bytes
    }

    /// Size of the message in bytes.
    #[inline(always)]
    pub(crate) fn message_len(&self) -> usize {
        self.bytes.len() - self.end - SHORT_HEAD
    }

    /// Completes the row, with this field.
    #[inline(always)]
    pub(crate) fn finish(&mut self, field: u32) {
        self.bytes.close_in(self.end, ROWS, field);
        self.end = self.bytes.len();
        self.count += 1;
    }

    /// Adds a row whose message is empty.
    pub(crate) fn push_empty(&mut self, field: u32) {
        self.begin();
        self.finish(field);
    }

    /// Opens a message inside the message of the row.
    pub(crate) fn open(&mut self, field: u32) -> Within {
        Within(self.bytes.open(field), self.end)
    }

    /// Closes the message.
    pub(crate) fn close(&mut self, within: Within) {
        let Within(open, end) = within;
        self.bytes.close(open.moved(self.end - end));
    }

    /// Adds a lookup entry before the row under construction; id 0 means the id after the entry that was set
    /// last.
    pub(crate) fn entry(&mut self, table: TableKind, wire_id: u32, value: &[u8]) {
        self.aside.clear();
        self.aside.raw(&self.bytes.as_bytes()[self.end..]);
        self.bytes.truncate(self.end);
        let id = if wire_id == 0 { 0 } else { 1 + varint_len(wire_id.into()) };
        let text = if value.is_empty() { 0 } else { 1 + varint_len(value.len() as u64) + value.len() };
        self.bytes.header_in(ROWS, self.name_field + table as u32, id + text);
        self.bytes.number_unless_zero(1, wire_id.into());
        if !value.is_empty() {
            self.bytes.bytes(2, value);
        }
        self.end = self.bytes.len();
        self.count += 1;
        self.bytes.raw(self.aside.as_bytes());
    }
}
