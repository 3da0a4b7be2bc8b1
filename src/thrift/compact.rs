//! Thrift's compact protocol: a cursor over the bytes of a row.

use crate::error::ErrorKind;
use crate::limits::Limits;
use crate::scan::ascii;
use crate::wire::{Fault, Varint, read_varint};

/// Types of fields and elements.
pub(super) mod kind {
    pub(in super::super) const TRUE: u8 = 1;
    pub(in super::super) const FALSE: u8 = 2;
    pub(in super::super) const BYTE: u8 = 3;
    pub(in super::super) const I16: u8 = 4;
    pub(in super::super) const I32: u8 = 5;
    pub(in super::super) const I64: u8 = 6;
    pub(in super::super) const DOUBLE: u8 = 7;
    pub(in super::super) const BINARY: u8 = 8;
    pub(in super::super) const LIST: u8 = 9;
    pub(in super::super) const SET: u8 = 10;
    pub(in super::super) const MAP: u8 = 11;
    pub(in super::super) const STRUCT: u8 = 12;
    pub(in super::super) const UUID: u8 = 13;
}

/// The reason why a row was not read.
pub(super) enum Halt {
    /// The row continues after the available bytes.
    Short,
    /// The row is invalid.
    Fault(Fault),
}

impl From<Fault> for Halt {
    #[cold]
    fn from(fault: Fault) -> Self {
        Halt::Fault(fault)
    }
}

impl Halt {
    /// Adds the enclosing field to a fault.
    #[cold]
    pub(super) fn within(self, field: &'static str) -> Self {
        match self {
            Halt::Fault(fault) => Halt::Fault(fault.within(field)),
            Halt::Short => Halt::Short,
        }
    }
}

pub(super) type Read<T> = Result<T, Halt>;

/// The head of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub(super) id: i32,
    pub(super) kind: u8,
    /// The place of the field.
    pub(super) at: &'a [u8],
}

impl Field<'_> {
    /// Checks the type of a known field.
    #[inline]
    pub(super) fn expect(&self, kind: u8) -> Read<()> {
        if self.kind == kind {
            return Ok(());
        }
        let message = format!("field {} has type {}, not {kind}", self.id, self.kind);
        Err(Fault::new(ErrorKind::WireType, self.at, message).into())
    }

    #[cold]
    pub(super) fn fault(&self, kind: ErrorKind, message: impl Into<String>) -> Halt {
        Fault::new(kind, self.at, message).into()
    }
}

/// The remaining bytes of a row, as far as they are available.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    row: &'a [u8],
    rest: &'a [u8],
    limits: &'a Limits,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of a row.
    pub(super) fn new(input: &'a [u8], limits: &'a Limits) -> Self {
        let row = &input[..input.len().min(limits.row_bytes)];
        Cursor { row, rest: row, limits }
    }

    pub(super) fn limits(&self) -> &'a Limits {
        self.limits
    }

    /// Number of bytes of the row that were read.
    pub(super) fn taken(&self) -> usize {
        self.row.len() - self.rest.len()
    }

    /// Reads this many bytes.
    #[inline(always)]
    pub(super) fn take(&mut self, length: u64) -> Read<&'a [u8]> {
        if length > self.rest.len() as u64 {
            return Err(self.missing(length));
        }
        let (bytes, rest) = self.rest.split_at(length as usize);
        self.rest = rest;
        Ok(bytes)
    }

    #[cold]
    #[inline(never)]
    fn missing(&self, length: u64) -> Halt {
        let most = self.limits.row_bytes;
        if length <= (most - self.taken()) as u64 {
            return Halt::Short;
        }
        let message = format!("a row of more than {most} bytes");
        Fault::limit(ErrorKind::LimitRow, "row_bytes", self.row, message).into()
    }

    #[inline(always)]
    pub(super) fn byte(&mut self) -> Read<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    #[inline(always)]
    fn varint(&mut self) -> Read<u64> {
        match *self.rest {
            [low, ref rest @ ..] if low < 0x80 => {
                self.rest = rest;
                Ok(u64::from(low))
            }
            _ => self.long_varint(),
        }
    }

    #[inline(never)]
    fn long_varint(&mut self) -> Read<u64> {
        match read_varint(self.rest) {
            Varint::Value(value, length) => {
                self.rest = &self.rest[length..];
                Ok(value)
            }
            Varint::Short => Err(self.missing(self.rest.len() as u64 + 1)),
            Varint::Long => {
                Err(Fault::new(ErrorKind::WireVarint, self.rest, "a varint of more than 10 bytes").into())
            }
        }
    }

    /// Reads a 32-bit integer: the low bits of the number.
    pub(super) fn int32(&mut self) -> Read<i32> {
        self.varint().map(|raw| {
            let raw = raw as u32;
            (raw >> 1) as i32 ^ -((raw & 1) as i32)
        })
    }

    /// Reads a 64-bit integer.
    pub(super) fn int64(&mut self) -> Read<i64> {
        self.varint().map(|raw| (raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    /// Reads a double: eight bytes, little endian.
    pub(super) fn double(&mut self) -> Read<f64> {
        let bytes = self.take(8)?;
        Ok(f64::from_le_bytes(std::array::from_fn(|i| bytes[i])))
    }

    /// Reads a length and that many bytes.
    #[inline(always)]
    fn binary(&mut self) -> Read<&'a [u8]> {
        let length = self.varint()?;
        self.take(length)
    }

    /// Reads a UTF-8 string within the limit.
    #[inline(always)]
    pub(super) fn string(&mut self, field: &Field<'a>) -> Read<&'a str> {
        field.expect(kind::BINARY)?;
        let length = self.varint()?;
        if length > self.limits.term_bytes as u64 {
            let message = format!("a string of {length} bytes");
            return Err(Fault::limit(ErrorKind::LimitTerm, "term_bytes", field.at, message).into());
        }
        let bytes = self.take(length)?;
        utf8(bytes).ok_or_else(|| not_utf8(bytes, field))
    }

    /// Reads a union whose member `id` is a struct with a short string as field 1; `None` if it may be
    /// invalid.
    #[inline(always)]
    pub(super) fn short_string_member(&mut self) -> Option<(i32, &'a str)> {
        let [head @ (0x1c | 0x2c), 0x18, length @ 0..0x80, ref rest @ ..] = *self.rest else {
            return None;
        };
        let (bytes, rest) = rest.split_at_checked(length.into())?;
        let [0, 0, rest @ ..] = rest else {
            return None;
        };
        if bytes.len() > self.limits.term_bytes {
            return None;
        }
        let text = utf8(bytes)?;
        self.rest = rest;
        Some(((head >> 4).into(), text))
    }

    /// Reads the head of the next field of a struct whose last field was `last`; `None` at its end.
    #[inline(always)]
    pub(super) fn field(&mut self, last: &mut i32) -> Read<Option<Field<'a>>> {
        let at = self.rest;
        let head = self.byte()?;
        if head == 0 {
            return Ok(None);
        }
        let kind = head & 0xf;
        let delta = i32::from(head >> 4);
        *last = if delta == 0 { (self.int32()? as i16).into() } else { last.wrapping_add(delta) };
        if !(kind::TRUE..=kind::UUID).contains(&kind) {
            let message = format!("type {kind} does not exist");
            return Err(Fault::new(ErrorKind::WireType, at, message).into());
        }
        Ok(Some(Field { id: *last, kind, at }))
    }

    /// Skips the value of an unknown field, without recursion.
    #[cold]
    #[inline(never)]
    pub(super) fn skip(&mut self, field: &Field<'a>) -> Read<()> {
        if matches!(field.kind, kind::TRUE | kind::FALSE) {
            return Ok(()); // the type is the value
        }
        let mut open = Vec::new();
        let mut next = Some(field.kind);
        while let Some(kind) = next {
            let at = self.rest;
            let inside = self.skip_value(kind, at)?;
            open.extend(inside);
            if open.len() > self.limits.nesting {
                let message = format!("values are nested more than {} deep", self.limits.nesting);
                return Err(Fault::limit(ErrorKind::LimitNesting, "nesting", at, message).into());
            }
            next = self.next_inside(&mut open)?;
        }
        Ok(())
    }

    /// Skips a value, or the head of a value that contains values.
    fn skip_value(&mut self, kind: u8, at: &'a [u8]) -> Read<Option<Inside>> {
        match kind {
            kind::TRUE | kind::FALSE | kind::BYTE => drop(self.byte()?),
            kind::I16 | kind::I32 | kind::I64 => drop(self.varint()?),
            kind::DOUBLE => drop(self.take(8)?),
            kind::UUID => drop(self.take(16)?),
            kind::BINARY => drop(self.binary()?),
            kind::STRUCT => return Ok(Some(Inside::Struct)),
            kind::LIST | kind::SET => {
                let head = self.byte()?;
                let left = match head >> 4 {
                    15 => self.varint()?,
                    short => u64::from(short),
                };
                return Ok(Some(Inside::Elements { left, kinds: [head & 0xf; 2] }));
            }
            kind::MAP => {
                let pairs = self.varint()?;
                if pairs > 0 {
                    let head = self.byte()?;
                    let left = pairs.saturating_mul(2);
                    return Ok(Some(Inside::Elements { left, kinds: [head >> 4, head & 0xf] }));
                }
            }
            _ => {
                let message = format!("type {kind} does not exist");
                return Err(Fault::new(ErrorKind::WireType, at, message).into());
            }
        }
        Ok(None)
    }

    /// The type of the next value inside the open values; closes those that have ended.
    fn next_inside(&mut self, open: &mut Vec<Inside>) -> Read<Option<u8>> {
        while let Some(inside) = open.last_mut() {
            match inside {
                Inside::Elements { left: 0, .. } => {}
                Inside::Elements { left, kinds } => {
                    *left -= 1;
                    return Ok(Some(kinds[usize::from(*left % 2 == 0)]));
                }
                Inside::Struct => {
                    while let Some(field) = self.field(&mut 0)? {
                        if !matches!(field.kind, kind::TRUE | kind::FALSE) {
                            return Ok(Some(field.kind));
                        }
                    }
                }
            }
            open.pop();
        }
        Ok(None)
    }
}

/// A value that contains values, while it is skipped.
enum Inside {
    /// Keys and values of a map alternate; all elements of a list have one type.
    Elements {
        left: u64,
        kinds: [u8; 2],
    },
    Struct,
}

#[inline(always)]
pub(super) fn utf8(bytes: &[u8]) -> Option<&str> {
    ascii(bytes).or_else(|| other_utf8(bytes))
}

#[inline(never)]
fn other_utf8(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

#[cold]
#[inline(never)]
fn not_utf8(bytes: &[u8], field: &Field<'_>) -> Halt {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    field.fault(ErrorKind::WireUtf8, format!("not UTF-8 from byte {valid} of the string"))
}
