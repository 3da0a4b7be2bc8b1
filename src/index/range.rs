//! A part of a file: from one sync point to another, as the whole file has it.

use super::bytes::Bytes;
use super::{Index, Way};
use crate::decode::{DecodeOptions, Decoder, Dialect, Framing};
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Compression, Identity, Source};
use crate::limits::Limits;
use crate::options::{PatchOptions, RdfOptions};
use crate::push::{Push, PushState};
use crate::reader::{End, Part};
use crate::restart::Point;
use crate::sink::{PatchRow, PatchSink, RdfRow, RdfSink, Sink};

/// Bytes read at a time to find the options.
const PEEK: usize = 4096;

/// Enters a Jelly source at `start`; `known` is what was found to be true of the file, and `committed` says that no
/// patch may be cut.
pub(crate) fn enter<D>(
    source: Source,
    compression: Compression,
    (start, end): (u64, Option<u64>),
    config: &DecodeOptions,
    known: Option<&Identity>,
    committed: bool,
) -> Result<Part<Decoder<D>>>
where
    D: Dialect<ToOptions>,
{
    let path = match &source {
        Source::Path(path) => Some(path.clone()),
        Source::Bytes(_) | Source::File(_) | Source::Reader(_) => None,
    };
    let mut bytes = Bytes::open(source, Some(compression), &config.limits)?;
    let mut index = Index::read(&mut bytes, path.as_deref(), config.source.as_ref(), known)?;
    let point = index.point(start)?;
    let end = end.map(|end| index.point(end)).transpose()?;
    let is_whole = |point: Point| point.offset == 0 || point.counters.is_between_patches();
    if committed && !(is_whole(point) && end.is_none_or(is_whole)) {
        return Err(argument(
            "rows=\"committed\" needs a part with whole patches: a transaction may end in another part",
        ));
    }
    let decoder = match &mut index.way {
        _ if point.offset == 0 => Decoder::new(config.clone()),
        Way::Footers(chain) => {
            let first = chain.start_of(start).unwrap_or(0);
            let entry = chain.entry(start, first_options::<D>(&mut bytes, first, config)?);
            Decoder::enter(config.clone(), entry.ok_or_else(|| argument("not a sync point"))?)?
        }
        Way::Sidecar(sidecar) => {
            let snapshot = sidecar.snapshot(start, &config.limits)?;
            let decoder = Decoder::resume(config.clone(), &snapshot.unwrap_or_default())?;
            if decoder.offset() != start {
                return Err(Error::new(ErrorKind::OptionsSnapshot, "the sidecar is damaged"));
            }
            decoder
        }
        Way::None => return Err(argument("not a sync point")),
    };
    let end = end.map(|end| End {
        offset: end.offset,
        rows: end.counters.seq,
        ends_stream: matches!(&index.way, Way::Footers(chain) if chain.begins_stream(end.offset)),
    });
    let stream = bytes.stream_at(start)?;
    Ok(Part { decoder, stream, start, end, warnings: index.warnings })
}

#[cold]
fn argument(message: &str) -> Error {
    Error::new(ErrorKind::Argument, message)
}

/// The first options row of the stream that begins at `start`.
fn first_options<D: Dialect<ToOptions>>(
    bytes: &mut Bytes,
    start: u64,
    config: &DecodeOptions,
) -> Result<Vec<u8>> {
    let limits = Limits { expansion: 0, ..config.limits.clone() };
    let mut decoder =
        Decoder::<D>::new(DecodeOptions { framing: Framing::Delimited, limits, ..config.clone() });
    let mut seen = ToOptions(false);
    while !seen.0 {
        let piece = bytes.start(start + decoder.consumed(), PEEK)?;
        decoder.decode(&piece, &mut seen)?;
        if piece.is_empty() && !seen.0 {
            return Err(Error::new(ErrorKind::OptionsMissing, "the stream has no options"));
        }
    }
    Ok(decoder.state().options_bytes().unwrap_or_default().to_vec())
}

/// Reads as far as the options.
pub(crate) struct ToOptions(bool);

impl Sink for ToOptions {
    fn is_full(&self) -> bool {
        self.0
    }
}

impl RdfSink for ToOptions {
    fn options(&mut self, _: &RdfOptions) -> Result<()> {
        self.0 = true;
        Ok(())
    }

    fn statement(&mut self, _: &RdfRow<'_>) -> Result<()> {
        Ok(())
    }
}

impl PatchSink for ToOptions {
    fn options(&mut self, _: &PatchOptions) -> Result<()> {
        self.0 = true;
        Ok(())
    }

    fn row(&mut self, _: &PatchRow<'_>) -> Result<()> {
        Ok(())
    }
}
