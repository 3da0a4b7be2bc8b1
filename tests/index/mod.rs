//! Seekable files: marks, footers, sidecars, and parts of files: between restart points, or between lines of text.

mod damage;
mod ends;
mod hostile;
mod joined;
mod parts;
#[cfg(feature = "arrow")]
mod scoped;
mod sidecars;
mod text;
mod text_refused;

use std::path::Path;
use std::sync::Arc;

use jelly_patch::With;
use jelly_patch::decode::{DecodeOptions, Framing};
use jelly_patch::encode::EncodeOptions;
use jelly_patch::format::{PatchFormat, RdfFormat};
use jelly_patch::index::{Index, restart_points};
use jelly_patch::io::Source;
use jelly_patch::open::{OpenOptions, open_patch, open_rdf};
use jelly_patch::options::{Features, PatchOptions, RdfOptions};
use jelly_patch::reader::RowSource;
use jelly_patch::{Error, Warning};

use crate::common::core::{Collect, config};
use crate::common::encode::Recode;
use crate::common::rows::{PatchRow, RdfRow};
use crate::oracle::generate::{Format, Stream, stream};

/// A generated stream, written by us with restart points; `None`: it cannot be written, or has no frame.
pub fn seekable(seed: u64) -> Option<(Format, Vec<u8>)> {
    let stream = stream(seed);
    let encode = EncodeOptions::rdf().with(|options| {
        options.restart_bytes = Some([0, 0, 100, 300][seed as usize % 4]);
        options.frame_rows = [1, 3, 9][seed as usize % 3];
        options.namespaces = Some(seed.is_multiple_of(2));
    });
    let written = rewrite(&stream, encode)?;
    (!written.is_empty()).then_some((stream.format, written))
}

/// A generated stream as our encoder writes it.
pub fn rewrite(stream: &Stream, encode: EncodeOptions) -> Option<Vec<u8>> {
    let all = Features { generalized_statements: true, rdf_star: true };
    let rdf = |options: &mut RdfOptions| options.features = all;
    let patch = |options: &mut PatchOptions| options.features = all;
    let recode = Recode { rdf: &rdf, patch: &patch, ..Recode::new(encode) };
    let (bytes, config) = (stream.bytes(), config(stream.how));
    match stream.format {
        Format::Rdf => recode.rdf(&bytes, config).ok(),
        Format::Patch => recode.patch(&bytes, config).ok(),
    }
}

/// Rows of a format, and how a source becomes them.
pub trait Rows: Clone + PartialEq + std::fmt::Debug + Sized {
    fn read(source: Source, options: &OpenOptions, pause: usize) -> Read<Self>;
}

/// What was read.
#[derive(Debug)]
pub struct Read<R> {
    pub rows: Vec<R>,
    pub error: Option<Error>,
    pub warnings: Vec<Warning>,
}

impl<R> Read<R> {
    #[track_caller]
    pub fn whole(self) -> Vec<R> {
        assert!(self.error.is_none(), "{:?}", self.error);
        self.rows
    }

    /// The slug of the error, and how many rows came before it.
    #[track_caller]
    pub fn refused(&self) -> (&'static str, usize) {
        (self.error.as_ref().expect("an error").kind().slug(), self.rows.len())
    }

    fn refuse(error: Error) -> Self {
        Read { rows: Vec::new(), error: Some(error), warnings: Vec::new() }
    }
}

fn drain<R>(mut source: Box<dyn RowSource<Collect<R>>>, pause: usize) -> Read<R> {
    let mut sink = Collect::new(pause);
    let error = loop {
        match source.advance(&mut sink, &mut || Ok(())) {
            Ok(true) => break None,
            Ok(false) => sink.resume(),
            Err(error) => break Some(error),
        }
    };
    Read { rows: sink.decoded.rows, error, warnings: source.warnings() }
}

impl Rows for RdfRow {
    fn read(source: Source, options: &OpenOptions, pause: usize) -> Read<Self> {
        match open_rdf(source, options) {
            Ok(reader) => drain(reader.into_rows(), pause),
            Err(error) => Read::refuse(error),
        }
    }
}

impl Rows for PatchRow {
    fn read(source: Source, options: &OpenOptions, pause: usize) -> Read<Self> {
        match open_patch(source, options) {
            Ok(reader) => drain(reader.into_rows(), pause),
            Err(error) => Read::refuse(error),
        }
    }
}

pub fn memory(bytes: &[u8]) -> Source {
    Source::Bytes(Arc::new(bytes.to_vec()))
}

pub fn part(start: Option<u64>, end: Option<u64>) -> OpenOptions {
    let decode = DecodeOptions::default().with(|options| options.framing = Framing::Delimited);
    OpenOptions::default().with(|options| {
        options.rdf_format = Some(RdfFormat::Jelly);
        options.patch_format = Some(PatchFormat::Jelly);
        options.decode = decode;
        options.start = start;
        options.end = end;
    })
}

pub fn whole<R: Rows>(bytes: &[u8]) -> Read<R> {
    R::read(memory(bytes), &part(None, None), usize::MAX)
}

/// A file with these bytes, and its folder, which goes with it.
pub struct Kept {
    folder: tempfile::TempDir,
}

impl Kept {
    pub fn new(bytes: &[u8]) -> Self {
        let kept = Kept { folder: tempfile::tempdir().expect("a folder") };
        kept.write(bytes);
        kept
    }

    pub fn write(&self, bytes: &[u8]) {
        std::fs::write(self.path(), bytes).expect("a file");
    }

    pub fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("a.jelly")
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn index(&self) -> Index {
        restart_points(&self.path(), None).expect("a file that can be read")
    }

    pub fn read<R: Rows>(&self, start: Option<u64>, end: Option<u64>) -> Read<R> {
        R::read(Source::Path(self.path()), &part(start, end), usize::MAX)
    }
}
