//! Frames: rows and metadata, with or without delimiters; complete frames wait for the caller.

use super::Framing;
use crate::error::{Error, ErrorKind, Result};
use crate::wire::{Buffer, varint_len, write_varint};

/// The field of metadata in a frame.
const METADATA: u32 = 15;

/// The frames of a stream.
#[derive(Debug)]
pub(crate) struct Frames {
    pub(crate) output: Vec<u8>,
    framing: Framing,
    most_bytes: u64,
    /// Number of bytes of all frames in the output.
    bytes: u64,
    /// A frame was written without its length, and its message has not ended.
    in_message: bool,
    /// The last frame of a seekable stream, to which the footer can be added.
    held: Option<Vec<u8>>,
    holds: bool,
}

impl Frames {
    /// `holds`: the last frame is held back for [`Frames::finish_with`].
    pub(crate) fn new(framing: Framing, most_bytes: u64, holds: bool) -> Self {
        Frames { output: Vec::new(), framing, most_bytes, bytes: 0, in_message: false, held: None, holds }
    }

    /// Rejects a frame that is longer than readers accept.
    #[inline(always)]
    pub(crate) fn check_length(&self, length: usize) -> Result<()> {
        if length as u64 <= self.most_bytes { Ok(()) } else { Err(too_long(length)) }
    }

    /// The start of the next frame.
    pub(crate) fn offset(&self) -> u64 {
        self.bytes + self.held.as_ref().map_or(0, |held| delimited_len(held.len()))
    }

    /// The start of the frame after one of this length.
    pub(crate) fn next_offset(&self, length: usize) -> u64 {
        self.offset() + delimited_len(length)
    }

    /// Adds a frame.
    pub(crate) fn push(&mut self, parts: &[&[u8]]) -> Result<()> {
        let length = parts.iter().map(|part| part.len()).sum();
        self.check_length(length)?;
        self.release();
        if self.holds {
            self.held = Some(parts.concat());
            return Ok(());
        }
        if self.in_message {
            return Err(second_frame());
        }
        self.in_message = self.framing == Framing::Single;
        self.write(parts, length);
        Ok(())
    }

    /// Ends the message that was written: another frame may follow.
    pub(crate) fn end_message(&mut self) {
        self.in_message = false;
    }

    /// Writes the frame that is held back, with an addition; `addition` gets the length that the stream will
    /// have.
    pub(crate) fn finish_with(&mut self, addition: impl Fn(u64) -> Vec<u8>) -> Result<()> {
        if let Some(held) = self.held.take() {
            let length = held.len() + addition(0).len();
            self.check_length(length)?;
            let addition = addition(self.bytes + delimited_len(length));
            self.write(&[&held, &addition], length);
        }
        Ok(())
    }

    fn release(&mut self) {
        if let Some(held) = self.held.take() {
            self.write(&[&held], held.len());
        }
    }

    fn write(&mut self, parts: &[&[u8]], length: usize) {
        let before = self.output.len();
        if self.framing == Framing::Delimited {
            write_varint(&mut self.output, length as u64);
        }
        for part in parts {
            self.output.extend_from_slice(part);
        }
        self.bytes += (self.output.len() - before) as u64;
    }
}

fn delimited_len(length: usize) -> u64 {
    (varint_len(length as u64) + length) as u64
}

#[cold]
fn second_frame() -> Error {
    let message = "a second frame without its length, which readers cannot separate from the first: write \
                   frames with their lengths, or each frame as its own message (in Python, flush() after \
                   each frame to a file object)";
    Error::new(ErrorKind::EncodeFrame, message)
}

#[cold]
fn too_long(length: usize) -> Error {
    Error::limit(ErrorKind::LimitFrame, "frame_bytes", format!("a frame of {length} bytes"))
}

/// An entry of `map<string, bytes> metadata`.
pub(crate) fn metadata_entry(out: &mut Buffer, key: &str, value: &[u8]) {
    let entry = out.open(METADATA);
    out.bytes(1, key.as_bytes());
    out.bytes(2, value);
    out.close(entry);
}
