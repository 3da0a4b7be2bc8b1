//! Opens a source at an offset.

use std::fs::File;
use std::io::{self, Cursor, Read, SeekFrom};

use super::decompress::decompress;
use super::seek_table;
use super::shared::ReadSeek;
use super::source::{ByRef, MAGIC, Source, Stream};
use crate::compression::Compression;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// Opens a source so that the first byte read is byte `offset` of the decompressed stream.
///
/// Uncompressed files can be entered at any byte. zstd files with a seek table are entered at the start of
/// the frame that contains the byte. Any other source, and an offset after the end, is an error of kind
/// `argument`.
pub fn open_at(
    source: Source,
    offset: u64,
    compression: Option<Compression>,
    limits: &Limits,
) -> Result<Stream> {
    let mut file: Box<dyn ReadSeek> = match source {
        Source::Path(path) => Box::new(File::open(&path)?),
        Source::Bytes(bytes) => Box::new(Cursor::new(ByRef(bytes))),
        Source::File(file) => Box::new(file),
        Source::Reader(_) => return Err(refused("the source can be read only once")),
    };
    let compression = match compression {
        Some(given) => given,
        None => {
            let mut magic = Vec::new();
            (&mut file).take(MAGIC as u64).read_to_end(&mut magic)?;
            Compression::detect(&magic)
        }
    };
    let skip = match compression {
        _ if offset == 0 => {
            file.seek(SeekFrom::Start(0))?;
            0
        }
        Compression::None => {
            let length = file.seek(SeekFrom::End(0))?;
            check_end(offset, length)?;
            file.seek(SeekFrom::Start(offset))?;
            0
        }
        Compression::Gzip | Compression::Bzip2 | Compression::Xz => return Err(refused(compression.name())),
        Compression::Zstd => {
            let places = seek_table::read(&mut file)?;
            let places = places.ok_or_else(|| refused("the zstd file has no complete seek table"))?;
            let end = places.last().map_or(0, |place| place.plain);
            check_end(offset, end)?;
            let before = places.partition_point(|place| place.plain <= offset);
            let Some(place) = places[..before].last() else {
                return Err(Error::new(ErrorKind::Internal, "the seek table does not start at 0"));
            };
            file.seek(SeekFrom::Start(place.stored))?;
            offset - place.plain
        }
    };
    let mut stream = decompress(file, compression, limits)?;
    let skipped = io::copy(&mut (&mut stream).take(skip), &mut io::sink())?;
    if skipped < skip {
        let message = "a zstd frame is shorter than its seek table says";
        return Err(Error::new(ErrorKind::WireCompressed, message));
    }
    Ok(Stream::Reader(stream))
}

/// The decompressed size of a zstd file, according to its seek table; `None`: no table covers the whole file.
pub(crate) fn seekable_length(file: &mut (impl Read + io::Seek)) -> io::Result<Option<u64>> {
    Ok(seek_table::read(file)?.and_then(|places| places.last().map(|end| end.plain)))
}

fn check_end(offset: u64, end: u64) -> Result<()> {
    if offset <= end {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Argument, format!("byte {offset} is after the end, which is at {end}")))
}

#[cold]
fn refused(what: &str) -> Error {
    Error::new(ErrorKind::Argument, format!("{what} cannot be read from the middle"))
}
