//! A filter in front of a map of keys, which quickly rules out most keys that are not in the map.
//!
//! Threads share the filter while the map changes, and look up many keys at once. It is a blocked Bloom
//! filter (Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient Bloom Filters, 2007) with two bits of
//! one word per key. It takes 2 to 4 bytes per key, and about 1 of 50 other keys passes.

/// Minimum number of bits per key.
const BITS: usize = 16;

/// The filter; by default it rejects all keys.
pub(crate) struct KeyFilter {
    /// The words; their number is a power of two.
    words: Vec<u64>,
}

impl Default for KeyFilter {
    fn default() -> Self {
        KeyFilter { words: vec![0] }
    }
}

impl KeyFilter {
    /// Creates a filter of these keys, which are hashes.
    pub(crate) fn of(keys: impl ExactSizeIterator<Item = u128>) -> Self {
        let words = (keys.len() * BITS).div_ceil(64).next_power_of_two();
        let mut filter = KeyFilter { words: vec![0; words] };
        for key in keys {
            let (word, bits) = filter.place(key);
            filter.words[word] |= bits;
        }
        filter
    }

    /// Whether the map may have the key; `false`: it does not.
    #[inline(always)]
    pub(crate) fn may_have(&self, key: u128) -> bool {
        let (word, bits) = self.place(key);
        self.words[word] & bits == bits
    }

    /// Uses the upper half of the key, because maps use the lower one.
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
