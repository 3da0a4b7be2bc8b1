//! Splits a file into parts that can be read in parallel and have the same rows as the whole file.
//!
//! Jelly is split at the sync points of its footer or sidecar. N-Triples, N-Quads and RDF Patch are split
//! between lines, after one pass over the bytes, and each part carries the counts of what precedes it. A file
//! that cannot be entered in the middle is one part.

use crate::decode::DecodeOptions;
use crate::error::{ErrorKind, Result};
use crate::format::{AnyFormat, PatchFormat, RdfFormat};
use crate::index::{Bytes, Index};
use crate::io::{Compression, Identity, Source, Stamp};
use crate::open::{Input, OpenOptions, PartOf, TextState};
use crate::reader::Poll;
use crate::text::{Place, Places};
use crate::warning::Warning;
use crate::with::With;

/// How a source is split.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SplitOptions {
    /// How the source will be read; must not select a part.
    pub open: OpenOptions,
    /// Approximate size of a part in bytes, uncompressed.
    pub split_bytes: u64,
    /// Splits only between patches, so that `committed` rows can be read from the parts.
    pub whole_patches: bool,
}

impl With for SplitOptions {}

impl Default for SplitOptions {
    fn default() -> Self {
        SplitOptions { open: OpenOptions::default(), split_bytes: 64 << 20, whole_patches: false }
    }
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// First byte, uncompressed.
    pub start: u64,
    /// The byte after the last one, uncompressed; `None`: the end of a file of unknown length.
    pub end: Option<u64>,
    /// Number of rows, if known.
    pub rows: Option<u64>,
    /// The state that [`PartOf::decode`] reads.
    pub state: Vec<u8>,
}

/// The parts of a file.
#[derive(Clone, Debug)]
pub struct Splits {
    /// The format of the file.
    pub format: AnyFormat,
    /// The compression of the file.
    pub compression: Compression,
    /// The parts, in the order of the file; at least one.
    pub splits: Vec<Split>,
    /// Warnings about indexes that were found but not used.
    pub warnings: Vec<Warning>,
}

/// A place where a part begins.
#[derive(Clone, Copy)]
struct Cut {
    offset: u64,
    /// Rows before the cut.
    rows: u64,
    text: Option<(Place, u32)>,
}

/// Splits a source that can be opened more than once: a file, or bytes in memory.
pub fn splits(source: Source, options: &SplitOptions, poll: Poll<'_>) -> Result<Splits> {
    let name = options.open.decode.source.clone();
    let again =
        || source.again().ok_or_else(|| crate::open::argument("only files and bytes in memory can be split"));
    let path = match &source {
        Source::Path(path) => Some(path.clone()),
        _ => None,
    };
    // before anything is read, so that later changes are detected
    let stamp = path.as_ref().map(|path| path.metadata()).transpose()?.and_then(|found| Stamp::of(&found));
    let identity = Identity { size: source.size()?.unwrap_or_default(), stamp, checked: None };
    let bytes = again()?;
    let input = Input::open(again()?, &options.open)?;
    let compression = input.compression();
    let detected = input.format();
    // a file in another format is one part, whose reader raises the error
    let is_refused = detected.is_err();
    let format = detected.unwrap_or(if input.has_patches() {
        AnyFormat::Patch(PatchFormat::Jelly)
    } else {
        AnyFormat::Rdf(RdfFormat::Jelly)
    });
    let mut plan =
        Plan { format, identity, length: None, whole_patches: options.whole_patches, cuts: Vec::new() };
    let mut warnings = Vec::new();
    match Bytes::open(bytes, Some(compression), &options.open.decode.limits) {
        // gzip, or zstd without a seek table: can be read only from the start
        Err(error) if error.kind() == ErrorKind::Argument => {}
        Err(error) => return Err(error),
        Ok(mut bytes) => {
            plan.length = Some(bytes.len());
            let targets = targets(bytes.len(), options.split_bytes);
            if is_refused || targets.is_empty() {
                // is one part
            } else if let Some(kind) = format.text_kind() {
                let reader = input.into_opened().stream.into_reader();
                let mut places = Places::new(reader, kind, &options.open.decode.limits);
                plan.cut_text(&mut places, targets, poll)?;
            } else if format.is_jelly() {
                let mut index = Index::read(&mut bytes, path.as_deref(), name.as_ref(), None)?;
                plan.identity.checked = index.checked();
                plan.cut_jelly(&mut index, targets, &options.open.decode);
                warnings = index.warnings;
            }
        }
    }
    Ok(Splits { format, compression, splits: plan.splits(), warnings })
}

/// The places where parts should begin, except the first: as many as are needed, at equal distances.
fn targets(length: u64, split_bytes: u64) -> Vec<u64> {
    let count = length.div_ceil(split_bytes.max(1)).min(MOST_SPLITS);
    (1..count).map(|part| (u128::from(length) * u128::from(part) / u128::from(count)) as u64).collect()
}

/// Maximum number of parts; more would be useless.
const MOST_SPLITS: u64 = 1 << 20;

struct Plan {
    format: AnyFormat,
    identity: Identity,
    length: Option<u64>,
    whole_patches: bool,
    cuts: Vec<Cut>,
}

impl Plan {
    /// No place after an error is known, so the last part contains the error and reports it.
    fn cut_text(&mut self, places: &mut Places, targets: Vec<u64>, poll: Poll<'_>) -> Result<()> {
        let checksum = places.checksum(poll)?;
        self.cuts.push(Cut { offset: 0, rows: 0, text: Some((Place::START, checksum)) });
        for target in targets {
            let place = match places.next(target, self.whole_patches, poll) {
                Ok(Some(place)) => place,
                Ok(None) => break,
                Err(error) if error.kind() == ErrorKind::Io => return Err(error),
                Err(_) => break,
            };
            if self.cuts.last().is_none_or(|last| last.offset < place.offset) {
                let checksum = places.checksum(poll)?;
                self.cuts.push(Cut {
                    offset: place.offset,
                    rows: place.counters.seq,
                    text: Some((place, checksum)),
                });
            }
        }
        Ok(())
    }

    fn cut_jelly(&mut self, index: &mut Index, targets: Vec<u64>, config: &DecodeOptions) {
        let is_patch = matches!(self.format, AnyFormat::Patch(_));
        let all = index.points.clone();
        let mut points =
            all.iter().filter(|point| !self.whole_patches || point.counters.is_between_patches());
        let mut cuts = vec![Cut { offset: 0, rows: 0, text: None }];
        for target in targets {
            if cuts.last().is_some_and(|last| last.offset >= target) {
                continue;
            }
            match points
                .find(|point| point.offset >= target && index.can_enter(point.offset, is_patch, config))
            {
                Some(point) => cuts.push(Cut { offset: point.offset, rows: point.counters.seq, text: None }),
                None => break,
            }
        }
        self.cuts = cuts;
    }

    fn splits(mut self) -> Vec<Split> {
        let &mut Plan { format, identity, length, .. } = &mut self;
        if self.cuts.len() < 2 {
            self.cuts = vec![Cut { offset: 0, rows: 0, text: None }];
        }
        // a single part contains whole patches
        let whole_patches = self.whole_patches || self.cuts.len() == 1;
        let split = |at: usize| {
            let (cut, next) = (self.cuts[at], self.cuts.get(at + 1));
            let text =
                |(place, checksum)| TextState { place, end_rows: next.map_or(0, |next| next.rows), checksum };
            let state = PartOf {
                identity,
                format,
                whole_patches,
                start: cut.offset,
                end: next.map(|next| next.offset),
                text: cut.text.map(text),
            };
            Split {
                start: cut.offset,
                end: next.map(|next| next.offset).or(length),
                rows: next.map(|next| next.rows - cut.rows),
                state: state.encode(),
            }
        };
        (0..self.cuts.len()).map(split).collect()
    }
}
