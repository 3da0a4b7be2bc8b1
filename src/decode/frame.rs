//! Reads the fields of frames as their bytes arrive: one row at a time, never a whole frame.

mod checkpoint;
mod field;
mod head;

use super::delimiter::{Framing, detect, frame_length};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::limits::Limits;
use crate::wire::Varint;
pub(super) use checkpoint::FramePlace;

const ROW_TAG: u8 = 0x0a;

/// The next event in the stream.
#[derive(Debug)]
pub(crate) enum Event<'a> {
    /// All input is consumed.
    NeedInput,
    /// A frame begins.
    FrameStart,
    /// A row that is completely in the input.
    Row(Located<'a>),
    /// A row in [`FrameReader::carried`].
    CarriedRow,
    /// A metadata entry in [`FrameReader::carried`].
    Metadata,
    /// The frame is complete.
    FrameEnd,
}

/// Bytes and their position in the stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) offset: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The framing is not detected yet.
    Detect,
    /// Between frames.
    Length,
    /// At a field of a frame.
    Field,
    /// Inside an unknown field with this many bytes left.
    Skip(u64),
}

/// Divides the stream into events. Holds at most the bytes of one incomplete field.
#[derive(Debug)]
pub(crate) struct FrameReader {
    state: State,
    framing: Framing,
    /// Whether metadata is a known field (Jelly-RDF), which must have the right wire type.
    knows_metadata: bool,
    /// Remaining bytes of the frame; `None` if the frame ends with the input.
    left: Option<u64>,
    /// Open groups of unknown fields.
    groups: Vec<u32>,
    /// The start of a field or a length that is incomplete in the input.
    carry: Vec<u8>,
    /// Number of bytes in `carry` before the payload.
    carry_header: usize,
    /// The carry was returned and is cleared by the next call.
    carry_used: bool,
    /// Offset in the stream of the next byte to read, including carried bytes.
    offset: u64,
    /// Frames that began.
    frames: u64,
    /// Rows of this frame that were returned.
    rows: u64,
}

impl FrameReader {
    pub(crate) fn new(framing: Framing, knows_metadata: bool) -> Self {
        let (state, left) = match framing {
            Framing::Auto | Framing::Single => (State::Detect, None),
            Framing::Delimited | Framing::Concatenated => (State::Length, Some(0)),
        };
        FrameReader {
            state,
            framing,
            knows_metadata,
            left,
            groups: Vec::new(),
            carry: Vec::new(),
            carry_header: 0,
            carry_used: false,
            offset: 0,
            frames: 0,
            rows: 0,
        }
    }

    /// The framing, once it is detected.
    pub(crate) fn framing(&self) -> Framing {
        self.framing
    }

    /// Number of frames that began, including the current one.
    pub(crate) fn frames(&self) -> u64 {
        self.frames
    }

    /// Rows of this frame that were returned.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// The first byte after the rows and frames that were returned: where a resumed reader begins.
    pub(crate) fn offset(&self) -> u64 {
        if self.carry_used { self.offset + self.carry.len() as u64 } else { self.offset }
    }

    /// The position of the last row that was returned.
    pub(crate) fn row_position(&self) -> Position {
        Position { row: self.rows.checked_sub(1), ..self.position() }
    }

    /// The position of the next row, for errors outside rows.
    pub(crate) fn position(&self) -> Position {
        let begins = self.state == State::Length && !self.carry.is_empty();
        Position {
            frame: Some((self.frames + u64::from(begins)).saturating_sub(1)),
            row: Some(if begins { 0 } else { self.rows }),
            offset: Some(self.offset()),
            ..Position::default()
        }
    }

    /// The payload of a carried field.
    pub(crate) fn carried(&self) -> Located<'_> {
        Located { bytes: &self.carry[self.carry_header..], offset: self.carried_offset() }
    }

    /// Takes the carried field out; returns it with the start of its payload.
    pub(crate) fn lend_carry(&mut self) -> (Vec<u8>, usize) {
        (std::mem::take(&mut self.carry), self.carry_header)
    }

    /// Puts back the result of [`Self::lend_carry`].
    pub(crate) fn return_carry(&mut self, carry: Vec<u8>) {
        self.carry = carry;
    }

    /// Offset of the payload of the carried field.
    pub(crate) fn carried_offset(&self) -> u64 {
        self.offset + self.carry_header as u64
    }

    /// The next row in the common case: a short row that is completely in the input and in its frame.
    #[inline(always)]
    pub(crate) fn next_row<'a>(&mut self, input: &mut &'a [u8]) -> Option<Located<'a>> {
        if self.state == State::Field
            && self.carry.is_empty()
            && self.groups.is_empty()
            && let [ROW_TAG, len @ 1..0x80, rest @ ..] = *input
            && let Some((row, rest)) = rest.split_at_checked(usize::from(*len))
            && self.take_from_frame(2 + u64::from(*len))
        {
            let offset = self.offset + 2;
            self.offset += 2 + u64::from(*len);
            self.rows += 1;
            *input = rest;
            return Some(Located { bytes: row, offset });
        }
        None
    }

    #[inline(always)]
    fn take_from_frame(&mut self, length: u64) -> bool {
        match &mut self.left {
            None => true,
            Some(left) if *left >= length => {
                *left -= length;
                true
            }
            Some(_) => false,
        }
    }

    /// The next event; removes its bytes from the front of `input`.
    #[inline(never)]
    pub(crate) fn next<'a>(&mut self, input: &mut &'a [u8], limits: &Limits) -> Result<Event<'a>> {
        self.drop_used_carry();
        loop {
            match self.state {
                State::Detect if input.is_empty() => return Ok(Event::NeedInput),
                State::Detect if self.framing == Framing::Single => {
                    self.begin_frame(None);
                    return Ok(Event::FrameStart);
                }
                State::Detect => {
                    while self.carry.len() < 3 && detect(&self.carry, false).is_none() {
                        match input.split_first() {
                            Some((&byte, rest)) => {
                                self.carry.push(byte);
                                *input = rest;
                            }
                            None => return Ok(Event::NeedInput),
                        }
                    }
                    self.settle_framing(false);
                    if self.state == State::Field {
                        self.begin_frame(None);
                        return Ok(Event::FrameStart);
                    }
                }
                State::Length => match self.length(input, limits)? {
                    None => return Ok(Event::NeedInput),
                    Some(length) => {
                        self.begin_frame(Some(length));
                        return Ok(Event::FrameStart);
                    }
                },
                State::Field if self.left == Some(0) && self.carry.is_empty() => {
                    if let Some(group) = self.groups.last() {
                        let message = format!("group {group} passes the end of its frame");
                        return Err(self.error(ErrorKind::WireGroup, message));
                    }
                    self.state = State::Length;
                    return Ok(Event::FrameEnd);
                }
                State::Field => {
                    if let Some(event) = self.field(input, limits)? {
                        return Ok(event);
                    }
                    if input.is_empty() && self.state == State::Field && self.left != Some(0) {
                        return Ok(Event::NeedInput);
                    }
                }
                State::Skip(0) => self.state = State::Field,
                State::Skip(_) if input.is_empty() => return Ok(Event::NeedInput),
                State::Skip(left) => {
                    let taken = left.min(input.len() as u64);
                    *input = &input[taken as usize..];
                    self.offset += taken;
                    self.take_from_frame(taken);
                    self.state = State::Skip(left - taken);
                }
            }
        }
    }

    fn begin_frame(&mut self, length: Option<u64>) {
        self.left = length;
        self.state = State::Field;
        self.frames += 1;
        self.rows = 0;
    }

    fn settle_framing(&mut self, at_end: bool) {
        if let Some(framing) = detect(&self.carry, at_end) {
            self.framing = framing;
            self.state = if framing == Framing::Single { State::Field } else { State::Length };
        }
    }

    /// The length of a frame, if it is complete.
    fn length(&mut self, input: &mut &[u8], limits: &Limits) -> Result<Option<u64>> {
        loop {
            match frame_length(&self.carry) {
                Varint::Value(length, used) => {
                    if length > limits.frame_bytes {
                        let message = format!("a frame of {length} bytes");
                        let error = Error::limit(ErrorKind::LimitFrame, "frame_bytes", message);
                        return Err(error.located(&self.position()));
                    }
                    // the carry may hold more bytes than the length, after detection
                    self.carry.drain(..used);
                    self.offset += used as u64;
                    return Ok(Some(length));
                }
                Varint::Long => {
                    let message = "a frame length of more than 10 bytes";
                    return Err(self.error(ErrorKind::WireVarint, message));
                }
                Varint::Short => match input.split_first() {
                    None => return Ok(None),
                    Some((&byte, rest)) => {
                        self.carry.push(byte);
                        *input = rest;
                    }
                },
            }
        }
    }

    fn drop_used_carry(&mut self) {
        if self.carry_used {
            self.offset += self.carry.len() as u64;
            self.carry.clear();
            self.carry.shrink_to(64 << 10);
            self.carry_used = false;
        }
    }

    /// Ends the input: returns the last event, if any, or an error if the input ends too early.
    pub(crate) fn finish(&mut self) -> Result<Option<Event<'static>>> {
        self.drop_used_carry();
        match self.state {
            State::Detect if !self.carry.is_empty() => self.settle_framing(true),
            State::Skip(0) => self.state = State::Field,
            _ => {}
        }
        match self.state {
            State::Detect => Ok(None),
            State::Length if self.carry.is_empty() => Ok(None),
            State::Length => {
                let message = "the input ends inside the length of a frame";
                Err(self.error(ErrorKind::TruncatedLength, message))
            }
            State::Field if self.left.is_none() && self.carry.is_empty() && self.groups.is_empty() => {
                self.left = Some(0);
                self.state = State::Length;
                Ok((self.frames > 0).then_some(Event::FrameEnd))
            }
            State::Field if self.left == Some(0) && self.carry.is_empty() && self.groups.is_empty() => {
                self.state = State::Length;
                Ok(Some(Event::FrameEnd))
            }
            State::Field | State::Skip(_) => {
                let missing = self.left.map(|left| left.saturating_sub(self.carry.len() as u64));
                let message = match missing {
                    Some(missing) => {
                        format!("the input ends {missing} bytes before its frame does")
                    }
                    None => "the input ends inside a row".to_owned(),
                };
                Err(self.error(ErrorKind::TruncatedFrame, message))
            }
        }
    }

    fn error(&self, kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, message).located(&self.position())
    }
}
