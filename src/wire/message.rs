//! Small messages as lists of fields.

use super::{Buffer, Cursor, Fault, LEN, VARINT};

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// A varint.
    Number(u64),
    /// A text, bytes, or a message.
    Bytes(&'a [u8]),
}

/// The varints, texts and messages of a message, in the order of the wire; other fields are ignored.
pub(crate) fn read_fields(bytes: &[u8], nesting: usize) -> Result<Vec<(u32, Value<'_>)>, Fault> {
    let mut cursor = Cursor::new(bytes);
    let mut fields = Vec::new();
    while let Some((key, at)) = cursor.next_key()? {
        match key.wire {
            VARINT => fields.push((key.field, Value::Number(cursor.varint()?))),
            LEN => fields.push((key.field, Value::Bytes(cursor.bytes()?))),
            _ => cursor.skip(key, at, nesting)?,
        }
    }
    Ok(fields)
}

/// The message of these fields.
pub(crate) fn write_fields(fields: &[(u32, Value<'_>)]) -> Vec<u8> {
    let mut out = Buffer::default();
    for &(field, value) in fields {
        match value {
            Value::Number(number) => out.number(field, number),
            Value::Bytes(bytes) => out.bytes(field, bytes),
        }
    }
    out.as_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back_and_others_are_passed_over() {
        let fields = [(1, Value::Bytes(b"topic")), (2, Value::Number(300)), (1, Value::Bytes(b""))];
        let mut bytes = write_fields(&fields);
        assert_eq!(read_fields(&bytes, 3).ok(), Some(fields.to_vec()));
        bytes.extend_from_slice(b"\x1d\x01\x02\x03\x04");
        assert_eq!(read_fields(&bytes, 3).ok(), Some(fields.to_vec()));
        for cut in [1, 3, bytes.len() - 1] {
            assert!(read_fields(&bytes[..cut], 3).is_err(), "cut at {cut}");
        }
    }
}
