//! From a source to batches in one step.

use super::reader::{BatchReader, Mode};
use super::scope::Identity;
use super::settings::{BatchSettings, Batches, BlankNodes};
use super::{PatchBatches, RdfBatches};
use crate::error::{Error, ErrorClass, ErrorKind, Result};
use crate::format::{PatchFormat, RdfFormat};
use crate::io::Source;
use crate::open::{FeedState, Found, OpenOptions, PatchFeed, RdfFeed, open_patch, open_rdf};
use crate::options::StreamOptions;
use crate::reader::Feed;
use crate::sink::{PatchSink, RdfSink, Sink};

/// How a source becomes batches.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// How the source is read.
    pub open: OpenOptions,
    /// What the batches hold; limits and source are those of the decoder.
    pub batch: BatchSettings,
    /// What an error of the input does; decides about the column for errors, too.
    pub mode: Mode,
}

/// Batches of statements.
pub type RdfReader = BatchReader<RdfFeed, RdfBatches>;
/// Batches of patch rows.
pub type PatchReader = BatchReader<PatchFeed, PatchBatches>;

/// Reads statements.
pub fn read_rdf(source: Source, options: &ReadOptions) -> Result<RdfReader> {
    let identity = Identity::of(&source, &options.open);
    let found = open_rdf(source, &options.open)?;
    let blank_nodes = match options.batch.blank_nodes {
        BlankNodes::Auto if found.format.has_unlabelled_nodes() => BlankNodes::Scoped,
        told => told,
    };
    rdf_reader(found, &options.scoped(blank_nodes, &identity)?)
}

/// Statements of a source that is open; labels are kept unless it was told otherwise.
pub fn rdf_reader(found: Found<RdfFeed, RdfFormat>, options: &ReadOptions) -> Result<RdfReader> {
    let found = options.check(found)?;
    let mut batches = RdfBatches::new(options.batch_settings())?;
    if let Some(StreamOptions::Rdf(options)) = found.feed.decoder().stream_options() {
        batches.options(&options)?;
    }
    Ok(options.reader(found, batches))
}

/// Reads rows of patches.
pub fn read_patch(source: Source, options: &ReadOptions) -> Result<PatchReader> {
    if options.open.committed && options.mode == Mode::Permissive {
        let message = "rows=\"committed\" goes with mode=\"failfast\" only: what follows an error is unknown";
        return Err(Error::new(ErrorKind::Argument, message));
    }
    let identity = Identity::of(&source, &options.open);
    let found = open_patch(source, &options.open)?;
    patch_reader(found, &options.scoped(options.batch.blank_nodes, &identity)?)
}

/// Rows of patches of a source that is open.
pub fn patch_reader(found: Found<PatchFeed, PatchFormat>, options: &ReadOptions) -> Result<PatchReader> {
    let found = options.check(found)?;
    let mut batches = PatchBatches::new(options.batch_settings())?;
    if let Some(StreamOptions::Patch(options)) = found.feed.decoder().stream_options() {
        batches.options(&options)?;
    }
    Ok(options.reader(found, batches))
}

impl ReadOptions {
    /// With what becomes of labels, and of which source they are.
    fn scoped(&self, blank_nodes: BlankNodes, identity: &Identity) -> Result<Self> {
        let scope = if blank_nodes == BlankNodes::Scoped { identity.scope()? } else { None };
        let batch = BatchSettings { blank_nodes, scope, ..self.batch.clone() };
        Ok(ReadOptions { batch, ..self.clone() })
    }

    fn batch_settings(&self) -> BatchSettings {
        let decode = &self.open.decode;
        BatchSettings {
            corrupt_record: self.mode == Mode::Permissive,
            source: decode.source.clone(),
            limits: decode.limits.clone(),
            ..self.batch.clone()
        }
    }

    /// Content of another kind is an error at once, or the one corrupt record in permissive mode.
    fn check<F, K>(&self, found: Found<F, K>) -> Result<Found<F, K>> {
        match found.refused {
            Some(error) if self.mode == Mode::FailFast || error.kind().class() == ErrorClass::Io => {
                Err(error)
            }
            _ => Ok(found),
        }
    }

    fn reader<F, K, B>(&self, found: Found<F, K>, batches: B) -> BatchReader<F, B>
    where
        F: FeedState + Feed<B>,
        B: Batches + Sink,
    {
        let mut reader = BatchReader::new(found.feed, batches, self.mode, &self.open.decode.limits);
        if let Some(error) = found.refused {
            reader.fail(error);
        }
        reader
    }
}
