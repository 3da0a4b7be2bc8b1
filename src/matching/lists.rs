//! Lists are paired by their items: `rdf:first` and `rdf:rest` alone would tie one cell to the next.

#![expect(clippy::cast_precision_loss, reason = "shares are only compared")]

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use super::hash::{Mix, SELF, Use};
use super::lcs::{Run, runs};
use super::pairing::{Bag, NEW, OLD, Pairing};

/// Pairs of items of a gap that are compared one by one.
const GAP: usize = 2500;

/// A list: its cells, and what the item of each is.
struct List {
    cells: Vec<u32>,
    items: Vec<u128>,
}

impl Pairing<'_> {
    /// Pairs the cells of lists that stand in the same place, and their items.
    pub(crate) fn lists(&mut self, old: &[u32], new: &[u32]) {
        let mut heads = [old.to_vec(), new.to_vec()];
        for side in [OLD, NEW] {
            heads[side].sort_unstable();
            heads[side].dedup();
            let nodes = std::mem::take(&mut heads[side]);
            heads[side] = nodes.into_iter().filter(|&node| self.is_open(side, node)).collect();
        }
        if heads[OLD].is_empty() || heads[NEW].is_empty() {
            return;
        }
        let lists =
            [OLD, NEW].map(|side| heads[side].iter().map(|&head| self.list(side, head)).collect::<Vec<_>>());
        for (i, j) in self.chosen(&lists) {
            self.align(&lists[OLD][i], &lists[NEW][j]);
        }
    }

    /// The cells from a head on, as long as they belong to this list alone.
    fn list(&mut self, side: usize, head: u32) -> List {
        let nodes = self.nodes(side);
        let mut cells = vec![head];
        let mut seen = HashSet::from([head]);
        let mut cell = head;
        while let Some(next) = nodes.next(cell) {
            if !nodes.is_cell(next) || nodes.incoming(next) != 1 || !seen.insert(next) {
                break;
            }
            cells.push(next);
            cell = next;
        }
        self.spend(cells.len());
        let mut mix = Mix::new();
        let deep = &self.colours(side).deep;
        let item = |&cell: &u32| {
            let row = nodes.first(cell);
            mix.start(Use::Token).word(nodes.template(row).hash);
            for &node in nodes.nodes(row) {
                mix.word(if node == cell { SELF } else { deep[node as usize] });
            }
            mix.done()
        };
        let items = cells.iter().map(item).collect();
        List { cells, items }
    }

    /// Which lists are paired: those with most items in common first.
    fn chosen(&mut self, lists: &[Vec<List>; 2]) -> Vec<(usize, usize)> {
        if let ([_], [_]) = (&lists[OLD][..], &lists[NEW][..]) {
            return vec![(0, 0)];
        }
        let mut numbers: HashMap<u128, u32> = HashMap::new();
        let mut order: Vec<u128> =
            lists.iter().flatten().flat_map(|list| list.items.iter().copied()).collect();
        order.sort_unstable();
        order.dedup();
        for (item, number) in order.into_iter().zip(0..) {
            numbers.insert(item, number);
        }
        let bags = lists.each_ref().map(|lists| -> Vec<Rc<Bag>> {
            let bag = |list: &List| Rc::new(Bag::new(list.items.iter().map(|item| numbers[item]).collect()));
            lists.iter().map(bag).collect()
        });
        let mut found = Vec::new();
        for (i, j) in Self::candidates(&bags) {
            let (i, j) = (i as usize, j as usize);
            let (one, other) = (&lists[OLD][i], &lists[NEW][j]);
            if !self.spend(1 + (one.cells.len() + other.cells.len()) / 8) {
                break;
            }
            let both = bags[OLD][i].common(&bags[NEW][j]);
            let share = -(both as f64) / ((one.cells.len() + other.cells.len() - both).max(1) as f64);
            let full = |side: usize, list: &List| self.colours(side).full[list.cells[0] as usize];
            found.push((share, full(OLD, one), full(NEW, other), i, j));
        }
        found.sort_unstable_by(|a, b| {
            a.0.total_cmp(&b.0).then_with(|| (a.1, a.2, a.3, a.4).cmp(&(b.1, b.2, b.3, b.4)))
        });
        let (mut olds, mut news, mut chosen) = (HashSet::new(), HashSet::new(), Vec::new());
        for (.., i, j) in found {
            if !olds.contains(&i) && !news.contains(&j) {
                olds.insert(i);
                news.insert(j);
                chosen.push((i, j));
            }
        }
        chosen
    }

    /// Pairs the cells of two lists.
    fn align(&mut self, old: &List, new: &List) {
        if !self.spend(old.cells.len() + new.cells.len()) {
            return;
        }
        let runs = runs(&old.items, &new.items);
        let (mut i, mut j) = (0, 0);
        let mut gone: [HashSet<u128>; 2] = Default::default();
        for run in &runs {
            match *run {
                Run::Equal(count) => (i, j) = (i + count, j + count),
                Run::Gap(a, b) => {
                    gone[OLD].extend(&old.items[i..i + a]);
                    gone[NEW].extend(&new.items[j..j + b]);
                    (i, j) = (i + a, j + b);
                }
            }
        }
        let moving: HashSet<u128> = gone[OLD].intersection(&gone[NEW]).copied().collect();
        (i, j) = (0, 0);
        for run in runs {
            match run {
                Run::Equal(count) => {
                    for at in 0..count {
                        self.cells(old.cells[i + at], new.cells[j + at], true);
                    }
                    (i, j) = (i + count, j + count);
                }
                Run::Gap(a, b) => {
                    let stays = |list: &List, from: usize, count: usize| -> Vec<(u32, bool)> {
                        let at = from..from + count;
                        at.map(|at| (list.cells[at], !moving.contains(&list.items[at]))).collect()
                    };
                    self.gap(&stays(old, i, a), &stays(new, j, b));
                    (i, j) = (i + a, j + b);
                }
            }
        }
        self.moved(old, new);
    }

    /// Equal items that moved, then cells that are left, in their order.
    fn moved(&mut self, old: &List, new: &List) {
        let mut by_item: HashMap<u128, VecDeque<u32>> = HashMap::new();
        for (&cell, &item) in old.cells.iter().zip(&old.items) {
            if self.is_open(OLD, cell) {
                by_item.entry(item).or_default().push_back(cell);
            }
        }
        for (&cell, item) in new.cells.iter().zip(&new.items) {
            if self.is_open(NEW, cell)
                && let Some(other) = by_item.get_mut(item).and_then(VecDeque::pop_front)
            {
                self.cells(other, cell, true);
            }
        }
        let left = [(OLD, old), (NEW, new)].map(|(side, list)| -> Vec<u32> {
            list.cells.iter().copied().filter(|&cell| self.is_open(side, cell)).collect()
        });
        for (&one, &other) in left[OLD].iter().zip(&left[NEW]) {
            self.cells(one, other, false);
        }
    }

    /// Cells between equal ones: those with items that are alike, in order. A cell comes with whether its item stays.
    fn gap(&mut self, old: &[(u32, bool)], new: &[(u32, bool)]) {
        if old.is_empty() || new.is_empty() {
            return;
        }
        let mut pairs = Vec::new();
        if old.len() * new.len() <= GAP && self.spend(old.len() * new.len()) {
            let width = new.len() + 1;
            let alike: Vec<Vec<usize>> = old
                .iter()
                .map(|&(one, _)| new.iter().map(|&(other, _)| self.alike(one, other)).collect())
                .collect();
            let mut best = vec![0usize; (old.len() + 1) * width];
            for i in (0..old.len()).rev() {
                for j in (0..new.len()).rev() {
                    let at = i * width + j;
                    best[at] = best[at + width].max(best[at + 1]).max(best[at + width + 1] + alike[i][j]);
                }
            }
            let (mut i, mut j) = (0, 0);
            while i < old.len() && j < new.len() {
                let at = i * width + j;
                if best[at] == best[at + width + 1] + alike[i][j] {
                    pairs.push((old[i], new[j]));
                    (i, j) = (i + 1, j + 1);
                } else if best[at] == best[at + width] {
                    i += 1;
                } else {
                    j += 1;
                }
            }
        } else {
            pairs.extend(old.iter().copied().zip(new.iter().copied()));
        }
        for ((one, one_stays), (other, other_stays)) in pairs {
            if one_stays && other_stays {
                self.cells(one, other, false);
            }
        }
    }

    /// How much two items have in common, twice, and more where both are nodes or neither is.
    fn alike(&mut self, old: u32, new: u32) -> usize {
        match (self.nodes(OLD).item(old), self.nodes(NEW).item(new)) {
            (Some(old), Some(new)) => {
                let (old, new) = (self.bag(OLD, old), self.bag(NEW, new));
                2 + 4 * self.overlap(&old, &new).0
            }
            (None, None) => 2,
            _ => 1,
        }
    }

    /// Pairs two cells, and their items if they are nodes that are equal or have something in common.
    fn cells(&mut self, old: u32, new: u32, equal: bool) {
        if !self.join(old, new) {
            return;
        }
        if let (Some(old), Some(new)) = (self.nodes(OLD).item(old), self.nodes(NEW).item(new)) {
            let is_like = equal || {
                let (old, new) = (self.bag(OLD, old), self.bag(NEW, new));
                self.overlap(&old, &new).0 > 0
            };
            if is_like {
                self.join(old, new);
            }
        }
    }
}
