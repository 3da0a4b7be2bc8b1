//! From a source to batches in one step.

use super::pieces::{JellyParts, LinePieces};
use super::reader::{BatchReader, Mode, ReadBatches};
use super::settings::{BatchSettings, Batches, BlankNodes};
use super::side_by_side::SideBySide;
use super::{PatchBatches, RdfBatches};
use crate::convert::Skolem;
use crate::error::{Error, ErrorClass, Result};
use crate::format::{AnyFormat, PatchFormat, RdfFormat};
use crate::io::Source;
use crate::open::Identity;
use crate::open::{Input, OpenOptions};
use crate::options::StreamOptions;
use crate::parts::Parts;
use crate::patch::{Again, BaseLabels, Work};
use crate::sink::{PatchSink, RdfSink};
use crate::with::With;

/// How a source becomes batches.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// How the source is read.
    pub open: OpenOptions,
    /// What the batches hold; limits and source are those of the decoder.
    pub batch: BatchSettings,
    /// What an error of the input does; decides about the column for errors, too.
    pub mode: Mode,
}

impl With for ReadOptions {}

/// Batches of statements.
pub type RdfReader = BatchReader<RdfBatches>;
/// Batches of patch rows.
pub type PatchReader = BatchReader<PatchBatches>;

/// Reads statements.
pub fn read_rdf(source: Source, options: &ReadOptions) -> Result<RdfReader> {
    statements(source, options, rdf_batches)
}

/// Opens a source of statements for `read`, with what becomes of the labels of its blank nodes.
fn statements<R>(
    source: Source,
    options: &ReadOptions,
    read: impl FnOnce(Input<'_>, Result<RdfFormat>, &ReadOptions, Option<Skolem>) -> Result<R>,
) -> Result<R> {
    let identity = Identity::of(&source, &options.open);
    let (source, names) = with_names(source, options)?;
    let input = Input::open(source, &options.open)?;
    let format = input.rdf_format();
    let blank_nodes = match options.batch.blank_nodes {
        BlankNodes::Auto if format.as_ref().is_ok_and(|format| format.has_unlabelled_nodes()) => {
            BlankNodes::Scoped
        }
        BlankNodes::Auto => BlankNodes::Positions,
        BlankNodes::Content | BlankNodes::Lasting => BlankNodes::Keep,
        asked => asked,
    };
    read(input, format, &options.scoped(blank_nodes, identity), names)
}

/// The source, and other names for its blank nodes where labels of the content are wanted.
fn with_names(source: Source, options: &ReadOptions) -> Result<(Source, Option<Skolem>)> {
    options.check_content()?;
    let labels = match options.batch.blank_nodes {
        BlankNodes::Content => BaseLabels::Content,
        BlankNodes::Lasting => BaseLabels::Lasting,
        _ => return Ok((source, None)),
    };
    let again = Again::new(source, options.open.clone())?;
    let names = labels.names(&again, &mut Work::new(&mut |_| Ok(())))?;
    Ok((again.source(), names.map(|names| Skolem::with_labels(names, None)).transpose()?))
}

fn rdf_batches(
    input: Input<'_>,
    format: Result<RdfFormat>,
    options: &ReadOptions,
    names: Option<Skolem>,
) -> Result<RdfReader> {
    let mut batches = RdfBatches::new(options.batch_settings())?;
    batches.rename(names);
    let rows = match format {
        Ok(format) => input.statements(format)?.into_rows(),
        Err(error) => return options.failed(error, batches),
    };
    if let Some(StreamOptions::Rdf(options)) = rows.stream_options() {
        batches.options(&options)?;
    }
    Ok(BatchReader::new(rows, batches, options.mode, &options.open.decode.limits))
}

/// As [`rdf_batches`], with several threads where they can enter the source.
fn rdf_reader(
    input: Input<'_>,
    format: Result<RdfFormat>,
    options: &ReadOptions,
    names: Option<Skolem>,
) -> Result<Box<dyn ReadBatches>> {
    let threads = options.open.readers();
    let limits = || options.open.decode.limits.clone();
    if let (Ok(format), None, Some(source)) = (&format, &names, input.for_threads()) {
        if let RdfFormat::NTriples | RdfFormat::NQuads = format {
            let pieces = LinePieces::new(input, *format, options);
            return Ok(Box::new(SideBySide::new(pieces, threads, limits())?));
        }
        if let Some(parts) = Parts::of(source, AnyFormat::Rdf(*format), &options.open)? {
            let parts = JellyParts::new(parts, options);
            return Ok(Box::new(SideBySide::new(parts, threads, limits())?));
        }
    }
    Ok(Box::new(rdf_batches(input, format, options, names)?))
}

/// As [`patch_batches`], with several threads where they can enter the source.
fn patch_reader(
    input: Input<'_>,
    format: Result<PatchFormat>,
    options: &ReadOptions,
) -> Result<Box<dyn ReadBatches>> {
    if let (Ok(format), Some(source)) = (&format, input.for_threads())
        && let Some(parts) = Parts::of(source, AnyFormat::Patch(*format), &options.open)?
    {
        let parts = JellyParts::new(parts, options);
        let limits = options.open.decode.limits.clone();
        return Ok(Box::new(SideBySide::new(parts, options.open.readers(), limits)?));
    }
    Ok(Box::new(patch_batches(input, format, options)?))
}

/// A reader by one thread, of a source in a format that is known.
pub(super) fn one_reader(
    source: Source,
    format: AnyFormat,
    options: &ReadOptions,
) -> Result<Box<dyn ReadBatches>> {
    let input = Input::open(source, &options.open)?;
    Ok(match format {
        AnyFormat::Rdf(format) => Box::new(rdf_batches(input, Ok(format), options, None)?),
        AnyFormat::Patch(format) => Box::new(patch_batches(input, Ok(format), options)?),
    })
}

/// Reads rows of patches.
pub fn read_patch(source: Source, options: &ReadOptions) -> Result<PatchReader> {
    patches(source, options, patch_batches)
}

/// Opens a source of patches for `read`.
fn patches<R>(
    source: Source,
    options: &ReadOptions,
    read: impl FnOnce(Input<'_>, Result<PatchFormat>, &ReadOptions) -> Result<R>,
) -> Result<R> {
    options.check_committed()?;
    let identity = Identity::of(&source, &options.open);
    let input = Input::open(source, &options.open)?;
    let format = input.patch_format();
    read(input, format, &options.scoped(options.batch.blank_nodes, identity))
}

fn patch_batches(
    input: Input<'_>,
    format: Result<PatchFormat>,
    options: &ReadOptions,
) -> Result<PatchReader> {
    let mut batches = PatchBatches::new(options.batch_settings())?;
    let rows = match format {
        Ok(format) => input.patches(format)?.into_rows(),
        Err(error) => return options.failed(error, batches),
    };
    if let Some(StreamOptions::Patch(options)) = rows.stream_options() {
        batches.options(&options)?;
    }
    Ok(BatchReader::new(rows, batches, options.mode, &options.open.decode.limits))
}

/// Reads rows of patches or statements.
pub fn read(is_patch: bool, source: Source, options: &ReadOptions) -> Result<Box<dyn ReadBatches>> {
    if is_patch {
        return patches(source, options, patch_reader);
    }
    statements(source, options, rdf_reader)
}

/// Reads what a source holds; labels are kept unless something else was requested.
pub fn read_any(source: Source, options: &ReadOptions) -> Result<(AnyFormat, Box<dyn ReadBatches>)> {
    let input = Input::open(source, &options.open)?;
    let format = input.format()?;
    Ok((
        format,
        match format {
            AnyFormat::Rdf(format) => rdf_reader(input, Ok(format), options, None)?,
            AnyFormat::Patch(format) => patch_reader(input, Ok(format), options)?,
        },
    ))
}

impl ReadOptions {
    /// With what becomes of labels, and of which source they are.
    fn scoped(&self, blank_nodes: BlankNodes, identity: Identity) -> Self {
        let batch = BatchSettings { blank_nodes, identity, ..self.batch.clone() };
        ReadOptions { batch, ..self.clone() }
    }

    pub(super) fn batch_settings(&self) -> BatchSettings {
        let decode = &self.open.decode;
        BatchSettings {
            corrupt_record: self.batch.corrupt_record || self.mode == Mode::Permissive,
            source: decode.source.clone(),
            limits: decode.limits.clone(),
            ..self.batch.clone()
        }
    }

    /// Content of another kind is an error at once, or the one corrupt record in permissive mode.
    fn failed<B: Batches>(&self, error: Error, batches: B) -> Result<BatchReader<B>> {
        if self.mode == Mode::FailFast || error.kind().class() == ErrorClass::Io {
            return Err(error);
        }
        Ok(BatchReader::failed(error, batches, self.mode))
    }
}
