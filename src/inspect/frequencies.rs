//! How often values occur, counted in bounded memory.

use std::cmp::Reverse;
use std::collections::HashMap;

/// Different values that are counted, and bytes of their texts: beyond either the rare ones are forgotten.
const MOST: usize = 1 << 20;
const MOST_BYTES: usize = 64 << 20;

/// Counts of values, `N` for each value: one for each kind of rows that has it.
#[derive(Default)]
pub struct Frequencies<const N: usize> {
    /// Where the counts of a value are: behind those of the values that came before it.
    places: HashMap<Box<str>, usize>,
    counts: Vec<[u64; N]>,
    /// The value that was counted last.
    last: Option<usize>,
    /// The value that is counted.
    text: String,
    bytes: usize,
    forgot: bool,
}

impl<const N: usize> Frequencies<N> {
    /// Counts a value in a row of this kind; the value may be known to be that of the call before.
    pub fn add(&mut self, kind: usize, is_same: bool, write: impl FnOnce(&mut String)) {
        if let (true, Some(last)) = (is_same, self.last) {
            self.counts[last][kind] += 1;
            return;
        }
        self.text.clear();
        write(&mut self.text);
        let place = match self.places.get(self.text.as_str()) {
            Some(&place) => place,
            None => self.insert(),
        };
        self.counts[place][kind] += 1;
        self.last = Some(place);
    }

    fn insert(&mut self) -> usize {
        if self.counts.len() >= MOST || self.bytes + self.text.len() > MOST_BYTES {
            self.forget();
        }
        let place = self.counts.len();
        self.bytes += self.text.len();
        self.places.insert(self.text.as_str().into(), place);
        self.counts.push([0; N]);
        place
    }

    /// Keeps the most frequent half.
    fn forget(&mut self) {
        let mut kept = self.sorted();
        kept.truncate(kept.len() / 2);
        let mut places = vec![None; self.counts.len()];
        kept.iter().enumerate().for_each(|(now, &before)| places[before] = Some(now));
        self.places.retain(|_, place| places[*place].map(|now| *place = now).is_some());
        self.counts = kept.iter().map(|&place| self.counts[place]).collect();
        self.bytes = self.places.keys().map(|text| text.len()).sum();
        (self.last, self.forgot) = (None, true);
    }

    /// The places of the most frequent values first, and of those with one count that of the value that came first.
    fn sorted(&self) -> Vec<usize> {
        let mut places: Vec<_> = (0..self.counts.len()).collect();
        places.sort_by_key(|&place| Reverse(self.counts[place].iter().sum::<u64>()));
        places
    }

    /// The most frequent values and their counts.
    pub fn top(&self, most: usize) -> Vec<(&str, [u64; N])> {
        let mut texts = vec![""; self.counts.len()];
        self.places.iter().for_each(|(text, &place)| texts[place] = text);
        self.sorted().into_iter().take(most).map(|place| (texts[place], self.counts[place])).collect()
    }

    /// How many values there are; `None`: more than a million, or too long to keep.
    pub fn different(&self) -> Option<usize> {
        (!self.forgot).then_some(self.counts.len())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn rare_values_are_forgotten_and_the_frequent_ones_stay() {
        let mut counts = Frequencies::<2>::default();
        for n in 0..1000 {
            counts.add(0, false, |text| write!(text, "{n}").unwrap());
            counts.add(0, false, |text| text.push_str("often"));
            counts.add(1, true, |_| unreachable!());
        }
        counts.forget();
        assert_eq!((counts.places.len(), counts.counts.len()), (500, 500));
        counts.add(0, true, |text| text.push_str("often"));
        assert_eq!(counts.top(2), [("often", [1001, 1000]), ("0", [1, 0])]);
        assert_eq!(counts.different(), None);
    }

    #[test]
    fn long_values_are_bounded_by_their_bytes() {
        let mut counts = Frequencies::<1>::default();
        let long = "x".repeat(MOST_BYTES / 8);
        for n in 0..20 {
            counts.add(0, false, |text| write!(text, "{n}{long}").unwrap());
        }
        assert!(counts.bytes <= MOST_BYTES);
        assert_eq!(counts.different(), None);
    }
}
