//! A set of quad keys, each with a mark, in 20 to 31 bytes per key.
//!
//! Keys are hashes, so they decide their own places. The set uses open addressing, in parts that grow one at
//! a time, so that at most one part is in memory twice.

/// Number of parts, selected by the highest bits of a key.
const PARTS: usize = 256;
/// Initial number of places of a part.
const FIRST: usize = 16;
/// The lowest bit of a key is replaced by the mark.
const MARK: u128 = 1;

/// A set of keys with marks.
pub(crate) struct KeySet {
    parts: Vec<Part>,
}

#[derive(Default)]
struct Part {
    /// Keys with their marks; 0 in free places.
    places: Vec<u128>,
    used: usize,
}

impl KeySet {
    /// Creates an empty set.
    pub(crate) fn new() -> Self {
        KeySet { parts: (0..PARTS).map(|_| Part::default()).collect() }
    }

    /// Adds a key without a mark; returns whether it is new.
    pub(crate) fn insert(&mut self, key: u128) -> bool {
        let key = without_mark(key);
        let part = &mut self.parts[(key >> 120) as usize];
        if part.used * 5 >= part.places.len() * 4 {
            part.grow();
        }
        part.insert(key)
    }

    /// Adds keys without marks. This is faster than adding them one by one, because the memory for all of
    /// them is requested at once.
    pub(crate) fn insert_all(&mut self, keys: &[u128]) {
        let asked = keys.iter().fold(0, |asked, &key| {
            let part = &self.parts[(key >> 120) as usize];
            asked ^ part.places.get(part.first(key)).copied().unwrap_or_default()
        });
        std::hint::black_box(asked);
        for &key in keys {
            self.insert(key);
        }
    }

    /// Whether the set has a key.
    #[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "columns look keys up"))]
    pub(crate) fn contains(&self, key: u128) -> bool {
        let key = without_mark(key);
        let part = &self.parts[(key >> 120) as usize];
        !part.places.is_empty() && part.places[part.place(key)] != 0
    }

    /// The keys without a mark.
    pub(crate) fn without_marks(self) -> Self {
        let mut left = KeySet::new();
        for part in self.parts {
            part.places.into_iter().filter(|&key| key != 0 && key & MARK == 0).for_each(|key| {
                left.insert(key);
            });
        }
        left
    }

    /// Sets or removes the mark of a key and returns whether it was marked; `None` if the set does not have
    /// the key.
    pub(crate) fn mark(&mut self, key: u128, marked: bool) -> Option<bool> {
        let key = without_mark(key);
        let part = &mut self.parts[(key >> 120) as usize];
        if part.places.is_empty() {
            return None;
        }
        let place = part.place(key);
        let found = &mut part.places[place];
        let was = *found & MARK != 0;
        if *found == 0 {
            return None;
        }
        *found = (*found & !MARK) | u128::from(marked);
        Some(was)
    }
}

/// Clears the mark. 0 means a free place, so one of the 2^127 keys stands for two keys.
fn without_mark(key: u128) -> u128 {
    (key & !MARK).max(2)
}

impl Part {
    /// The first place to look for a key: its middle bits, scaled to a length that is not a power of two.
    #[inline]
    fn first(&self, key: u128) -> usize {
        ((u128::from((key >> 32) as u64) * self.places.len() as u128) >> 64) as usize
    }

    /// The place of a key, or the free place for it.
    #[inline]
    fn place(&self, key: u128) -> usize {
        let mut place = self.first(key);
        loop {
            let found = self.places[place];
            if found == 0 || found & !MARK == key {
                return place;
            }
            place += 1;
            if place == self.places.len() {
                place = 0;
            }
        }
    }

    fn insert(&mut self, key: u128) -> bool {
        let place = self.place(key & !MARK);
        let is_new = self.places[place] == 0;
        if is_new {
            self.places[place] = key;
            self.used += 1;
        }
        is_new
    }

    fn grow(&mut self) {
        let length = (self.places.len() / 2 * 3).max(FIRST);
        let old = std::mem::replace(&mut self.places, vec![0; length]);
        self.used = 0;
        for key in old.into_iter().filter(|&key| key != 0) {
            self.insert(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Distributes numbers like hashes.
    fn key(n: u64) -> u128 {
        let mut x = u128::from(n) + 1;
        for _ in 0..3 {
            x = (x ^ x >> 67).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        }
        x & !MARK
    }

    #[test]
    fn as_a_map_would() {
        let (mut set, mut map) = (KeySet::new(), HashMap::new());
        for n in 0..200_000u64 {
            let key = key(n * 7919 % 70_000);
            match n % 3 {
                1 => {
                    set.insert_all(&[key, key]);
                    map.entry(key).or_insert(false);
                }
                0 => {
                    let mark = n % 5 == 0;
                    assert_eq!(
                        set.mark(key, mark),
                        map.get_mut(&key).map(|was| std::mem::replace(was, mark))
                    );
                }
                _ => assert_eq!(set.insert(key), !map.contains_key(&key) && map.insert(key, false).is_none()),
            }
        }
        let used: usize = set.parts.iter().map(|part| part.used).sum();
        assert_eq!(used, map.len());
        assert!(used > 60_000);
    }

    #[test]
    fn the_mark_is_no_part_of_the_key() {
        let mut set = KeySet::new();
        assert!(set.insert(0) && !set.insert(1) && !set.insert(2) && set.insert(4) && !set.insert(5));
        assert_eq!([1, 0, 4, 8].map(|key| set.mark(key, true)), [Some(false), Some(true), Some(false), None]);
    }

    #[test]
    fn keys_without_marks_stay() {
        let mut set = KeySet::new();
        for n in 0..10_000 {
            set.insert(key(n));
            if n % 3 > 0 {
                set.mark(key(n), true);
            }
        }
        let mut left = set.without_marks();
        for n in 0..10_001 {
            assert_eq!(left.mark(key(n), true), (n % 3 == 0 && n < 10_000).then_some(false), "{n}");
        }
    }

    #[test]
    fn room_for_each_key() {
        let mut set = KeySet::new();
        for (count, n) in (1..=1_000_000u64).enumerate() {
            set.insert(key(n));
            if count > 100_000 && count % 1000 == 0 {
                let places: usize = set.parts.iter().map(|part| part.places.len()).sum();
                let bytes = places * 160 / count;
                assert!((199..320).contains(&bytes), "{bytes} tenths of a byte for each of {count} keys");
            }
        }
    }
}
