//! The sidecar: decoder snapshots in a file beside the indexed file, so that reading can start where they
//! were taken.
//!
//! Layout: magic, snapshots, directory. The directory is found from the end, as a footer is: version, format,
//! bytes of the file, their CRC-32C (4 bytes, little endian), whether the system's stamp of the file follows and
//! says enough, that stamp (time of modification, time of the change of its entry, inode, 8 bytes each, little
//! endian), number of points, and for each what it adds to the one before (bytes, rows, frames, patches,
//! transactions), flags, and the length of its snapshot; all others are varints.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::io::{Checked, Identity, Stamp};
use crate::limits::Limits;
use crate::restart::tail::{self, ReadAt, Tail};
use crate::restart::{Counters, Unreadable, number, version};
use crate::restart::{Point, read_added, write_added};
use crate::wire::write_varint;

pub(super) const MAGIC: [u8; tail::MAGIC] = *b"JellySdc";
/// Version 1 did not see changes between the ends of a file, version 2 does not number its streams.
const VERSION: u64 = 3;
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
    pub(super) checked: Checked,
    /// `None`: another file, or a changed one, may have the same.
    stamp: Option<Stamp>,
}

impl Binding {
    /// Of a file as it is now.
    pub(super) fn of(file: &mut File) -> io::Result<Self> {
        let found = file.metadata()?;
        let checked = Checked::of(file, found.len())?;
        Ok(Binding { checked, stamp: Stamp::of(&found).filter(|stamp| stamp.is_settled()) })
    }

    /// Whether these are the first bytes of the file; `known`: what was found to be true of it.
    fn is_of(&self, mut file: File, known: Option<&Identity>) -> io::Result<bool> {
        if known.is_some_and(|known| known.checked == Some(self.checked)) {
            return Ok(true);
        }
        let found = file.metadata()?;
        if found.len() < self.checked.bytes {
            return Ok(false);
        }
        let same =
            found.len() == self.checked.bytes && self.stamp.is_some() && Stamp::of(&found) == self.stamp;
        Ok(same || Checked::of(&mut file, self.checked.bytes)? == self.checked)
    }
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
        let Binding { checked, stamp } = self.binding;
        for value in [VERSION, self.format.into(), checked.bytes] {
            write_varint(&mut out, value);
        }
        out.extend_from_slice(&checked.checksum.to_le_bytes());
        out.push(stamp.is_some().into());
        stamp
            .map_or([0; 3], |stamp| stamp.0)
            .iter()
            .for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
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
        if version(&mut bytes, VERSION)? != VERSION {
            return Err(Unreadable::Version(VERSION - 1));
        }
        let directory = (|| {
            let format = u8::try_from(number(&mut bytes)?).ok()?;
            let size = number(&mut bytes)?;
            let (checksum, rest) = bytes.split_first_chunk::<4>()?;
            let checked = Checked { bytes: size, checksum: u32::from_le_bytes(*checksum) };
            let ([is_stamped], rest) = rest.split_first_chunk::<1>()?;
            let (stamp, rest) = rest.split_first_chunk::<24>()?;
            let (words, _) = stamp.as_chunks::<8>();
            let stamp = [0, 1, 2].map(|word| u64::from_le_bytes(words[word]));
            let binding = Binding { checked, stamp: (*is_stamped == 1).then_some(Stamp(stamp)) };
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
            bytes.is_empty().then_some(Directory { format, binding, points })
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
    /// The sidecar of a file, or why it cannot be used; `None`: it has none. `known`: what was found to be true of the
    /// file, so that its bytes need not be read again.
    pub(super) fn find(
        path: &Path,
        known: Option<&Identity>,
    ) -> Result<Option<std::result::Result<Self, &'static str>>> {
        let mut file = match File::open(sidecar_path(path)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let length = file.metadata()?.len();
        let directory = match tail::read(&mut file, length, MAGIC)? {
            Tail::Body(body) => match Directory::decode(&body) {
                Ok(directory) => (directory, body.len()),
                Err(Unreadable::Version(_)) => {
                    return Ok(Some(Err("its sidecar was written by another version of this library; \
                                        jelly.index writes it again")));
                }
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
        if !directory.binding.is_of(File::open(path)?, known)? {
            return Ok(Some(Err("its sidecar does not belong to these bytes: the file changed")));
        }
        Ok(Some(Ok(Sidecar { file, directory })))
    }

    /// The bytes that it is of.
    pub(super) fn checked(&self) -> Checked {
        self.directory.binding.checked
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
