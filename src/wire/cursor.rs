//! A cursor over the bytes of one message.

use super::fault::Fault;
use super::varint::{Varint, read_varint};
use crate::error::ErrorKind;

/// Wire type of a varint.
pub(crate) const VARINT: u8 = 0;
/// Wire type of eight bytes.
pub(crate) const FIXED64: u8 = 1;
/// Wire type of a length and that many bytes.
pub(crate) const LEN: u8 = 2;
/// Wire type that opens a group.
pub(crate) const GROUP_START: u8 = 3;
/// Wire type that closes a group.
pub(crate) const GROUP_END: u8 = 4;
/// Wire type of four bytes.
pub(crate) const FIXED32: u8 = 5;

/// Field number and wire type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) field: u32,
    pub(crate) wire: u8,
}

impl Key {
    /// Takes a key apart; `at` is where it stands.
    #[inline]
    pub(crate) fn new(raw: u64, at: &[u8]) -> Result<Self, Fault> {
        let (field, wire) = (raw >> 3, raw as u8 & 7);
        if field == 0 || field >= 1 << 29 {
            return Err(Fault::new(ErrorKind::WireTag, at, format!("field number {field} does not exist")));
        }
        if wire > FIXED32 {
            return Err(Fault::new(ErrorKind::WireType, at, format!("wire type {wire} does not exist")));
        }
        Ok(Key { field: field as u32, wire })
    }

    /// Demands a wire type of a known field.
    #[inline]
    pub(crate) fn expect(self, wire: u8, at: &[u8]) -> Result<(), Fault> {
        if self.wire == wire {
            return Ok(());
        }
        let message = format!("field {} has wire type {}, not {wire}", self.field, self.wire);
        Err(Fault::new(ErrorKind::WireType, at, message))
    }
}

/// What is left of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    pub(crate) rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Cursor { rest: bytes }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    #[inline(always)]
    pub(crate) fn varint(&mut self) -> Result<u64, Fault> {
        match *self.rest {
            [low, ref rest @ ..] if low < 0x80 => {
                self.rest = rest;
                Ok(u64::from(low))
            }
            [low, high, ref rest @ ..] if high < 0x80 => {
                self.rest = rest;
                Ok(u64::from(low & 0x7f) | u64::from(high) << 7)
            }
            _ => self.long_varint(),
        }
    }

    #[inline(never)]
    fn long_varint(&mut self) -> Result<u64, Fault> {
        match read_varint(self.rest) {
            Varint::Value(value, len) => {
                self.rest = &self.rest[len..];
                Ok(value)
            }
            Varint::Short => {
                Err(Fault::new(ErrorKind::WireVarint, self.rest, "a varint passes the end of its message"))
            }
            Varint::Long => {
                Err(Fault::new(ErrorKind::WireVarint, self.rest, "a varint of more than 10 bytes"))
            }
        }
    }

    /// A varint in a `uint32` field: truncated, as protobuf does.
    #[inline(always)]
    pub(crate) fn uint32(&mut self) -> Result<u32, Fault> {
        self.varint().map(|value| value as u32)
    }

    #[inline(always)]
    pub(crate) fn key(&mut self) -> Result<Key, Fault> {
        let at = self.rest;
        let raw = self.varint()?;
        Key::new(raw, at)
    }

    /// The key of the next field, and where it stands; `None` at the end.
    #[inline(always)]
    pub(crate) fn next_key(&mut self) -> Result<Option<(Key, &'a [u8])>, Fault> {
        if self.is_empty() {
            return Ok(None);
        }
        let at = self.rest;
        Ok(Some((self.key()?, at)))
    }

    /// The value of a field that must be a varint; its key stands at `at`.
    #[inline(always)]
    pub(crate) fn number_of(&mut self, key: Key, at: &[u8]) -> Result<u32, Fault> {
        key.expect(VARINT, at)?;
        self.uint32()
    }

    /// The value of a field that must be bytes; its key stands at `at`.
    #[inline(always)]
    pub(crate) fn bytes_of(&mut self, key: Key, at: &[u8]) -> Result<&'a [u8], Fault> {
        key.expect(LEN, at)?;
        self.bytes()
    }

    /// A length and that many bytes.
    #[inline(always)]
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Fault> {
        let at = self.rest;
        let len = self.varint()?;
        if len > self.rest.len() as u64 {
            return Err(too_long(at, len, self.rest.len()));
        }
        let (bytes, rest) = self.rest.split_at(len as usize);
        self.rest = rest;
        Ok(bytes)
    }

    /// Passes over the value of an unknown field; groups nest without recursion, `nesting` deep at most.
    #[cold]
    pub(crate) fn skip(&mut self, key: Key, at: &'a [u8], nesting: usize) -> Result<(), Fault> {
        let mut open: Vec<u32> = Vec::new();
        let mut key = key;
        loop {
            match key.wire {
                VARINT => drop(self.varint()?),
                LEN => drop(self.bytes()?),
                FIXED64 => self.fixed(8)?,
                FIXED32 => self.fixed(4)?,
                GROUP_START if open.len() >= nesting => {
                    let message = format!("groups are nested more than {nesting} deep");
                    return Err(Fault::limit(ErrorKind::LimitNesting, "nesting", at, message));
                }
                GROUP_START => open.push(key.field),
                _ => {
                    if open.pop() != Some(key.field) {
                        let message = format!("group {} ends but did not start", key.field);
                        return Err(Fault::new(ErrorKind::WireGroup, at, message));
                    }
                }
            }
            if open.is_empty() {
                return Ok(());
            }
            if self.is_empty() {
                return Err(Fault::new(ErrorKind::WireGroup, at, "a group passes the end of its message"));
            }
            key = self.key()?;
        }
    }

    /// Passes over a whole message none of whose fields are known.
    pub(crate) fn skip_message(&mut self, nesting: usize) -> Result<(), Fault> {
        while let Some((key, at)) = self.next_key()? {
            self.skip(key, at, nesting)?;
        }
        Ok(())
    }

    fn fixed(&mut self, width: usize) -> Result<(), Fault> {
        if self.rest.len() < width {
            return Err(too_long(self.rest, width as u64, self.rest.len()));
        }
        self.rest = &self.rest[width..];
        Ok(())
    }
}

/// A well-formed message from the tag of a field on; the field that counts where it comes more than once.
#[cold]
#[inline(never)]
pub(crate) fn last_tag(message: &[u8], field: u32) -> Option<&[u8]> {
    let mut cursor = Cursor::new(message);
    let mut found = None;
    while let Some((key, at)) = cursor.next_key().ok()? {
        cursor.skip(key, at, usize::MAX).ok()?;
        if key.field == field {
            found = Some(at);
        }
    }
    found
}

#[cold]
#[inline(never)]
fn too_long(at: &[u8], len: u64, left: usize) -> Fault {
    let message = format!("a length of {len} bytes, but only {left} bytes are left in the enclosing message");
    Fault::new(ErrorKind::WireLength, at, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skip(bytes: &[u8]) -> Result<usize, Fault> {
        let mut cursor = Cursor::new(bytes);
        let key = cursor.key()?;
        cursor.skip(key, bytes, 3)?;
        Ok(bytes.len() - cursor.rest.len())
    }

    #[test]
    fn unknown_fields_of_every_wire_type_are_skipped() {
        for bytes in [
            &b"\x08\x96\x01"[..],
            b"\x09\x01\x02\x03\x04\x05\x06\x07\x08",
            b"\x0a\x02hi",
            b"\x0b\x13\x08\x01\x14\x0c",
            b"\x0d\x01\x02\x03\x04",
        ] {
            assert_eq!(skip(bytes).ok(), Some(bytes.len()), "{bytes:x?}");
        }
    }

    #[test]
    fn groups_that_do_not_match_are_refused() {
        assert!(skip(b"\x0b\x14").is_err(), "ends another");
        assert!(skip(b"\x0b\x08\x01").is_err(), "does not end");
        assert!(skip(b"\x0c").is_err(), "ends without a start");
        assert!(skip(b"\x0b\x0b\x0b\x0b\x0c\x0c\x0c\x0c").is_err(), "too deep");
        assert!(skip(b"\x0b\x0b\x0b\x0c\x0c\x0c").is_ok(), "just deep enough");
    }

    #[test]
    fn keys_that_cannot_be_are_refused() {
        assert!(skip(b"\x00").is_err());
        assert!(skip(b"\x06").is_err());
        assert!(skip(b"\x0e").is_err());
        assert!(skip(b"\x0f").is_err());
    }
}
