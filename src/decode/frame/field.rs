//! One field of a frame: a row, metadata, or something to ignore.

use super::head::Head;
use super::{Event, FrameReader, Located, State};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::wire::{GROUP_END, GROUP_START, LEN, MAX_VARINT};

/// Field number of the rows of a frame, in both formats.
const ROWS: u32 = 1;
/// Field number of the metadata of a frame.
const METADATA: u32 = 15;
/// Rows of up to this many bytes are accepted under any limit.
const SHORT_ROW: u64 = 0x7f;

impl FrameReader {
    /// Reads one field of a frame, from carried bytes, the input, or both.
    pub(super) fn field<'a>(&mut self, input: &mut &'a [u8], limits: &Limits) -> Result<Option<Event<'a>>> {
        // the field header, and then the payload, must be contiguous
        let in_place = self.carry.is_empty();
        let head = if in_place {
            let window = self.window(input, MAX_VARINT * 2);
            self.head(window)?
        } else {
            loop {
                match self.head(&self.carry)? {
                    Some(head) => break Some(head),
                    None => match input.split_first() {
                        None => return Ok(None),
                        Some((&byte, rest)) => {
                            self.carry.push(byte);
                            *input = rest;
                        }
                    },
                }
            }
        };
        let Some(Head { key, length: header, payload }) = head else {
            self.carry.extend_from_slice(input);
            *input = &[];
            return Ok(None);
        };
        let total = header as u64 + payload;
        if let Some(left) = self.left
            && total > left
        {
            let message = format!("a field of {payload} bytes passes the end of its frame");
            return Err(self.error(ErrorKind::WireLength, message));
        }
        let is_row = key.field == ROWS && self.groups.is_empty();
        let is_metadata = key.field == METADATA && key.wire == LEN && self.groups.is_empty();
        if is_row || is_metadata {
            // the fast path does not check the limit either
            if payload > (limits.row_bytes as u64).max(SHORT_ROW) {
                let what = if is_row { "a row" } else { "metadata" };
                let message = format!("{what} of {payload} bytes");
                let error = Error::limit(ErrorKind::LimitRow, "row_bytes", message);
                return Err(error.located(&self.position()));
            }
            return Ok(self.payload(input, header, payload as usize, is_row));
        }
        // unknown: skip it
        match key.wire {
            GROUP_START if self.groups.len() >= limits.nesting => {
                let message = format!("groups are nested more than {} deep", limits.nesting);
                let error = Error::limit(ErrorKind::LimitNesting, "nesting", message);
                return Err(error.located(&self.position()));
            }
            GROUP_START => self.groups.push(key.field),
            GROUP_END if self.groups.pop() != Some(key.field) => {
                let message = format!("group {} ends but did not start", key.field);
                return Err(self.error(ErrorKind::WireGroup, message));
            }
            _ => {}
        }
        if in_place {
            *input = &input[header..];
        } else {
            self.carry.clear();
        }
        self.offset += header as u64;
        self.take_from_frame(header as u64);
        self.state = State::Skip(payload);
        Ok(None)
    }

    /// The bytes of the input that belong to this frame, at most `most`.
    fn window<'a>(&self, input: &&'a [u8], most: usize) -> &'a [u8] {
        let in_frame = self.left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
        &input[..input.len().min(in_frame).min(most)]
    }

    /// Key and length at the start of `bytes`, if they are complete.
    fn head(&self, bytes: &[u8]) -> Result<Option<Head>> {
        let may_be_more = self.left.is_none_or(|left| (bytes.len() as u64) < left);
        let is_message =
            |field| self.groups.is_empty() && (field == ROWS || field == METADATA && self.knows_metadata);
        Head::read(bytes, may_be_more, is_message)
            .map_err(|fault| fault.locate(bytes, self.offset).located(&self.position()))
    }

    /// Returns a row or metadata entry once it is complete.
    fn payload<'a>(
        &mut self,
        input: &mut &'a [u8],
        header: usize,
        payload: usize,
        is_row: bool,
    ) -> Option<Event<'a>> {
        let total = header + payload;
        if is_row && self.carry.is_empty() && input.len() >= total {
            let (field, rest) = input.split_at(total);
            *input = rest;
            let offset = self.offset + header as u64;
            self.offset += total as u64;
            self.take_from_frame(total as u64);
            self.rows += 1;
            return Some(Event::Row(Located { bytes: &field[header..], offset }));
        }
        if self.carry.len() < total {
            let (taken, rest) = input.split_at(input.len().min(total - self.carry.len()));
            self.carry.extend_from_slice(taken);
            *input = rest;
        }
        if self.carry.len() < total {
            return None;
        }
        self.take_from_frame(total as u64);
        self.carry_header = header;
        self.carry_used = true;
        self.rows += u64::from(is_row);
        Some(if is_row { Event::CarriedRow } else { Event::Metadata })
    }
}
