//! Formats whose stream is a sequence of rows without frames: text and Thrift.
//!
//! A [`RowFormat`] reads one row that is completely in memory. [`RowDecoder`] turns it into a push decoder,
//! which reads each piece of input in place and copies only a row that the end of a piece cuts.

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Position, Result};
use crate::limits::Limits;
use crate::push::{Progress, Push, PushState, refuse_failed};
use crate::sink::Sink;

/// The result of reading the start of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// This many bytes were read. 0 is possible if the step had another result: an implied row.
    Taken(usize),
    /// The row is incomplete, and nothing was done. Never returned at the end of the input.
    Short,
}

/// The state of a format.
pub trait RowState {
    /// Rows delivered to the sink.
    fn rows(&self) -> u64;

    /// Line and column of the next row, if the format has them.
    fn place(&self) -> Position {
        Position::default()
    }
}

/// A format that delivers rows to `S`.
pub trait RowFormat<S: Sink>: RowState {
    /// Reads the row at the start of `input`, which is byte `offset` of the stream and not empty.
    ///
    /// A step may take only the white space and comments before the row. Errors have a position.
    fn row(&mut self, input: &[u8], offset: u64, at_end: bool, sink: &mut S) -> Result<Step>;

    /// Called when all rows are read. Delivers one row that the end implies; returns whether there was one.
    fn end(&mut self, sink: &mut S) -> Result<bool> {
        let _ = sink;
        Ok(false)
    }
}

/// Returns an error if a format and its sink keep more than `most` bytes from row to row.
#[inline]
pub(crate) fn check_kept(kept: usize, most: usize) -> Result<()> {
    if kept <= most {
        return Ok(());
    }
    let message = format!("last terms, prefixes and namespaces hold {kept} bytes, more than {most}");
    Err(Error::limit(ErrorKind::LimitLookup, "lookup_bytes", message))
}

/// Minimum number of bytes to request when a row continues.
const PIECE: usize = 4 << 10;
/// A longer row is tried again only after it grew by an eighth; otherwise small pieces would take forever.
const LONG: usize = 32 << 10;

/// Decodes a stream of rows that arrives in pieces.
#[derive(Debug)]
pub struct RowDecoder<F> {
    format: F,
    /// The start of a row that the end of the input cut.
    carry: Vec<u8>,
    /// This many bytes of the carry were not enough.
    tried: usize,
    /// Byte offset in the stream of the next row.
    offset: u64,
    most: usize,
    source: Option<Arc<str>>,
    failed: bool,
}

impl<F: RowState> RowDecoder<F> {
    /// Creates a decoder at the start of a stream.
    pub fn new(format: F, limits: &Limits, source: Option<Arc<str>>) -> Self {
        RowDecoder {
            format,
            carry: Vec::new(),
            tried: 0,
            offset: 0,
            most: limits.row_bytes,
            source,
            failed: false,
        }
    }

    /// Creates a decoder whose input begins at byte `offset` of the stream.
    pub(crate) fn enter(format: F, offset: u64, limits: &Limits, source: Option<Arc<str>>) -> Self {
        RowDecoder { offset, ..RowDecoder::new(format, limits, source) }
    }

    fn run<S: Sink>(&mut self, input: &[u8], sink: &mut S) -> Result<usize>
    where
        F: RowFormat<S>,
    {
        let mut taken = 0;
        while !sink.is_full() && taken < input.len() {
            let rest = &input[taken..];
            if self.carry.is_empty() {
                match self.format.row(rest, self.offset, false, sink)? {
                    Step::Taken(bytes) => {
                        taken += bytes;
                        self.offset += bytes as u64;
                    }
                    Step::Short => {
                        self.hold(rest)?;
                        taken = input.len();
                    }
                }
                continue;
            }
            let held = self.carry.len();
            // not more than the maximum length of a row, or a valid row would be rejected
            let room = self.most.saturating_add(PIECE).saturating_sub(held).max(1);
            let more = rest.len().min(held.max(PIECE)).min(room);
            self.hold(&rest[..more])?;
            let may_grow = self.carry.len() < self.most;
            if may_grow && self.tried > LONG && self.carry.len() < self.tried + self.tried / 8 {
                taken += more;
                continue;
            }
            match self.format.row(&self.carry, self.offset, false, sink)? {
                Step::Taken(bytes) => {
                    self.offset += bytes as u64;
                    taken += bytes.saturating_sub(held);
                    self.carry.truncate(held);
                    self.carry.drain(..bytes.min(held));
                    self.tried = 0;
                }
                Step::Short => {
                    taken += more;
                    self.tried = self.carry.len();
                }
            }
        }
        if input.is_empty() {
            self.run_held(sink)?;
        }
        Ok(taken)
    }

    /// Tries the bytes that wait for more, when the caller has no more for now.
    fn run_held<S: Sink>(&mut self, sink: &mut S) -> Result<()>
    where
        F: RowFormat<S>,
    {
        while !sink.is_full() && self.carry.len() > self.tried {
            match self.format.row(&self.carry, self.offset, false, sink)? {
                Step::Taken(bytes) => {
                    self.offset += bytes as u64;
                    self.carry.drain(..bytes);
                    self.tried = 0;
                }
                Step::Short => self.tried = self.carry.len(),
            }
        }
        Ok(())
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<()> {
        if self.carry.len() + bytes.len() > self.most.saturating_add(PIECE) {
            let message = format!("a row of more than {} bytes", self.most);
            let error = Error::limit(ErrorKind::LimitRow, "row_bytes", message);
            return Err(error.located(&Position { offset: Some(self.offset), ..self.format.place() }));
        }
        self.carry.extend_from_slice(bytes);
        Ok(())
    }
}

impl<F: RowState> PushState for RowDecoder<F> {
    fn consumed(&self) -> u64 {
        self.offset + self.carry.len() as u64
    }

    fn progress(&self) -> Progress {
        Progress { frame: None, rows: self.format.rows(), offset: self.offset }
    }

    fn position(&self) -> Position {
        Position { source: self.source.clone(), offset: Some(self.offset), ..Position::default() }
    }

    #[cold]
    fn fail(&mut self, error: Error) -> Error {
        self.failed = true;
        error.located(&Position { source: self.source.clone(), ..Position::default() })
    }
}

impl<S: Sink, F: RowFormat<S>> Push<S> for RowDecoder<F> {
    fn decode(&mut self, input: &[u8], sink: &mut S) -> Result<usize> {
        refuse_failed(self.failed)?;
        self.run(input, sink).map_err(|error| self.fail(error))
    }

    fn finish(&mut self, sink: &mut S) -> Result<bool> {
        refuse_failed(self.failed)?;
        let mut read = 0;
        let done = loop {
            if sink.is_full() {
                break Ok(false);
            }
            let rest = &self.carry[read..];
            let step = if rest.is_empty() {
                match self.format.end(sink) {
                    Ok(true) => continue,
                    Ok(false) => break Ok(true),
                    Err(error) => Err(error),
                }
            } else {
                self.format.row(rest, self.offset, true, sink)
            };
            match step {
                Ok(Step::Taken(bytes)) => {
                    read += bytes;
                    self.offset += bytes as u64;
                }
                Ok(Step::Short) => {
                    let message = "a row does not end at the end of the input";
                    break Err(Error::new(ErrorKind::Internal, message));
                }
                Err(error) => break Err(error),
            }
        };
        self.carry.drain(..read);
        done.map_err(|error| self.fail(error))
    }
}
