//! Content labels: names of nodes that depend on the graph alone.
//!
//! The label of a node is `b` and a hash of the first of these keys that no other node of the dataset has: what it says
//! itself and how an IRI leads to it; what is said on the way; what stands below it; its whole component. What still
//! ties is equal in everything, and is numbered in canonical order. So an edit deep in a tree renames the one node whose
//! own statements changed, and an insertion into a list renames no cell.

use std::collections::HashMap;

use super::canonical::Canonizer;
use super::colour::Colours;
use super::components::Components;
use super::hash::{Mix, SHARED, Use};
use super::nodes::Nodes;
use super::template::Template;

/// What the headers of a patch call these labels.
pub(crate) const CONTENT: &str = "content-1";

/// The content labels of a dataset.
pub(crate) struct ContentLabels {
    /// Of each node, without `_:`.
    pub(crate) labels: Vec<String>,
    /// The label of a node is one of a component that the budget did not settle.
    pub(crate) is_unsettled: Vec<bool>,
    /// The label has a number: other nodes are equal in everything.
    pub(crate) is_tied: Vec<bool>,
    /// The sum of hashes of all statements under these labels, unsettled ones left out.
    pub(crate) digest: u128,
}

impl ContentLabels {
    pub(crate) fn new(nodes: &Nodes, components: &Components, colours: &Colours, budget: u64) -> Self {
        let mut keys = Keys::new(nodes, colours);
        let mut found = ContentLabels {
            labels: vec![String::new(); nodes.len()],
            is_unsettled: vec![false; nodes.len()],
            is_tied: vec![false; nodes.len()],
            digest: 0,
        };
        let mut key = vec![0; nodes.len()];
        let mut left: Vec<u32> = (0..nodes.len() as u32).collect();
        for level in 1..=3 {
            for &node in &left {
                key[node as usize] = keys.next(level, node, key[node as usize]);
            }
            left = alone(left, &key, |node| found.labels[node as usize] = label('b', key[node as usize]));
        }
        found.last(nodes, components, colours, budget, left, key);
        found.sum(nodes);
        found
    }

    /// Ties: whole components tell them apart, or numbers do.
    fn last(
        &mut self,
        nodes: &Nodes,
        components: &Components,
        colours: &Colours,
        budget: u64,
        left: Vec<u32>,
        mut key: Vec<u128>,
    ) {
        let mut mix = Mix::new();
        let mut open: Vec<u32> = left.iter().map(|&node| components.of[node as usize]).collect();
        open.sort_unstable();
        open.dedup();
        let mut canonizer = Canonizer::new(nodes, colours, budget);
        let mut orders = canonizer.of_some(components, open);
        let mut certificates: HashMap<u32, u128> = HashMap::new();
        for (component, canonical) in &orders {
            if let Some(canonical) = canonical {
                certificates.insert(*component, canonical.certificate);
            }
        }
        for &node in &left {
            let certificate = certificates.get(&components.of[node as usize]);
            self.is_unsettled[node as usize] = certificate.is_none();
            mix.start(Use::Label).number(4).word(key[node as usize]).word(colours.full[node as usize]);
            key[node as usize] = mix.word(certificate.copied().unwrap_or(0)).done();
        }
        let labels = &mut self.labels;
        let unsettled = &self.is_unsettled;
        let ties = alone(left, &key, |node| {
            if !unsettled[node as usize] {
                labels[node as usize] = label('b', key[node as usize]);
            }
        });
        self.is_tied.iter_mut().zip(&self.is_unsettled).for_each(|(tied, &unsettled)| *tied = unsettled);
        for node in ties {
            self.is_tied[node as usize] = true;
        }
        // equal components are numbered in any order, for they are equal
        orders.sort_by_key(|(_, canonical)| canonical.as_ref().map(|canonical| canonical.certificate));
        let mut numbers: HashMap<u128, u64> = HashMap::new();
        for (component, canonical) in orders {
            let order = canonical.map(|canonical| canonical.order);
            let order = order.as_deref().unwrap_or(components.members(component));
            for &node in order.iter().filter(|&&node| self.is_tied[node as usize]) {
                let key = key[node as usize];
                let number = numbers.entry(key).or_default();
                let letter = if self.is_unsettled[node as usize] { 'u' } else { 'b' };
                self.labels[node as usize] = format!("{}-{number}", label(letter, key));
                *number += 1;
            }
        }
    }

    /// The digest.
    fn sum(&mut self, nodes: &Nodes) {
        let mut mix = Mix::new();
        for row in 0..nodes.rows() as u32 {
            let of = nodes.nodes(row);
            if of.iter().any(|&node| self.is_unsettled[node as usize]) {
                continue;
            }
            mix.start(Use::Digest).word(nodes.template(row).hash);
            for &node in of {
                mix.bytes(self.labels[node as usize].as_bytes());
            }
            self.digest = self.digest.wrapping_add(mix.done());
        }
    }
}

/// Hands nodes whose key no other one has to `take`; the others.
fn alone(nodes: Vec<u32>, key: &[u128], mut take: impl FnMut(u32)) -> Vec<u32> {
    let mut sorted: Vec<(u128, u32)> = nodes.into_iter().map(|node| (key[node as usize], node)).collect();
    sorted.sort_unstable();
    let mut others = Vec::new();
    for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
        match equal {
            [(_, node)] => take(*node),
            _ => others.extend(equal.iter().map(|&(_, node)| node)),
        }
    }
    others
}

/// A letter and 26 digits of base 32.
fn label(letter: char, key: u128) -> String {
    const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let digit = |at: u32| char::from(DIGITS[(key >> (5 * at) & 31) as usize]);
    std::iter::once(letter).chain((0..26).rev().map(digit)).collect()
}

/// The keys of nodes, level by level.
struct Keys<'n> {
    nodes: &'n Nodes,
    colours: &'n Colours,
    /// Of the statements that a node has to itself.
    own: Vec<u128>,
    /// How an IRI leads to a node.
    path: Vec<u128>,
    /// The same, with what is said on the way.
    context: Vec<u128>,
    mix: Mix,
}

impl<'n> Keys<'n> {
    fn new(nodes: &'n Nodes, colours: &'n Colours) -> Self {
        let none = || vec![0; nodes.len()];
        let mut keys = Keys { nodes, colours, own: none(), path: none(), context: none(), mix: Mix::new() };
        keys.own();
        keys.ways();
        keys
    }

    fn own(&mut self) {
        let nodes = self.nodes;
        let mut words = Vec::new();
        for node in 0..nodes.len() as u32 {
            words.clear();
            for row in nodes.out(node) {
                // the last cell of a list is one like the others
                if nodes.is_alone(row, node) && !(nodes.is_cell(node) && nodes.template(row).is_rest) {
                    words.push(nodes.template(row).hash);
                }
            }
            self.own[node as usize] = self.mix.bag(Use::Own, &mut words);
        }
    }

    fn ways(&mut self) {
        let nodes = self.nodes;
        let (mut paths, mut contexts, mut new) = (Vec::new(), Vec::new(), Vec::new());
        for cycle in self.colours.order.iter().rev() {
            for &node in cycle {
                paths.clear();
                contexts.clear();
                for (row, place) in nodes.into(node) {
                    let of = nodes.nodes(row);
                    if nodes.template(row).is_rest
                        && nodes.is_cell(of[0])
                        && nodes.template(row).object() == Some(place)
                    {
                        // all cells of a list have the path of its head
                        paths.push(self.path[of[0] as usize]);
                        contexts.push(self.context[of[0] as usize]);
                        continue;
                    }
                    let Template { hash, has_subject, .. } = *nodes.template(row);
                    let above = of.first().copied().filter(|&found| has_subject && found != node);
                    let beside = of.iter().skip(usize::from(has_subject)).filter(|&&found| found != node);
                    self.mix.start(Use::Path).word(hash).number(place as u64);
                    if let Some(found) = above {
                        let path = self.path[found as usize];
                        self.mix.word(if nodes.is_shared(found) { SHARED } else { path });
                    }
                    paths.push(self.mix.done());
                    self.mix.start(Use::Context).word(hash).number(place as u64);
                    if let Some(found) = above {
                        self.mix.word(self.context[found as usize]).word(self.own[found as usize]);
                    }
                    for &found in beside {
                        self.mix.word(self.own[found as usize]);
                    }
                    contexts.push(self.mix.done());
                }
                new.push((self.one(&mut paths), self.one(&mut contexts)));
            }
            for (&node, (path, context)) in cycle.iter().zip(new.drain(..)) {
                (self.path[node as usize], self.context[node as usize]) = (path, context);
            }
        }
    }

    fn one(&mut self, ways: &mut [u128]) -> u128 {
        match ways {
            [way] => *way,
            ways => self.mix.bag(Use::Bag, ways),
        }
    }

    /// The key of a level, with those of the levels before.
    fn next(&mut self, level: u64, node: u32, before: u128) -> u128 {
        let at = node as usize;
        let (deep, path) = (self.colours.deep[at], self.path[at]);
        let is_shared = self.nodes.is_shared(node);
        self.mix.start(Use::Label).number(level).word(before);
        match (level, is_shared) {
            (1, _) => {
                // the item of a cell, where its text does not say it already
                let item = self.nodes.item(node).map_or(0, |item| self.colours.deep[item as usize]);
                self.mix.word(self.own[at]).word(item).word(if is_shared { SHARED } else { path })
            }
            (2, false) => self.mix.word(self.context[at]),
            (3, true) => self.mix.word(path),
            _ => self.mix.word(deep),
        };
        self.mix.done()
    }
}
