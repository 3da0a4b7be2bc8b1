//! A footer: the last bytes of a stream, which say where its restart points are.
//!
//! ```text
//! version, number of points                     varints
//! of each point: offset, seq, frame, patch,
//!   txns as differences to the one before; flags varints
//! length of the stream in bytes                 8 bytes, little endian, as all that follow
//! CRC-32C of all before                         4 bytes
//! length of the footer                          4 bytes
//! magic                                         8 bytes
//! ```

use super::mark::{Counters, Mark, Numbers, flags, unflag};
use crate::wire::write_varint;

/// The key of a footer.
pub const FOOTER_KEY: &str = "jelly.footer";

const VERSION: u64 = 1;
const MAGIC: &[u8; 8] = b"jelly\r\n\x1a";

/// Bytes at the end of a footer whose size is fixed: enough to find its beginning.
pub const TRAILER: usize = 8 + 4 + 4 + 8;

/// The restart points of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// Offset of each frame that has a mark, and what its mark counts; the first is 0.
    pub points: Vec<(u64, Counters)>,
    /// Bytes of the stream, this footer among them.
    pub stream_bytes: u64,
}

impl Footer {
    /// The value of the entry; its length does not depend on [`Footer::stream_bytes`].
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_varint(&mut bytes, VERSION);
        write_varint(&mut bytes, self.points.len() as u64);
        let mut before = [0; 5];
        for (offset, counters) in &self.points {
            let now = [*offset, counters.seq, counters.frame, counters.patch, counters.txns];
            for (now, before) in now.iter().zip(before) {
                write_varint(&mut bytes, now.wrapping_sub(before));
            }
            write_varint(&mut bytes, flags(counters.in_transaction, counters.has_rows));
            before = now;
        }
        bytes.extend_from_slice(&self.stream_bytes.to_le_bytes());
        bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
        let length = bytes.len() + size_of::<u32>() + MAGIC.len();
        bytes.extend_from_slice(&(length as u32).to_le_bytes());
        bytes.extend_from_slice(MAGIC);
        bytes
    }

    /// How long the footer is that ends with this trailer; `None`: there is no footer.
    pub fn length(end: &[u8]) -> Option<usize> {
        let length = end.strip_suffix(MAGIC)?.last_chunk()?;
        Some(u32::from_le_bytes(*length) as usize)
    }

    /// The footer that these bytes are, from its version to its magic.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        if Footer::length(bytes)? != bytes.len() {
            return None;
        }
        let (rest, _) = bytes.split_last_chunk::<{ MAGIC.len() + size_of::<u32>() }>()?;
        let (rest, checksum) = rest.split_last_chunk()?;
        if u32::from_le_bytes(*checksum) != crc32c::crc32c(rest) {
            return None;
        }
        let (rest, stream_bytes) = rest.split_last_chunk()?;
        let mut numbers = Numbers(rest);
        if numbers.next()? != VERSION {
            return None;
        }
        let count = numbers.next()?;
        let (mut points, mut before) = (Vec::new(), [0u64; 5]);
        for _ in 0..count {
            for (number, step) in before.iter_mut().zip(numbers.array::<5>()?) {
                *number = number.checked_add(step)?;
            }
            let [offset, seq, frame, patch, txns] = before;
            let (in_transaction, has_rows) = unflag(numbers.next()?)?;
            points.push((offset, Counters { seq, frame, patch, txns, in_transaction, has_rows }));
        }
        let stream_bytes = u64::from_le_bytes(*stream_bytes);
        numbers.0.is_empty().then_some(Footer { points, stream_bytes })
    }

    /// The mark that the frame of a point must have.
    pub fn mark(&self, point: usize) -> Option<Mark> {
        let &(_, counters) = self.points.get(point)?;
        Some(Mark { ordinal: point as u64, counters })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footer(points: u64) -> Footer {
        let point = |n: u64| {
            let counters = Counters {
                seq: n * 70_001,
                frame: n * 300,
                patch: n / 2,
                txns: n,
                in_transaction: n % 3 == 2,
                has_rows: n % 2 == 1,
            };
            (n << 26, counters)
        };
        Footer { points: (0..points).map(point).collect(), stream_bytes: points << 30 }
    }

    #[test]
    fn every_footer_comes_back() {
        for footer in [0, 1, 2, 3, 200].map(footer) {
            let bytes = footer.encode();
            assert_eq!(Footer::decode(&bytes), Some(footer.clone()));
            assert_eq!(Footer::length(&bytes[bytes.len() - TRAILER..]), Some(bytes.len()));
            let longer = Footer { stream_bytes: u64::MAX, ..footer.clone() };
            assert_eq!(longer.encode().len(), bytes.len());
            for point in 0..footer.points.len() {
                assert_eq!(footer.mark(point).unwrap().counters, footer.points[point].1);
            }
            assert_eq!(footer.mark(footer.points.len()), None);
        }
    }

    #[test]
    fn damaged_bytes_are_no_footer() {
        let bytes = footer(5).encode();
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Footer::decode(&bytes), None, "bit {bit}");
        }
        for cut in 0..bytes.len() {
            assert_eq!(Footer::decode(&bytes[..cut]), None);
            assert_eq!(Footer::decode(&bytes[bytes.len() - cut..]), None);
        }
        assert_eq!(Footer::decode(&[&[0], &bytes[..]].concat()), None);
    }
}
