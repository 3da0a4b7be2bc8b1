//! The sync point: metadata of a frame at which a reader can begin.
//!
//! Value: version, ordinal, rows, frames, patches, transactions, flags, each a varint. Rows, frames, patches
//! and transactions are those before the frame, as readers count them. Version 2 is for streams without a
//! footer, and has a flag for this.

use crate::wire::{Varint, read_varint, write_varint};

/// Key of the metadata entry. The entry precedes the rows of its frame, the first of which are the options.
pub const MARK_KEY: &str = "jelly.restart";

pub(crate) const VERSION: u64 = 1;
/// The version of a mark in a stream without a footer.
const OPEN_VERSION: u64 = 2;
const IN_TRANSACTION: u64 = 1;
const HAS_ROWS: u64 = 2;
const NO_FOOTER: u64 = 4;

/// The counters before a place in a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Number of rows.
    pub seq: u64,
    /// Number of frames.
    pub frame: u64,
    /// Number of patches that ended.
    pub patch: u64,
    /// Number of transactions that began.
    pub txns: u64,
    /// Whether the last transaction that began is open.
    pub in_transaction: bool,
    /// Whether the patch has rows.
    pub has_rows: bool,
}

impl Counters {
    /// The four numbers.
    pub(crate) fn numbers(self) -> [u64; 4] {
        [self.seq, self.frame, self.patch, self.txns]
    }

    /// Creates counters from numbers and flags.
    pub(crate) fn new([seq, frame, patch, txns]: [u64; 4], flags: u64) -> Option<Self> {
        let (in_transaction, has_rows) = (flags & IN_TRANSACTION != 0, flags & HAS_ROWS != 0);
        let known = flags <= IN_TRANSACTION | HAS_ROWS;
        known.then_some(Counters { seq, frame, patch, txns, in_transaction, has_rows })
    }

    /// Whether no patch is open.
    pub(crate) fn is_between_patches(self) -> bool {
        !self.in_transaction && !self.has_rows
    }

    /// The flags on the wire.
    pub(crate) fn flags(self) -> u64 {
        u64::from(self.in_transaction) * IN_TRANSACTION + u64::from(self.has_rows) * HAS_ROWS
    }

    /// The same place after the counters `base`; `None`: the sum overflows.
    pub fn after(self, base: Counters) -> Option<Counters> {
        let (own, base) = (self.numbers(), base.numbers());
        let mut sum = [0; 4];
        for (sum, (own, base)) in sum.iter_mut().zip(own.into_iter().zip(base)) {
            *sum = own.checked_add(base).filter(|sum| sum >> 62 == 0)?;
        }
        Counters::new(sum, self.flags())
    }
}

/// A sync point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Number of marks before this one in its stream; 0: a new stream begins.
    pub ordinal: u64,
    /// The counters before it in its stream.
    pub counters: Counters,
    /// Whether the stream ends with a footer.
    pub footer: bool,
}

/// The reason why a mark, a footer or similar data cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// A newer version wrote it.
    Version(u64),
    /// The data was damaged.
    Damaged,
}

impl Mark {
    /// The value of the metadata entry.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let (version, flag) = if self.footer { (VERSION, 0) } else { (OPEN_VERSION, NO_FOOTER) };
        write_varint(&mut out, version);
        write_varint(&mut out, self.ordinal);
        self.counters.numbers().into_iter().for_each(|number| write_varint(&mut out, number));
        write_varint(&mut out, self.counters.flags() | flag);
        out
    }

    /// Reads the value of the metadata entry.
    pub fn decode(mut bytes: &[u8]) -> Result<Self, Unreadable> {
        let newest = version(&mut bytes, OPEN_VERSION)?;
        let mark = (|| {
            let ordinal = number(&mut bytes)?;
            let numbers = [(); 4].map(|()| number(&mut bytes));
            let [Some(seq), Some(frame), Some(patch), Some(txn)] = numbers else {
                return None;
            };
            let flags = number(&mut bytes)?;
            let footer = flags & NO_FOOTER == 0;
            let flags = if newest == OPEN_VERSION { flags & !NO_FOOTER } else { flags };
            let counters = Counters::new([seq, frame, patch, txn], flags)?;
            bytes.is_empty().then_some(Mark { ordinal, counters, footer })
        })();
        mark.ok_or(Unreadable::Damaged)
    }
}

/// Reads the version at the start, if it is not above `newest`.
pub(crate) fn version(bytes: &mut &[u8], newest: u64) -> Result<u64, Unreadable> {
    match number(bytes) {
        Some(0) | None => Err(Unreadable::Damaged),
        Some(version) if version <= newest => Ok(version),
        Some(newer) => Err(Unreadable::Version(newer)),
    }
}

/// Reads a number that can be incremented without overflow.
pub(crate) fn number(bytes: &mut &[u8]) -> Option<u64> {
    let Varint::Value(value, used) = read_varint(bytes) else {
        return None;
    };
    *bytes = &bytes[used..];
    (value >> 62 == 0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back() {
        for flags in 0..8 {
            let counters = Counters::new([300, 2, 0, 1 << 40], flags % 4).unwrap();
            let mark = Mark { ordinal: 7, counters, footer: flags < 4 };
            let bytes = mark.encode();
            assert_eq!(Mark::decode(&bytes), Ok(mark));
            for cut in 0..bytes.len() {
                assert_eq!(Mark::decode(&bytes[..cut]), Err(Unreadable::Damaged), "cut at {cut}");
            }
            assert_eq!(Mark::decode(&[&bytes[..], &[0]].concat()), Err(Unreadable::Damaged));
        }
        assert_eq!(Mark::decode(&[3, 0xff]), Err(Unreadable::Version(3)));
        assert_eq!(Mark::decode(&[2, 0, 0, 0, 0, 0, 8]), Err(Unreadable::Damaged));
        assert_eq!(Mark::decode(&[0, 0, 0, 0, 0, 0, 0]), Err(Unreadable::Damaged));
        assert_eq!(
            Mark::decode(&[1, 0, 0, 0, 0, 0, 4]),
            Err(Unreadable::Damaged),
            "a flag that is not known"
        );
    }
}
