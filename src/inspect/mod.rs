//! The contents of a stream, counted, and what its specification advises against.

mod advice;
mod count;
mod frequencies;
mod patch;
mod rdf;
mod statistics;

use std::io::{ErrorKind as IoKind, Read};

pub use advice::Advice;
pub use frequencies::Frequencies;
pub use patch::Transactions;
pub use statistics::{Statistics, ValueCounts, statistics};

use crate::decode::{DecodeOptions, Decoder, Dialect, Framing};
use crate::error::{Error, ErrorClass, ErrorKind, Position, Result};
use crate::format::{empty_source, why_not_empty};
use crate::io::{Compression, Content, Opened, Source, Stream, open};
use crate::options::StreamOptions;
use crate::options::values::Values;
use crate::push::{Push, PushState};
use crate::reader::Poll;
use crate::sink::Sink;
use crate::with::With;
use advice::advise;
use count::RowCounter;

/// Bytes looked at between two looks at the caller's interrupts.
const CHUNK: usize = 1 << 20;

/// The two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Jelly-RDF.
    Rdf,
    /// Jelly-Patch.
    Patch,
}

impl Format {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Rdf => "jelly",
            Format::Patch => "jelly-patch",
        }
    }
}

/// How a source is inspected.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct InspectOptions {
    /// `None`: detected by the content.
    pub format: Option<Format>,
    /// `None`: detected by the content.
    pub compression: Option<Compression>,
    /// How it is decoded.
    pub decode: DecodeOptions,
}

impl With for InspectOptions {}

impl InspectOptions {
    /// By options that were given; `name`: what the source is called.
    pub fn of(values: &Values, name: Option<String>) -> Self {
        let lenient = values.is_on("lenient");
        InspectOptions {
            format: values.choice("format", [None, Some(Format::Rdf), Some(Format::Patch)]),
            compression: values.compression("compression"),
            decode: DecodeOptions {
                lenient_flags: lenient,
                strict_graphs: !lenient,
                ..DecodeOptions::of(values, name)
            },
        }
    }
}

/// The contents of a stream, up to its end or its first error.
#[derive(Debug)]
pub struct Inspection {
    /// `None`: there are no bytes.
    pub format: Option<Format>,
    /// How the source is compressed.
    pub compression: Compression,
    /// How frames lie in the bytes.
    pub framing: Framing,
    /// The options, once they came.
    pub options: Option<StreamOptions>,
    /// Bytes of the stream, without compression.
    pub bytes: u64,
    /// Frames that began.
    pub frames: u64,
    /// Bytes of the largest frame, without its length.
    pub largest_frame: u64,
    /// Bytes of the largest row.
    pub largest_row: u64,
    /// Rows of each kind that occurs, by the names of the protocol.
    pub rows: Vec<(&'static str, u64)>,
    /// Keys of frame metadata, in order of first appearance; at most 1000.
    pub metadata_keys: Vec<String>,
    /// Labels and IRIs of namespaces, as a reader of all rows knows them at the end.
    pub namespaces: Vec<(String, String)>,
    /// Patches that ended; 0 in Jelly-RDF.
    pub patches: u64,
    /// Transactions by their outcome.
    pub transactions: Transactions,
    /// Why the stream could not be read on.
    pub error: Option<Error>,
    /// What the specification advises against.
    pub advice: Vec<Advice>,
}

/// Looks at all of a source; fails only where it cannot be read or is neither format.
///
/// An error of the content is [`Inspection::error`].
pub fn inspect(source: Source, options: &InspectOptions, poll: Poll<'_>) -> Result<Inspection> {
    let InspectOptions { format, compression, decode: config } = options;
    let locate =
        |error: Error| error.located(&Position { source: config.source.clone(), ..Position::default() });
    let opened = open(source, *compression, config.framing, &config.limits, None).map_err(locate)?;
    let is_empty = opened.content == Content::Empty;
    let format = match format {
        Some(format) => Some(*format),
        None => find_format(opened.content).map_err(locate)?,
    };
    let Opened { stream, compression, .. } = opened;
    let mut inspection = match format {
        Some(Format::Patch) => patch::inspect(stream, config, poll)?,
        Some(Format::Rdf) | None => rdf::inspect(stream, config, poll)?,
    };
    inspection.format = format;
    inspection.compression = compression;
    if let Some(name) = config.source.as_deref().filter(|_| is_empty) {
        inspection.error =
            why_not_empty(name, compression != Compression::None).map(|why| empty_source(&why));
    }
    inspection.error = inspection.error.map(locate);
    Ok(inspection)
}

fn find_format(content: Content) -> Result<Option<Format>> {
    match content {
        Content::Empty => Ok(None),
        Content::JellyRdf => Ok(Some(Format::Rdf)),
        Content::JellyPatch => Ok(Some(Format::Patch)),
        Content::Unknown => {
            let message = "the first bytes have no options of Jelly-RDF or Jelly-Patch; if the source has \
                           one of these formats, set it (format=, --from)";
            Err(Error::new(ErrorKind::WireFormat, message))
        }
        other => {
            let message = format!("this looks like {}, not Jelly-RDF or Jelly-Patch", other.name());
            Err(Error::new(ErrorKind::WireFormat, message))
        }
    }
}

/// Pushes a stream through a decoder, and the same bytes through a counter.
fn walk<D: Dialect<S>, S: Sink>(
    stream: Stream,
    decoder: &mut Decoder<D>,
    sink: &mut S,
    counter: &mut RowCounter,
    poll: Poll<'_>,
) -> Result<Option<Error>> {
    let limits = decoder.config().limits.clone();
    let mut step = |decoder: &mut Decoder<D>, chunk: &[u8]| {
        let before = decoder.consumed();
        let done = decoder.decode(chunk, sink);
        let taken = (decoder.consumed() - before) as usize;
        counter.push(&chunk[..taken.min(chunk.len())], &limits);
        done.map(drop)
    };
    let outcome = match stream {
        Stream::Bytes(bytes) => (*bytes).as_ref().chunks(CHUNK).try_for_each(|chunk| {
            poll()?;
            step(decoder, chunk)
        }),
        Stream::Reader(mut reader) => {
            let mut buffer = vec![0; CHUNK];
            loop {
                if let Err(error) = poll() {
                    break Err(error);
                }
                match reader.read(&mut buffer) {
                    Ok(0) => break Ok(()),
                    Ok(n) => {
                        if let Err(error) = step(decoder, &buffer[..n]) {
                            break Err(error);
                        }
                    }
                    Err(error) if error.kind() == IoKind::Interrupted => {}
                    Err(error) => break Err(error.into()),
                }
            }
        }
    };
    let outcome = outcome.and_then(|()| decoder.finish(sink).map(drop));
    counter.finish();
    match outcome {
        Ok(()) => Ok(None),
        Err(error) => {
            use ErrorClass::{Argument, Internal, Io};
            match error.kind().class() {
                Argument | Internal | Io => Err(error),
                _ => Ok(Some(error)),
            }
        }
    }
}

/// What both formats have.
fn summary<D>(decoder: &Decoder<D>, counter: RowCounter, error: Option<Error>) -> Inspection
where
    D: crate::decode::DialectState,
{
    Inspection {
        format: None,
        compression: Compression::None,
        framing: decoder.framing(),
        options: None,
        bytes: decoder.consumed(),
        frames: decoder.frames(),
        largest_frame: counter.largest_frame,
        largest_row: counter.largest_row,
        rows: counter.kinds(),
        metadata_keys: counter.metadata_keys,
        namespaces: Vec::new(),
        patches: 0,
        transactions: Transactions::default(),
        error,
        advice: Vec::new(),
    }
}
