//! Colour refinement: nodes of one colour are split by the colours around them, until no class can be split.
//!
//! Only what is next to a node whose colour changed is looked at again, and the largest part of a class keeps its colour,
//! so that a node changes its colour at most as often as the size of its class can be halved. What is chosen depends on
//! hashes and sizes alone, never on the numbers of nodes: equal components get equal colours.

use std::collections::{BTreeSet, HashMap};

use super::hash::{Mix, SELF, Use};
use super::nodes::{NONE, Nodes};

/// The classes of some nodes, by colour.
pub(crate) struct Refine<'n> {
    nodes: &'n Nodes,
    /// Statements count for their subject alone.
    down: bool,
    /// The class of each node; `NONE` for those that are not looked at.
    class: Vec<u32>,
    place: Vec<u32>,
    classes: Vec<Vec<u32>>,
    /// Classes of several nodes: size, colour, class.
    open: BTreeSet<(usize, u128, u32)>,
    mix: Mix,
    /// Rounds since the start: a class that keeps its colour is split again, and what leaves it must not look like before.
    round: u64,
    /// Statements that were hashed.
    pub(crate) spent: u64,
}

impl<'n> Refine<'n> {
    pub(crate) fn new(nodes: &'n Nodes, down: bool) -> Self {
        Refine {
            nodes,
            down,
            class: vec![NONE; nodes.len()],
            place: vec![0; nodes.len()],
            classes: Vec::new(),
            open: BTreeSet::new(),
            mix: Mix::new(),
            round: 0,
            spent: 0,
        }
    }

    /// Begins with some nodes in the classes that their colours make.
    pub(crate) fn begin(&mut self, members: &[u32], colours: &[u128]) {
        self.classes.clear();
        self.open.clear();
        self.round = 0;
        let mut numbers: HashMap<u128, u32> = HashMap::new();
        for &node in members {
            let next = self.classes.len() as u32;
            let class = *numbers.entry(colours[node as usize]).or_insert(next);
            if class == next {
                self.classes.push(Vec::new());
            }
            self.put(node, class);
        }
        for (class, nodes) in self.classes.iter().enumerate() {
            if nodes.len() > 1 {
                self.open.insert((nodes.len(), colours[nodes[0] as usize], class as u32));
            }
        }
    }

    /// Forgets the nodes.
    pub(crate) fn end(&mut self, members: &[u32]) {
        for &node in members {
            self.class[node as usize] = NONE;
        }
    }

    /// The smallest class of several nodes, of several such the one with the smallest colour.
    pub(crate) fn smallest(&self) -> Option<&[u32]> {
        self.open.first().map(|&(_, _, class)| self.classes[class as usize].as_slice())
    }

    /// Whether no two nodes have the same colour.
    pub(crate) fn is_discrete(&self) -> bool {
        self.open.is_empty()
    }

    fn put(&mut self, node: u32, class: u32) {
        let members = &mut self.classes[class as usize];
        self.class[node as usize] = class;
        self.place[node as usize] = members.len() as u32;
        members.push(node);
    }

    fn take(&mut self, node: u32) {
        let members = &mut self.classes[self.class[node as usize] as usize];
        let place = self.place[node as usize] as usize;
        members.swap_remove(place);
        if let Some(&moved) = members.get(place) {
            self.place[moved as usize] = place as u32;
        }
    }

    /// Gives one node a colour of its own.
    pub(crate) fn single_out(&mut self, node: u32, colours: &mut [u128]) {
        self.round += 1;
        let class = self.class[node as usize];
        let colour = colours[node as usize];
        self.open.remove(&(self.classes[class as usize].len(), colour, class));
        self.take(node);
        let left = &self.classes[class as usize];
        if left.len() > 1 {
            self.open.insert((left.len(), colour, class));
        }
        colours[node as usize] = self.mix.start(Use::One).number(self.round).word(colour).done();
        self.classes.push(Vec::new());
        self.put(node, self.classes.len() as u32 - 1);
        self.run(vec![node], colours);
    }

    /// Refines until all classes stand; `changed` are the nodes whose colours are new.
    pub(crate) fn run(&mut self, mut changed: Vec<u32>, colours: &mut [u128]) {
        while !changed.is_empty() && !self.open.is_empty() {
            self.round += 1;
            let signs = self.signs(&changed, colours);
            changed = self.split(signs, colours);
        }
    }

    /// What the changed colours are to the nodes beside them, of classes that can be split.
    fn signs(&mut self, changed: &[u32], colours: &[u128]) -> Vec<(u32, u128)> {
        let nodes = self.nodes;
        let mut rows: Vec<u32> = changed.iter().flat_map(|&node| nodes.of(node).iter().copied()).collect();
        rows.sort_unstable();
        rows.dedup();
        let mut found: Vec<(u32, u128)> = Vec::with_capacity(rows.len());
        for row in rows {
            let of = nodes.nodes(row);
            let seen_from = if !self.down {
                of
            } else if nodes.template(row).has_subject {
                &of[..1]
            } else {
                &[]
            };
            for (place, &node) in seen_from.iter().enumerate() {
                let class = self.class[node as usize];
                if class == NONE || self.classes[class as usize].len() < 2 || of[..place].contains(&node) {
                    continue;
                }
                self.spent += 1;
                found.push((node, row_colour(nodes, row, node, colours, &mut self.mix)));
            }
        }
        found.sort_unstable();
        let mut signs = Vec::new();
        let mut words = Vec::new();
        for group in found.chunk_by(|a, b| a.0 == b.0) {
            words.clear();
            words.extend(group.iter().map(|&(_, word)| word));
            signs.push((group[0].0, self.mix.bag(Use::Bag, &mut words)));
        }
        signs
    }

    /// Splits classes by the signs of their nodes; the nodes that got a new colour.
    fn split(&mut self, signs: Vec<(u32, u128)>, colours: &mut [u128]) -> Vec<u32> {
        let mut by_class: Vec<(u32, u128, u32)> =
            signs.into_iter().map(|(node, sign)| (self.class[node as usize], sign, node)).collect();
        by_class.sort_unstable();
        let mut changed = Vec::new();
        for touched in by_class.chunk_by(|a, b| a.0 == b.0) {
            let class = touched[0].0;
            let size = self.classes[class as usize].len();
            let colour = colours[touched[0].2 as usize];
            let parts: Vec<&[(u32, u128, u32)]> = touched.chunk_by(|a, b| a.1 == b.1).collect();
            let rest = size - touched.len();
            if rest == 0 && parts.len() == 1 {
                continue;
            }
            self.open.remove(&(size, colour, class));
            // the largest part keeps the colour; of equal ones the rest, then the one with the smallest sign
            let largest = parts.iter().map(|part| part.len()).max().unwrap_or(0);
            let kept =
                if rest >= largest { None } else { parts.iter().position(|part| part.len() == largest) };
            for (at, part) in parts.iter().enumerate() {
                if kept != Some(at) {
                    let new =
                        self.mix.start(Use::Split).number(self.round).word(colour).word(part[0].1).done();
                    self.part(part.iter().map(|&(_, _, node)| node), new, colours, &mut changed);
                }
            }
            if kept.is_some() && rest > 0 {
                let new = self.mix.start(Use::Split).number(self.round).word(colour).done();
                let mut stays: Vec<u32> =
                    kept.iter().flat_map(|&at| parts[at]).map(|&(_, _, node)| node).collect();
                stays.sort_unstable();
                let goes: Vec<u32> = self.classes[class as usize].clone();
                let goes = goes.into_iter().filter(|node| stays.binary_search(node).is_err());
                self.part(goes, new, colours, &mut changed);
            }
            let left = self.classes[class as usize].len();
            if left > 1 {
                self.open.insert((left, colour, class));
            }
        }
        changed
    }

    /// Makes a class of some nodes of another one.
    fn part(
        &mut self,
        part: impl Iterator<Item = u32>,
        colour: u128,
        colours: &mut [u128],
        changed: &mut Vec<u32>,
    ) {
        let class = self.classes.len() as u32;
        self.classes.push(Vec::new());
        for node in part {
            self.take(node);
            self.put(node, class);
            colours[node as usize] = colour;
            changed.push(node);
        }
        let size = self.classes[class as usize].len();
        if size > 1 {
            self.open.insert((size, colour, class));
        }
    }
}

/// What a statement is to one of its nodes: its template and the colours of the others.
pub(crate) fn row_colour(nodes: &Nodes, row: u32, node: u32, colours: &[u128], mix: &mut Mix) -> u128 {
    mix.start(Use::Row).word(nodes.template(row).hash);
    for &found in nodes.nodes(row) {
        mix.word(if found == node { SELF } else { colours[found as usize] });
    }
    mix.done()
}
