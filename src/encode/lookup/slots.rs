//! From a hash to ids: open addressing, half empty.

/// The hash of an entry and its id; 0 is a free slot.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u32,
    id: u32,
}

/// Ids by hash.
#[derive(Debug, Default)]
pub(super) struct Slots {
    /// None, or a power of two.
    slots: Vec<Slot>,
    used: usize,
}

impl Slots {
    /// The id of an entry with this hash that `is_it`.
    #[inline(always)]
    pub(super) fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        loop {
            let slot = *self.slots.get(at)?;
            if slot.id == 0 {
                return None;
            }
            if slot.hash == hash && is_it(slot.id) {
                return Some(slot.id);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds an id that is not there.
    pub(super) fn insert(&mut self, hash: u32, id: u32) {
        if self.used * 2 >= self.slots.len() {
            let larger = vec![Slot::default(); (self.slots.len() * 2).max(16)];
            let old = std::mem::replace(&mut self.slots, larger);
            old.into_iter().filter(|slot| slot.id != 0).for_each(|slot| self.place(slot));
        }
        self.used += 1;
        self.place(Slot { hash, id });
    }

    fn place(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = slot.hash as usize & mask;
        while self.slots[at].id != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    /// Takes an id out; those behind it move up, so that no gap is left.
    pub(super) fn remove(&mut self, hash: u32, id: u32) {
        let mask = self.slots.len().wrapping_sub(1);
        let mut gap = hash as usize & mask;
        while self.slots.get(gap).is_some_and(|slot| slot.id != id) {
            if self.slots[gap].id == 0 {
                return;
            }
            gap = (gap + 1) & mask;
        }
        let mut at = gap;
        loop {
            at = (at + 1) & mask;
            let Some(&slot) = self.slots.get(at).filter(|slot| slot.id != 0) else {
                break;
            };
            let home = slot.hash as usize & mask;
            // it may stand in the gap if that is not before its home
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(gap) & mask {
                self.slots[gap] = slot;
                gap = at;
            }
        }
        if let Some(slot) = self.slots.get_mut(gap) {
            *slot = Slot::default();
            self.used -= 1;
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.slots.fill(Slot::default());
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Hashes that collide, also around the end; compared with a map.
    #[test]
    fn behaves_as_a_map() {
        let (mut slots, mut map) = (Slots::default(), BTreeMap::new());
        let mut seed = 7u32;
        let mut found = 0;
        for _ in 0..200_000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let id = 1 + (seed >> 16) % 60;
            let hash = (u32::MAX - id / 5).wrapping_add(id % 2);
            if map.remove(&id).is_some() {
                slots.remove(hash, id);
            } else {
                assert_eq!(slots.find(hash, |other| other == id), None);
                slots.insert(hash, id);
                map.insert(id, hash);
            }
            for (&id, &hash) in map.iter().take(3) {
                assert_eq!(slots.find(hash, |other| other == id), Some(id));
                found += 1;
            }
            assert_eq!(slots.used, map.len());
        }
        assert!(found > 100_000);
        slots.clear();
        assert_eq!(slots.find(u32::MAX, |_| true), None);
    }
}
