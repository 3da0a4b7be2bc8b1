//! Opens a source of rows: detects its format and creates its decoder.

mod committed;
mod identity;
mod iter;
mod lines;
mod options;
mod part;
mod part_of;
mod spool;

use std::ops::{Deref, DerefMut};

use crate::decode::{DecodeOptions, PatchDecoder, RdfDecoder};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::format::{AnyFormat, OPTIONS_FIRST, PatchFormat, RdfFormat, empty_source, why_not_empty};
use crate::io::{Compression, Content, Opened, Source, is_patch, open, patch_format, rdf_format};
use crate::reader::{Reader, RowSource};
use crate::rows::RowDecoder;
use crate::sink::{PatchSink, RdfSink};
use crate::text::{LinesOptions, OtherRdf, PatchDialect, TextRows};
use crate::thrift::ThriftPatch;
use crate::with::With;
use committed::{Committed, PushTwice};
pub use identity::Identity;
pub use iter::{Patches, RowQueue, Rows};
pub(crate) use lines::{LineBlocks, LinesReader};
pub use part_of::PartOf;
pub(crate) use part_of::TextState;

/// How a source is read; the same options for every format.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// The format of statements; `None`: detected from the content, then from the name.
    pub rdf_format: Option<RdfFormat>,
    /// The format of patches; `None`: detected from the content, then from the name.
    pub patch_format: Option<PatchFormat>,
    /// The framing, what is rejected, the limits, and the name of the source.
    pub decode: DecodeOptions,
    /// The compression; `None`: detected from the content.
    pub compression: Option<Compression>,
    /// Return only rows of committed transactions (patches).
    pub committed: bool,
    /// Reject an empty source (zero bytes) that must be Jelly, because Jelly streams begin with options. An
    /// empty file whose name shows that it must have bytes is always rejected. In the other formats, an empty
    /// source is an empty document.
    pub refuse_empty: bool,
    /// Continue at the position of this snapshot.
    pub resume: Option<Vec<u8>>,
    /// Where to begin; `None`: at the start. In Jelly, a sync point. In N-Triples, N-Quads and RDF Patch, any
    /// byte: rows are read from the lines that begin at or after it.
    pub start: Option<u64>,
    /// Where to stop, by the same rules; `None`: at the end.
    pub end: Option<u64>,
    /// The part to read, instead of `start` and `end`.
    pub split: Option<PartOf>,
    /// The text from which label scopes are computed, instead of the name, because different sources can have
    /// the same name.
    pub scope: Option<String>,
    /// Maximum number of threads that read the source; `None`: one thread reads rows, and a second one
    /// decompresses if there are enough processors.
    pub threads: Option<usize>,
}

impl With for OpenOptions {}

/// A source of rows and its format; the rows go to sinks of type `S`.
///
/// Its methods are in [`RowSource`] and [`SourceState`](crate::reader::SourceState).
pub struct RowReader<F, S> {
    /// The format that was requested or detected.
    pub format: F,
    rows: Box<dyn RowSource<S>>,
}

/// Reads statements.
pub type RdfReader<S> = RowReader<RdfFormat, S>;
/// Reads rows of patches.
pub type PatchReader<S> = RowReader<PatchFormat, S>;

impl<F, S> RowReader<F, S> {
    /// Returns the rows without the format.
    pub fn into_rows(self) -> Box<dyn RowSource<S>> {
        self.rows
    }
}

impl<F, S> Deref for RowReader<F, S> {
    type Target = dyn RowSource<S>;

    fn deref(&self) -> &Self::Target {
        &*self.rows
    }
}

impl<F, S> DerefMut for RowReader<F, S> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.rows
    }
}

/// Reads Jelly in one thread.
pub(crate) type JellyReader = Reader<RdfDecoder>;

/// Opens a source of statements; a source in another format is an error.
pub fn open_rdf<S: RdfSink>(source: Source, options: &OpenOptions) -> Result<RdfReader<S>> {
    let input = Input::open(source, options)?;
    let format = input.rdf_format()?;
    input.statements(format)
}

/// Opens a source of patches; a source in another format is an error.
pub fn open_patch<S: PatchSink>(source: Source, options: &OpenOptions) -> Result<PatchReader<S>> {
    let input = Input::open(source, options)?;
    let format = input.patch_format()?;
    input.patches(format)
}

/// An open source before its first row is read; its format can be requested first.
pub struct Input<'o> {
    opened: Opened,
    /// The name that suggests a format: the file name, or the name of the source.
    name: Option<String>,
    options: &'o OpenOptions,
}

impl<'o> Input<'o> {
    /// Opens a source and reads its first bytes.
    pub fn open(source: Source, options: &'o OpenOptions) -> Result<Self> {
        let decode = &options.decode;
        let name = match &source {
            Source::Path(path) => Some(path.to_string_lossy().into_owned()),
            _ => decode.source.as_deref().map(str::to_owned),
        };
        let opened = options.check_part(&source).and_then(|()| {
            open(source, options.compression, decode.framing, &decode.limits, options.threads)
        });
        Ok(Input { opened: opened.map_err(|error| locate(options, error))?, name, options })
    }

    /// The compression that was requested or detected.
    pub fn compression(&self) -> Compression {
        self.opened.compression
    }

    /// The bytes of the source, uncompressed.
    pub(crate) fn into_opened(self) -> Opened {
        self.opened
    }

    /// Whether the source has patches: by the requested format, else by the content, else by the name.
    pub fn has_patches(&self) -> bool {
        match (self.options.rdf_format, self.options.patch_format) {
            (None, None) => is_patch(self.opened.content, self.name.as_deref()),
            (_, asked) => asked.is_some(),
        }
    }

    /// The format, of statements or of patches.
    pub fn format(&self) -> Result<AnyFormat> {
        if self.has_patches() {
            return self.patch_format().map(AnyFormat::Patch);
        }
        self.rdf_format().map(AnyFormat::Rdf)
    }

    /// The format of the statements.
    pub fn rdf_format(&self) -> Result<RdfFormat> {
        let detect = || rdf_format(self.opened.content, self.name.as_deref());
        self.checked(self.options.rdf_format, RdfFormat::Jelly, detect)
    }

    /// The format of the patches.
    pub fn patch_format(&self) -> Result<PatchFormat> {
        let detect = || patch_format(self.opened.content, self.name.as_deref());
        self.checked(self.options.patch_format, PatchFormat::Jelly, detect)
    }

    /// The requested or the detected format; also checks whether a Jelly stream may be empty.
    fn checked<F: PartialEq>(
        &self,
        asked: Option<F>,
        jelly: F,
        detect: impl FnOnce() -> Result<F>,
    ) -> Result<F> {
        if self.options.resume.is_some() {
            return Ok(asked.unwrap_or(jelly));
        }
        let format = asked.map_or_else(detect, Ok).and_then(|format| {
            let is_empty = self.opened.content == Content::Empty;
            self.refuse_empty(is_empty, self.options.refuse_empty && format == jelly)?;
            Ok(format)
        });
        format.map_err(|error| locate(self.options, error))
    }

    /// Rejects an empty source if its name or its required format shows that it cannot be empty.
    fn refuse_empty(&self, is_empty: bool, must_be_jelly: bool) -> Result<()> {
        let is_packed = self.opened.compression != Compression::None;
        let by_name = || self.name.as_deref().and_then(|name| why_not_empty(name, is_packed));
        let why = || by_name().or_else(|| must_be_jelly.then(|| OPTIONS_FIRST.to_owned()));
        let Some(why) = is_empty.then(why).flatten() else { return Ok(()) };
        Err(empty_source(&why))
    }

    /// Reads the statements.
    pub fn statements<S: RdfSink>(self, format: RdfFormat) -> Result<RdfReader<S>> {
        if format == RdfFormat::Jelly {
            return Ok(RowReader { format, rows: Box::new(self.jelly()?) });
        }
        let Input { opened, options, .. } = self;
        let config = &options.decode;
        options.check_resume(false)?;
        let rows: Box<dyn RowSource<S>> = match format {
            _ if options.is_part() => part::lines(opened, format, options)?,
            RdfFormat::NTriples | RdfFormat::NQuads => {
                let rows = TextRows::lines(lines_options(format, config), &config.limits);
                let decoder = RowDecoder::new(rows, &config.limits, config.source.clone());
                Box::new(Reader::new(decoder, opened.stream))
            }
            other => Box::new(OtherRdf::new(other, opened.stream, config)),
        };
        Ok(RowReader { format, rows })
    }

    /// Reads the statements of Jelly.
    pub(crate) fn jelly(self) -> Result<JellyReader> {
        let Input { opened, options, .. } = self;
        if options.is_part() {
            return part::jelly(opened, options);
        }
        let config = options.decode.clone();
        let decoder = match &options.resume {
            Some(snapshot) => RdfDecoder::resume(config, snapshot)?,
            None => RdfDecoder::new(config),
        };
        Ok(Reader::new(decoder, opened.stream))
    }

    /// Reads the patches.
    pub fn patches<S: PatchSink>(self, format: PatchFormat) -> Result<PatchReader<S>> {
        let Input { opened, options, .. } = self;
        let config = &options.decode;
        if options.committed && options.resume.is_some() {
            return Err(argument("resume works only with rows=\"all\""));
        }
        options.check_resume(format == PatchFormat::Jelly)?;
        let text = |dialect| {
            let rows = TextRows::patch(dialect, config.strict, &config.limits);
            RowDecoder::new(rows, &config.limits, config.source.clone())
        };
        let rows: Box<dyn RowSource<S>> = match format {
            _ if options.is_part() => part::patch(opened, format, options)?,
            PatchFormat::Jelly => match &options.resume {
                Some(snapshot) => {
                    Box::new(Reader::new(PatchDecoder::resume(config.clone(), snapshot)?, opened.stream))
                }
                None => rows_of(opened, options, || {
                    let mut decoder = PatchDecoder::new(config.clone());
                    if options.committed {
                        decoder.keep_half();
                    }
                    decoder
                })?,
            },
            PatchFormat::RdfPatch => rows_of(opened, options, || text(patch_dialect(config)))?,
            PatchFormat::RdfPatchV1 => rows_of(opened, options, || text(PatchDialect::V1))?,
            PatchFormat::Thrift => rows_of(opened, options, || {
                let rows = ThriftPatch::new(&config.limits, config.strict);
                RowDecoder::new(rows, &config.limits, config.source.clone())
            })?,
        };
        Ok(RowReader { format, rows })
    }
}

impl OpenOptions {
    /// Number of threads that read rows in parallel. The default is one, because more threads need memory and
    /// a processor that may have other work.
    pub(crate) fn readers(&self) -> usize {
        self.threads.unwrap_or(1)
    }

    fn check_resume(&self, is_jelly: bool) -> Result<()> {
        if self.resume.is_some() && !is_jelly {
            return Err(argument("resume works only with Jelly streams"));
        }
        Ok(())
    }
}

/// All rows of patches, or only the committed ones.
fn rows_of<S, D>(
    opened: Opened,
    options: &OpenOptions,
    decoder: impl Fn() -> D,
) -> Result<Box<dyn RowSource<S>>>
where
    S: PatchSink,
    D: PushTwice<S> + Send + 'static,
{
    Ok(if options.committed {
        Box::new(Committed::new(opened, &options.decode, [decoder(), decoder()])?)
    } else {
        Box::new(Reader::new(decoder(), opened.stream))
    })
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

fn locate(options: &OpenOptions, error: Error) -> Error {
    error.located(&Position { source: options.decode.source.clone(), ..Position::default() })
}

#[cold]
pub(crate) fn argument(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Argument, message)
}
