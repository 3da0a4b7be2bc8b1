//! Writes messages: sizes are known before, or a message is closed when it is whole.

use super::{LEN, VARINT};
use crate::buffer::copy;

/// Bytes of a varint.
#[inline(always)]
pub(crate) fn varint_len(value: u64) -> usize {
    (70 - (value | 1).leading_zeros() as usize) / 7
}

/// A message under construction.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    /// All of it initialised; what is beyond `len` is room.
    bytes: Vec<u8>,
    len: usize,
}

/// Where the length of an open message stands.
#[must_use]
pub(crate) struct Open(usize);

impl Open {
    /// So many bytes came before it since.
    pub(crate) fn moved(self, bytes: usize) -> Self {
        Open(self.0 + bytes)
    }
}

/// Bytes of tags and lengths of a message in a message, where both are short.
pub(crate) const SHORT_HEAD: usize = 4;

impl Buffer {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Takes back what is behind so many bytes.
    #[inline(always)]
    pub(crate) fn truncate(&mut self, length: usize) {
        self.len = self.len.min(length);
    }

    /// At least `length` bytes of room.
    #[inline(always)]
    fn room(&mut self, length: usize) -> &mut [u8] {
        if self.bytes.len() - self.len < length {
            self.grow(length);
        }
        &mut self.bytes[self.len..]
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, length: usize) {
        let size = (self.len + length).max(2 * self.bytes.len()).max(256);
        self.bytes.resize(size, 0);
    }

    #[inline(always)]
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        copy(self.room(bytes.len()), bytes);
        self.len += bytes.len();
    }

    #[inline(always)]
    pub(crate) fn varint(&mut self, value: u64) {
        let room = self.room(super::MAX_VARINT);
        self.len += put_varint(room, value);
    }

    /// The lowest `length` bytes of `bytes`, at most eight.
    #[inline(always)]
    fn small(&mut self, bytes: u64, length: usize) {
        self.room(8)[..8].copy_from_slice(&bytes.to_le_bytes());
        self.len += length;
    }

    #[inline(always)]
    fn tag(&mut self, field: u32, wire: u8) {
        self.varint(u64::from(field << 3) | u64::from(wire));
    }

    /// A field of a number.
    #[inline(always)]
    pub(crate) fn number(&mut self, field: u32, value: u64) {
        self.tag(field, VARINT);
        self.varint(value);
    }

    /// A field of a number that is not written when it is 0.
    pub(crate) fn number_unless_zero(&mut self, field: u32, value: u64) {
        if value != 0 {
            self.number(field, value);
        }
    }

    /// A field of bytes, of text or of a message.
    #[inline(always)]
    pub(crate) fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.header(field, bytes.len());
        self.raw(bytes);
    }

    /// Tag and length of a field; so many bytes follow.
    #[inline(always)]
    pub(crate) fn header(&mut self, field: u32, length: usize) {
        if field < 16 && length < 0x80 {
            self.small(u64::from(field << 3 | u32::from(LEN)) | (length as u64) << 8, 2);
        } else {
            self.tag(field, LEN);
            self.varint(length as u64);
        }
    }

    /// Tag and length of a field whose only content is a field; so many bytes of that follow.
    #[inline(always)]
    pub(crate) fn header_in(&mut self, outer: u32, field: u32, length: usize) {
        if outer < 16 && field < 16 && length < 0x7e {
            self.small(u32::from_le_bytes(short_head(outer, field, length)).into(), SHORT_HEAD);
        } else {
            self.header(outer, varint_len(u64::from(field << 3)) + varint_len(length as u64) + length);
            self.header(field, length);
        }
    }

    /// A field of a message with two numbers, 1 and 2, that are not written when they are 0.
    #[inline(always)]
    pub(crate) fn pair(&mut self, field: u32, one: u32, two: u32) {
        if field < 16 && one < 1 << 14 && two < 1 << 14 {
            let ((one, one_len), (two, two_len)) = (short_field(1, one), short_field(2, two));
            let length = one_len + two_len;
            let header = u64::from(field << 3 | u32::from(LEN)) | (length as u64) << 8;
            self.small(header | one << 16 | two << (16 + 8 * one_len), 2 + length);
        } else {
            self.long_pair(field, one, two);
        }
    }

    #[inline(never)]
    fn long_pair(&mut self, field: u32, one: u32, two: u32) {
        let room = self.room(4 * super::MAX_VARINT);
        let start = put_varint(room, u64::from(field << 3) | u64::from(LEN));
        let mut end = start + 1;
        for (tag, value) in [(1 << 3, one), (2 << 3, two)] {
            if value != 0 {
                room[end] = tag | VARINT;
                end += 1;
                end += put_varint(&mut room[end..], value.into());
            }
        }
        room[start] = (end - start - 1) as u8;
        self.len += end;
    }

    /// Opens a message whose size is not known.
    pub(crate) fn open(&mut self, field: u32) -> Open {
        self.header(field, 0);
        Open(self.len - 1)
    }

    /// Leaves room for the head of a message in a message.
    #[inline(always)]
    pub(crate) fn open_in(&mut self) {
        let _ = self.room(SHORT_HEAD);
        self.len += SHORT_HEAD;
    }

    /// Closes it: `outer` has no other field than `field`. It was opened behind `start` bytes, and all since is within.
    #[inline(always)]
    pub(crate) fn close_in(&mut self, start: usize, outer: u32, field: u32) {
        let length = self.len - start - SHORT_HEAD;
        match self.bytes.get_mut(start..).and_then(|rest| rest.first_chunk_mut()) {
            Some(head) if outer < 16 && field < 16 && length < 0x7e => {
                *head = short_head(outer, field, length);
            }
            _ => self.close_long_in(start, outer, field),
        }
    }

    #[inline(never)]
    fn close_long_in(&mut self, start: usize, outer: u32, field: u32) {
        let length = self.len - start - SHORT_HEAD;
        let tag = |field| u64::from(field << 3) | u64::from(LEN);
        let within = varint_len(tag(field)) + varint_len(length as u64) + length;
        let numbers = [tag(outer), within as u64, tag(field), length as u64];
        let head: usize = numbers.iter().map(|number| varint_len(*number)).sum();
        let _ = self.room(head);
        self.bytes.copy_within(start + SHORT_HEAD..self.len, start + head);
        let mut end = start;
        for number in numbers {
            end += put_varint(&mut self.bytes[end..], number);
        }
        self.len = start + head + length;
    }

    /// Closes it; all within was written since.
    pub(crate) fn close(&mut self, open: Open) {
        let Open(at) = open;
        let length = self.len - at - 1;
        let more = varint_len(length as u64) - 1;
        if more > 0 {
            let _ = self.room(more);
            self.bytes.copy_within(at + 1..self.len, at + 1 + more);
            self.len += more;
        }
        let _ = put_varint(&mut self.bytes[at..], length as u64);
    }
}

/// Tags and lengths of a message of less than 126 bytes in a message.
#[inline(always)]
fn short_head(outer: u32, field: u32, length: usize) -> [u8; SHORT_HEAD] {
    let tag = |field: u32| (field << 3) as u8 | LEN;
    [tag(outer), length as u8 + 2, tag(field), length as u8]
}

/// Tag and varint of a number below 2^14, lowest byte first, and their length; nothing of 0.
#[inline(always)]
fn short_field(field: u8, value: u32) -> (u64, usize) {
    if value == 0 {
        return (0, 0);
    }
    let is_long = value >= 0x80;
    let varint = u64::from(value & 0x7f | u32::from(is_long) << 7 | value >> 7 << 8);
    (u64::from(field << 3 | VARINT) | varint << 8, 2 + usize::from(is_long))
}

/// Writes a varint to where there is room for it; its length.
#[inline(always)]
fn put_varint(room: &mut [u8], mut value: u64) -> usize {
    let mut length = 0;
    while value >= 0x80 {
        room[length] = value as u8 | 0x80;
        value >>= 7;
        length += 1;
    }
    room[length] = value as u8;
    length + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cursor, write_varint};

    #[test]
    fn varints_have_the_length_that_is_said() {
        for value in (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit]).chain([u64::MAX]) {
            let (mut ours, mut theirs) = (Buffer::default(), Vec::new());
            ours.varint(value);
            write_varint(&mut theirs, value);
            assert_eq!((ours.as_bytes(), varint_len(value)), (&theirs[..], theirs.len()));
        }
    }

    #[test]
    fn pairs_leave_out_what_is_zero() {
        let values = [0, 1, 127, 128, 300, 16_384, u32::MAX];
        for (one, two) in values.iter().flat_map(|one| values.map(|two| (*one, two))) {
            let (mut ours, mut theirs) = (Buffer::default(), Buffer::default());
            ours.pair(16, one, two);
            let open = theirs.open(16);
            theirs.number_unless_zero(1, one.into());
            theirs.number_unless_zero(2, two.into());
            theirs.close(open);
            assert_eq!(ours.as_bytes(), theirs.as_bytes(), "{one} {two}");
        }
    }

    #[test]
    fn messages_in_messages_get_their_heads() {
        for length in [0, 1, 125, 126, 127, 128, 16_380, 16_384, 70_000] {
            for field in [1, 15, 16] {
                let text = vec![b'x'; length];
                let (mut ours, mut theirs) = (Buffer::default(), Buffer::default());
                for buffer in [&mut ours, &mut theirs] {
                    buffer.number(1, 300);
                }
                let start = ours.len();
                ours.open_in();
                ours.raw(&text);
                ours.close_in(start, 1, field);
                theirs.header_in(1, field, length);
                theirs.raw(&text);
                assert_eq!(ours.as_bytes(), theirs.as_bytes(), "{length} {field}");
            }
        }
    }

    #[test]
    fn open_messages_get_their_length() {
        for length in [0, 1, 127, 128, 129, 16_383, 16_384, 70_000] {
            let text = vec![b'x'; length];
            let mut buffer = Buffer::default();
            buffer.number(1, 300);
            let outer = buffer.open(20);
            let inner = buffer.open(4);
            buffer.raw(&text);
            buffer.close(inner);
            buffer.close(outer);
            buffer.number(2, 7);

            let mut cursor = Cursor::new(buffer.as_bytes());
            assert_eq!((cursor.key().unwrap().field, cursor.varint().unwrap()), (1, 300));
            assert_eq!(cursor.key().unwrap().field, 20);
            let mut outer = Cursor::new(cursor.bytes().unwrap());
            assert_eq!(outer.key().unwrap().field, 4);
            assert_eq!(outer.bytes().unwrap(), text);
            assert!(outer.is_empty());
            assert_eq!((cursor.key().unwrap().field, cursor.varint().unwrap()), (2, 7));
            assert!(cursor.is_empty());
        }
    }
}
