//! Sources that are read more than once.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Result;
use crate::io::{SharedBytes, SharedFile, Source};
use crate::open::OpenOptions;

/// A source that can be opened any number of times. A source that can be read only once is copied to a
/// temporary file.
pub struct Again {
    bytes: Bytes,
    /// How the source is read, including its name.
    pub options: OpenOptions,
}

enum Bytes {
    Path(PathBuf),
    Shared(SharedBytes),
    File(SharedFile),
}

impl Again {
    /// Makes a source readable more than once. A source such as a pipe is read to its end here.
    pub fn new(source: Source, options: OpenOptions) -> Result<Self> {
        let bytes = match source {
            Source::Bytes(bytes) => Bytes::Shared(bytes),
            Source::Path(path) if path.metadata().is_ok_and(|meta| !meta.is_file()) => {
                Bytes::spool(&mut File::open(&path)?)?
            }
            Source::Path(path) => Bytes::Path(path),
            Source::File(file) => Bytes::File(file),
            Source::Reader(mut reader) => Bytes::spool(&mut reader)?,
        };
        Ok(Again { bytes, options })
    }

    /// The source, from its start.
    pub fn source(&self) -> Source {
        match &self.bytes {
            Bytes::Path(path) => Source::Path(path.clone()),
            Bytes::Shared(bytes) => Source::Bytes(Arc::clone(bytes)),
            Bytes::File(file) => Source::File(file.clone()),
        }
    }

    /// The path, if the source is a file.
    pub fn path(&self) -> Option<&Path> {
        match &self.bytes {
            Bytes::Path(path) => Some(path),
            Bytes::Shared(_) | Bytes::File(_) => None,
        }
    }

    /// The size of the source in bytes, as stored.
    pub fn size(&self) -> Option<u64> {
        match &self.bytes {
            Bytes::Path(path) => path.metadata().ok().map(|meta| meta.len()),
            Bytes::Shared(bytes) => Some(bytes.as_ref().as_ref().len() as u64),
            Bytes::File(file) => Some(file.length()),
        }
    }

    /// The name of the source.
    pub fn name(&self) -> Option<Arc<str>> {
        match (&self.options.decode.source, &self.bytes) {
            (Some(name), _) => Some(Arc::clone(name)),
            (None, Bytes::Path(path)) => Some(path.to_string_lossy().into()),
            (None, _) => None,
        }
    }
}

impl Bytes {
    fn spool(reader: &mut dyn Read) -> Result<Self> {
        let mut file = tempfile::tempfile()?;
        io::copy(reader, &mut file)?;
        Ok(Bytes::File(SharedFile::new(Box::new(file))?))
    }
}
