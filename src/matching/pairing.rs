//! The map that is made: which node of the new dataset is which of the old one, and what may be paired with what.

#![expect(clippy::cast_precision_loss, reason = "shares are only compared")]

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use super::colour::Colours;
use super::components::Components;
use super::nodes::{NONE, Nodes};

/// Statements of the tree below a node that are looked at.
const BAG: usize = 400;
/// Pairs that are compared one by one.
const PAIRS: usize = 10_000;
/// Of more, only those that share one of so many of the rarest templates.
const RAREST: usize = 6;
/// Nodes that may have a template that counts as rare.
const COMMON: usize = 40;

/// A dataset and what is known of its nodes.
pub(crate) struct Side {
    pub(crate) nodes: Nodes,
    pub(crate) components: Components,
    pub(crate) colours: Colours,
}

impl Side {
    pub(crate) fn new(nodes: Nodes) -> Self {
        let components = Components::new(&nodes);
        let colours = Colours::new(&nodes, &components);
        Side { nodes, components, colours }
    }
}

/// The templates of a tree, each with its count.
pub(crate) struct Bag {
    counts: Vec<(u32, u32)>,
    total: usize,
}

impl Bag {
    /// A bag of these kinds.
    pub(crate) fn new(mut kinds: Vec<u32>) -> Self {
        kinds.sort_unstable();
        let counts = kinds.chunk_by(|a, b| a == b).map(|kind| (kind[0], kind.len() as u32)).collect();
        Bag { counts, total: kinds.len() }
    }

    /// How much two bags have in common.
    pub(crate) fn common(&self, other: &Bag) -> usize {
        self.each_common(other, |_, _| {})
    }

    fn each_common(&self, other: &Bag, mut see: impl FnMut(u32, usize)) -> usize {
        let (mut i, mut j, mut all) = (0, 0, 0);
        while let (Some(a), Some(b)) = (self.counts.get(i), other.counts.get(j)) {
            match a.0.cmp(&b.0) {
                Ordering::Less => i += 1,
                Ordering::Greater => j += 1,
                Ordering::Equal => {
                    let both = a.1.min(b.1) as usize;
                    all += both;
                    see(a.0, both);
                    (i, j) = (i + 1, j + 1);
                }
            }
        }
        all
    }
}

/// The map, and who waits to be looked at.
pub(crate) struct Pairing<'s> {
    /// The old side and the new one.
    pub(crate) sides: [&'s Side; 2],
    /// The node of the other side that each node is; `NONE`: not yet.
    pub(crate) to: [Vec<u32>; 2],
    /// Pairs below which nobody looked yet.
    pub(crate) queue: VecDeque<(u32, u32)>,
    /// Pairs above which nobody looked yet.
    pub(crate) above: VecDeque<(u32, u32)>,
    /// Cells may be found from what they lead to.
    pub(crate) is_loose: bool,
    bags: [HashMap<u32, Rc<Bag>>; 2],
    /// The old node with the label of each new one, where labels of both sides last.
    pub(crate) named: Option<Vec<u32>>,
    /// Steps that are left.
    pub(crate) left: u64,
}

pub(crate) const OLD: usize = 0;
pub(crate) const NEW: usize = 1;

impl<'s> Pairing<'s> {
    pub(crate) fn new(old: &'s Side, new: &'s Side, budget: u64) -> Self {
        let to = [vec![NONE; old.nodes.len()], vec![NONE; new.nodes.len()]];
        let bags = [HashMap::new(), HashMap::new()];
        let (queue, above) = (VecDeque::new(), VecDeque::new());
        Pairing { sides: [old, new], to, queue, above, is_loose: false, bags, named: None, left: budget }
    }

    /// Takes steps from the budget; whether there were enough.
    pub(crate) fn spend(&mut self, steps: usize) -> bool {
        let steps = steps as u64;
        let is_enough = self.left >= steps;
        self.left = self.left.saturating_sub(steps);
        is_enough
    }

    pub(crate) fn nodes(&self, side: usize) -> &'s Nodes {
        &self.sides[side].nodes
    }

    pub(crate) fn colours(&self, side: usize) -> &'s Colours {
        &self.sides[side].colours
    }

    pub(crate) fn is_open(&self, side: usize, node: u32) -> bool {
        self.to[side][node as usize] == NONE
    }

    /// Nodes that are paired with none yet.
    pub(crate) fn open(&self, side: usize) -> Vec<u32> {
        (0..self.to[side].len() as u32).filter(|&node| self.is_open(side, node)).collect()
    }

    pub(crate) fn retain_open(&self, side: usize, nodes: &mut Vec<u32>) {
        nodes.retain(|&node| self.is_open(side, node));
    }

    /// Pairs two nodes, unless one of them is paired already.
    pub(crate) fn join(&mut self, old: u32, new: u32) -> bool {
        if !self.is_open(OLD, old) || !self.is_open(NEW, new) {
            return false;
        }
        self.to[OLD][old as usize] = new;
        self.to[NEW][new as usize] = old;
        self.queue.push_back((old, new));
        true
    }

    /// Whether two nodes have the same label, if labels are stable.
    fn is_named(&self, old: u32, new: u32) -> bool {
        self.named.as_ref().is_some_and(|named| named[new as usize] == old)
    }

    /// Pairs nodes with the same tree below them: first those with equal surroundings, and of those with equal labels.
    pub(crate) fn equal(&mut self, old: &[u32], new: &[u32]) {
        if !self.spend(old.len() + new.len()) {
            return;
        }
        let mut groups: [Vec<(u128, u128, u32)>; 2] = Default::default();
        for (side, nodes) in [old, new].into_iter().enumerate() {
            let colours = self.colours(side);
            let open = nodes.iter().filter(|&&node| self.is_open(side, node));
            let found = open.map(|&node| (colours.deep[node as usize], colours.full[node as usize], node));
            groups[side] = found.collect();
            groups[side].sort_unstable();
            groups[side].dedup();
        }
        let [old, new] = groups;
        each_group(
            &old,
            &new,
            |one| one.0,
            |old, new| {
                // equal around, too; then equal below
                each_group(old, new, |one| one.1, |old, new| self.zip(old, new));
                self.zip(old, new);
            },
        );
    }

    /// Pairs equal nodes in their order, those with the same label before.
    fn zip(&mut self, old: &[(u128, u128, u32)], new: &[(u128, u128, u32)]) {
        if let Some(named) = self.named.take() {
            let known: HashSet<u32> = old.iter().map(|&(_, _, node)| node).collect();
            for &(_, _, node) in new {
                let other = named[node as usize];
                if known.contains(&other) {
                    self.join(other, node);
                }
            }
            self.named = Some(named);
        }
        let open = |side: usize, nodes: &[(u128, u128, u32)]| -> Vec<u32> {
            nodes.iter().map(|&(_, _, node)| node).filter(|&node| self.is_open(side, node)).collect()
        };
        let (old, new) = (open(OLD, old), open(NEW, new));
        for (old, new) in old.into_iter().zip(new) {
            self.join(old, new);
        }
    }

    /// What the tree below a node says.
    pub(crate) fn bag(&mut self, side: usize, node: u32) -> Rc<Bag> {
        if let Some(bag) = self.bags[side].get(&node) {
            return Rc::clone(bag);
        }
        let (nodes, colours) = (self.nodes(side), self.colours(side));
        let mut kinds = Vec::new();
        let mut seen = HashSet::from([node]);
        let mut todo = VecDeque::from([node]);
        while let Some(found) = todo.pop_front() {
            let mut below = Vec::new();
            for &row in nodes.of(found) {
                let of = nodes.nodes(row);
                let is_subject = nodes.is_subject(row, found);
                if kinds.len() >= BAG {
                    break;
                }
                if is_subject || of.len() == 1 {
                    kinds.push(nodes.kind(row));
                }
                if is_subject {
                    below.extend(of[1..].iter().copied().filter(|&node| seen.insert(node)));
                }
            }
            // which of many children are looked at must not depend on their numbers
            below.sort_unstable_by_key(|&node| colours.deep[node as usize]);
            todo.extend(below);
            if kinds.len() >= BAG {
                break;
            }
        }
        self.spend(kinds.len());
        let bag = Rc::new(Bag::new(kinds));
        self.bags[side].insert(node, Rc::clone(&bag));
        bag
    }

    /// What two trees have in common: all of it, and what is said without other nodes.
    pub(crate) fn overlap(&self, old: &Bag, new: &Bag) -> (usize, usize) {
        let nodes = self.nodes(OLD);
        let mut ground = 0;
        let all = old.each_common(new, |kind, both| {
            ground += if nodes.template_of(kind).nodes == 1 { both } else { 0 };
        });
        (all, ground)
    }

    /// Pairs nodes that may be the same: equal ones, then those with most in common; `least` statements have to be.
    pub(crate) fn similar(&mut self, old: &[u32], new: &[u32], least: usize) {
        if least < 2 {
            self.equal(old, new);
        }
        let (mut old, mut new) = (old.to_vec(), new.to_vec());
        for (side, nodes) in [(OLD, &mut old), (NEW, &mut new)] {
            self.retain_open(side, nodes);
            nodes.sort_unstable();
            nodes.dedup();
        }
        if old.is_empty() || new.is_empty() {
            return;
        }
        let mut bags = |side: usize, nodes: &[u32]| -> Vec<Rc<Bag>> {
            nodes.iter().map(|&node| self.bag(side, node)).collect()
        };
        let bags = [bags(OLD, &old), bags(NEW, &new)];
        let pairs = Self::candidates(&bags);
        let mut found = Vec::new();
        for (i, j) in pairs {
            let (one, other) = (&bags[OLD][i as usize], &bags[NEW][j as usize]);
            if !self.spend(1 + (one.counts.len() + other.counts.len()) / 8) {
                break;
            }
            let (all, ground) = self.overlap(one, other);
            if all < least || least > 1 && ground < least {
                continue;
            }
            let (i, j) = (old[i as usize], new[j as usize]);
            let rest = (one.total + other.total - all).max(1);
            let full = (self.colours(OLD).full[i as usize], self.colours(NEW).full[j as usize]);
            let share = -(all as f64) / rest as f64;
            found.push((share, std::cmp::Reverse(all), !self.is_named(i, j), full, i, j));
        }
        found.sort_unstable_by(|a, b| {
            a.0.total_cmp(&b.0).then_with(|| (a.1, a.2, a.3, a.4, a.5).cmp(&(b.1, b.2, b.3, b.4, b.5)))
        });
        for (.., old, new) in found {
            self.join(old, new);
        }
    }

    /// Pairs of bags that are worth a look: all, or those that share what few others have.
    pub(crate) fn candidates(bags: &[Vec<Rc<Bag>>; 2]) -> Vec<(u32, u32)> {
        let [old, new] = bags;
        if old.len().saturating_mul(new.len()) <= PAIRS {
            let all = 0..old.len() as u32;
            return all.flat_map(|i| (0..new.len() as u32).map(move |j| (i, j))).collect();
        }
        let mut who: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for (i, bag) in old.iter().enumerate() {
            for &(kind, _) in &bag.counts {
                who.entry(kind).or_default().push(i as u32);
            }
        }
        for &(kind, _) in new.iter().flat_map(|bag| &bag.counts) {
            *counts.entry(kind).or_default() += 1;
        }
        let mut found = Vec::new();
        for (j, bag) in new.iter().enumerate() {
            let known = bag.counts.iter().filter_map(|&(kind, _)| Some((who.get(&kind)?, kind)));
            let mut rare: Vec<_> = known.map(|(who, kind)| (who.len() * counts[&kind], kind, who)).collect();
            rare.sort_unstable_by_key(|&(weight, kind, _)| (weight, kind));
            for (_, _, who) in rare.into_iter().take(RAREST).filter(|(_, _, who)| who.len() <= COMMON) {
                found.extend(who.iter().map(|&i| (i, j as u32)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Calls `take` with the groups of both sides that have the same key; both are sorted by it.
fn each_group<T, K: Ord>(old: &[T], new: &[T], key: impl Fn(&T) -> K, mut take: impl FnMut(&[T], &[T])) {
    let (mut old, mut new) = (old, new);
    while let (Some(a), Some(b)) = (old.first(), new.first()) {
        let least = key(a).min(key(b));
        let split = |all: &[T]| all.partition_point(|one| key(one) <= least);
        let (these, rest) = old.split_at(split(old));
        let (those, other) = new.split_at(split(new));
        if !these.is_empty() && !those.is_empty() {
            take(these, those);
        }
        (old, new) = (rest, other);
    }
}
