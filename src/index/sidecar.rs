//! The sidecar: decoder snapshots of a file, beside it, so that it can be entered where they were taken.
//!
//! Layout: magic, snapshots, directory. The directory is found from the end, as a footer is: version, format,
//! bytes of the file, hashes of its first and last 64 KiB (8 bytes each, little endian), number of points, and
//! for each what it adds to the one before (bytes, rows, frames, patches, transactions), flags, and the length
//! of its snapshot; all but the hashes are varints.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::footer::{Point, read_added, write_added};
use super::mark::{Counters, Unreadable, VERSION, number, version};
use super::tail::{self, ReadAt, Tail};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::wire::write_varint;

pub(super) const MAGIC: [u8; tail::MAGIC] = *b"JellySdc";
/// Bytes at both ends of the file that are hashed.
const ENDS: u64 = 64 << 10;
/// Numbers of a point, a byte each at least.
const NUMBERS: usize = 7;

/// The sidecar of a file.
pub fn sidecar_path(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".jellyindex");
    path.with_file_name(name)
}

/// What binds a sidecar to its file: the bytes as they lie there, compressed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Binding {
    pub(super) size: u64,
    hashes: [u64; 2],
}

impl Binding {
    /// Of the first `size` bytes of a file.
    pub(super) fn of(file: &mut File, size: u64) -> io::Result<Self> {
        let mut hash = |start: u64| {
            let mut bytes = vec![0; ENDS.min(size) as usize];
            file.seek(SeekFrom::Start(start))?;
            file.read_exact(&mut bytes).map(|()| fnv(&bytes))
        };
        Ok(Binding { size, hashes: [hash(0)?, hash(size.saturating_sub(ENDS))?] })
    }
}

fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// What a sidecar says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Directory {
    /// The format, as snapshots have it.
    pub(super) format: u8,
    pub(super) binding: Binding,
    /// Each place, and the length of its snapshot.
    pub(super) points: Vec<(Point, u64)>,
}

impl Directory {
    /// The bytes after the snapshots.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for value in [VERSION, self.format.into(), self.binding.size] {
            write_varint(&mut out, value);
        }
        self.binding.hashes.iter().for_each(|hash| out.extend_from_slice(&hash.to_le_bytes()));
        write_varint(&mut out, self.points.len() as u64);
        let mut last = Point::default();
        for (point, length) in &self.points {
            write_varint(&mut out, point.offset.saturating_sub(last.offset));
            write_added(&mut out, last.counters, point.counters);
            write_varint(&mut out, point.counters.flags());
            write_varint(&mut out, *length);
            last = *point;
        }
        tail::seal(out, MAGIC)
    }

    fn decode(mut bytes: &[u8]) -> Result<Self, Unreadable> {
        version(&mut bytes)?;
        let directory = (|| {
            let format = u8::try_from(number(&mut bytes)?).ok()?;
            let size = number(&mut bytes)?;
            let (hashes, rest) = bytes.split_first_chunk::<16>()?;
            let (first, last) = hashes.split_at(8);
            let hashes =
                [u64::from_le_bytes(first.try_into().ok()?), u64::from_le_bytes(last.try_into().ok()?)];
            bytes = rest;
            let count = number(&mut bytes)?;
            if count > (bytes.len() / NUMBERS) as u64 {
                return None;
            }
            let mut points = Vec::with_capacity(count as usize);
            let mut last = Point::default();
            for _ in 0..count {
                let offset = last.offset.checked_add(number(&mut bytes)?)?;
                let sum = read_added(&mut bytes, last.counters)?;
                let point = Point { offset, counters: Counters::new(sum.numbers(), number(&mut bytes)?)? };
                if point.offset <= last.offset {
                    return None;
                }
                points.push((point, number(&mut bytes)?));
                last = point;
            }
            bytes.is_empty().then_some(Directory { format, binding: Binding { size, hashes }, points })
        })();
        directory.ok_or(Unreadable::Damaged)
    }
}

/// A sidecar that is of its file.
#[derive(Debug)]
pub(super) struct Sidecar {
    file: File,
    directory: Directory,
}

impl Sidecar {
    /// The sidecar of a file, or why it cannot be used; `None`: it has none.
    pub(super) fn find(path: &Path) -> Result<Option<std::result::Result<Self, &'static str>>> {
        let mut file = match File::open(sidecar_path(path)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let length = file.metadata()?.len();
        let directory = match tail::read(&mut file, length, MAGIC)? {
            Tail::Body(body) => match Directory::decode(&body) {
                Ok(directory) => (directory, body.len()),
                Err(Unreadable::Version(_)) => return Ok(Some(Err("its sidecar is of another version"))),
                Err(Unreadable::Damaged) => return Ok(Some(Err("its sidecar is damaged"))),
            },
            Tail::None | Tail::Damaged => return Ok(Some(Err("its sidecar is damaged"))),
        };
        let (directory, body) = directory;
        let around = (tail::MAGIC + body + tail::TAIL) as u64;
        let all = directory.points.iter().try_fold(around, |sum, (_, length)| sum.checked_add(*length));
        if all != Some(length) {
            return Ok(Some(Err("its sidecar is damaged")));
        }
        let mut indexed = File::open(path)?;
        let size = directory.binding.size;
        if indexed.metadata()?.len() < size || Binding::of(&mut indexed, size)? != directory.binding {
            return Ok(Some(Err("its sidecar is of other bytes: the file changed")));
        }
        Ok(Some(Ok(Sidecar { file, directory })))
    }

    /// The start of the file and all places with a snapshot.
    pub(super) fn points(&self) -> Vec<Point> {
        let start = std::iter::once(Point::default());
        start.chain(self.directory.points.iter().map(|(point, _)| *point)).collect()
    }

    /// The snapshot of a place; `None`: there is none for it.
    pub(super) fn snapshot(&mut self, offset: u64, limits: &Limits) -> Result<Option<Vec<u8>>> {
        let mut at = tail::MAGIC as u64;
        for (point, length) in &self.directory.points {
            if point.offset != offset {
                at += length;
                continue;
            }
            // tables, repeated terms, and what is around them
            let most = limits.lookup_bytes.saturating_add(limits.term_bytes.saturating_mul(8)) as u64;
            if *length > most {
                let message = format!("a snapshot of {length} bytes");
                return Err(Error::limit(ErrorKind::LimitLookup, "lookup_bytes", message));
            }
            let mut snapshot = vec![0; *length as usize];
            self.file.read_at(at, &mut snapshot)?;
            return Ok(Some(snapshot));
        }
        Ok(None)
    }
}
