//! Matching: which nodes of the new dataset are nodes of the old one.
//!
//! Any map gives a right patch: rows are computed from it. What is done here decides how small the patch is.

use std::collections::BTreeMap;

use super::colour::Colours;
use super::nodes::{NONE, Nodes};
use super::pairing::{NEW, OLD, Pairing, Side};

/// Hashes for each statement that matching may cost, beside the budget.
const OWN_WORK: u64 = 50;

/// The node of `old` that each node of `new` is; `NONE`: a new one. Components that are equal need not be here.
///
/// `names` has the old node with the label of each new one, if labels of both last.
pub(crate) fn matched(old: &Side, new: &Side, names: Option<Vec<u32>>, budget: u64) -> Vec<u32> {
    let rows = (old.nodes.rows() + new.nodes.rows()) as u64;
    let mut pairing = Pairing::new(old, new, budget.saturating_add(rows * OWN_WORK));
    pairing.named = names;
    if !pairing.open(OLD).is_empty() && !pairing.open(NEW).is_empty() {
        pairing.places();
        pairing.moves();
        pairing.roots();
        pairing.spread();
        pairing.by_content(2, |_, _, _| true);
        pairing.leftovers();
        pairing.last();
    }
    let [_, to] = pairing.to;
    to
}

impl Pairing<'_> {
    /// What an IRI leads to: the same statement on both sides.
    fn places(&mut self) {
        let mut places: BTreeMap<u32, [Vec<u32>; 2]> = BTreeMap::new();
        for side in [OLD, NEW] {
            let nodes = self.nodes(side);
            for node in self.open(side) {
                for (row, _) in nodes.into(node).filter(|&(row, _)| nodes.nodes(row).len() == 1) {
                    places.entry(nodes.kind(row)).or_default()[side].push(node);
                }
            }
        }
        let mut places: Vec<_> =
            places.into_iter().filter(|(_, two)| !two.iter().any(Vec::is_empty)).collect();
        places.sort_by_key(|(kind, two)| (two[OLD].len().min(two[NEW].len()), *kind));
        for (_, [old, new]) in &places {
            self.equal(old, new);
        }
        self.drain();
        for (_, [old, new]) in places {
            self.group(&old, &new, 0);
            self.drain();
        }
    }

    /// Pairs nodes of one place: lists by their items, others by what they say.
    fn group(&mut self, old: &[u32], new: &[u32], least: usize) {
        let are_cells = |side: usize, nodes: &[u32]| nodes.iter().all(|&node| self.nodes(side).is_cell(node));
        if are_cells(OLD, old) && are_cells(NEW, new) {
            self.equal(old, new);
            self.lists(old, new);
        } else {
            self.similar(old, new, least);
        }
    }

    /// Equal trees anywhere, of two statements or more; in cycles only those of which there is one on both sides.
    fn moves(&mut self) {
        let mut trees: [Vec<u32>; 2] = Default::default();
        let mut cycles: BTreeMap<u128, [Vec<u32>; 2]> = BTreeMap::new();
        for side in [OLD, NEW] {
            let (nodes, colours) = (self.nodes(side), self.colours(side));
            for node in self.open(side) {
                let mut below = nodes.out(node).flat_map(|row| &nodes.nodes(row)[1..]);
                let has_two = nodes.out(node).nth(1).is_some()
                    || below.any(|&child| child != node && nodes.out(child).next().is_some());
                if nodes.is_cell(node) || !has_two {
                    continue;
                }
                if colours.in_cycle[node as usize] {
                    cycles.entry(colours.deep[node as usize]).or_default()[side].push(node);
                } else {
                    trees[side].push(node);
                }
            }
        }
        self.equal(&trees[OLD], &trees[NEW]);
        for [old, new] in cycles.into_values() {
            if let ([old], [new]) = (&old[..], &new[..]) {
                self.join(*old, *new);
            }
        }
        self.climb();
    }

    /// What nothing leads to, then all else, by what it says. What is below itself says the same as its neighbours.
    fn roots(&mut self) {
        for roots in [true, false] {
            self.by_content(2, |nodes, colours, node| {
                let is_root = || nodes.into(node).all(|(row, _)| nodes.nodes(row).len() == 1);
                !colours.in_cycle[node as usize] && (!roots || is_root())
            });
        }
    }

    /// Pairs nodes by what they say, wherever they are; `least` statements have to be shared.
    fn by_content(&mut self, least: usize, wanted: impl Fn(&Nodes, &Colours, u32) -> bool) {
        let [old, new] = [OLD, NEW].map(|side| -> Vec<u32> {
            let (nodes, colours) = (self.nodes(side), self.colours(side));
            let open = self.open(side).into_iter();
            open.filter(|&node| !nodes.is_cell(node) && wanted(nodes, colours, node)).collect()
        });
        self.similar(&old, &new, least);
        self.climb();
    }

    /// Equal trees of one statement, and nodes of which nothing is said without other nodes.
    fn last(&mut self) {
        let [old, new] = [OLD, NEW].map(|side| -> Vec<u32> {
            let (nodes, colours) = (self.nodes(side), self.colours(side));
            let has_one = |node: u32| !nodes.is_cell(node) && nodes.out(node).next().is_some();
            let open = self.open(side).into_iter();
            open.filter(|&node| has_one(node) && !colours.in_cycle[node as usize]).collect()
        });
        self.equal(&old, &new);
        self.climb();
        self.by_content(1, |nodes, _, node| !nodes.of(node).iter().any(|&row| nodes.is_alone(row, node)));
    }

    /// Cells that are left: next to nodes that are paired, then wherever they are equal.
    fn leftovers(&mut self) {
        let mut known = Vec::new();
        let nodes = self.nodes(OLD);
        let cells = |pairing: &Self, side: usize| -> Vec<u32> {
            let open = pairing.open(side).into_iter();
            open.filter(|&node| pairing.nodes(side).is_cell(node)).collect()
        };
        for cell in cells(self, OLD) {
            for &near in nodes.of(cell).iter().flat_map(|&row| nodes.nodes(row)) {
                if self.to[OLD][near as usize] != NONE {
                    known.push((near, self.to[OLD][near as usize]));
                }
            }
        }
        known.sort_unstable();
        known.dedup();
        self.is_loose = true;
        self.above.extend(known);
        self.climb();
        let (old, new) = (cells(self, OLD), cells(self, NEW));
        self.equal(&old, &new);
        self.climb();
    }

    /// Looks below all pairs that wait.
    fn drain(&mut self) {
        while let Some((old, new)) = self.queue.pop_front() {
            self.around(old, new, false);
            self.above.push_back((old, new));
        }
    }

    /// Looks below all pairs that wait, and above them where nothing is left below.
    fn climb(&mut self) {
        loop {
            self.drain();
            let Some((old, new)) = self.above.pop_front() else { return };
            self.around(old, new, true);
        }
    }

    /// Pairs what stands beside two nodes in the same place of equal statements: below them, or above.
    pub(super) fn around(&mut self, old: u32, new: u32, upwards: bool) {
        let mut groups: BTreeMap<(u32, Vec<u8>), [Vec<u32>; 2]> = BTreeMap::new();
        for (side, node) in [(OLD, old), (NEW, new)] {
            let nodes = self.nodes(side);
            if !self.spend(nodes.of(node).len()) {
                return;
            }
            for &row in nodes.of(node) {
                let of = nodes.nodes(row);
                for (place, &near) in of.iter().enumerate() {
                    let is_again = of[..place].contains(&near);
                    if near == node || is_again || !self.is_open(side, near) {
                        continue;
                    }
                    let is_up = of[0] != node;
                    if is_up != upwards || is_up && !self.is_loose && nodes.is_cell(near) {
                        continue;
                    }
                    let role = |&found: &u32| if found == node { 1 } else { 2 * u8::from(found == near) };
                    let roles = of.iter().map(role).collect();
                    groups.entry((nodes.kind(row), roles)).or_default()[side].push(near);
                }
            }
        }
        for [old, new] in groups.into_values() {
            if old.is_empty() || new.is_empty() {
                continue;
            }
            if upwards {
                self.similar(&old, &new, 1);
            } else {
                self.group(&old, &new, 0);
            }
        }
    }
}
