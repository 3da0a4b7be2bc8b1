//! Text under construction, copied in blocks of a fixed size.
//!
//! Terms consist of pieces of 5 to 60 bytes, and calling `memcpy` for each piece costs more than the copying.
//! So pieces that are copied often have `PAD` spare bytes behind them, and so does the buffer. Blocks of a
//! fixed size are moved in registers, and the surplus bytes are overwritten later.

mod padded;

pub(crate) use padded::{Padded, PaddedBuf, PaddedSlot};

use padded::PAD;

/// Bytes that are copied at once; most terms are not longer.
const USUAL: usize = 64;

/// A text buffer that grows at its end.
#[derive(Debug, Default)]
pub(crate) struct TextBuffer {
    /// All of it is initialised, because a block that is written may be longer than the text.
    bytes: Vec<u8>,
    len: usize,
}

impl TextBuffer {
    /// Creates an empty buffer in the memory of `bytes`.
    pub(crate) fn within(bytes: Vec<u8>) -> Self {
        TextBuffer { bytes, len: 0 }
    }

    /// Returns the memory; the text is at its start.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Moves the text to the end of `to`.
    pub(crate) fn drain_to(&mut self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.as_bytes());
        self.len = 0;
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The room behind the text: at least `length` bytes plus the padding, and never less than `USUAL` bytes.
    #[inline(always)]
    fn room(&mut self, length: usize) -> &mut [u8] {
        if self.bytes.len() < self.len + length + USUAL {
            self.grow(length);
        }
        &mut self.bytes[self.len..]
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, length: usize) {
        let needed = self.len + length + USUAL;
        // filling two buffers costs twice, but memory that was in use before is zeroed whether it is used or
        // not
        let factor = if self.bytes.len() < 1 << 16 { 16 } else { 2 };
        let size = needed.max(factor * self.bytes.len()).max(1 << 12);
        let mut bytes = vec![0; size];
        bytes[..self.len].copy_from_slice(self.as_bytes());
        self.bytes = bytes;
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, text: &str) {
        self.push_bytes(text.as_bytes());
    }

    #[inline(always)]
    pub(crate) fn push_bytes(&mut self, text: &[u8]) {
        copy(self.room(text.len()), text);
        self.len += text.len();
    }

    /// Appends the first `length` bytes of a text that may continue behind them.
    #[inline(always)]
    pub(crate) fn push_start(&mut self, text: &str, length: usize) {
        let (start, _) = text.split_at(length);
        let room = self.room(length);
        match (room.first_chunk_mut::<USUAL>(), text.as_bytes().first_chunk()) {
            (Some(to), Some(from)) if length <= USUAL => *to = *from,
            _ => copy(room, start.as_bytes()),
        }
        self.len += length;
    }

    #[inline(always)]
    pub(crate) fn push_byte(&mut self, byte: u8) {
        self.room(1)[0] = byte;
        self.len += 1;
    }

    /// Appends two padded texts.
    #[inline(always)]
    pub(crate) fn push_padded(&mut self, first: Padded<'_>, second: Padded<'_>) {
        let length = first.len() + second.len();
        let room = self.room(length);
        first.copy(room);
        second.copy(&mut room[first.len()..]);
        self.len += length;
    }

    /// Appends `"`, a lexical form, and the text that follows it.
    pub(crate) fn push_quoted(&mut self, lex: &str, after: Padded<'_>) {
        let length = 1 + lex.len() + after.len();
        let room = self.room(length);
        room[0] = b'"';
        copy(&mut room[1..], lex.as_bytes());
        after.copy(&mut room[1 + lex.len()..]);
        self.len += length;
    }

    /// Appends `<`, an IRI and `>`.
    #[inline(always)]
    pub(crate) fn push_iri(&mut self, iri: &str) {
        let room = self.room(2 + iri.len());
        room[0] = b'<';
        copy(&mut room[1..], iri.as_bytes());
        room[1 + iri.len()] = b'>';
        self.len += 2 + iri.len();
    }

    /// Appends `_:`, the text before a label, and the label.
    #[inline(always)]
    pub(crate) fn push_label(&mut self, before: &str, label: &str) {
        let length = 2 + before.len() + label.len();
        let room = self.room(length);
        room[..2].copy_from_slice(b"_:");
        if !before.is_empty() {
            copy(&mut room[2..], before.as_bytes());
        }
        copy(&mut room[length - label.len()..], label.as_bytes());
        self.len += length;
    }

    /// Appends a copy of the `length` bytes at `start`.
    #[inline(always)]
    pub(crate) fn repeat(&mut self, start: usize, length: usize) {
        let end = self.len;
        let _ = self.room(length);
        // the bytes that a block reads from behind the text are written behind the text
        let bytes = self.bytes.as_mut_slice();
        let mut done = 0;
        while done < length {
            let (from, to) = (start + done, end + done);
            let mut block = [0; PAD];
            block.copy_from_slice(&bytes[from..from + PAD]);
            bytes[to..to + PAD].copy_from_slice(&block);
            done += PAD;
        }
        self.len = end + length;
    }

    /// Replaces a byte.
    pub(crate) fn splice(&mut self, at: usize, with: &str) {
        let end = self.bytes[at + 1..self.len].to_vec();
        self.len = at;
        self.push(with);
        let _ = self.room(end.len());
        self.bytes[self.len..self.len + end.len()].copy_from_slice(&end);
        self.len += end.len();
    }

    #[inline(always)]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The text from `start` on, to be changed byte by byte.
    pub(crate) fn tail_mut(&mut self, start: usize) -> &mut [u8] {
        &mut self.bytes[start..self.len]
    }

    /// Shortens the text to `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.len = self.len.min(length);
    }

    /// Removes the text and keeps the memory.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }
}

/// Copies text without spare bytes to a place with spare bytes.
#[inline(always)]
pub(crate) fn copy(to: &mut [u8], text: &[u8]) {
    let length = text.len();
    let to = &mut to[..length]; // checked once
    if length > 64 {
        to.copy_from_slice(text);
    } else if length >= 16 {
        copy_ends::<16>(to, text);
        if length > 32 {
            to[16..32].copy_from_slice(&text[16..32]);
            to[length - 32..length - 16].copy_from_slice(&text[length - 32..length - 16]);
        }
    } else if length >= 8 {
        copy_ends::<8>(to, text);
    } else if length >= 4 {
        copy_ends::<4>(to, text);
    } else if let (Some(&first), Some(&last)) = (text.first(), text.last()) {
        to[0] = first;
        to[length / 2] = text[length / 2];
        to[length - 1] = last;
    }
}

/// Copies the first and the last `N` bytes.
#[inline(always)]
fn copy_ends<const N: usize>(to: &mut [u8], text: &[u8]) {
    let last = text.len() - N;
    to[..N].copy_from_slice(&text[..N]);
    to[last..last + N].copy_from_slice(&text[last..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_copied_as_it_is() {
        let long: String = ('!'..='~').cycle().take(200).collect();
        for length in 0..long.len() {
            let text = &long[..length];
            let mut padded = PaddedBuf::default();
            padded.set("<", text, ">");
            assert_eq!(padded, PaddedBuf::new(&["<", text, ">"]));
            let mut out = TextBuffer::within(vec![b'#'; length % 50]);
            out.push(text);
            out.repeat(0, length);
            out.push_padded(padded.as_padded(), Padded::ANGLE);
            out.push_quoted(text, padded.as_padded());
            out.push_byte(b'.');
            let wanted = format!("{text}{text}<{text}><\"{text}<{text}>.");
            for behind in [0, 1, USUAL, long.len() - length] {
                let mut out = TextBuffer::default();
                out.push_start(&long[..(length + behind).min(long.len())], length);
                assert_eq!(out.as_bytes(), text.as_bytes());
            }
            assert_eq!(String::from_utf8_lossy(out.as_bytes()), wanted, "{length}");
            out.splice(2 * length, "[]");
            let wanted = format!("{text}{text}[]{text}><\"{text}<{text}>.");
            assert_eq!(String::from_utf8_lossy(out.as_bytes()), wanted, "{length}");
            out.clear();
            out.push_iri(text);
            assert_eq!(String::from_utf8_lossy(out.as_bytes()), format!("<{text}>"));
            for before in ["", "s0123_"] {
                out.clear();
                out.push_label(before, text);
                assert_eq!(String::from_utf8_lossy(out.as_bytes()), format!("_:{before}{text}"));
            }
        }
    }
}
