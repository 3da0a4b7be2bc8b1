//! A source that can be read anywhere, its compression taken off.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::tail::ReadAt;
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Compression, SharedBytes, Stream};

/// Bytes that can be read from any offset.
pub(super) enum Bytes {
    /// A file that is not compressed.
    File { file: File, length: u64 },
    /// Memory that is not compressed.
    Memory(SharedBytes),
}

impl Bytes {
    /// Opens a file.
    pub(super) fn open(path: &Path, compression: Option<Compression>) -> Result<Self> {
        let mut file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(Error::new(ErrorKind::Argument, "only files can be entered in the middle"));
        }
        let mut magic = Vec::new();
        (&mut file).take(4).read_to_end(&mut magic)?;
        let length = file.seek(SeekFrom::End(0))?;
        match compression.unwrap_or_else(|| Compression::detect(&magic)) {
            Compression::None => Ok(Bytes::File { file, length }),
            other => Err(never_splits(other)),
        }
    }

    /// Takes bytes in memory.
    pub(super) fn of_memory(bytes: SharedBytes, compression: Option<Compression>) -> Result<Self> {
        match compression.unwrap_or_else(|| Compression::detect((*bytes).as_ref())) {
            Compression::None => Ok(Bytes::Memory(bytes)),
            other => Err(never_splits(other)),
        }
    }

    /// How many there are, uncompressed.
    pub(super) fn len(&self) -> u64 {
        match self {
            Bytes::File { length, .. } => *length,
            Bytes::Memory(bytes) => (**bytes).as_ref().len() as u64,
        }
    }

    /// All from `offset` on; of memory that is not a file, all, and the reader begins at `offset`.
    pub(super) fn stream_at(self, offset: u64) -> Result<Stream> {
        Ok(match self {
            Bytes::File { mut file, .. } => {
                file.seek(SeekFrom::Start(offset))?;
                Stream::Reader(Box::new(file))
            }
            Bytes::Memory(bytes) => Stream::Bytes(bytes),
        })
    }

    /// The first bytes, so many at most.
    pub(super) fn start(&mut self, offset: u64, most: usize) -> Result<Vec<u8>> {
        let length = self.len().saturating_sub(offset).min(most as u64);
        let mut start = vec![0; length as usize];
        self.read_at(offset, &mut start)?;
        Ok(start)
    }
}

#[cold]
fn never_splits(compression: Compression) -> Error {
    let message = match compression {
        Compression::Gzip => "gzip cannot be entered in the middle: it never splits",
        _ => "this zstd file has no seek table, so it cannot be entered in the middle",
    };
    Error::new(ErrorKind::Argument, message)
}

impl ReadAt for Bytes {
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        match self {
            Bytes::File { file, .. } => file.read_at(offset, buffer),
            Bytes::Memory(bytes) => (**bytes).as_ref().read_at(offset, buffer),
        }
    }
}
