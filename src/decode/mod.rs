//! The push decoder: bytes in, rows out, no I/O.
//!
//! `delimiter -> frame -> row -> lookup, iri, repeat -> rdf | patch`. Bytes may come in pieces of any
//! size; a piece is decoded where it lies, and only a row that it cuts is copied.

mod delimiter;
mod dialect;
mod frame;
mod iri;
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
mod snapshot;
mod term;

use std::sync::Arc;

pub use delimiter::Framing;
pub(crate) use delimiter::detect;
pub use dialect::{Dialect, DialectState};
pub(crate) use frame::{Event, FrameReader};
pub(crate) use lookup::TableKind;
pub(crate) use marks::{Entry, Repeated};
pub(crate) use options::{PATCH_VERSION, RDF_VERSION};
pub use patch::Patch;
pub use rdf::Rdf;

use crate::error::{Error, ErrorClass, ErrorKind, Position, Result};
use crate::index::{FOOTER_KEY, MARK_KEY};
use crate::limits::{EXPANSION_GRACE, Limits, MAX_NESTING};
use crate::options::StreamOptions;
use crate::push::{Progress, Push, PushState};
use crate::sink::Sink;
use crate::warning::Warning;
use dialect::{Context, Halt};
use frame::{FramePlace, Located};
use marks::{Marks, Wrong};
use metadata::Metadata;
pub(crate) use metadata::metadata_entry;
use repeat::{Slot, Slots};
pub(crate) use row::Place;
use term::Terms;

/// How to read a stream of either format.
#[derive(Clone, Debug)]
pub struct DecodeOptions {
    /// How frames lie in the bytes.
    pub framing: Framing,
    /// Refuse what the specifications only advise against.
    pub strict: bool,
    /// Accept quoted triples and generalized terms that the options do not declare.
    pub lenient_flags: bool,
    /// Refuse a graph start inside a graph.
    pub strict_graphs: bool,
    /// Bounds.
    pub limits: Limits,
    /// Name of the stream, for errors.
    pub source: Option<Arc<str>>,
}

impl Default for DecodeOptions {
    fn default() -> Self {
        DecodeOptions {
            framing: Framing::Auto,
            strict: false,
            lenient_flags: false,
            strict_graphs: true,
            limits: Limits::default(),
            source: None,
        }
    }
}

/// Decodes a stream that is pushed in pieces.
///
/// ```
/// use jelly_patch::decode::{DecodeOptions, PatchDecoder};
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
    /// Where the last terms are, between two calls.
    slots: Slots<'static>,
    config: DecodeOptions,
    metadata: Metadata,
    marks: Marks,
    consumed: u64,
    /// Bytes of terms that may be copied; see [`repeat::Held`].
    copies: u64,
    /// See [`Limits::kept_bytes`].
    most_kept: usize,
    /// After an error nothing can be trusted.
    failed: bool,
    finished: bool,
}

/// Decodes Jelly-RDF.
pub type RdfDecoder = Decoder<Rdf>;
/// Decodes Jelly-Patch.
pub type PatchDecoder = Decoder<Patch>;

impl<D: DialectState> Decoder<D> {
    /// A decoder at the start of a stream.
    pub fn new(mut config: DecodeOptions) -> Self {
        let limits = &mut config.limits;
        limits.nesting = limits.nesting.min(MAX_NESTING);
        Decoder {
            most_kept: limits.kept_bytes(),
            frames: FrameReader::new(config.framing, D::KNOWS_METADATA),
            dialect: D::default(),
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

    /// Two decoders of one source may keep together what one may keep alone.
    pub(crate) fn keep_half(&mut self) {
        self.most_kept /= 2;
    }

    /// A decoder whose input begins at a restart mark; that and the options must be there.
    pub(crate) fn enter(mut config: DecodeOptions, entry: Entry) -> Result<Self> {
        match config.framing {
            Framing::Auto => config.framing = Framing::Delimited,
            Framing::Single => {
                return Err(Error::new(ErrorKind::Argument, "a single frame has no restart points"));
            }
            Framing::Delimited | Framing::Concatenated => {}
        }
        let Some(place) = entry.mark.counters.after(entry.base) else {
            return Err(Error::new(ErrorKind::WireMark, "a restart point that cannot be"));
        };
        let mut decoder = Decoder::<D>::new(config);
        decoder.dialect.begin_at(place);
        decoder.frames.resume(place.frame, 0, entry.offset, FramePlace::Between);
        decoder.consumed = entry.offset;
        decoder.marks = Marks::entering(entry);
        Ok(decoder)
    }

    /// Restart marks and footers that were passed over, and why.
    pub fn warnings(&self) -> Vec<Warning> {
        let warning =
            |why: &&str| Warning::new(format!("a seekable stream, but {why}"), self.config.source.clone());
        self.marks.warnings().iter().map(warning).collect()
    }

    /// Options rows that began nothing: how many, and the frame of the first.
    pub(crate) fn repeated_options(&self) -> Option<Repeated> {
        self.marks.repeated()
    }

    /// Metadata of the frame that began last (`RdfStreamFrame.metadata`), in the order of the wire; restart
    /// marks and footers, which are about bytes and not about data, are not among it.
    pub fn metadata(&self) -> &[(String, Vec<u8>)] {
        self.metadata.entries()
    }

    /// Offset of the first byte that is not decoded: after the last row or frame.
    pub fn offset(&self) -> u64 {
        self.frames.offset()
    }

    /// Bytes taken so far, those of an incomplete row included.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Frames that began.
    pub fn frames(&self) -> u64 {
        self.frames.frames()
    }

    /// The framing: what was asked for, or what was found.
    pub fn framing(&self) -> Framing {
        self.frames.framing()
    }

    /// What the rows left behind: options and counters.
    pub fn state(&self) -> &D {
        &self.dialect
    }

    /// How to read.
    pub fn config(&self) -> &DecodeOptions {
        &self.config
    }

    /// Decodes until `input` is used up or the sink is full; returns how many bytes were taken.
    ///
    /// All of `input` is taken unless the sink is full. After an error every call fails.
    pub fn decode<S: Sink>(&mut self, input: &[u8], sink: &mut S) -> Result<usize>
    where
        D: Dialect<S>,
    {
        self.check_alive()?;
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

    /// The input is complete: delivers what its end implies, or fails if it ends too early.
    ///
    /// Does nothing while the sink is full; returns whether the stream is finished.
    pub fn finish<S: Sink>(&mut self, sink: &mut S) -> Result<bool>
    where
        D: Dialect<S>,
    {
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
        self.dialect.stream_end(self.config.strict, sink)?;
        self.marks.check_end(self.dialect.place(self.frames.frames())).map_err(misplaced)
    }

    fn run<'a, S: Sink>(&mut self, rest: &mut &'a [u8], slots: &mut Slots<'a>, sink: &mut S) -> Result<()>
    where
        D: Dialect<S>,
    {
        while !sink.is_full() {
            if self.dialect.deliver_pending(sink)? {
                continue;
            }
            if let Some(row) = self.frames.next_row(rest) {
                self.row(row, slots, sink)?;
                continue;
            }
            match self.frames.next(rest, &self.config.limits)? {
                Event::Row(row) => self.row(row, slots, sink)?,
                Event::NeedInput => break,
                Event::FrameStart => self.metadata.clear(),
                Event::CarriedRow => self.carried_row(slots, sink)?,
                Event::Metadata => {
                    self.read_metadata()?;
                    self.check_kept(sink)?;
                }
                Event::FrameEnd => self.frame_end(sink)?,
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn row<'a, S: Sink>(&mut self, row: Located<'a>, slots: &mut Slots<'a>, sink: &mut S) -> Result<()>
    where
        D: Dialect<S>,
    {
        self.row_or_merged(row, slots, sink).map_err(|error| self.in_row(error))
    }

    #[cold]
    fn in_row(&self, error: Error) -> Error {
        error.located(&self.frames.row_position())
    }

    #[inline(always)]
    fn row_or_merged<'a, S: Sink>(
        &mut self,
        row: Located<'a>,
        slots: &mut Slots<'a>,
        sink: &mut S,
    ) -> Result<()>
    where
        D: Dialect<S>,
    {
        let ids = self.terms.as_ref().map(|terms| terms.ids);
        let frame = self.frames.frames() - 1;
        let context = Context {
            terms: &mut self.terms,
            slots,
            config: &self.config,
            frame,
            row: self.frames.rows() - 1,
            marks: &mut self.marks,
            copies: self.copies,
            kept: (&self.metadata, self.most_kept),
        };
        let Err(halt) = self.dialect.row(row.bytes, context, sink) else {
            return Ok(());
        };
        match halt {
            Halt::Fault(fault) if fault.wants_merge() => {
                if let (Some(terms), Some(ids)) = (&mut self.terms, ids) {
                    terms.ids = ids;
                }
                self.merged_row(row, slots, sink)
            }
            Halt::Fault(fault) => Err(fault.locate(row.bytes, row.offset)),
            Halt::Sink(error) => Err(at(error, row.offset)),
        }
    }

    /// A row that the input cut in two: its terms do not outlive it.
    #[cold]
    fn carried_row<S: Sink>(&mut self, slots: &mut Slots<'_>, sink: &mut S) -> Result<()>
    where
        D: Dialect<S>,
    {
        let mut short = self.detach(slots);
        let (carry, header) = self.frames.lend_carry();
        let offset = self.frames.carried_offset();
        let done = self.row(Located { bytes: &carry[header..], offset }, &mut short, sink);
        *slots = self.detach(&short);
        self.frames.return_carry(carry);
        done.and_then(|()| self.check_kept(sink))
    }

    /// A row with members that come twice.
    #[cold]
    fn merged_row<S: Sink>(&mut self, row: Located<'_>, slots: &mut Slots<'_>, sink: &mut S) -> Result<()>
    where
        D: Dialect<S>,
    {
        let merged = merge::merge(D::ROW, row.bytes, &self.config.limits)
            .map_err(|fault| fault.locate(row.bytes, row.offset))?;
        let mut short = self.detach(slots);
        let frame = self.frames.frames() - 1;
        let context = Context {
            terms: &mut self.terms,
            slots: &mut short,
            config: &self.config,
            frame,
            row: self.frames.rows() - 1,
            marks: &mut self.marks,
            copies: self.copies,
            kept: (&self.metadata, self.most_kept),
        };
        let done = self.dialect.row(&merged, context, sink).map_err(|halt| match halt {
            Halt::Fault(fault) => fault.locate(&merged, row.offset).moved_to(row.offset),
            Halt::Sink(error) => at(error, row.offset),
        });
        *slots = self.detach(&short);
        done
    }

    fn frame_end<S: Sink>(&mut self, sink: &mut S) -> Result<()>
    where
        D: Dialect<S>,
    {
        self.dialect.frame_end(self.config.strict, sink)?;
        self.marks.frame_end(self.frames.offset(), self.frames.frames()).map_err(misplaced)?;
        sink.frame_end(self.metadata.entries())
    }

    /// A metadata entry; in Jelly-Patch, whose frames have none, what does not look like one is passed over.
    #[cold]
    fn read_metadata(&mut self) -> Result<()> {
        let entry = self.frames.carried();
        let limits = &self.config.limits;
        match metadata_entry(entry.bytes, limits.nesting) {
            Ok((MARK_KEY, value)) => {
                let place = |wrong| at(misplaced(wrong), entry.offset);
                self.marks.mark(value, self.frames.rows()).map_err(place)?;
            }
            Ok((FOOTER_KEY, value)) => self.marks.footer(value),
            Ok((key, value)) => self.metadata.insert(key, value),
            Err(fault) if D::KNOWS_METADATA => {
                return Err(fault.within("metadata").locate(entry.bytes, entry.offset));
            }
            Err(_) => {}
        }
        if self.metadata.bytes() <= limits.row_bytes {
            return Ok(());
        }
        let message = format!("metadata of more than {} bytes", limits.row_bytes);
        let error = Error::limit(ErrorKind::LimitRow, "row_bytes", message);
        Err(at(error.with_field("metadata".to_owned()), entry.offset))
    }

    /// What is kept from row to row stays within its bound.
    fn check_kept<S: Sink>(&self, sink: &S) -> Result<()> {
        let options = 2 * self.dialect.options_bytes().map_or(0, <[u8]>::len); // as bytes and as what they say
        let beside = options + self.metadata.bytes() + sink.kept_bytes();
        check_kept(self.terms.as_ref(), beside, self.most_kept)
    }

    /// Copies grow with the input, as text may.
    fn allow_copies(&mut self, input: usize) {
        self.copies = match self.config.limits.expansion {
            0 => u64::MAX,
            expansion => (self.consumed + input as u64).saturating_mul(expansion).max(EXPANSION_GRACE),
        };
        if let Some(terms) = &mut self.terms {
            terms.held.allowed = self.copies;
        }
    }

    fn detach(&mut self, slots: &Slots<'_>) -> Slots<'static> {
        match &mut self.terms {
            Some(terms) => terms.held.detach(slots, &terms.lookups),
            None => [Slot::Unset; 4],
        }
    }

    fn check_alive(&self) -> Result<()> {
        if self.failed {
            let message = "this decoder failed before; nothing after its error can be trusted";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        Ok(())
    }

    /// Gives up: puts the error where the stream stands.
    #[cold]
    pub(crate) fn fail(&mut self, error: Error) -> Error {
        self.failed = true;
        let source = self.config.source.clone();
        let error = match self.repeated_options() {
            Some(Repeated { frame, .. }) if is_of_two_streams(error.kind()) => error.with_hint(&format!(
                "the options came again in frame {frame}: read files that were put end to end with \
                 framing=\"concatenated\""
            )),
            _ => error,
        };
        error.located(&Position { source, ..self.frames.position() })
    }
}

/// Whether it can come of two streams that are read as one.
fn is_of_two_streams(kind: ErrorKind) -> bool {
    kind.class() == ErrorClass::Table || kind == ErrorKind::OptionsChanged
}

impl<D: DialectState> PushState for Decoder<D> {
    fn consumed(&self) -> u64 {
        self.consumed()
    }

    fn progress(&self) -> Progress {
        Progress { frame: self.frames().checked_sub(1), rows: self.dialect.rows(), offset: self.offset() }
    }

    fn stream_options(&self) -> Option<StreamOptions> {
        self.dialect.stream_options()
    }

    fn metadata(&self) -> &[(String, Vec<u8>)] {
        self.metadata()
    }

    fn snapshot(&self) -> Result<Vec<u8>> {
        self.snapshot()
    }

    fn warnings(&self) -> Vec<Warning> {
        self.warnings()
    }

    fn position(&self) -> Position {
        Position { source: self.config.source.clone(), ..self.frames.row_position() }
    }

    fn fail(&mut self, error: Error) -> Error {
        self.fail(error)
    }
}

impl<S: Sink, D: Dialect<S>> Push<S> for Decoder<D> {
    fn decode(&mut self, input: &[u8], sink: &mut S) -> Result<usize> {
        self.decode(input, sink)
    }

    fn finish(&mut self, sink: &mut S) -> Result<bool> {
        self.finish(sink)
    }
}

/// Refuses to keep more than `most` bytes in tables, terms and `beside` them.
fn check_kept(terms: Option<&Terms>, beside: usize, most: usize) -> Result<()> {
    let kept = beside + terms.map_or(0, |terms| terms.lookups.bytes() + terms.held.bytes());
    if kept <= most {
        return Ok(());
    }
    let message =
        format!("lookup tables, namespaces, metadata and last terms hold {kept} bytes, more than {most}");
    Err(Error::limit(ErrorKind::LimitLookup, "lookup_bytes", message))
}

#[cold]
fn misplaced((kind, message): Wrong) -> Error {
    Error::new(kind, message)
}

#[cold]
fn at(error: Error, offset: u64) -> Error {
    error.located(&Position { offset: Some(offset), ..Position::default() })
}
