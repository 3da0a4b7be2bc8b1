//! Data that is found from the end of a file: a body, its CRC-32C, its length, and a magic.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Size of a magic in bytes.
pub(crate) const MAGIC: usize = 8;
/// Number of bytes after the body: CRC-32C and length, little endian, and magic.
pub(crate) const TAIL: usize = 4 + 4 + MAGIC;
/// Maximum size of a body.
pub(crate) const MOST: u64 = 4 << 20;

/// Adds the tail to a body.
pub(crate) fn seal(mut body: Vec<u8>, magic: [u8; MAGIC]) -> Vec<u8> {
    let (checksum, length) = (crc32c::crc32c(&body), body.len() as u32);
    body.extend_from_slice(&checksum.to_le_bytes());
    body.extend_from_slice(&length.to_le_bytes());
    body.extend_from_slice(&magic);
    body
}

/// Bytes at the end that are read first.
const NEAR: u64 = 8 << 10;

/// The result of reading the end of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Tail {
    /// The magic is missing.
    None,
    /// The magic is there, but the data before it is invalid.
    Damaged,
    /// The body.
    Body(Vec<u8>),
}

/// Reads the body that ends at byte `end`.
pub(crate) fn read(bytes: &mut impl ReadAt, end: u64, magic: [u8; MAGIC]) -> io::Result<Tail> {
    let Some(at) = end.checked_sub(TAIL as u64) else {
        return Ok(Tail::None);
    };
    // in one step for a short body, because each step is slow in compressed files
    let mut last = vec![0; end.min(NEAR) as usize];
    bytes.read_at(end - last.len() as u64, &mut last)?;
    let Some((near, tail)) = last.split_last_chunk::<TAIL>().filter(|(_, tail)| tail.ends_with(&magic))
    else {
        return Ok(Tail::None);
    };
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| tail[at + byte]));
    let (checksum, length) = (word(0), word(4));
    // the bytes of this length exist, and the length is limited
    let Some(start) = at.checked_sub(length.into()).filter(|_| u64::from(length) <= MOST) else {
        return Ok(Tail::Damaged);
    };
    let body = match near.len().checked_sub(length as usize) {
        Some(from) => near[from..].to_vec(),
        None => {
            let mut body = vec![0; length as usize];
            bytes.read_at(start, &mut body)?;
            body
        }
    };
    Ok(if crc32c::crc32c(&body) == checksum { Tail::Body(body) } else { Tail::Damaged })
}

/// Bytes that can be read at any offset.
pub(crate) trait ReadAt {
    /// Fills the whole `buffer` with the bytes from `offset` on.
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl ReadAt for &[u8] {
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let short = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let start = usize::try_from(offset).map_err(|_| short())?;
        let bytes = self.get(start..).and_then(|rest| rest.get(..buffer.len())).ok_or_else(short)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

impl ReadAt for File {
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset))?;
        self.read_exact(buffer)
    }
}
