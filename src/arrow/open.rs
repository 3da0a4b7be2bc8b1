//! From a source to batches in one step.

use std::sync::Arc;

use super::reader::{BatchReader, Mode};
use super::settings::BatchSettings;
use super::{PatchBatches, RdfBatches};
use crate::decode::{DecodeOptions, Decoder, Framing, Patch, Rdf};
use crate::error::{Error, ErrorClass, ErrorKind, Result};
use crate::io::{Compression, Content, Opened, Source, expect, open};
use crate::options::PatchOptions;
use crate::patch::Committed;
use crate::reader::{Feed, Poll, Reader};
use crate::sink::{PatchSink, RdfSink};

/// How a source is read; one list for both formats.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format is told, so the first bytes are not looked at.
    pub format_is_told: bool,
    /// How frames lie in the bytes, what is refused, the limits, and the name of the source.
    pub decode: DecodeOptions,
    /// `None`: told by the content.
    pub compression: Option<Compression>,
    /// What the batches hold; limits and source are those of `decode`.
    pub batch: BatchSettings,
    /// What an error of the input does; decides about the column for errors, too.
    pub mode: Mode,
    /// Only rows of committed transactions (patches).
    pub committed: bool,
    /// Go on where this snapshot was taken.
    pub resume: Option<Vec<u8>>,
}

/// Batches of Jelly-RDF.
pub type RdfReader = BatchReader<Reader<Rdf>, RdfBatches>;
/// Batches of Jelly-Patch.
pub type PatchReader = BatchReader<PatchFeed, PatchBatches>;

/// All rows of patches, or only those that count.
pub enum PatchFeed {
    /// All rows.
    All(Box<Reader<Patch>>),
    /// Rows of committed transactions.
    Committed(Box<Committed>),
}

impl PatchFeed {
    /// The reader whose rows are delivered.
    pub fn reader(&self) -> &Reader<Patch> {
        match self {
            PatchFeed::All(reader) => reader,
            PatchFeed::Committed(committed) => committed.reader(),
        }
    }

    /// Closes the source.
    pub fn close(&mut self) {
        match self {
            PatchFeed::All(reader) => reader.close(),
            PatchFeed::Committed(committed) => committed.close(),
        }
    }
}

impl<S: PatchSink> Feed<S> for PatchFeed {
    fn advance(&mut self, sink: &mut S, poll: Poll<'_>) -> Result<bool> {
        match self {
            PatchFeed::All(reader) => reader.advance(sink, poll),
            PatchFeed::Committed(committed) => committed.advance(sink, poll),
        }
    }
}

/// Reads Jelly-RDF.
pub fn read_rdf(source: Source, options: &ReadOptions) -> Result<RdfReader> {
    let (opened, failure) = open_source(source, options, Content::JellyRdf)?;
    let mut batches = RdfBatches::new(options.batch_settings())?;
    let decoder = match &options.resume {
        Some(snapshot) => Decoder::<Rdf>::resume(options.decode.clone(), snapshot)?,
        None => Decoder::new(options.decode.clone()),
    };
    if let Some(options) = decoder.state().options() {
        batches.options(options)?;
    }
    let feed = Reader::new(decoder, opened.stream);
    let mut reader = BatchReader::new(feed, batches, options.mode, &options.decode.limits);
    if let Some(error) = failure {
        reader.fail(error);
    }
    Ok(reader)
}

/// Reads Jelly-Patch.
pub fn read_patch(source: Source, options: &ReadOptions) -> Result<PatchReader> {
    let (opened, failure) = open_source(source, options, Content::JellyPatch)?;
    let mut batches = PatchBatches::new(options.batch_settings())?;
    let feed = match &options.resume {
        Some(_) if options.committed => {
            let message = "resume goes with rows=\"all\" only";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        None if options.committed && options.mode == Mode::Permissive => {
            let message =
                "rows=\"committed\" goes with mode=\"failfast\" only: what follows an error is unknown";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        Some(snapshot) => {
            let decoder = Decoder::<Patch>::resume(options.decode.clone(), snapshot)?;
            if let Some(options) = decoder.state().options() {
                let options: PatchOptions = *options;
                batches.options(&options)?;
            }
            PatchFeed::All(Box::new(Reader::new(decoder, opened.stream)))
        }
        None if options.committed => PatchFeed::Committed(Box::new(Committed::new(opened, &options.decode)?)),
        None => {
            let decoder = Decoder::new(options.decode.clone());
            PatchFeed::All(Box::new(Reader::new(decoder, opened.stream)))
        }
    };
    let mut reader = BatchReader::new(feed, batches, options.mode, &options.decode.limits);
    if let Some(error) = failure {
        reader.fail(error);
    }
    Ok(reader)
}

impl ReadOptions {
    fn batch_settings(&self) -> BatchSettings {
        BatchSettings {
            corrupt_record: self.mode == Mode::Permissive,
            source: self.decode.source.clone(),
            limits: self.decode.limits.clone(),
            ..self.batch.clone()
        }
    }
}

/// Opens a source; content of another kind is an error at once, or the one corrupt record in permissive mode.
fn open_source(source: Source, options: &ReadOptions, wanted: Content) -> Result<(Opened, Option<Error>)> {
    let name: Option<Arc<str>> = options.decode.source.clone();
    let locate =
        |error: Error| error.located(&crate::Position { source: name.clone(), ..Default::default() });
    let opened =
        open(source, options.compression, options.decode.framing, &options.decode.limits).map_err(locate)?;
    if options.format_is_told || options.resume.is_some() {
        return Ok((opened, None));
    }
    let framing: Framing = options.decode.framing;
    match expect(&opened.start, framing, wanted).map_err(locate) {
        Ok(()) => Ok((opened, None)),
        Err(error) if options.mode == Mode::Permissive && error.kind().class() != ErrorClass::Io => {
            Ok((opened, Some(error)))
        }
        Err(error) => Err(error),
    }
}
