//! A filter in front of a map of keys: it says at once of most keys that they are not in the map.
//!
//! Threads share it, though the map changes meanwhile, and look many keys up at once.
//! It is a blocked Bloom filter (Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient Bloom Filters, 2007) with two
//! bits of one word a key: 2 to 4 bytes a key, and about one other key of 50 passes.

/// Bits for a key, at least.
const BITS: usize = 16;

/// Which keys may be there; none of them by default.
pub(crate) struct KeyFilter {
    /// A power of two of them.
    words: Vec<u64>,
}

impl Default for KeyFilter {
    fn default() -> Self {
        KeyFilter { words: vec![0] }
    }
}

impl KeyFilter {
    /// Of these keys, which are hashes.
    pub(crate) fn of(keys: impl ExactSizeIterator<Item = u128>) -> Self {
        let words = (keys.len() * BITS).div_ceil(64).next_power_of_two();
        let mut filter = KeyFilter { words: vec![0; words] };
        for key in keys {
            let (word, bits) = filter.place(key);
            filter.words[word] |= bits;
        }
        filter
    }

    /// `false`: the key is not there.
    #[inline(always)]
    pub(crate) fn may_have(&self, key: u128) -> bool {
        let (word, bits) = self.place(key);
        self.words[word] & bits == bits
    }

    /// The upper half of the key, for maps use the lower one.
    #[inline(always)]
    fn place(&self, key: u128) -> (usize, u64) {
        let hash = (key >> 64) as u64;
        ((hash >> 12) as usize & (self.words.len() - 1), 1 << (hash & 63) | 1 << (hash >> 6 & 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u64) -> u128 {
        let hash = siphasher::sip128::SipHasher24::new().hash(&n.to_le_bytes());
        u128::from(hash.h1) << 64 | u128::from(hash.h2)
    }

    #[test]
    fn it_has_each_key_and_few_others() {
        for count in [0u64, 1, 3, 1000, 100_000] {
            let keys: Vec<_> = (0..count).map(key).collect();
            let filter = KeyFilter::of(keys.iter().copied());
            assert!(keys.iter().all(|&key| filter.may_have(key)));
            let others = (count..count + 100_000).filter(|&n| filter.may_have(key(n))).count();
            assert!(others < 100_000 / 30, "{others} of 100,000 with {count} keys");
        }
    }
}
