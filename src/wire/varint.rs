//! Varints: seven bits a byte, lowest first, at most ten bytes.

/// The longest varint in bytes.
pub(crate) const MAX_VARINT: usize = 10;

/// What the first bytes of a slice are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Varint {
    /// A varint: its value and its length in bytes.
    Value(u64, usize),
    /// The slice ends before the varint does.
    Short,
    /// More than ten bytes.
    Long,
}

/// Reads the varint at the start of `bytes`; bits beyond 64 are dropped, as protobuf does.
#[inline]
pub(crate) fn read_varint(bytes: &[u8]) -> Varint {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().take(MAX_VARINT).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Varint::Value(value, i + 1);
        }
    }
    if bytes.len() < MAX_VARINT { Varint::Short } else { Varint::Long }
}

/// Appends a varint.
pub(crate) fn write_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_boundary_comes_back() {
        let values = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        for value in values.chain([u64::MAX]) {
            let mut bytes = Vec::new();
            write_varint(&mut bytes, value);
            assert_eq!(read_varint(&bytes), Varint::Value(value, bytes.len()));
            for cut in 0..bytes.len() {
                assert_eq!(read_varint(&bytes[..cut]), Varint::Short);
            }
        }
    }

    #[test]
    fn ten_bytes_are_read_and_eleven_are_not() {
        let mut overlong = [0x80u8; 10];
        overlong[9] = 0;
        assert_eq!(read_varint(&overlong), Varint::Value(0, 10));
        assert_eq!(read_varint(&[0x80; 10]), Varint::Long);
        let all_ones = [[0xffu8; 9].as_slice(), &[0x7f]].concat();
        assert_eq!(read_varint(&all_ones), Varint::Value(u64::MAX, 10));
    }
}
