//! Key and length of a field of a frame, which may be incomplete in the input.

use crate::error::ErrorKind;
use crate::wire::{Cursor, FIXED32, FIXED64, Fault, Key, LEN, MAX_VARINT, VARINT};

/// The part of a field before its payload.
pub(super) struct Head {
    pub(super) key: Key,
    /// Bytes of the key and length; for a varint field, also of its value.
    pub(super) length: usize,
    /// Bytes of the payload.
    pub(super) payload: u64,
}

impl Head {
    /// Reads the head at the start of `bytes`; `None` if it is incomplete and more bytes may follow.
    /// `is_message` identifies the fields that must have a length.
    pub(super) fn read(
        bytes: &[u8],
        may_be_more: bool,
        is_message: impl Fn(u32) -> bool,
    ) -> Result<Option<Head>, Fault> {
        let mut cursor = Cursor::new(bytes);
        if may_be_more && is_cut(&cursor) {
            return Ok(None);
        }
        let key = cursor.key()?;
        if is_message(key.field) {
            key.expect(LEN, bytes)?;
        }
        let mut payload = match key.wire {
            FIXED64 => 8,
            FIXED32 => 4,
            _ => 0,
        };
        if key.wire == LEN || key.wire == VARINT {
            if may_be_more && is_cut(&cursor) {
                return Ok(None);
            }
            let value = cursor.varint()?;
            if key.wire == LEN {
                payload = value;
            }
            if payload >= 1 << 63 {
                let message = format!("a length of {payload} bytes");
                return Err(Fault::new(ErrorKind::WireLength, bytes, message));
            }
        }
        Ok(Some(Head { key, length: bytes.len() - cursor.rest.len(), payload }))
    }
}

/// Whether a varint continues after the end of the bytes.
fn is_cut(cursor: &Cursor<'_>) -> bool {
    cursor.rest.len() < MAX_VARINT && cursor.rest.iter().all(|&byte| byte >= 0x80)
}
