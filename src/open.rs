//! From a source to rows: finds out what it is and sets the right decoder on it.

mod part;

use crate::decode::{DecodeOptions, Decoder, PatchDecoder, RdfDecoder};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::format::{OPTIONS_FIRST, PatchFormat, RdfFormat, why_not_empty};
use crate::io::{Compression, Opened, Source, is_patch, open, patch_format, rdf_format};
use crate::options::StreamOptions;
use crate::patch::Committed;
use crate::push::{Progress, Push, PushState};
use crate::reader::{Feed, Poll, Reader};
use crate::rows::RowDecoder;
use crate::sink::{PatchSink, RdfSink};
use crate::split::{AnyFormat, PartOf};
use crate::text::{Lines, LinesOptions, OtherRdf, PatchDialect, RdfPatch, TextRows};
use crate::thrift::ThriftPatch;
use crate::warning::Warning;

/// How a source is read; one list for every format.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The format of statements; `None`: told by the content, then by the name.
    pub rdf_format: Option<RdfFormat>,
    /// The format of patches, likewise.
    pub patch_format: Option<PatchFormat>,
    /// How frames lie in the bytes, what is refused, the limits, and the name of the source.
    pub decode: DecodeOptions,
    /// `None`: told by the content.
    pub compression: Option<Compression>,
    /// Only rows of committed transactions (patches).
    pub committed: bool,
    /// A source without a byte is refused where it would have to be Jelly, whose streams begin with options. A file
    /// whose name says that it has bytes is refused always. In the other formats nothing is an empty document.
    pub refuse_empty: bool,
    /// Go on where this snapshot was taken.
    pub resume: Option<Vec<u8>>,
    /// Where to begin; `None`: at the start. In Jelly a restart point. In N-Triples, N-Quads and RDF Patch any
    /// byte: the rows are those of the lines that begin at it or after it.
    pub start: Option<u64>,
    /// Where to stop, likewise; `None`: at the end.
    pub end: Option<u64>,
    /// The part to read, instead of `start` and `end`.
    pub split: Option<PartOf>,
}

/// A decoder of statements, whatever the format.
#[derive(Debug)]
pub enum AnyRdfDecoder {
    /// Jelly-RDF.
    Jelly(Box<RdfDecoder>),
    /// N-Triples or N-Quads.
    Lines(Box<RowDecoder<TextRows<Lines>>>),
}

/// A decoder of patches, whatever the format.
#[derive(Debug)]
pub enum AnyPatchDecoder {
    /// Jelly-Patch.
    Jelly(Box<PatchDecoder>),
    /// RDF Patch text.
    Text(Box<RowDecoder<TextRows<RdfPatch>>>),
    /// RDF Patch Thrift.
    Thrift(Box<RowDecoder<ThriftPatch>>),
}

macro_rules! push_each {
    ($any:ident, $sink:ident: $($variant:ident)|+) => {
        impl PushState for $any {
            fn consumed(&self) -> u64 {
                match self { $($any::$variant(decoder) => decoder.consumed(),)+ }
            }

            fn progress(&self) -> Progress {
                match self { $($any::$variant(decoder) => decoder.progress(),)+ }
            }

            fn stream_options(&self) -> Option<StreamOptions> {
                match self { $($any::$variant(decoder) => decoder.stream_options(),)+ }
            }

            fn metadata(&self) -> &[(String, Vec<u8>)] {
                match self { $($any::$variant(decoder) => PushState::metadata(&**decoder),)+ }
            }

            fn snapshot(&self) -> Result<Vec<u8>> {
                match self { $($any::$variant(decoder) => PushState::snapshot(&**decoder),)+ }
            }

            fn warnings(&self) -> Vec<Warning> {
                match self { $($any::$variant(decoder) => PushState::warnings(&**decoder),)+ }
            }

            fn position(&self) -> Position {
                match self { $($any::$variant(decoder) => PushState::position(&**decoder),)+ }
            }

            fn fail(&mut self, error: Error) -> Error {
                match self { $($any::$variant(decoder) => PushState::fail(&mut **decoder, error),)+ }
            }
        }

        impl<S: $sink> Push<S> for $any {
            fn decode(&mut self, input: &[u8], sink: &mut S) -> Result<usize> {
                match self { $($any::$variant(decoder) => Push::decode(&mut **decoder, input, sink),)+ }
            }

            fn finish(&mut self, sink: &mut S) -> Result<bool> {
                match self { $($any::$variant(decoder) => Push::finish(&mut **decoder, sink),)+ }
            }
        }
    };
}

push_each!(AnyRdfDecoder, RdfSink: Jelly | Lines);
push_each!(AnyPatchDecoder, PatchSink: Jelly | Text | Thrift);

/// Where rows come from, as far as it is not about the rows themselves.
pub trait FeedState {
    /// The decoder whose rows are delivered.
    fn decoder(&self) -> &dyn PushState;

    /// The options of the stream, once they came.
    fn stream_options(&self) -> Option<StreamOptions> {
        self.decoder().stream_options()
    }

    /// Whether the last error was that of a patch of which no row is delivered.
    fn refused_a_patch(&self) -> bool {
        false
    }

    /// What was found and passed over so far: indexes, marks.
    fn warnings(&self) -> Vec<Warning> {
        self.decoder().warnings()
    }

    /// All that a reader in another process needs to go on.
    fn snapshot(&self) -> Result<Vec<u8>> {
        self.decoder().snapshot()
    }

    /// Closes the source.
    fn close(&mut self);
}

/// Statements of a source.
pub struct RdfFeed(RdfRows);

enum RdfRows {
    Pushed(Reader<AnyRdfDecoder>),
    Other(Box<OtherRdf>),
}

impl FeedState for RdfFeed {
    fn decoder(&self) -> &dyn PushState {
        match &self.0 {
            RdfRows::Pushed(reader) => reader.decoder(),
            RdfRows::Other(other) => &**other,
        }
    }

    fn warnings(&self) -> Vec<Warning> {
        match &self.0 {
            RdfRows::Pushed(reader) => reader.warnings(),
            RdfRows::Other(_) => Vec::new(),
        }
    }

    fn close(&mut self) {
        match &mut self.0 {
            RdfRows::Pushed(reader) => reader.close(),
            RdfRows::Other(other) => other.close(),
        }
    }
}

impl<S: RdfSink> Feed<S> for RdfFeed {
    fn advance(&mut self, sink: &mut S, poll: Poll<'_>) -> Result<bool> {
        match &mut self.0 {
            RdfRows::Pushed(reader) => reader.advance(sink, poll),
            RdfRows::Other(other) => other.advance(sink, poll),
        }
    }
}

/// Rows of patches: all, or only those that count.
pub struct PatchFeed(PatchRows);

enum PatchRows {
    All(Reader<AnyPatchDecoder>),
    Committed(Box<Committed>),
}

impl FeedState for PatchFeed {
    fn decoder(&self) -> &dyn PushState {
        match &self.0 {
            PatchRows::All(reader) => reader.decoder(),
            PatchRows::Committed(committed) => committed.decoder(),
        }
    }

    fn stream_options(&self) -> Option<StreamOptions> {
        match &self.0 {
            PatchRows::All(reader) => reader.decoder().stream_options(),
            PatchRows::Committed(committed) => committed.stream_options(),
        }
    }

    fn refused_a_patch(&self) -> bool {
        matches!(&self.0, PatchRows::Committed(committed) if committed.refused_a_patch())
    }

    fn warnings(&self) -> Vec<Warning> {
        match &self.0 {
            PatchRows::All(reader) => reader.warnings(),
            PatchRows::Committed(committed) => committed.decoder().warnings(),
        }
    }

    fn snapshot(&self) -> Result<Vec<u8>> {
        match &self.0 {
            PatchRows::All(reader) => reader.decoder().snapshot(),
            PatchRows::Committed(_) => Err(Error::new(ErrorKind::Argument, "a snapshot needs rows=\"all\"")),
        }
    }

    fn close(&mut self) {
        match &mut self.0 {
            PatchRows::All(reader) => reader.close(),
            PatchRows::Committed(committed) => committed.close(),
        }
    }
}

impl<S: PatchSink> Feed<S> for PatchFeed {
    fn advance(&mut self, sink: &mut S, poll: Poll<'_>) -> Result<bool> {
        match &mut self.0 {
            PatchRows::All(reader) => reader.advance(sink, poll),
            PatchRows::Committed(committed) => committed.advance(sink, poll),
        }
    }
}

/// What a source turned out to be: readable, or certainly not what was asked for.
pub struct Found<F, K> {
    /// The rows.
    pub feed: F,
    /// The format.
    pub format: K,
    /// Why nothing of it can be read.
    pub refused: Option<Error>,
}

/// Statements or rows of patches.
pub enum AnyFound {
    /// Statements.
    Rdf(Found<RdfFeed, RdfFormat>),
    /// Rows of patches.
    Patch(Found<PatchFeed, PatchFormat>),
}

/// Opens a source of either kind: by the format that is told, else by the content, else by the name.
pub fn open_any(source: Source, options: &OpenOptions) -> Result<AnyFound> {
    let name = file_name(&source, options);
    let opened = open_bytes(source, options)?;
    if holds_patches(&opened, options, name.as_deref()) {
        return patch_feed(opened, name, options).map(AnyFound::Patch);
    }
    rdf_feed(opened, name, options).map(AnyFound::Rdf)
}

fn holds_patches(opened: &Opened, options: &OpenOptions, name: Option<&str>) -> bool {
    match (options.rdf_format, options.patch_format) {
        (None, None) => is_patch(&opened.start, options.decode.framing, name),
        (_, told) => told.is_some(),
    }
}

/// A source whose format is known.
pub(crate) struct FoundFormat {
    pub(crate) opened: Opened,
    pub(crate) format: AnyFormat,
    /// It holds something else.
    pub(crate) is_refused: bool,
}

/// Finds the format of a source of either kind, as [`open_any`] does.
pub(crate) fn find_format(source: Source, options: &OpenOptions) -> Result<FoundFormat> {
    let name = file_name(&source, options);
    let opened = open_bytes(source, options)?;
    let (format, refused) = if holds_patches(&opened, options, name.as_deref()) {
        let (format, refused) = options.find_patch(&opened, name.as_deref());
        (AnyFormat::Patch(format), refused)
    } else {
        let (format, refused) = options.find_rdf(&opened, name.as_deref());
        (AnyFormat::Rdf(format), refused)
    };
    Ok(FoundFormat { opened, format, is_refused: refused.is_some() })
}

impl OpenOptions {
    fn find_rdf(&self, opened: &Opened, name: Option<&str>) -> (RdfFormat, Option<Error>) {
        let told = self.rdf_format.or(self.resume.as_ref().map(|_| RdfFormat::Jelly));
        let found =
            found(told, self, RdfFormat::Jelly, || rdf_format(&opened.start, self.decode.framing, name));
        self.refused_if_empty(found, RdfFormat::Jelly, opened, name)
    }

    fn find_patch(&self, opened: &Opened, name: Option<&str>) -> (PatchFormat, Option<Error>) {
        let told = self.patch_format.or(self.resume.as_ref().map(|_| PatchFormat::Jelly));
        let found =
            found(told, self, PatchFormat::Jelly, || patch_format(&opened.start, self.decode.framing, name));
        self.refused_if_empty(found, PatchFormat::Jelly, opened, name)
    }

    fn refused_if_empty<F: PartialEq>(
        &self,
        (format, refused): (F, Option<Error>),
        jelly: F,
        opened: &Opened,
        name: Option<&str>,
    ) -> (F, Option<Error>) {
        if !opened.start.is_empty() || self.resume.is_some() || refused.is_some() {
            return (format, refused);
        }
        let told = self.refuse_empty && format == jelly;
        let why = name
            .and_then(|name| why_not_empty(name, opened.compression != Compression::None))
            .or_else(|| told.then(|| OPTIONS_FIRST.to_owned()));
        let Some(why) = why else { return (format, refused) };
        let message = format!("there are no bytes, but {why}");
        let hint = "an upload that failed leaves this; leave such inputs out";
        let error = Error::new(ErrorKind::TruncatedStream, message).with_hint(hint);
        (format, Some(locate(self, error)))
    }
}

/// Opens a source of statements.
pub fn open_rdf(source: Source, options: &OpenOptions) -> Result<Found<RdfFeed, RdfFormat>> {
    let name = file_name(&source, options);
    rdf_feed(open_bytes(source, options)?, name, options)
}

fn rdf_feed(
    opened: Opened,
    name: Option<String>,
    options: &OpenOptions,
) -> Result<Found<RdfFeed, RdfFormat>> {
    let config = options.decode.clone();
    let (format, refused) = options.find_rdf(&opened, name.as_deref());
    if options.is_part() {
        return refused.map_or_else(|| part::rdf(opened, format, options), Err);
    }
    if let Some(snapshot) = &options.resume {
        refuse_resume(format != RdfFormat::Jelly)?;
        let decoder = AnyRdfDecoder::Jelly(Box::new(RdfDecoder::resume(config, snapshot)?));
        let rows = RdfRows::Pushed(Reader::new(decoder, opened.stream));
        return Ok(Found { feed: RdfFeed(rows), format, refused });
    }
    let decoder = match format {
        RdfFormat::Jelly => AnyRdfDecoder::Jelly(Box::new(Decoder::new(config))),
        RdfFormat::NTriples | RdfFormat::NQuads => {
            let rows = TextRows::lines(lines_options(format, &config), &config.limits);
            AnyRdfDecoder::Lines(Box::new(RowDecoder::new(rows, &config.limits, config.source)))
        }
        other => {
            let other = OtherRdf::new(other, opened.stream, &config);
            return Ok(Found { feed: RdfFeed(RdfRows::Other(Box::new(other))), format, refused });
        }
    };
    Ok(Found { feed: RdfFeed(RdfRows::Pushed(Reader::new(decoder, opened.stream))), format, refused })
}

/// Opens a source of patches.
pub fn open_patch(source: Source, options: &OpenOptions) -> Result<Found<PatchFeed, PatchFormat>> {
    let name = file_name(&source, options);
    patch_feed(open_bytes(source, options)?, name, options)
}

fn patch_feed(
    opened: Opened,
    name: Option<String>,
    options: &OpenOptions,
) -> Result<Found<PatchFeed, PatchFormat>> {
    if options.committed && options.resume.is_some() {
        return Err(Error::new(ErrorKind::Argument, "resume goes with rows=\"all\" only"));
    }
    let config = &options.decode;
    let (format, refused) = options.find_patch(&opened, name.as_deref());
    if options.is_part() {
        return refused.map_or_else(|| part::patch(opened, format, options), Err);
    }
    let rows = if let Some(snapshot) = &options.resume {
        refuse_resume(format != PatchFormat::Jelly)?;
        let decoder = PatchDecoder::resume(config.clone(), snapshot)?;
        PatchRows::All(Reader::new(AnyPatchDecoder::Jelly(Box::new(decoder)), opened.stream))
    } else if options.committed {
        let mut decoders = [AnyPatchDecoder::new(format, config)?, AnyPatchDecoder::new(format, config)?];
        for decoder in &mut decoders {
            if let AnyPatchDecoder::Jelly(decoder) = decoder {
                decoder.keep_half();
            }
        }
        let committed = Committed::new(opened, config, decoders)?;
        PatchRows::Committed(Box::new(committed))
    } else {
        PatchRows::All(Reader::new(AnyPatchDecoder::new(format, config)?, opened.stream))
    };
    Ok(Found { feed: PatchFeed(rows), format, refused })
}

impl AnyPatchDecoder {
    /// A decoder at the start of a stream.
    pub fn new(format: PatchFormat, config: &DecodeOptions) -> Result<Self> {
        let dialect = match format {
            PatchFormat::Jelly => {
                return Ok(AnyPatchDecoder::Jelly(Box::new(Decoder::new(config.clone()))));
            }
            PatchFormat::RdfPatch => patch_dialect(config),
            PatchFormat::RdfPatchV1 => PatchDialect::V1,
            PatchFormat::Thrift => {
                let rows = ThriftPatch::new(&config.limits, config.strict);
                let decoder = RowDecoder::new(rows, &config.limits, config.source.clone());
                return Ok(AnyPatchDecoder::Thrift(Box::new(decoder)));
            }
        };
        let rows = TextRows::patch(dialect, config.strict, &config.limits);
        Ok(AnyPatchDecoder::Text(Box::new(RowDecoder::new(rows, &config.limits, config.source.clone()))))
    }
}

fn lines_options(format: RdfFormat, config: &DecodeOptions) -> LinesOptions {
    LinesOptions {
        triples: format == RdfFormat::NTriples,
        generalized: config.lenient_flags,
        strict: config.strict,
    }
}

fn patch_dialect(config: &DecodeOptions) -> PatchDialect {
    if config.strict { PatchDialect::Strict } else { PatchDialect::Any }
}

/// The name that tells the format: of the file, or what the source is called.
fn file_name(source: &Source, options: &OpenOptions) -> Option<String> {
    match source {
        Source::Path(path) => Some(path.to_string_lossy().into_owned()),
        _ => options.decode.source.as_deref().map(str::to_owned),
    }
}

fn locate(options: &OpenOptions, error: Error) -> Error {
    error.located(&Position { source: options.decode.source.clone(), ..Position::default() })
}

fn open_bytes(source: Source, options: &OpenOptions) -> Result<Opened> {
    let config = &options.decode;
    let opened = options
        .check_part(&source)
        .and_then(|()| open(source, options.compression, config.framing, &config.limits));
    opened.map_err(|error| locate(options, error))
}

/// The format that is told or found; content of another kind is told beside one that stands for it.
fn found<F>(
    told: Option<F>,
    options: &OpenOptions,
    stands: F,
    find: impl FnOnce() -> Result<F>,
) -> (F, Option<Error>) {
    if let Some(told) = told {
        return (told, None);
    }
    match find() {
        Ok(format) => (format, None),
        Err(error) => (stands, Some(locate(options, error))),
    }
}

#[cold]
pub(crate) fn argument(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Argument, message)
}

fn refuse_resume(refused: bool) -> Result<()> {
    if refused {
        return Err(Error::new(ErrorKind::Argument, "resume is for Jelly streams only"));
    }
    Ok(())
}
