//! The labels of nodes, each once, in one text.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;

/// Labels by the numbers of their nodes.
#[derive(Default)]
pub(crate) struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all labels.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The label of a node.
    pub(crate) fn of(&self, node: u32) -> &str {
        let node = node as usize;
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[node]]
    }

    /// All labels, in the order of the numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|node| self.of(node))
    }

    fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }
}

/// Gives labels their numbers.
#[derive(Default)]
pub(super) struct Numbers {
    /// Keyed by a hash of the label, or by one of the next numbers if other labels have that.
    by_hash: HashMap<u64, u32>,
    hasher: RandomState,
}

impl Numbers {
    /// The number of a label, the next one if it is new.
    pub(super) fn of(&mut self, name: &str, names: &mut Names) -> u32 {
        self.with_hash(self.hasher.hash_one(name), name, names)
    }

    fn with_hash(&mut self, mut hash: u64, name: &str, names: &mut Names) -> u32 {
        loop {
            match self.by_hash.entry(hash) {
                Entry::Occupied(found) if names.of(*found.get()) == name => return *found.get(),
                Entry::Occupied(_) => hash = hash.wrapping_add(1),
                Entry::Vacant(free) => {
                    let next = names.len() as u32;
                    names.push(name);
                    return *free.insert(next);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_numbers_in_the_order_in_which_they_came() {
        let (mut names, mut numbers) = (Names::default(), Numbers::default());
        let found: Vec<u32> =
            ["a", "", "bc", "a", "b", "", "bc"].map(|name| numbers.of(name, &mut names)).into();
        assert_eq!(found, [0, 1, 2, 0, 3, 1, 2]);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "", "bc", "b"]);
        assert_eq!((names.len(), names.bytes(), names.of(2)), (4, 4, "bc"));
    }

    #[test]
    fn labels_with_one_hash_have_numbers_of_their_own() {
        let (mut names, mut numbers) = (Names::default(), Numbers::default());
        for _ in 0..2 {
            for (name, number) in ["a", "b", "c"].into_iter().zip(0..) {
                assert_eq!(numbers.with_hash(u64::MAX, name, &mut names), number);
            }
        }
    }
}
