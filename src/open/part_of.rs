//! What a split says of its part: bytes that travel to the one that reads it.
//!
//! Version, bytes of the file, format, flags, start, end; the system's stamp of the file in halves, and how many of
//! its first bytes have what checksum, where these are known; of text also what is counted at the start and the end,
//! and a checksum of the first bytes of the part; all of them varints. Then CRC-32C of that, little endian.

use crate::error::{Error, ErrorKind, Result};
use crate::format::AnyFormat;
use crate::io::{Checked, Identity, Stamp};
use crate::restart::{Counters, number};
use crate::text::Place;
use crate::wire::write_varint;

const VERSION: u64 = 2;
const TO_END: u64 = 1;
const WHOLE_PATCHES: u64 = 2;
const TEXT: u64 = 4;
const STAMPED: u64 = 8;
const CHECKED: u64 = 16;
/// Numbers have less than 64 bits.
const HALF: u64 = u32::MAX as u64;
const IN_TRANSACTION: u64 = 1;
const HAS_ROWS: u64 = 2;
const HAS_CHANGES: u64 = 4;

/// A part of a file as it was when it was split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartOf {
    /// Which file it is.
    pub(crate) identity: Identity,
    pub(crate) format: AnyFormat,
    /// No patch is cut.
    pub(crate) whole_patches: bool,
    pub(crate) start: u64,
    /// `None`: the end of the file.
    pub(crate) end: Option<u64>,
    pub(crate) text: Option<TextState>,
}

/// What is known of a part of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextState {
    pub(crate) place: Place,
    /// Rows before its end.
    pub(crate) end_rows: u64,
    /// Of its first 64 bytes.
    pub(crate) checksum: u32,
}

impl PartOf {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let format = AnyFormat::all().position(|format| format == self.format).unwrap_or_default() as u64;
        let flag = |is: bool, flag| if is { flag } else { 0 };
        let flags = flag(self.end.is_none(), TO_END)
            | flag(self.whole_patches, WHOLE_PATCHES)
            | flag(self.text.is_some(), TEXT)
            | flag(self.identity.stamp.is_some(), STAMPED)
            | flag(self.identity.checked.is_some(), CHECKED);
        let size = self.identity.size;
        let mut numbers = vec![VERSION, size, format, flags, self.start, self.end.unwrap_or_default()];
        if let Some(Stamp(stamp)) = self.identity.stamp {
            numbers.extend(stamp.iter().flat_map(|word| [word >> 32, word & HALF]));
        }
        if let Some(Checked { bytes, checksum }) = self.identity.checked {
            numbers.extend([bytes, checksum.into()]);
        }
        if let Some(TextState { place, end_rows, checksum }) = self.text {
            let Counters { seq, patch, txns, in_transaction, has_rows, .. } = place.counters;
            let flags = flag(in_transaction, IN_TRANSACTION)
                | flag(has_rows, HAS_ROWS)
                | flag(place.has_changes, HAS_CHANGES);
            numbers.extend([place.line, seq, patch, txns, flags, end_rows, checksum.into()]);
        }
        let mut out = Vec::new();
        for number in numbers {
            write_varint(&mut out, number);
        }
        let checksum = crc32c::crc32c(&out);
        out.extend_from_slice(&checksum.to_le_bytes());
        out
    }

    /// Reads what [`Split::state`](crate::split::Split::state) has.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let state = bytes.split_last_chunk::<4>().and_then(|(body, checksum)| {
            let is_whole = crc32c::crc32c(body).to_le_bytes() == *checksum;
            is_whole.then(|| Self::decode_body(body)).flatten()
        });
        state.ok_or_else(|| {
            Error::new(
                ErrorKind::Argument,
                "the state of the split is damaged, or from another version of this library",
            )
        })
    }

    fn decode_body(mut body: &[u8]) -> Option<Self> {
        let mut take = || number(&mut body);
        if take()? != VERSION {
            return None;
        }
        let (size, format, flags, start, end) = (take()?, take()?, take()?, take()?, take()?);
        let mut stamp = None;
        if flags & STAMPED != 0 {
            let mut half = || take().filter(|half| *half <= HALF);
            let mut whole = || Some(half()? << 32 | half()?);
            stamp = Some(Stamp([whole()?, whole()?, whole()?]));
        }
        let mut checked = None;
        if flags & CHECKED != 0 {
            checked = Some(Checked { bytes: take()?, checksum: take()?.try_into().ok()? });
        }
        let text = if flags & TEXT == 0 {
            None
        } else {
            let (line, seq, patch, txns, flags) = (take()?, take()?, take()?, take()?, take()?);
            let counters = Counters {
                seq,
                frame: 0,
                patch,
                txns,
                in_transaction: flags & IN_TRANSACTION != 0,
                has_rows: flags & HAS_ROWS != 0,
            };
            let place = Place { offset: start, line, counters, has_changes: flags & HAS_CHANGES != 0 };
            Some(TextState { place, end_rows: take()?, checksum: take()?.try_into().ok()? })
        };
        let state = PartOf {
            identity: Identity { size, stamp, checked },
            format: AnyFormat::all().nth(format.try_into().ok()?)?,
            whole_patches: flags & WHOLE_PATCHES != 0,
            start,
            end: (flags & TO_END == 0).then_some(end),
            text,
        };
        body.is_empty().then_some(state)
    }

    /// The whole of a file.
    pub(crate) fn is_whole(&self) -> bool {
        self.start == 0 && self.end.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_and_damage_is_seen() {
        let counters =
            Counters { seq: 7, frame: 0, patch: 2, txns: 1 << 40, in_transaction: true, has_rows: false };
        let place = Place { offset: 1 << 33, line: 9, counters, has_changes: true };
        let text = Some(TextState { place, end_rows: 300, checksum: u32::MAX });
        for format in AnyFormat::all() {
            for (end, text, whole_patches) in
                [(None, text, true), (Some(1 << 34), text, false), (None, None, false)]
            {
                let known = Identity {
                    size: 1 << 35,
                    stamp: text.map(|_| Stamp([u64::MAX, 1 << 40, 3])),
                    checked: end.map(|bytes| Checked { bytes, checksum: u32::MAX }),
                };
                let state = PartOf { identity: known, format, whole_patches, start: 1 << 33, end, text };
                let bytes = state.encode();
                assert_eq!(PartOf::decode(&bytes).unwrap(), state);
                for at in 0..bytes.len() {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= 1;
                    assert!(PartOf::decode(&damaged).is_err(), "byte {at}");
                    assert!(PartOf::decode(&bytes[..at]).is_err(), "cut at {at}");
                }
            }
        }
    }
}
