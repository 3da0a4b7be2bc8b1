//! The push decoder: takes bytes, returns rows, and does no I/O.
//!
//! `delimiter -> frame -> row -> lookup, iri, repeat -> rdf | patch`. Bytes can arrive in pieces of any size.
//! A piece is decoded in place, and only a row that the end of a piece cuts is copied.

mod config;
mod delimiter;
mod dialect;
mod frame;
mod iri;
mod kept;
mod literal;
mod lookup;
mod marks;
mod merge;
mod metadata;
mod options;
mod patch;
mod quick;
mod rdf;
mod repeat;
mod row;
mod run;
mod snapshot;
mod term;

pub use config::DecodeOptions;
pub use delimiter::Framing;
pub(crate) use delimiter::detect;
pub use dialect::{Dialect, DialectState};
pub(crate) use frame::{Event, FrameReader};
pub(crate) use lookup::TableKind;
pub(crate) use marks::{Entry, Repeated};
pub(crate) use options::{AskedFields, PATCH_VERSION, RDF_VERSION, read_asked_options};
pub use patch::Patch;
pub use rdf::Rdf;

use crate::error::{Error, ErrorClass, ErrorKind, Position, Result};
use crate::limits::MAX_NESTING;
use crate::options::StreamOptions;
use crate::push::{Progress, Push, PushState, refuse_failed};
use crate::sink::Sink;
use crate::warning::Warning;
use frame::FramePlace;
use kept::check_kept;
use marks::{Marks, Wrong};
use metadata::Metadata;
pub(crate) use metadata::metadata_entry;
use repeat::{Slot, Slots};
pub(crate) use row::Place;
use term::Terms;

/// Decodes a stream that arrives in pieces.
///
/// ```
/// use jelly_patch::decode::{DecodeOptions, PatchDecoder};
/// use jelly_patch::push::Push;
/// # struct Count(usize);
/// # impl jelly_patch::sink::Sink for Count {}
/// # impl jelly_patch::sink::PatchSink for Count {
/// #     fn row(&mut self, _: &jelly_patch::sink::PatchRow<'_>) -> jelly_patch::Result<()> { self.0 += 1; Ok(()) }
/// # }
/// # fn main() -> jelly_patch::Result<()> {
/// let mut decoder = PatchDecoder::new(DecodeOptions::default());
/// let mut sink = Count(0);
/// decoder.decode(b"", &mut sink)?; // as often as there are bytes
/// decoder.finish(&mut sink)?;      // says whether the stream is complete
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Decoder<D> {
    frames: FrameReader,
    dialect: D,
    terms: Option<Terms>,
    /// The places of the last terms, between two calls.
    slots: Slots<'static>,
    config: DecodeOptions,
    metadata: Metadata,
    marks: Marks,
    consumed: u64,
    /// Bytes of terms that may be copied; see [`repeat::Held`].
    copies: u64,
    /// See [`Limits::kept_bytes`](crate::limits::Limits::kept_bytes).
    most_kept: usize,
    /// The state is invalid after an error.
    failed: bool,
    finished: bool,
}

/// Decodes Jelly-RDF.
pub type RdfDecoder = Decoder<Rdf>;
/// Decodes Jelly-Patch.
pub type PatchDecoder = Decoder<Patch>;

impl<D: DialectState> Decoder<D> {
    /// Creates a decoder at the start of a stream.
    pub fn new(mut config: DecodeOptions) -> Self {
        let limits = &mut config.limits;
        limits.nesting = limits.nesting.min(MAX_NESTING);
        Decoder {
            most_kept: limits.kept_bytes(),
            frames: FrameReader::new(config.framing, D::KNOWS_METADATA),
            dialect: D::new(config.strict),
            terms: None,
            slots: [Slot::Unset; 4],
            config,
            metadata: Metadata::default(),
            marks: Marks::default(),
            consumed: 0,
            copies: 0,
            failed: false,
            finished: false,
        }
    }

    /// Sets the stream number for positions of blank nodes; later streams get the following numbers.
    pub(crate) fn of_stream(mut self, number: u64) -> Self {
        self.marks.count_from(number);
        self
    }

    /// Prepares for another decoder that reads the output: labels of the first stream stay unchanged.
    pub(crate) fn before_another(mut self) -> Self {
        self.marks.read_again();
        self
    }

    /// Halves the memory limit, because two decoders read one source.
    pub(crate) fn keep_half(&mut self) {
        self.most_kept /= 2;
    }

    /// Creates a decoder whose input begins at a sync point; the sync point and the options must be there.
    pub(crate) fn enter(mut config: DecodeOptions, entry: Entry) -> Result<Self> {
        match config.framing {
            Framing::Auto => config.framing = Framing::Delimited,
            Framing::Single => {
                return Err(Error::new(ErrorKind::Argument, "a single frame has no sync points"));
            }
            Framing::Delimited | Framing::Concatenated => {}
        }
        let Some(place) = entry.mark.counters.after(entry.base) else {
            return Err(Error::new(ErrorKind::WireMark, "the sync point is not valid"));
        };
        let mut decoder = Decoder::<D>::new(config);
        decoder.dialect.begin_at(place);
        decoder.frames.resume(place.frame, 0, entry.offset, FramePlace::Between);
        decoder.consumed = entry.offset;
        decoder.marks = Marks::entering(entry);
        Ok(decoder)
    }

    /// The number of repeated options rows, and the frame of the first one.
    pub(crate) fn repeated_options(&self) -> Option<Repeated> {
        self.marks.repeated()
    }

    /// Offset of the first byte that is not decoded: after the last row or frame.
    pub fn offset(&self) -> u64 {
        self.frames.offset()
    }

    /// Number of frames that began.
    pub fn frames(&self) -> u64 {
        self.frames.frames()
    }

    /// The framing that was requested or detected.
    pub fn framing(&self) -> Framing {
        self.frames.framing()
    }

    /// The state of the format: options and counters.
    pub fn state(&self) -> &D {
        &self.dialect
    }

    /// The options of the decoder.
    pub fn config(&self) -> &DecodeOptions {
        &self.config
    }

    fn finish_stream<S: Sink>(&mut self, sink: &mut S) -> Result<()>
    where
        D: Dialect<S>,
    {
        if let Some(Event::FrameEnd) = self.frames.finish()? {
            self.frame_end(sink)?;
        }
        if self.frames.frames() > 0 && self.dialect.options_bytes().is_none() {
            let message = "the stream has frames but no options";
            return Err(Error::new(ErrorKind::OptionsMissing, message));
        }
        self.marks.refuse_open().map_err(misplaced)?;
        self.dialect.stream_end(sink)?;
        self.marks.check_end(self.dialect.place(self.frames.frames())).map_err(misplaced)
    }
}

impl<D: DialectState> PushState for Decoder<D> {
    fn consumed(&self) -> u64 {
        self.consumed
    }

    fn progress(&self) -> Progress {
        Progress { frame: self.frames().checked_sub(1), rows: self.dialect.rows(), offset: self.offset() }
    }

    fn stream_options(&self) -> Option<StreamOptions> {
        self.dialect.stream_options()
    }

    /// In the order of the wire, without sync points and footers, which describe the bytes and not the data.
    fn metadata(&self) -> &[(String, Vec<u8>)] {
        self.metadata.entries()
    }

    fn snapshot(&self) -> Result<Vec<u8>> {
        snapshot::take(self)
    }

    /// Sync points and footers that were ignored, and the reasons.
    fn warnings(&self) -> Vec<Warning> {
        let warning = |why: &&str| {
            Warning::new(format!("this stream has sync points, but {why}"), self.config.source.clone())
        };
        self.marks.warnings().iter().map(warning).collect()
    }

    fn position(&self) -> Position {
        Position { source: self.config.source.clone(), ..self.frames.row_position() }
    }

    #[cold]
    fn fail(&mut self, error: Error) -> Error {
        self.failed = true;
        let source = self.config.source.clone();
        let error = match self.repeated_options() {
            Some(Repeated { frame, .. }) if is_of_two_streams(error.kind()) => error.with_hint(&format!(
                "the options are repeated in frame {frame}: to read files that were joined, use framing=\"concatenated\""
            )),
            _ => error,
        };
        error.located(&Position { source, ..self.frames.position() })
    }
}

impl<S: Sink, D: Dialect<S>> Push<S> for Decoder<D> {
    fn decode(&mut self, input: &[u8], sink: &mut S) -> Result<usize> {
        refuse_failed(self.failed)?;
        self.allow_copies(input.len());
        let mut slots: Slots<'_> = self.slots;
        let mut rest = input;
        let done = self.run(&mut rest, &mut slots, sink);
        self.slots = self.detach(&slots);
        let taken = input.len() - rest.len();
        self.consumed += taken as u64;
        match done.and_then(|()| self.check_kept(sink)) {
            Ok(()) => Ok(taken),
            Err(error) => Err(self.fail(error)),
        }
    }

    fn finish(&mut self, sink: &mut S) -> Result<bool> {
        if self.finished {
            return Ok(true);
        }
        self.decode(&[], sink)?;
        if sink.is_full() {
            return Ok(false);
        }
        let done = self.finish_stream(sink);
        self.finished = done.is_ok();
        done.map(|()| true).map_err(|error| self.fail(error))
    }
}

/// Whether the error can be caused by two streams that are read as one.
fn is_of_two_streams(kind: ErrorKind) -> bool {
    kind.class() == ErrorClass::Table || kind == ErrorKind::OptionsChanged
}

#[cold]
fn misplaced((kind, message): Wrong) -> Error {
    Error::new(kind, message)
}
