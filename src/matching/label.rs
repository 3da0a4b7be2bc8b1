//! Content labels: names of nodes that depend on the graph alone.
//!
//! The label of a node is `b` and a hash of the first of these keys that no other node of the dataset has: what it says
//! itself and how an IRI leads to it; what is said on the way; what stands below it; its whole component. What still
//! ties is equal in everything, and is numbered in canonical order. So an edit deep in a tree renames the one node whose
//! own statements changed, and an insertion into a list renames no cell.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::io::{BufReader, BufWriter, IntoInnerError, Read, Seek, Write};

use tempfile::SpooledTempFile;

use super::colour::Colours;
use super::hash::{Mix, SHARED, Use};
use super::nodes::Nodes;
use super::pairing::Side;
use super::parts::{Ordered, Part, Parts, each_order};
use super::template::Template;
use crate::error::Result;

/// What the headers of a patch call these labels.
pub(crate) const CONTENT: &str = "content-1";

/// Levels of keys before whole components are looked at.
const LEVELS: usize = 3;
/// Bytes of keys that stay in memory.
const IN_MEMORY: usize = 8 << 20;

/// The content label of a node.
pub(crate) struct ContentLabel {
    /// Without `_:`.
    pub(crate) text: String,
    /// The node is in a component that the budget did not settle.
    pub(crate) is_unsettled: bool,
    /// The label has a number: other nodes are equal in everything.
    pub(crate) is_tied: bool,
}

/// Content labels of a dataset.
pub(crate) struct ContentLabels {
    /// Of each label that was wanted.
    pub(crate) of: HashMap<Box<str>, ContentLabel>,
    /// The sum of hashes of all statements under these labels, unsettled ones left out; 0 if it was not wanted.
    pub(crate) digest: u128,
}

impl ContentLabels {
    /// The labels of the nodes that are `wanted`, or of all.
    pub(crate) fn new(
        parts: &mut dyn Parts,
        budget: u64,
        wanted: Option<&HashSet<&str>>,
        with_digest: bool,
    ) -> Result<Self> {
        let (mut all, nodes) = All::read(parts, wanted)?;
        all.settle(parts, budget)?;
        let digest = if with_digest { all.digest(parts)? } else { 0 };
        let of = nodes.into_iter().map(|(label, node)| (label, all.label(node))).collect();
        Ok(ContentLabels { of, digest })
    }
}

/// The keys of all nodes, which count on from part to part.
struct All {
    /// Of the last level that was needed.
    key: Vec<u128>,
    /// Nodes that other ones equal on all levels.
    left: Vec<u32>,
    /// The number of a node that ties, and whether it is unsettled.
    ties: HashMap<u32, (u64, bool)>,
}

/// Labels in the source and their nodes.
type Named = Vec<(Box<str>, u32)>;

/// A node that is left: its colour or its last key, then its place among equal ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tie {
    key: u128,
    /// Of its component; 0 if that is unsettled.
    certificate: u128,
    is_unsettled: bool,
    first: u32,
    place: u32,
    node: u32,
}

impl All {
    /// Reads all keys; the nodes whose labels are wanted.
    fn read(parts: &mut dyn Parts, wanted: Option<&HashSet<&str>>) -> Result<(Self, Named)> {
        let (mut key, mut named) = (Vec::new(), Vec::new());
        let mut later = BufWriter::new(SpooledTempFile::new(IN_MEMORY));
        parts.each(&mut |Part { side: Side { nodes, colours, .. }, .. }| {
            let mut keys = Keys::new(nodes, colours);
            for (label, node) in nodes.labels.iter().zip(0..) {
                if wanted.is_none_or(|wanted| wanted.contains(label)) {
                    named.push((label.into(), key.len() as u32));
                }
                let mut last = keys.next(1, node, 0);
                key.push(last);
                for level in 2..=LEVELS {
                    last = keys.next(level as u64, node, last);
                    later.write_all(&last.to_le_bytes())?;
                }
            }
            Ok(())
        })?;
        let mut later = later.into_inner().map_err(IntoInnerError::into_error)?;
        let mut left = alone((0..key.len() as u32).collect(), &key);
        let mut is_left = vec![false; key.len()];
        for level in 0..LEVELS - 1 {
            if left.is_empty() {
                break;
            }
            for &node in &left {
                is_left[node as usize] = true;
            }
            later.rewind()?;
            let mut file = BufReader::new(&mut later);
            let mut words = [[0; 16]; LEVELS - 1];
            for (key, is_left) in key.iter_mut().zip(&mut is_left) {
                file.read_exact(words.as_flattened_mut())?;
                if std::mem::take(is_left) {
                    *key = u128::from_le_bytes(words[level]);
                }
            }
            left = alone(left, &key);
        }
        Ok((All { key, left, ties: HashMap::new() }, named))
    }

    /// Ties: whole components tell them apart, or numbers do.
    fn settle(&mut self, parts: &mut dyn Parts, budget: u64) -> Result<()> {
        let mut is_left = vec![false; self.key.len()];
        for &node in &self.left {
            is_left[node as usize] = true;
        }
        if self.left.is_empty() {
            return Ok(());
        }
        let mut mix = Mix::new();
        let mut ties: Vec<Tie> = Vec::with_capacity(self.left.len());
        // nodes of components that come again are found by their labels
        let mut again: HashMap<Box<str>, Tie> = HashMap::new();
        let (start, next) = (Cell::new(0), Cell::new(0));
        let mut wanted = |Part { side: Side { nodes, components, .. }, .. }: &Part| {
            start.set(next.get());
            next.set(start.get() + nodes.len());
            let open = (0..nodes.len()).filter(|&node| is_left[start.get() + node]);
            let mut open: Vec<u32> = open.map(|node| components.of[node]).collect();
            open.sort_unstable();
            open.dedup();
            open
        };
        each_order(parts, budget, &mut wanted, &mut |Ordered { part, is_again, members, canonical }| {
            let Side { nodes, colours, .. } = &part.side;
            let (first, is_unsettled) = (part.first(members), canonical.is_none());
            let (certificate, order) =
                canonical.as_ref().map_or((0, members), |found| (found.certificate, &found.order));
            for (&found, place) in order.iter().zip(0..) {
                let node = start.get() as u32 + found;
                let key = colours.full[found as usize];
                let tie = Tie { key, certificate, is_unsettled, first, place, node };
                if is_again {
                    again.insert(nodes.labels.of(found).into(), tie);
                } else if is_left[node as usize] {
                    ties.push(tie);
                }
            }
            Ok(())
        })?;
        if !again.is_empty() {
            let mut node = 0;
            parts.each(&mut |part| {
                for label in part.side.nodes.labels.iter() {
                    if let Some(&tie) = again.get(label).filter(|_| is_left[node as usize]) {
                        ties.push(Tie { node, ..tie });
                    }
                    node += 1;
                }
                Ok(())
            })?;
        }
        for tie in &mut ties {
            let key = &mut self.key[tie.node as usize];
            *key = mix.start(Use::Label).number(4).word(*key).word(tie.key).word(tie.certificate).done();
            tie.key = *key;
        }
        ties.sort_unstable();
        for equal in ties.chunk_by(|a, b| a.key == b.key) {
            if equal.len() > 1 || equal[0].is_unsettled {
                let numbered = equal.iter().zip(0..);
                self.ties.extend(numbered.map(|(tie, number)| (tie.node, (number, tie.is_unsettled))));
            }
        }
        Ok(())
    }

    fn label(&self, node: u32) -> ContentLabel {
        let tie = self.ties.get(&node);
        let is_unsettled = tie.is_some_and(|&(_, is_unsettled)| is_unsettled);
        let text = label(if is_unsettled { 'u' } else { 'b' }, self.key[node as usize]);
        let text = match tie {
            Some((number, _)) => format!("{text}-{number}"),
            None => text,
        };
        ContentLabel { text, is_unsettled, is_tied: tie.is_some() }
    }

    fn digest(&self, parts: &mut dyn Parts) -> Result<u128> {
        let (mut sum, mut mix, mut start) = (0u128, Mix::new(), 0);
        parts.each(&mut |Part { side: Side { nodes, .. }, .. }| {
            let labels: Vec<ContentLabel> =
                (0..nodes.len() as u32).map(|node| self.label(start + node)).collect();
            for row in 0..nodes.rows() as u32 {
                let mut of = nodes.nodes(row).iter().map(|&node| &labels[node as usize]);
                if of.clone().any(|label| label.is_unsettled) {
                    continue;
                }
                mix.start(Use::Digest).word(nodes.template(row).hash);
                of.by_ref().for_each(|label| {
                    mix.bytes(label.text.as_bytes());
                });
                sum = sum.wrapping_add(mix.done());
            }
            start += nodes.len() as u32;
            Ok(())
        })?;
        Ok(sum)
    }
}

/// Leaves the nodes whose key another one has, too.
fn alone(mut nodes: Vec<u32>, key: &[u128]) -> Vec<u32> {
    let of = |node: u32| key[node as usize];
    nodes.sort_unstable_by_key(|&node| of(node));
    let equals = |a: usize, b: usize| nodes.get(a).zip(nodes.get(b)).is_some_and(|(&a, &b)| of(a) == of(b));
    let is_tied = |at: usize| at > 0 && equals(at - 1, at) || equals(at, at + 1);
    (0..nodes.len()).filter(|&at| is_tied(at)).map(|at| nodes[at]).collect()
}

/// A letter and 26 digits of base 32.
fn label(letter: char, key: u128) -> String {
    let digit = |at: u32| char::from(DIGITS[(key >> (5 * at) & 31) as usize]);
    std::iter::once(letter).chain((0..26).rev().map(digit)).collect()
}

const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Whether a label looks like one of the content.
pub(crate) fn is_content_label(label: &str) -> bool {
    let (text, number) = label.split_once('-').unwrap_or((label, "0"));
    text.len() == 27
        && text.starts_with(['b', 'u'])
        && text[1..].bytes().all(|byte| DIGITS.contains(&byte))
        && number.bytes().all(|byte| byte.is_ascii_digit())
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
