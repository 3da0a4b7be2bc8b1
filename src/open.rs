//! From a source to rows: finds out what it is and sets the right decoder on it.

use std::sync::Arc;

use crate::decode::{DecodeOptions, Decoder, Dialect, PatchDecoder, RdfDecoder};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::index::{Part, ToOptions, enter};
use crate::io::{Compression, Content, Opened, Source, expect, open};
use crate::options::StreamOptions;
use crate::patch::Committed;
use crate::push::{Progress, Push, PushState};
use crate::reader::{Feed, Poll, Reader};
use crate::sink::{PatchSink, RdfSink};
use crate::warning::Warning;

/// How a source is read; one list for every format.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The format is told, so the first bytes are not looked at.
    pub format_is_told: bool,
    /// How frames lie in the bytes, what is refused, the limits, and the name of the source.
    pub decode: DecodeOptions,
    /// `None`: told by the content.
    pub compression: Option<Compression>,
    /// Only rows of committed transactions (patches).
    pub committed: bool,
    /// Go on where this snapshot was taken.
    pub resume: Option<Vec<u8>>,
    /// The restart point to begin at; `None`: the start.
    pub start: Option<u64>,
    /// The restart point to stop before; `None`: the end.
    pub end: Option<u64>,
}

impl OpenOptions {
    fn is_part(&self) -> bool {
        self.end.is_some() || self.start.is_some_and(|start| start > 0)
    }

    fn part<D: Dialect<ToOptions>>(&self, source: Source, wanted: Content) -> Result<Part<D>> {
        if self.committed {
            let message = "start and end go with rows=\"all\": a transaction may end in another part";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        if self.resume.is_some() {
            return Err(Error::new(ErrorKind::Argument, "resume does not go with start and end"));
        }
        let name = self.decode.source.clone();
        enter(source, self, wanted)
            .map_err(|error| error.located(&Position { source: name, ..Position::default() }))
    }
}

/// A decoder of statements, whatever the format.
#[derive(Debug)]
pub enum AnyRdfDecoder {
    /// Jelly-RDF.
    Jelly(Box<RdfDecoder>),
}

/// A decoder of patches, whatever the format.
#[derive(Debug)]
pub enum AnyPatchDecoder {
    /// Jelly-Patch.
    Jelly(Box<PatchDecoder>),
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

push_each!(AnyRdfDecoder, RdfSink: Jelly);
push_each!(AnyPatchDecoder, PatchSink: Jelly);

/// Where rows come from, as far as it is not about the rows themselves.
pub trait FeedState {
    /// The decoder whose rows are delivered.
    fn decoder(&self) -> &dyn PushState;

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
pub struct RdfFeed(Reader<AnyRdfDecoder>);

impl FeedState for RdfFeed {
    fn decoder(&self) -> &dyn PushState {
        self.0.decoder()
    }

    fn warnings(&self) -> Vec<Warning> {
        self.0.warnings()
    }

    fn close(&mut self) {
        self.0.close();
    }
}

impl<S: RdfSink> Feed<S> for RdfFeed {
    fn advance(&mut self, sink: &mut S, poll: Poll<'_>) -> Result<bool> {
        self.0.advance(sink, poll)
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
pub struct Found<F> {
    /// The rows.
    pub feed: F,
    /// Why nothing of it can be read.
    pub refused: Option<Error>,
}

/// Opens a source of statements.
pub fn open_rdf(source: Source, options: &OpenOptions) -> Result<Found<RdfFeed>> {
    if options.is_part() {
        let mut part = options.part(source, Content::JellyRdf)?;
        let refused = part.refused.take();
        let reader = Reader::of_part(|decoder| AnyRdfDecoder::Jelly(Box::new(decoder)), part);
        return Ok(Found { feed: RdfFeed(reader), refused });
    }
    let (opened, refused) = open_as(source, options, Content::JellyRdf)?;
    let config = options.decode.clone();
    let decoder = match &options.resume {
        Some(snapshot) => RdfDecoder::resume(config, snapshot)?,
        None => Decoder::new(config),
    };
    let decoder = AnyRdfDecoder::Jelly(Box::new(decoder));
    Ok(Found { feed: RdfFeed(Reader::new(decoder, opened.stream)), refused })
}

/// Opens a source of patches.
pub fn open_patch(source: Source, options: &OpenOptions) -> Result<Found<PatchFeed>> {
    if options.committed && options.resume.is_some() {
        return Err(Error::new(ErrorKind::Argument, "resume goes with rows=\"all\" only"));
    }
    if options.is_part() {
        let mut part = options.part(source, Content::JellyPatch)?;
        let refused = part.refused.take();
        let reader = Reader::of_part(|decoder| AnyPatchDecoder::Jelly(Box::new(decoder)), part);
        return Ok(Found { feed: PatchFeed(PatchRows::All(reader)), refused });
    }
    let (opened, refused) = open_as(source, options, Content::JellyPatch)?;
    let config = options.decode.clone();
    let decoder = match &options.resume {
        Some(snapshot) => PatchDecoder::resume(config, snapshot)?,
        None => Decoder::new(config),
    };
    let decoder = AnyPatchDecoder::Jelly(Box::new(decoder));
    let rows = if options.committed {
        PatchRows::Committed(Box::new(Committed::new(opened, &options.decode, || {
            AnyPatchDecoder::Jelly(Box::new(Decoder::new(options.decode.clone())))
        })?))
    } else {
        PatchRows::All(Reader::new(decoder, opened.stream))
    };
    Ok(Found { feed: PatchFeed(rows), refused })
}

/// Opens a source; content of another kind is told beside it.
fn open_as(source: Source, options: &OpenOptions, wanted: Content) -> Result<(Opened, Option<Error>)> {
    let name: Option<Arc<str>> = options.decode.source.clone();
    let locate = |error: Error| error.located(&Position { source: name.clone(), ..Position::default() });
    let framing = options.decode.framing;
    let opened = open(source, options.compression, framing, &options.decode.limits).map_err(locate)?;
    if options.format_is_told || options.resume.is_some() {
        return Ok((opened, None));
    }
    let refused = expect(&opened.start, framing, wanted).map_err(locate).err();
    Ok((opened, refused))
}
