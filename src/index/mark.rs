//! A mark: decoding may begin at the frame that has it.

use crate::wire::{Varint, read_varint, write_varint};

/// The key of a mark.
pub const MARK_KEY: &str = "jelly.restart";

const VERSION: u64 = 1;
const IN_TRANSACTION: u64 = 1;
const HAS_ROWS: u64 = 2;

/// What a decoder has counted where it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Rows: statements of Jelly-RDF; of patches all rows, their ends too.
    pub seq: u64,
    /// Frames.
    pub frame: u64,
    /// Patches that ended.
    pub patch: u64,
    /// Transactions that began.
    pub txns: u64,
    /// The last of them is open.
    pub in_transaction: bool,
    /// The patch has rows.
    pub has_rows: bool,
}

/// A restart point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// How many marks came before in this stream; 0 begins a stream.
    pub ordinal: u64,
    /// What was counted before.
    pub counters: Counters,
}

impl Mark {
    /// The value of the entry.
    pub fn encode(&self) -> Vec<u8> {
        let Counters { seq, frame, patch, txns, in_transaction, has_rows } = self.counters;
        let mut bytes = Vec::new();
        for number in [VERSION, self.ordinal, seq, frame, patch, txns, flags(in_transaction, has_rows)] {
            write_varint(&mut bytes, number);
        }
        bytes
    }

    /// The mark, if these bytes are one of this version.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut numbers = Numbers(bytes);
        if numbers.next()? != VERSION {
            return None;
        }
        let ordinal = numbers.next()?;
        let [seq, frame, patch, txns] = numbers.array()?;
        let (in_transaction, has_rows) = unflag(numbers.next()?)?;
        let counters = Counters { seq, frame, patch, txns, in_transaction, has_rows };
        numbers.0.is_empty().then_some(Mark { ordinal, counters })
    }
}

/// Both flags as a number.
pub(crate) fn flags(in_transaction: bool, has_rows: bool) -> u64 {
    u64::from(in_transaction) * IN_TRANSACTION + u64::from(has_rows) * HAS_ROWS
}

/// Both flags, if there are no others.
pub(crate) fn unflag(flags: u64) -> Option<(bool, bool)> {
    let known = flags <= IN_TRANSACTION + HAS_ROWS;
    known.then_some((flags & IN_TRANSACTION != 0, flags & HAS_ROWS != 0))
}

/// Varints one after the other, each as short as can be.
pub(crate) struct Numbers<'a>(pub(crate) &'a [u8]);

impl Numbers<'_> {
    pub(crate) fn next(&mut self) -> Option<u64> {
        match read_varint(self.0) {
            Varint::Value(value, length) if length == crate::wire::varint_len(value) => {
                self.0 = &self.0[length..];
                Some(value)
            }
            _ => None,
        }
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.next()?;
        }
        Some(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(n: u64) -> Mark {
        let counters = Counters {
            seq: n.wrapping_mul(7919),
            frame: n.wrapping_mul(31),
            patch: n / 3,
            txns: n << 20,
            in_transaction: n % 2 == 1,
            has_rows: n % 3 == 1,
        };
        Mark { ordinal: n, counters }
    }

    #[test]
    fn every_mark_comes_back() {
        for mark in [0, 1, 2, 3, 127, 128, 70_000, u64::MAX].map(mark) {
            let bytes = mark.encode();
            assert_eq!(Mark::decode(&bytes), Some(mark));
            for cut in 0..bytes.len() {
                assert_eq!(Mark::decode(&bytes[..cut]), None);
            }
            assert_eq!(Mark::decode(&[&bytes[..], &[0]].concat()), None);
        }
    }

    #[test]
    fn other_bytes_are_no_mark() {
        let bytes = mark(1).encode();
        let changed = |at: usize, to: u8| {
            let mut bytes = bytes.clone();
            bytes[at] = to;
            bytes
        };
        assert_eq!(Mark::decode(&changed(0, 2)), None, "version");
        assert_eq!(Mark::decode(&changed(bytes.len() - 1, 4)), None, "flags");
        let long = [&bytes[..1], &[0x81, 0], &bytes[2..]].concat();
        assert_eq!(Mark::decode(&long), None, "longer than it need be");
        assert_eq!(Mark::decode(&[0xff; 100]), None);
    }
}
