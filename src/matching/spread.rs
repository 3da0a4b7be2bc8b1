//! Nodes that no place and no tree finds, most of them in cycles: from pairs that are known to what is next to them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashSet};

use super::hash::{Mix, SELF, Use};
use super::nodes::NONE;
use super::pairing::{NEW, OLD, Pairing, Side};

/// Steps from a node that are looked at for a first pair.
const RADIUS: usize = 3;

/// Pairs of neighbours that are looked at one by one.
const PAIRS: usize = 1000;

/// A pair that may be made: links that agree, the difference of degrees, whether trees differ, colours, nodes.
type Candidate = Reverse<(Reverse<usize>, usize, bool, u128, u128, u32, u32)>;

/// Nodes that are left, and pairs that may be made.
struct Spread {
    open: [HashSet<u32>; 2],
    heap: BinaryHeap<Candidate>,
}

impl Pairing<'_> {
    /// Pairs what is left, best first by statements to nodes that are paired; where there is none, by equal surroundings.
    pub(crate) fn spread(&mut self) {
        let open = [OLD, NEW].map(|side| -> HashSet<u32> {
            self.open(side).into_iter().filter(|&node| !self.nodes(side).is_cell(node)).collect()
        });
        if open.iter().any(HashSet::is_empty) {
            return;
        }
        let mut spread = Spread { open, heap: BinaryHeap::new() };
        let mut known: Vec<(u32, u32)> = Vec::new();
        for &node in &spread.open[OLD] {
            known.extend(self.around_of(OLD, node).filter_map(|near| {
                let new = self.to[OLD][near as usize];
                (new != NONE).then_some((near, new))
            }));
        }
        known.sort_unstable();
        known.dedup();
        for (old, new) in known {
            self.look_around(&mut spread, old, new);
        }
        self.take_best(&mut spread);
        self.seeds(&mut spread);
        self.queue.clear();
    }

    /// The nodes in the statements of a node.
    fn around_of(&self, side: usize, node: u32) -> impl Iterator<Item = u32> {
        let nodes = self.nodes(side);
        nodes
            .of(node)
            .iter()
            .flat_map(move |&row| nodes.nodes(row))
            .copied()
            .filter(move |&near| near != node)
    }

    /// Open nodes next to one, each once.
    fn near(&mut self, spread: &Spread, side: usize, node: u32) -> Vec<u32> {
        self.spend(self.nodes(side).of(node).len());
        let mut near: Vec<u32> =
            self.around_of(side, node).filter(|near| spread.open[side].contains(near)).collect();
        near.sort_unstable();
        near.dedup();
        near
    }

    fn look_around(&mut self, spread: &mut Spread, old: u32, new: u32) {
        let (olds, news) = (self.near(spread, OLD, old), self.near(spread, NEW, new));
        if olds.len().saturating_mul(news.len()) > PAIRS {
            // too many for each with each: by places and trees, as elsewhere
            self.queue.clear();
            for upwards in [false, true] {
                self.around(old, new, upwards);
            }
            for (old, new) in std::mem::take(&mut self.queue) {
                spread.open[OLD].remove(&old);
                spread.open[NEW].remove(&new);
            }
            return;
        }
        for &one in &olds {
            for &other in &news {
                if self.left == 0 {
                    return;
                }
                self.push(spread, one, other);
            }
        }
    }

    /// Statements of two nodes that say the same of nodes that are paired.
    fn links(&mut self, old: u32, new: u32) -> usize {
        let (one, other) = (self.nodes(OLD), self.nodes(NEW));
        self.spend(one.of(old).len() + other.of(new).len());
        let mapped = |row: u32| {
            let map = other
                .nodes(row)
                .iter()
                .map(|&node| if node == new { old } else { self.to[NEW][node as usize] });
            map.collect::<Vec<u32>>()
        };
        // a node that is not paired is NONE there, and no node here
        other.of(new).iter().filter(|&&row| one.find(other.kind(row), &mapped(row)).is_some()).count()
    }

    fn push(&mut self, spread: &mut Spread, old: u32, new: u32) {
        let links = self.links(old, new);
        if links > 0 {
            let degrees = self.nodes(OLD).of(old).len().abs_diff(self.nodes(NEW).of(new).len());
            let (a, b) = (self.colours(OLD), self.colours(NEW));
            let differs = a.deep[old as usize] != b.deep[new as usize];
            let (a, b) = (a.full[old as usize], b.full[new as usize]);
            spread.heap.push(Reverse((Reverse(links), degrees, differs, a, b, old, new)));
        }
    }

    fn take_pair(&mut self, spread: &mut Spread, old: u32, new: u32) {
        self.join(old, new);
        spread.open[OLD].remove(&old);
        spread.open[NEW].remove(&new);
        self.look_around(spread, old, new);
    }

    fn take_best(&mut self, spread: &mut Spread) {
        while let Some(Reverse((Reverse(links), .., old, new))) = spread.heap.pop() {
            if self.left == 0 {
                return;
            }
            if !spread.open[OLD].contains(&old) || !spread.open[NEW].contains(&new) {
                continue;
            }
            if self.links(old, new) == links {
                self.take_pair(spread, old, new);
            } else {
                self.push(spread, old, new);
            }
        }
    }

    /// First pairs: equal surroundings, the widest radius and the rarest ones first.
    fn seeds(&mut self, spread: &mut Spread) {
        if spread.open.iter().any(HashSet::is_empty) {
            return;
        }
        let steps = self.sides.iter().map(|side| side.nodes.rows() * (RADIUS + 1)).sum();
        if !self.spend(steps) {
            return;
        }
        let mut rings = [OLD, NEW].map(|side| rings(self.sides[side]));
        for _ in 0..=RADIUS {
            let [Some(old), Some(new)] = rings.each_mut().map(Vec::pop) else { return };
            let mut groups: BTreeMap<u128, [Vec<u32>; 2]> = BTreeMap::new();
            for (side, colours) in [&old, &new].into_iter().enumerate() {
                for &node in &spread.open[side] {
                    groups.entry(colours[node as usize]).or_default()[side].push(node);
                }
            }
            let mut groups: Vec<_> =
                groups.into_iter().filter(|(_, two)| !two.iter().any(Vec::is_empty)).collect();
            groups.sort_by_key(|(colour, two)| (two[OLD].len() + two[NEW].len(), *colour));
            for (_, mut two) in groups {
                for side in [OLD, NEW] {
                    let full = &self.colours(side).full;
                    two[side].sort_unstable_by_key(|&node| (full[node as usize], node));
                }
                let [old, new] = two;
                let mut olds = old.into_iter();
                for node in new {
                    if self.left == 0 {
                        return;
                    }
                    if !spread.open[NEW].contains(&node) || self.nodes(NEW).of(node).len() < 2 {
                        continue;
                    }
                    let Some(one) = olds.by_ref().find(|one| spread.open[OLD].contains(one)) else { break };
                    self.take_pair(spread, one, node);
                    self.take_best(spread);
                }
            }
        }
    }
}

/// What stands around each node, from its own statements to those that are some steps away.
fn rings(side: &Side) -> Vec<Vec<u128>> {
    let nodes = &side.nodes;
    let mut mix = Mix::new();
    let mut words = Vec::new();
    let mut rings: Vec<Vec<u128>> = Vec::new();
    for radius in 0..=RADIUS {
        let mut ring = Vec::with_capacity(nodes.len());
        for node in 0..nodes.len() as u32 {
            words.clear();
            for &row in nodes.of(node) {
                mix.start(Use::Radius).word(nodes.template(row).hash);
                for &found in nodes.nodes(row) {
                    let is_self = found == node;
                    let colour = rings.last().map_or(0, |ring| ring[found as usize]);
                    mix.word(if radius == 0 { u128::from(is_self) * SELF } else { colour });
                }
                words.push(mix.done());
            }
            ring.push(mix.bag(Use::Bag, &mut words));
        }
        rings.push(ring);
    }
    rings
}
