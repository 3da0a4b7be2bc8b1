//! The pull side: reads a source piece by piece and pushes it through a decoder.

use std::io::{ErrorKind as IoKind, Read};

use crate::error::{Error, ErrorKind, Result};
use crate::io::{SharedBytes, Stream};
use crate::options::StreamOptions;
use crate::push::{Push, PushState};
use crate::sink::Sink;
use crate::warning::Warning;

/// Bytes read from a source at a time.
const CHUNK: usize = 256 << 10;
/// Bytes of memory decoded between two checks for the caller's interrupts.
const WINDOW: usize = 4 << 20;

/// A callback that is called regularly while no rows come; an error stops the reader.
pub type Poll<'p> = &'p mut dyn FnMut() -> Result<()>;

/// The state of a source of rows, of statements or of patches.
pub trait SourceState {
    /// The decoder whose rows are delivered, for counters, metadata and positions.
    fn decoder(&self) -> &dyn PushState;

    /// The options of the stream, once they are read.
    fn stream_options(&self) -> Option<StreamOptions> {
        self.decoder().stream_options()
    }

    /// Whether the last error belongs to a patch of which no row was delivered.
    fn refused_a_patch(&self) -> bool {
        false
    }

    /// Indexes and marks that were found and ignored so far.
    fn warnings(&self) -> Vec<Warning> {
        self.decoder().warnings()
    }

    /// The state that a reader in another process needs to continue.
    fn snapshot(&self) -> Result<Vec<u8>> {
        self.decoder().snapshot()
    }

    /// Closes the source.
    fn close(&mut self);
}

/// A source that delivers its rows to a sink until the sink is full: a decoder and its bytes, the committed
/// rows of a decoder, a document that a library parses, or Arrow columns.
pub trait RowSource<S>: SourceState + Send {
    /// Delivers rows until the sink is full (`false`) or all rows are delivered (`true`).
    fn advance(&mut self, sink: &mut S, poll: Poll<'_>) -> Result<bool>;
}

/// A decoder at the start of a part of a file, the bytes from there on, and the end of the part.
pub(crate) struct Part<D> {
    pub(crate) decoder: D,
    pub(crate) stream: Stream,
    pub(crate) start: u64,
    pub(crate) end: Option<End>,
    pub(crate) warnings: Vec<Warning>,
}

/// The end of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) offset: u64,
    /// Rows before the end.
    pub(crate) rows: u64,
    /// A stream ends here, and another one begins.
    pub(crate) ends_stream: bool,
}

/// A decoder and the bytes it reads.
pub struct Reader<D> {
    decoder: D,
    input: Input,
    /// Where to stop, if before the end of the input.
    end: Option<End>,
    /// Warnings about the index.
    warnings: Vec<Warning>,
}

enum Input {
    Bytes { bytes: SharedBytes, at: usize },
    Reader { reader: Box<dyn Read + Send>, buffer: Vec<u8>, at: usize, end: usize },
    Ended,
}

impl<D: PushState> Reader<D> {
    /// Reads `stream` with `decoder`.
    pub fn new(decoder: D, stream: Stream) -> Self {
        let input = match stream {
            Stream::Bytes(bytes) => Input::Bytes { bytes, at: 0 },
            Stream::Reader(reader) => Input::Reader { reader, buffer: Vec::new(), at: 0, end: 0 },
        };
        Reader { decoder, input, end: None, warnings: Vec::new() }
    }

    /// Reads a part of a file.
    pub(crate) fn of_part(part: Part<D>) -> Self {
        let mut reader = Reader::new(part.decoder, part.stream);
        if let Input::Bytes { at, .. } = &mut reader.input {
            *at = part.start as usize;
        }
        Reader { end: part.end, warnings: part.warnings, ..reader }
    }

    /// Like [`RowSource::advance`], up to the end of a part, which must be at the byte and row in the index.
    fn advance_part<S: Sink>(&mut self, end: End, sink: &mut S, poll: Poll<'_>) -> Result<bool>
    where
        D: Push<S>,
    {
        let ended = self.feed_to(end.offset, sink, poll)?;
        if !ended && sink.is_full() {
            return Ok(false);
        }
        let mut is_right = !ended && self.decoder.progress().offset == end.offset;
        if is_right && end.ends_stream && !self.decoder.finish(sink)? {
            return Ok(false);
        }
        is_right &= self.decoder.progress().rows == end.rows;
        if !is_right {
            let message = "the index belongs to other bytes: this part ends at another place";
            return Err(self.decoder.fail(Error::new(ErrorKind::WireMark, message)));
        }
        Ok(true)
    }

    /// Like [`RowSource::advance`], but not beyond byte `end` of the stream.
    pub(crate) fn advance_to<S: Sink>(&mut self, end: u64, sink: &mut S, poll: Poll<'_>) -> Result<bool>
    where
        D: Push<S>,
    {
        match self.end {
            Some(own) if own.offset <= end => self.advance_part(own, sink, poll),
            _ => self.feed_to(end, sink, poll),
        }
    }

    fn feed_to<S: Sink>(&mut self, end: u64, sink: &mut S, poll: Poll<'_>) -> Result<bool>
    where
        D: Push<S>,
    {
        loop {
            let left = usize::try_from(end.saturating_sub(self.decoder.consumed())).unwrap_or(usize::MAX);
            if left == 0 {
                // deliver the rows that earlier bytes imply
                self.decoder.decode(&[], sink)?;
                return Ok(false);
            }
            match &mut self.input {
                Input::Bytes { bytes, at } => {
                    let rest = &(**bytes).as_ref()[*at..];
                    if rest.is_empty() {
                        self.input = Input::Ended;
                        continue;
                    }
                    let window = &rest[..rest.len().min(WINDOW).min(left)];
                    let taken = self.decoder.decode(window, sink)?;
                    *at += taken;
                    if taken < window.len() {
                        return Ok(false);
                    }
                }
                Input::Reader { buffer, at, end, .. } if *at < *end => {
                    let window = &buffer[*at..*end];
                    let window = &window[..window.len().min(left)];
                    let taken = self.decoder.decode(window, sink)?;
                    *at += taken;
                    if taken < window.len() {
                        return Ok(false);
                    }
                }
                Input::Reader { reader, buffer, at, end } => {
                    if buffer.is_empty() {
                        buffer.resize(CHUNK, 0);
                    }
                    let read = loop {
                        match reader.read(buffer) {
                            Err(error) if error.kind() == IoKind::Interrupted => poll()?,
                            read => break read,
                        }
                    };
                    (*at, *end) = (0, read.map_err(|error| self.decoder.fail(error.into()))?);
                    if *end == 0 {
                        self.input = Input::Ended;
                    }
                }
                Input::Ended => return self.decoder.finish(sink),
            }
            if sink.is_full() {
                return Ok(false);
            }
            poll()?;
        }
    }
}

impl<D: PushState> SourceState for Reader<D> {
    fn decoder(&self) -> &dyn PushState {
        &self.decoder
    }

    fn warnings(&self) -> Vec<Warning> {
        [self.warnings.clone(), self.decoder.warnings()].concat()
    }

    fn close(&mut self) {
        self.input = Input::Ended;
    }
}

impl<D: Push<S> + Send, S: Sink> RowSource<S> for Reader<D> {
    fn advance(&mut self, sink: &mut S, poll: Poll<'_>) -> Result<bool> {
        self.advance_to(u64::MAX, sink, poll)
    }
}
