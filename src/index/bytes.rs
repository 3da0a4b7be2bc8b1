//! A source that can be read anywhere, its compression taken off.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;

use crate::error::{Error, ErrorKind, Result};
use crate::io::{ByRef, Compression, SharedBytes, SharedFile, Source, Stream, open_at, seekable_length};
use crate::limits::Limits;
use crate::restart::tail::ReadAt;

/// Bytes that can be read from any offset.
pub(crate) enum Bytes {
    /// A file that is not compressed.
    File { file: File, length: u64 },
    /// Memory that is not compressed.
    Memory(SharedBytes),
    /// A file that was opened elsewhere.
    Shared { file: SharedFile, length: u64 },
    /// zstd with a seek table.
    Zstd { again: Again, length: u64, limits: Limits },
}

/// What can be opened as often as one likes.
pub(crate) enum Again {
    File(PathBuf),
    Memory(SharedBytes),
    Shared(SharedFile),
}

/// What is asked of a file that may be far away.
const PIECE: usize = 4 << 20;

impl Again {
    fn source(&self) -> Source {
        match self {
            Again::File(path) => Source::Path(path.clone()),
            Again::Memory(bytes) => Source::Bytes(bytes.clone()),
            Again::Shared(file) => Source::File(file.clone()),
        }
    }
}

impl Bytes {
    /// Opens a source; a source that cannot be read from the middle is an error of kind `argument`.
    pub(crate) fn open(source: Source, compression: Option<Compression>, limits: &Limits) -> Result<Self> {
        match source {
            Source::Path(path) => {
                let file = File::open(&path)?;
                if !file.metadata()?.is_file() {
                    return Err(argument("reading in the middle works only with files"));
                }
                Bytes::of(
                    file,
                    compression,
                    limits,
                    || Again::File(path),
                    |file, length| Bytes::File { file, length },
                )
            }
            Source::Bytes(bytes) => {
                let (cursor, shared) = (Cursor::new(ByRef(bytes.clone())), bytes.clone());
                Bytes::of(cursor, compression, limits, || Again::Memory(shared), |_, _| Bytes::Memory(bytes))
            }
            Source::File(mut file) => {
                file.seek(SeekFrom::Start(0))?;
                let again = file.clone();
                Bytes::of(
                    file,
                    compression,
                    limits,
                    || Again::Shared(again),
                    |file, length| Bytes::Shared { file, length },
                )
            }
            Source::Reader(_) => Err(argument("only files and bytes in memory can be read in parts")),
        }
    }

    fn of<R: Read + Seek>(
        mut raw: R,
        compression: Option<Compression>,
        limits: &Limits,
        again: impl FnOnce() -> Again,
        plain: impl FnOnce(R, u64) -> Self,
    ) -> Result<Self> {
        let mut magic = Vec::new();
        (&mut raw).take(4).read_to_end(&mut magic)?;
        let compression = compression.unwrap_or_else(|| Compression::detect(&magic));
        match compression {
            Compression::None => {
                let length = raw.seek(SeekFrom::End(0))?;
                Ok(plain(raw, length))
            }
            Compression::Gzip | Compression::Bzip2 | Compression::Xz => Err(argument(&format!(
                "{} cannot be read from the middle: it is never split",
                compression.name()
            ))),
            Compression::Zstd => match seekable_length(&mut raw)? {
                Some(length) => Ok(Bytes::Zstd { again: again(), length, limits: limits.clone() }),
                None => {
                    Err(argument("this zstd file has no seek table, so it cannot be read from the middle"))
                }
            },
        }
    }

    /// How many there are, uncompressed.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Bytes::File { length, .. } | Bytes::Shared { length, .. } | Bytes::Zstd { length, .. } => *length,
            Bytes::Memory(bytes) => (**bytes).as_ref().len() as u64,
        }
    }

    /// All from `offset` on; of memory that is not compressed, all, and the reader begins at `offset`.
    pub(crate) fn stream_at(self, offset: u64) -> Result<Stream> {
        Ok(match self {
            Bytes::File { mut file, .. } => {
                file.seek(SeekFrom::Start(offset))?;
                Stream::Reader(Box::new(file))
            }
            Bytes::Shared { mut file, .. } => {
                file.seek(SeekFrom::Start(offset))?;
                Stream::Reader(Box::new(BufReader::with_capacity(PIECE, file)))
            }
            Bytes::Memory(bytes) => Stream::Bytes(bytes),
            Bytes::Zstd { again, limits, .. } => {
                open_at(again.source(), offset, Some(Compression::Zstd), &limits)?
            }
        })
    }

    /// Bytes from `offset` on, so many at most.
    pub(crate) fn start(&mut self, offset: u64, most: usize) -> Result<Vec<u8>> {
        let length = self.len().saturating_sub(offset).min(most as u64);
        let mut start = vec![0; length as usize];
        self.read_at(offset, &mut start)?;
        Ok(start)
    }
}

#[cold]
fn argument(message: &str) -> Error {
    Error::new(ErrorKind::Argument, message)
}

impl ReadAt for Bytes {
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        match self {
            Bytes::File { file, .. } => file.read_at(offset, buffer),
            Bytes::Shared { file, .. } => {
                file.seek(SeekFrom::Start(offset))?;
                file.read_exact(buffer)
            }
            Bytes::Memory(bytes) => (**bytes).as_ref().read_at(offset, buffer),
            Bytes::Zstd { again, limits, .. } => {
                let stream = open_at(again.source(), offset, Some(Compression::Zstd), limits);
                stream.map_err(io::Error::other)?.read_exact(buffer)
            }
        }
    }
}
