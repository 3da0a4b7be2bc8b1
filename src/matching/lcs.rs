//! Which items of two sequences stay in their order.

#![expect(clippy::many_single_char_names, reason = "places in two sequences")]

use std::collections::HashMap;

/// Places of the table of the longest common subsequence.
const TABLE: usize = 4_000_000;
/// Edits that are looked for in sequences that are too long for the table.
const EDITS: usize = 200;

/// Equal items (`Some`: one of each), or items that only one of the two has between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// So many items are equal.
    Equal(usize),
    /// So many items of the first, and of the second.
    Gap(usize, usize),
}

/// The runs of two sequences: those of a longest common subsequence, unless they are long and differ much.
pub(crate) fn runs(a: &[u128], b: &[u128]) -> Vec<Run> {
    let pairs = pairs(a, b);
    let mut runs = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (x, y) in pairs.into_iter().chain([(a.len(), b.len())]) {
        if x > i || y > j {
            runs.push(Run::Gap(x - i, y - j));
        }
        if x < a.len() {
            match runs.last_mut() {
                Some(Run::Equal(count)) => *count += 1,
                _ => runs.push(Run::Equal(1)),
            }
        }
        (i, j) = (x + 1, y + 1);
    }
    runs
}

/// Pairs of equal items, in order.
fn pairs(a: &[u128], b: &[u128]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    // ranges still to be looked at, and whether anchors were taken from them
    let mut todo = vec![(0, a.len(), 0, b.len())];
    while let Some((mut i, mut m, mut j, mut n)) = todo.pop() {
        while i < m && j < n && a[i] == b[j] {
            found.push((i, j));
            (i, j) = (i + 1, j + 1);
        }
        while i < m && j < n && a[m - 1] == b[n - 1] {
            (m, n) = (m - 1, n - 1);
            found.push((m, n));
        }
        let (x, y) = (&a[i..m], &b[j..n]);
        if x.is_empty() || y.is_empty() {
            continue;
        }
        let within = |pairs: Vec<(usize, usize)>| pairs.into_iter().map(move |(p, q)| (i + p, j + q));
        if x.len().saturating_mul(y.len()) <= TABLE {
            found.extend(within(table(x, y)));
        } else if let Some(pairs) = few_edits(x, y) {
            found.extend(within(pairs));
        } else {
            let anchors: Vec<_> = within(anchors(x, y)).collect();
            let (mut p, mut q) = (i, j);
            for &(x, y) in &anchors {
                todo.push((p, x, q, y));
                (p, q) = (x + 1, y + 1);
            }
            if !anchors.is_empty() {
                todo.push((p, m, q, n));
            }
            found.extend(anchors);
        }
    }
    found.sort_unstable();
    found
}

/// The longest common subsequence by its table.
fn table(a: &[u128], b: &[u128]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut lengths = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            let at = i * width + j;
            lengths[at] = if a[i] == b[j] {
                lengths[at + width + 1] + 1
            } else {
                lengths[at + width].max(lengths[at + 1])
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        let at = i * width + j;
        if a[i] == b[j] {
            found.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[at + width] >= lengths[at + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

/// The same by Myers' rule, if few items differ.
fn few_edits(a: &[u128], b: &[u128]) -> Option<Vec<(usize, usize)>> {
    if a.len().abs_diff(b.len()) > EDITS {
        return None;
    }
    let middle = EDITS as isize + 1;
    let mut ends = vec![0usize; 2 * EDITS + 3];
    let mut history = Vec::new();
    for edits in 0..=EDITS as isize {
        history.push(ends.clone());
        for k in (-edits..=edits).step_by(2) {
            let at = (middle + k) as usize;
            let down = k == -edits || k != edits && ends[at - 1] < ends[at + 1];
            let mut x = if down { ends[at + 1] } else { ends[at - 1] + 1 };
            let Some(mut y) = x.checked_add_signed(-k) else { continue };
            while x < a.len() && y < b.len() && a[x] == b[y] {
                (x, y) = (x + 1, y + 1);
            }
            ends[at] = x;
            if x >= a.len() && y >= b.len() {
                return Some(way_back(a.len(), b.len(), &history, middle));
            }
        }
    }
    None
}

/// The pairs of equal items on the way that was found.
fn way_back(mut x: usize, mut y: usize, history: &[Vec<usize>], middle: isize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (edits, ends) in history.iter().enumerate().rev() {
        let k = x as isize - y as isize;
        let at = (middle + k) as usize;
        let edits = edits as isize;
        let (mut from_x, mut from_y) = (0, 0);
        if edits > 0 {
            let down = k == -edits || k != edits && ends[at - 1] < ends[at + 1];
            let before = if down { k + 1 } else { k - 1 };
            from_x = ends[(middle + before) as usize];
            from_y = (from_x as isize - before).max(0) as usize;
        }
        while x > from_x && y > from_y {
            (x, y) = (x - 1, y - 1);
            found.push((x, y));
        }
        (x, y) = (from_x, from_y);
    }
    found.reverse();
    found
}

/// Items that each sequence has once, as many as stay in order.
fn anchors(a: &[u128], b: &[u128]) -> Vec<(usize, usize)> {
    let mut seen: HashMap<u128, [(usize, usize); 2]> = HashMap::new();
    for (side, items) in [a, b].into_iter().enumerate() {
        for (place, &item) in items.iter().enumerate() {
            let found = &mut seen.entry(item).or_default()[side];
            *found = (found.0 + 1, place);
        }
    }
    let single = seen.values().filter(|sides| sides.iter().all(|&(count, _)| count == 1));
    let mut pairs: Vec<(usize, usize)> = single.map(|[(_, a), (_, b)]| (*a, *b)).collect();
    pairs.sort_unstable();
    // the longest increasing subsequence: the last pair of the best one of each length
    let mut last: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, &(_, b)) in pairs.iter().enumerate() {
        let length = last.partition_point(|&other| pairs[other].1 < b);
        before.push(length.checked_sub(1).map(|length| last[length]));
        if length == last.len() {
            last.push(at);
        } else {
            last[length] = at;
        }
    }
    let mut found = Vec::new();
    let mut next = last.last().copied();
    while let Some(at) = next {
        found.push(pairs[at]);
        next = before[at];
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(runs: &[Run]) -> usize {
        runs.iter().map(|run| if let Run::Equal(count) = run { *count } else { 0 }).sum()
    }

    /// Runs cover both sequences, and what they call equal is.
    fn check(a: &[u128], b: &[u128]) -> usize {
        let runs = runs(a, b);
        let (mut i, mut j) = (0, 0);
        for run in &runs {
            match *run {
                Run::Equal(count) => {
                    assert_eq!(a[i..i + count], b[j..j + count]);
                    (i, j) = (i + count, j + count);
                }
                Run::Gap(x, y) => (i, j) = (i + x, j + y),
            }
        }
        assert_eq!((i, j), (a.len(), b.len()));
        equal(&runs)
    }

    #[test]
    fn short_sequences_as_the_table_says_long_ones_by_edits_and_anchors() {
        let mut seed = 7u64;
        let mut next = |most: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u128::from((seed >> 33) % most)
        };
        let mut seen = 0;
        for _ in 0..500 {
            let a: Vec<u128> = (0..next(12)).map(|_| next(4)).collect();
            let b: Vec<u128> = (0..next(12)).map(|_| next(4)).collect();
            let best = table(&a, &b).len();
            assert_eq!(check(&a, &b), best);
            assert_eq!(few_edits(&a, &b).expect("short").len(), best);
            seen += best;
        }
        assert!(seen > 500);
        // few values, too long for the table
        let long: Vec<u128> = (0..5000).map(|_| next(3)).collect();
        let mut edited = long.clone();
        edited.insert(100, 9);
        edited.remove(4000);
        edited[2500] = 7;
        assert_eq!(check(&long, &edited), 4998);
        // many edits: every second item is gone
        let whole: Vec<u128> = (0..10_000).collect();
        let half: Vec<u128> = (0..10_000).step_by(2).collect();
        assert_eq!(check(&whole, &half), 5000);
        // nothing in common, and nothing to hold on to
        assert_eq!(check(&whole, &vec![20_000; 5000]), 0);
        let ones = vec![1; 10_000];
        assert_eq!(check(&ones, &ones[..5000]), 5000);
    }
}
