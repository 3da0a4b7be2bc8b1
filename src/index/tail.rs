//! What is found from the end of a file: a body, its CRC-32C, its length, a magic.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Bytes of a magic.
pub(super) const MAGIC: usize = 8;
/// Bytes after the body: CRC-32C and length, little endian, and magic.
pub(super) const TAIL: usize = 4 + 4 + MAGIC;
/// The longest body that is read.
pub(super) const MOST: u64 = 4 << 20;

/// Closes a body.
pub(super) fn seal(mut body: Vec<u8>, magic: [u8; MAGIC]) -> Vec<u8> {
    let (checksum, length) = (crc32c::crc32c(&body), body.len() as u32);
    body.extend_from_slice(&checksum.to_le_bytes());
    body.extend_from_slice(&length.to_le_bytes());
    body.extend_from_slice(&magic);
    body
}

/// What the end of some bytes is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tail {
    /// The magic is not there.
    None,
    /// The magic is there, and what is before it is not right.
    Damaged,
    /// The body.
    Body(Vec<u8>),
}

/// Reads the body that ends at byte `end`.
pub(super) fn read(bytes: &mut impl ReadAt, end: u64, magic: [u8; MAGIC]) -> io::Result<Tail> {
    let Some(at) = end.checked_sub(TAIL as u64) else {
        return Ok(Tail::None);
    };
    let mut tail = [0; TAIL];
    bytes.read_at(at, &mut tail)?;
    if !tail.ends_with(&magic) {
        return Ok(Tail::None);
    }
    let [a, b, c, d, e, f, g, h, ..] = tail;
    let (checksum, length) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
    // the length is of bytes that are there, and bounded
    let Some(start) = at.checked_sub(length.into()).filter(|_| u64::from(length) <= MOST) else {
        return Ok(Tail::Damaged);
    };
    let mut body = vec![0; length as usize];
    bytes.read_at(start, &mut body)?;
    Ok(if crc32c::crc32c(&body) == checksum { Tail::Body(body) } else { Tail::Damaged })
}

/// Bytes that can be read anywhere.
pub(super) trait ReadAt {
    /// Fills `buffer` with the bytes from `offset` on, all of it.
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
