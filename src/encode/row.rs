//! The rows of the frame under construction.

use crate::decode::TableKind;
use crate::wire::{Buffer, varint_len};

/// The field of rows in a frame.
const ROWS: u32 = 1;

/// Rows, encoded.
#[derive(Debug)]
pub(crate) struct Rows {
    bytes: Buffer,
    count: usize,
    /// The member of a row that holds a name entry; prefixes and datatypes are the next two.
    name_field: u32,
}

impl Rows {
    pub(crate) fn new(name_field: u32) -> Self {
        Rows { bytes: Buffer::default(), count: 0, name_field }
    }

    /// A row by itself: a member and its message.
    pub(crate) fn alone(field: u32, message: &[u8]) -> Buffer {
        let mut bytes = Buffer::default();
        bytes.header_in(ROWS, field, message.len());
        bytes.raw(message);
        bytes
    }

    /// Counts a row that is written before these.
    pub(crate) fn count_one(&mut self) {
        self.count += 1;
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.as_bytes()
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
    }

    /// Adds a row: a member and its message.
    #[inline(always)]
    pub(crate) fn push(&mut self, field: u32, message: &[u8]) {
        self.header(field, message.len());
        self.bytes.raw(message);
    }

    #[inline(always)]
    fn header(&mut self, field: u32, length: usize) {
        self.bytes.header_in(ROWS, field, length);
        self.count += 1;
    }

    /// Adds a lookup entry; id 0 is the one after the entry set last.
    pub(crate) fn entry(&mut self, table: TableKind, wire_id: u32, value: &[u8]) {
        let id = if wire_id == 0 { 0 } else { 1 + varint_len(wire_id.into()) };
        let text = if value.is_empty() { 0 } else { 1 + varint_len(value.len() as u64) + value.len() };
        self.header(self.name_field + table as u32, id + text);
        self.bytes.number_unless_zero(1, wire_id.into());
        if !value.is_empty() {
            self.bytes.bytes(2, value);
        }
    }
}
