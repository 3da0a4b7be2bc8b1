//! Hashes and compares short byte strings, eight bytes at a time and without a call.

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash of all bytes.
#[inline(always)]
pub(crate) fn hash(bytes: &[u8]) -> u32 {
    let length = bytes.len();
    let mut hash = length as u64 ^ FACTOR;
    if length > 8 {
        let (words, _) = bytes[..length - 1].as_chunks::<8>();
        for word in words {
            hash = fold(hash ^ u64::from_le_bytes(*word));
        }
        hash = fold(hash ^ last_word(bytes));
    } else {
        hash = fold(hash ^ short_word(bytes));
    }
    (hash ^ hash >> 32) as u32
}

/// A hash of the length, the last 16 bytes and eight bytes in the middle, used only to find a place in a
/// cache.
#[inline(always)]
pub(super) fn place_of(bytes: &[u8]) -> usize {
    let length = bytes.len();
    let Some((start, _)) = bytes.split_last_chunk::<16>() else { return hash(bytes) as usize };
    let word = |from: usize| bytes[from..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    let middle = word(start.len() / 2) ^ (length as u64) << 56;
    fold(fold(middle ^ word(length - 16)) ^ last_word(bytes)) as usize
}

/// The last eight bytes.
#[inline(always)]
fn last_word(bytes: &[u8]) -> u64 {
    bytes.last_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

/// Up to eight bytes as a number that is unique among strings of this length.
#[inline(always)]
fn short_word(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
    } else if let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) {
        u64::from(first) | u64::from(bytes[length / 2]) << 8 | u64::from(last) << 16
    } else {
        0
    }
}

#[inline(always)]
fn fold(value: u64) -> u64 {
    let product = u128::from(value) * u128::from(FACTOR);
    product as u64 ^ (product >> 64) as u64
}

/// Whether both strings are equal.
#[inline(always)]
pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    let length = one.len();
    if length != other.len() {
        return false;
    }
    if length <= 8 {
        return short_word(one) == short_word(other);
    }
    // terms of one kind usually differ at the end
    if length <= 16 {
        return last_word(one) == last_word(other) && one.first_chunk::<8>() == other.first_chunk();
    }
    if one.last_chunk::<16>() != other.last_chunk() {
        return false;
    }
    let (ones, _) = one[..length - 1].as_chunks::<16>();
    let (others, _) = other[..length - 1].as_chunks::<16>();
    ones.iter().zip(others).all(|(one, other)| one == other)
}

/// Whether the bytes may contain a `/` or `#`; also true for `'` and `+`.
#[inline(always)]
pub(super) fn may_split(bytes: &[u8]) -> bool {
    const HASH: u64 = 0x2323_2323_2323_2323;
    const ONES: u64 = 0x0101_0101_0101_0101;
    let test = |word: u64| {
        let zero_where = (word & !(0x0c * ONES)) ^ HASH;
        zero_where.wrapping_sub(ONES) & !zero_where & (0x80 * ONES) != 0
    };
    if bytes.len() <= 8 {
        return test(short_word(bytes));
    }
    let (words, _) = bytes[..bytes.len() - 1].as_chunks::<8>();
    words.iter().any(|word| test(u64::from_le_bytes(*word))) | test(last_word(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts() {
        let text: Vec<u8> = (0..40).map(|n| b'A' + n).collect();
        for length in 0..text.len() {
            let one = &text[..length];
            let copy = one.to_vec();
            assert!(same(one, &copy));
            assert!(!same(one, &text[..=length]));
            assert_ne!(hash(one), hash(&text[..=length]));
            for at in 0..length {
                let mut other = one.to_vec();
                other[at] ^= 0x20;
                assert!(!same(one, &other), "{length} {at}");
                assert_ne!(hash(one), hash(&other), "{length} {at}");
            }
        }
    }

    #[test]
    fn splits_are_seen_at_every_place() {
        for length in 0..40 {
            let plain = vec![b'a'; length];
            assert!(!may_split(&plain));
            for at in 0..length {
                for byte in *b"/#" {
                    let mut text = plain.clone();
                    text[at] = byte;
                    assert!(may_split(&text), "{length} {at}");
                }
            }
        }
        for byte in (0..=255).filter(|byte| !b"/#'+".contains(byte)) {
            assert!(!may_split(&[byte; 3]) && !may_split(&[byte; 11]), "{byte}");
        }
    }
}
