//! Opens a source and reads its first bytes.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;

use super::ahead::Ahead;
use super::decompress::decompress;
use super::detect::{Content, is_certain, sniff};
use super::shared::SharedFile;
use crate::compression::Compression;
use crate::decode::Framing;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// Bytes in memory that several readers can share.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The source of a stream of bytes.
pub enum Source {
    /// A file.
    Path(PathBuf),
    /// Memory.
    Bytes(SharedBytes),
    /// An open file that can be read at any position.
    File(SharedFile),
    /// A reader, which can be read once.
    Reader(Box<dyn Read + Send>),
}

/// The file with this name.
impl From<String> for Source {
    fn from(path: String) -> Self {
        Source::Path(path.into())
    }
}

/// The file with this name.
impl From<&str> for Source {
    fn from(path: &str) -> Self {
        Source::Path(path.into())
    }
}

/// The file at this path.
impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Source::Path(path)
    }
}

impl Source {
    /// A source with the same bytes, if they can be opened again.
    pub(crate) fn again(&self) -> Option<Source> {
        match self {
            Source::Path(path) if path.metadata().is_ok_and(|meta| meta.is_file()) => {
                Some(Source::Path(path.clone()))
            }
            Source::Bytes(bytes) => Some(Source::Bytes(Arc::clone(bytes))),
            Source::File(file) => Some(Source::File(file.clone())),
            Source::Path(_) | Source::Reader(_) => None,
        }
    }

    /// Size of the stored bytes, compressed or not, if they can be opened again.
    pub(crate) fn size(&self) -> Result<Option<u64>> {
        Ok(match self {
            Source::Path(path) => Some(path.metadata()?).filter(|meta| meta.is_file()).map(|meta| meta.len()),
            Source::Bytes(bytes) => Some((**bytes).as_ref().len() as u64),
            Source::File(file) => Some(file.length()),
            Source::Reader(_) => None,
        })
    }
}

/// An open, decompressed source with its detected content.
pub struct Opened {
    /// The bytes of the stream.
    pub stream: Stream,
    /// The compression that was detected or requested.
    pub compression: Compression,
    /// The content that the first bytes of the stream, at most 4 KiB, suggest.
    pub content: Content,
    /// A source with the same bytes, if they can be opened again.
    pub again: Option<Source>,
}

/// The bytes of a stream.
pub enum Stream {
    /// Memory, uncompressed.
    Bytes(SharedBytes),
    /// A reader, for all other sources.
    Reader(Box<dyn Read + Send>),
}

/// Number of bytes of a stream that are read for detection.
pub(super) const PEEK: usize = 4096;
/// Number of bytes that identify the compression.
pub(super) const MAGIC: usize = 4;
/// Compressed size in bytes below which a thread costs more than it saves.
const WORTH_A_THREAD: u64 = 1 << 20;

/// Opens a source. With two threads, the default with two processors, one thread decompresses a file or
/// memory.
pub fn open(
    source: Source,
    compression: Option<Compression>,
    framing: Framing,
    limits: &Limits,
    threads: Option<usize>,
) -> Result<Opened> {
    let again = source.again();
    let threads = || threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let has_thread = match &source {
        Source::Path(_) | Source::Bytes(_) => threads() > 1 && source.size()? >= Some(WORTH_A_THREAD),
        // their bytes may arrive late, or from Python
        Source::File(_) | Source::Reader(_) => false,
    };
    let mut raw: Box<dyn Read + Send> = match source {
        Source::Bytes(bytes) => {
            let found = compression.unwrap_or_else(|| Compression::detect((*bytes).as_ref()));
            if found == Compression::None {
                let start = (*bytes).as_ref();
                let content = sniff(&start[..start.len().min(PEEK)], framing);
                return Ok(Opened { stream: Stream::Bytes(bytes), compression: found, content, again });
            }
            Box::new(Cursor::new(ByRef(bytes)))
        }
        Source::Path(path) => Box::new(File::open(&path)?),
        Source::File(file) => Box::new(file),
        Source::Reader(reader) => reader,
    };
    let (magic, failed) = peek(&mut raw, MAGIC, |start| start.len() >= MAGIC);
    let compression = compression.unwrap_or_else(|| Compression::detect(&magic));
    let raw = Peeked::new(magic, failed, raw)?;
    let mut stream = decompress(raw, compression, limits)?;
    let mut content = Content::Empty;
    let (start, failed) = peek(&mut stream, PEEK, |start| {
        content = sniff(start, framing);
        is_certain(content, start)
    });
    if has_thread && compression != Compression::None {
        stream = Box::new(Ahead::new(stream));
    }
    let stream = Stream::Reader(Box::new(Peeked::new(start, failed, stream)?));
    Ok(Opened { stream, compression, content, again })
}

/// Reads until the bytes are `enough`, or up to `most` bytes, the end, or an error. Does not wait for more
/// bytes of a live source when they are `enough`.
fn peek(
    reader: &mut dyn Read,
    most: usize,
    mut enough: impl FnMut(&[u8]) -> bool,
) -> (Vec<u8>, Option<io::Error>) {
    let mut bytes = vec![0; most];
    let mut filled = 0;
    let failed = loop {
        match reader.read(&mut bytes[filled..]) {
            Ok(0) => break None,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Some(error),
        }
        if enough(&bytes[..filled]) {
            break None;
        }
    };
    bytes.truncate(filled);
    (bytes, failed)
}

/// The bytes that were read ahead, then the error after them, then the rest.
struct Peeked<R> {
    start: Cursor<Vec<u8>>,
    failed: Option<io::Error>,
    rest: R,
}

impl<R> Peeked<R> {
    /// An error before the first byte is returned here.
    fn new(start: Vec<u8>, failed: Option<io::Error>, rest: R) -> Result<Self> {
        match failed {
            Some(error) if start.is_empty() => Err(error.into()),
            failed => Ok(Peeked { start: Cursor::new(start), failed, rest }),
        }
    }
}

/// The bytes that were read ahead, then the error after them, then the rest.
pub(crate) fn rest(
    start: Vec<u8>,
    failed: Option<io::Error>,
    rest: Box<dyn Read + Send>,
) -> Box<dyn Read + Send> {
    Box::new(Peeked { start: Cursor::new(start), failed, rest })
}

impl<R: Read> Read for Peeked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match (self.start.read(buffer)?, self.failed.take()) {
            (0, Some(error)) => Err(error),
            (0, None) => self.rest.read(buffer),
            (n, failed) => {
                self.failed = failed;
                Ok(n)
            }
        }
    }
}

impl Stream {
    /// Returns a reader of the whole stream.
    pub(crate) fn into_reader(self) -> Box<dyn Read + Send> {
        match self {
            Stream::Reader(reader) => reader,
            Stream::Bytes(bytes) => Box::new(Cursor::new(ByRef(bytes))),
        }
    }
}

/// Lets a cursor read shared bytes.
pub(crate) struct ByRef(pub(crate) SharedBytes);

impl AsRef<[u8]> for ByRef {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Reader(reader) => reader.read(buffer),
            Stream::Bytes(_) => {
                let message = "bytes in memory are decoded where they lie";
                Err(io::Error::other(Error::new(ErrorKind::Internal, message)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first read returns the four bytes that identify the compression; the first of them is the length
    /// of a frame, which is here the first letter of a text format.
    #[test]
    fn frames_whose_length_looks_like_text() {
        for letter in *b"ADH<[{_@#" {
            let mut bytes = vec![letter, 0x0a, 0x0a, 0x0a, 0x08, 0x08, 0x01, 0x10, 0x02];
            bytes.extend([0x48, 0x10, 0x78, 0x01]);
            let row = usize::from(letter) - bytes.len() - 1; // an unknown field fills the frame
            bytes.extend([0x82, 0x02, u8::try_from(row).unwrap()]);
            bytes.resize(usize::from(letter) + 1, 0);
            let source = Source::Reader(Box::new(Cursor::new(bytes)));
            let opened = open(source, None, Framing::Auto, &Limits::default(), Some(1)).unwrap();
            assert_eq!(opened.content, Content::JellyPatch, "{}", char::from(letter));
        }
    }
}
