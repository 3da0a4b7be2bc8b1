//! The footer: the sync points of a stream, in the last bytes of its last frame.
//!
//! Value of the metadata entry: version and number of points, varints. Then for each point its differences to
//! the previous point: bytes, rows, frames, patches, transactions, and its flags. Then the differences of the
//! end of the stream to the last point, without bytes and flags; the length of the stream (8 bytes, little
//! endian); CRC-32C of all this and its length (4 bytes each, little endian); and the magic.

use super::mark::{Counters, Unreadable, VERSION, number, version};
use super::tail::{self, ReadAt, Tail};
use crate::wire::write_varint;
use std::io;

/// Key of the metadata entry. The entry is the last field of the last frame, and its value comes last in the
/// field.
pub const FOOTER_KEY: &str = "jelly.footer";

const MAGIC: [u8; tail::MAGIC] = *b"JellyIdx";
/// Number of numbers per point, and minimum number of bytes.
const NUMBERS: usize = 6;

/// A place at which a reader can begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// The first byte of its frame, or of its row, in the uncompressed stream.
    pub offset: u64,
    /// The counters before it.
    pub counters: Counters,
}

/// The footer of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// The marks, from the start of the stream, which is the first mark.
    pub points: Vec<Point>,
    /// The counters at the end of the stream, including implied rows and this frame; without flags.
    pub end: Counters,
    /// Length of the stream in bytes, including this footer.
    pub length: u64,
}

impl Footer {
    /// The value of the metadata entry. Its length does not depend on [`Self::length`].
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_varint(&mut out, VERSION);
        write_varint(&mut out, self.points.len() as u64);
        let mut last = Point::default();
        for point in &self.points {
            write_varint(&mut out, point.offset.saturating_sub(last.offset));
            write_added(&mut out, last.counters, point.counters);
            write_varint(&mut out, point.counters.flags());
            last = *point;
        }
        write_added(&mut out, last.counters, self.end);
        out.extend_from_slice(&self.length.to_le_bytes());
        tail::seal(out, MAGIC)
    }

    /// Reads the value of the metadata entry.
    pub fn decode(mut value: &[u8]) -> Result<Self, Unreadable> {
        let end = value.len() as u64;
        match tail::read(&mut value, end, MAGIC) {
            Ok(Tail::Body(body)) if body.len() + tail::TAIL == value.len() => Footer::decode_body(&body),
            _ => Err(Unreadable::Damaged),
        }
    }

    /// Finds the footer of the stream that ends at byte `end`; `None`: there is no footer.
    pub(crate) fn find(bytes: &mut impl ReadAt, end: u64) -> io::Result<Option<Result<Self, Unreadable>>> {
        Ok(match tail::read(bytes, end, MAGIC)? {
            Tail::None => None,
            Tail::Damaged => Some(Err(Unreadable::Damaged)),
            Tail::Body(body) => Some(Footer::decode_body(&body)),
        })
    }

    fn decode_body(mut bytes: &[u8]) -> Result<Self, Unreadable> {
        version(&mut bytes, VERSION)?;
        let footer = (|| {
            let count = number(&mut bytes)?;
            if count == 0 || count > (bytes.len() / NUMBERS) as u64 {
                return None;
            }
            let mut points = Vec::with_capacity(count as usize);
            let mut last = Point::default();
            for _ in 0..count {
                let added = number(&mut bytes)?;
                let offset = last.offset.checked_add(added)?;
                let sum = read_added(&mut bytes, last.counters)?;
                let point = Point { offset, counters: Counters::new(sum.numbers(), number(&mut bytes)?)? };
                // the stream begins at the first point, and the offsets increase
                let right = if points.is_empty() { point == Point::default() } else { added > 0 };
                points.push(right.then_some(point)?);
                last = point;
            }
            let end = read_added(&mut bytes, last.counters)?;
            let length = u64::from_le_bytes(bytes.try_into().ok()?);
            (last.offset < length && length >> 62 == 0).then_some(Footer { points, end, length })
        })();
        footer.ok_or(Unreadable::Damaged)
    }
}

pub(crate) fn write_added(out: &mut Vec<u8>, from: Counters, to: Counters) {
    let (from, to) = (from.numbers(), to.numbers());
    from.into_iter().zip(to).for_each(|(from, to)| write_varint(out, to.saturating_sub(from)));
}

pub(crate) fn read_added(bytes: &mut &[u8], from: Counters) -> Option<Counters> {
    let [seq, frame, patch, txn] = [(); 4].map(|()| number(bytes));
    Counters::new([seq?, frame?, patch?, txn?], 0)?.after(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footer() -> Footer {
        let at = |seq, frame, patch, txns, in_transaction| Counters {
            seq,
            frame,
            patch,
            txns,
            in_transaction,
            has_rows: in_transaction,
        };
        let points = vec![
            Point::default(),
            Point { offset: 1 << 26, counters: at(500, 7, 1, 1, true) },
            Point { offset: 1 << 28, counters: at(90_000, 70, 1, 4, false) },
        ];
        Footer { points, end: at(90_001, 71, 2, 4, false), length: u64::MAX >> 3 }
    }

    #[test]
    fn comes_back() {
        let footer = footer();
        let bytes = footer.encode();
        assert_eq!(Footer::decode(&bytes), Ok(footer.clone()));
        assert_eq!(Footer { length: 1 << 30, ..footer.clone() }.encode().len(), bytes.len());
        let file = [b"what comes before", bytes.as_slice()].concat();
        let found = Footer::find(&mut file.as_slice(), file.len() as u64).unwrap();
        assert_eq!(found, Some(Ok(footer)));
    }

    #[test]
    fn damage_is_seen() {
        let bytes = footer().encode();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(Footer::decode(&damaged), Err(Unreadable::Damaged), "byte {at}");
            assert_eq!(Footer::decode(&bytes[..at]), Err(Unreadable::Damaged), "cut at {at}");
            assert_eq!(Footer::decode(&bytes[bytes.len() - at..]), Err(Unreadable::Damaged), "the last {at}");
        }
    }

    /// Values that the checksum allows but no writer writes.
    #[test]
    fn counts_and_lengths_that_cannot_be() {
        let decode = |body: &[u8]| Footer::decode(&tail::seal(body.to_vec(), MAGIC));
        let length = [9u8, 0, 0, 0, 0, 0, 0, 0];
        let with = |body: &[u8]| decode(&[body, &length].concat());
        assert!(with(&[1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]).is_ok());
        assert!(with(&[1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1]).is_err(), "rows before the start");
        assert!(with(&[1, 0, 1, 1, 1, 1]).is_err(), "no points");
        assert!(with(&[1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]).is_err(), "points that are not there");
        assert!(with(&[1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]).is_err(), "twice the same");
        assert!(with(&[1, 2, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 1, 1, 1, 1]).is_err(), "beyond the end");
        assert_eq!(with(&[2, 1]), Err(Unreadable::Version(2)));
        let mut long = tail::seal(vec![1], MAGIC);
        let at = long.len() - 12;
        long[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(Footer::decode(&long), Err(Unreadable::Damaged));
    }
}
