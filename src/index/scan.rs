//! Makes the sidecar of a file: decodes all of it, builds nothing, and keeps a snapshot every so many bytes.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::bytes::Bytes;
use super::sidecar::{Binding, Directory, MAGIC, sidecar_path};
use crate::decode::{DecodeOptions, Decoder, Dialect, Patch, Rdf};
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Checked, Compression, Content, Source, Stream, WholeFile, sniff};
use crate::options::values::Values;
use crate::push::{Push, PushState};
use crate::reader::Poll;
use crate::restart::Counters;
use crate::restart::Point;
use crate::sink::{Ignored, PatchRow, PatchSink, RdfRow, RdfSink, RowNumbers, Sink, TermSink};
use crate::with::With;

/// Bytes read at a time.
const CHUNK: usize = 256 << 10;
/// Bytes that are looked at to tell the format.
const PEEK: usize = 4096;

/// How a file is scanned.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScanOptions {
    /// Bytes between two places, uncompressed.
    pub every: u64,
    /// How the file will be read.
    pub decode: DecodeOptions,
    /// Jelly-RDF or Jelly-Patch; `None`: detected from the content.
    pub format: Option<Content>,
    /// `None`: detected from the content.
    pub compression: Option<Compression>,
}

impl With for ScanOptions {}

impl Default for ScanOptions {
    fn default() -> Self {
        ScanOptions { every: 64 << 20, decode: DecodeOptions::default(), format: None, compression: None }
    }
}

impl ScanOptions {
    /// Those of a file, by options that were given.
    pub fn of(values: &Values, path: &Path) -> Self {
        let contents = [None, Some(Content::JellyRdf), Some(Content::JellyPatch)];
        let defaults = ScanOptions::default();
        ScanOptions {
            every: values.number("every").unwrap_or(defaults.every),
            decode: DecodeOptions::of(values, Some(path.to_string_lossy().into())),
            format: values.choice("format", contents),
            compression: values.compression("compression"),
        }
    }
}

/// What was scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    /// The sidecar.
    pub path: PathBuf,
    /// Sync points of the file, including its start.
    pub points: usize,
    /// Rows of the file.
    pub rows: u64,
    /// Its bytes, uncompressed.
    pub length: u64,
}

/// Scans a Jelly file and writes its sidecar; the sidecar appears complete or not at all.
pub fn scan(path: &Path, options: &ScanOptions, poll: Poll<'_>) -> Result<Scanned> {
    let source = Source::Path(path.to_owned());
    let mut bytes = Bytes::open(source, options.compression, &options.decode.limits)?;
    let format = match options.format {
        Some(given) => given,
        None => sniff(&bytes.start(0, PEEK)?, options.decode.framing),
    };
    match format {
        Content::JellyRdf => scan_as::<Rdf>(path, bytes, options, poll),
        Content::JellyPatch => scan_as::<Patch>(path, bytes, options, poll),
        _ => Err(Error::new(ErrorKind::WireFormat, "this is not a Jelly file, so it cannot be indexed")),
    }
}

fn scan_as<D: Dialect<Count>>(
    path: &Path,
    bytes: Bytes,
    options: &ScanOptions,
    poll: Poll<'_>,
) -> Result<Scanned> {
    let mut file = File::open(path)?;
    let binding = Binding::of(&mut file)?;
    let to = sidecar_path(path);
    let mut out = WholeFile::create(&to)?;
    out.write_all(&MAGIC)?;
    let length = bytes.len();
    let mut scanner = Scanner {
        decoder: Decoder::<D>::new(options.decode.clone()),
        count: Count::default(),
        every: options.every.max(1),
        length,
        points: Vec::new(),
    };
    scanner.run(bytes, &mut out, poll)?;
    if Checked::of(&mut file, binding.checked.bytes)? != binding.checked {
        return Err(Error::new(ErrorKind::Io, "the file changed while it was scanned"));
    }
    let directory = Directory { format: D::ROW as u8, binding, points: scanner.points };
    out.write_all(&directory.encode())?;
    out.finish()?;
    Ok(Scanned { path: to, points: directory.points.len() + 1, rows: scanner.decoder.state().rows(), length })
}

struct Scanner<D> {
    decoder: Decoder<D>,
    count: Count,
    every: u64,
    /// Of the file.
    length: u64,
    points: Vec<(Point, u64)>,
}

impl<D: Dialect<Count>> Scanner<D> {
    fn run(&mut self, bytes: Bytes, out: &mut impl Write, poll: Poll<'_>) -> Result<()> {
        let chunk = self.every.min(CHUNK as u64) as usize;
        match bytes.stream_at(0)? {
            Stream::Bytes(bytes) => {
                for piece in (*bytes).as_ref().chunks(chunk) {
                    self.decode(piece, out)?;
                    poll()?;
                }
            }
            Stream::Reader(mut reader) => {
                let mut buffer = vec![0; chunk];
                loop {
                    match reader.read(&mut buffer) {
                        Ok(0) => break,
                        Ok(read) => self.decode(&buffer[..read], out)?,
                        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(self.decoder.fail(error.into())),
                    }
                    poll()?;
                }
            }
        }
        while !self.decoder.finish(&mut self.count)? {
            self.count.full = false;
        }
        Ok(())
    }

    fn decode(&mut self, mut piece: &[u8], out: &mut impl Write) -> Result<()> {
        loop {
            let last = self.points.last().map_or(0, |(point, _)| point.offset);
            self.count.pauses = self.decoder.consumed() + piece.len() as u64 - last >= self.every;
            let taken = self.decoder.decode(piece, &mut self.count)?;
            piece = &piece[taken..];
            let since = self.decoder.offset() - last;
            // the end of a frame is best, but a frame may have any length
            let least = if std::mem::take(&mut self.count.full) { 1 } else { 2 };
            if since >= self.every.saturating_mul(least) {
                self.keep(out)?;
            }
            if piece.is_empty() {
                return Ok(());
            }
        }
    }

    fn keep(&mut self, out: &mut impl Write) -> Result<()> {
        let (last, offset) = (self.points.last().map_or(0, |(point, _)| point.offset), self.decoder.offset());
        // inside an unknown field there is no place; the next piece has one
        let Ok(snapshot) = self.decoder.snapshot() else {
            return Ok(());
        };
        if offset > last && offset < self.length {
            let counters: Counters = self.decoder.state().place(self.decoder.frames());
            out.write_all(&snapshot)?;
            self.points.push((Point { offset, counters }, snapshot.len() as u64));
        }
        Ok(())
    }
}

/// Passes over rows; full at the end of a frame, when that is requested.
#[derive(Default)]
struct Count {
    pauses: bool,
    full: bool,
    terms: Ignored,
}

impl Sink for Count {
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.full
    }

    fn frame_end(&mut self, _: &[(String, Vec<u8>)]) -> Result<()> {
        self.full = self.pauses;
        Ok(())
    }
}

impl RdfSink for Count {
    #[inline(always)]
    fn statement(&mut self, _: &RdfRow<'_>) -> Result<()> {
        Ok(())
    }

    #[inline(always)]
    fn terms(&mut self, _: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        Some(&mut self.terms)
    }
}

impl PatchSink for Count {
    #[inline(always)]
    fn row(&mut self, _: &PatchRow<'_>) -> Result<()> {
        Ok(())
    }

    #[inline(always)]
    fn terms(&mut self, _: RowNumbers) -> Option<&mut impl for<'t> TermSink<'t>> {
        Some(&mut self.terms)
    }
}
