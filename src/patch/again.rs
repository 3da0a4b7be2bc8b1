//! Sources that are read more than once.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;
use crate::io::{SharedBytes, Source};
use crate::open::OpenOptions;

/// A source that can be opened any number of times. What can be read only once lies in a temporary file.
pub struct Again {
    bytes: Bytes,
    /// How it is read; the name of the source is in it.
    pub options: OpenOptions,
}

enum Bytes {
    Path(std::path::PathBuf),
    Shared(SharedBytes),
    Spooled(Arc<Mutex<File>>),
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
            Source::Reader(mut reader) => Bytes::spool(&mut reader)?,
        };
        Ok(Again { bytes, options })
    }

    /// The source, from its start.
    pub fn source(&self) -> Source {
        match &self.bytes {
            Bytes::Path(path) => Source::Path(path.clone()),
            Bytes::Shared(bytes) => Source::Bytes(Arc::clone(bytes)),
            Bytes::Spooled(file) => Source::Reader(Box::new(Spooled { file: Arc::clone(file), at: 0 })),
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
        Ok(Bytes::Spooled(Arc::new(Mutex::new(file))))
    }
}

/// A reader of a spooled source, with a place of its own.
struct Spooled {
    file: Arc<Mutex<File>>,
    at: u64,
}

impl Read for Spooled {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at))?;
        let n = file.read(buffer)?;
        self.at += n as u64;
        Ok(n)
    }
}
