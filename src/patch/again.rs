//! Sources that are read more than once.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Result;
use crate::io::{SharedBytes, SharedFile, Source};
use crate::open::OpenOptions;

/// A source that can be opened any number of times. What can be read only once lies in a temporary file.
pub struct Again {
    bytes: Bytes,
    /// How it is read; the name of the source is in it.
    pub options: OpenOptions,
}

enum Bytes {
    Path(PathBuf),
    Shared(SharedBytes),
    File(SharedFile),
}

impl Again {
    /// Makes a source readable more than once; pipes and the like are read to their end here.
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

    /// The file, if it is read from one.
    pub fn path(&self) -> Option<&Path> {
        match &self.bytes {
            Bytes::Path(path) => Some(path),
            Bytes::Shared(_) | Bytes::File(_) => None,
        }
    }

    /// Its bytes, as they are stored.
    pub fn size(&self) -> Option<u64> {
        match &self.bytes {
            Bytes::Path(path) => path.metadata().ok().map(|meta| meta.len()),
            Bytes::Shared(bytes) => Some(bytes.as_ref().as_ref().len() as u64),
            Bytes::File(file) => Some(file.length()),
        }
    }

    /// What it is called.
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
