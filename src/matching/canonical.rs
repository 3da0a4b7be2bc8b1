//! The canonical order of a component's nodes, and its certificate: the hash of its statements in that order.
//!
//! Components with equal certificates are equal; equal colours alone prove nothing. Where colours leave ties, a forest is
//! walked, for refinement is exact there; else nodes are singled out and refined, under a budget that is counted. Equal
//! leaves of that search are automorphisms, and nodes that an automorphism takes to each other are tried once.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::colour::Colours;
use super::components::{Components, find, rows_of};
use super::hash::{Mix, Use};
use super::nodes::Nodes;
use super::refine::{Refine, row_colour};

/// Hashes for each statement of a component, before the common budget is touched.
const OWN_WORK: u64 = 50;
/// Branches within branches.
const DEPTH: usize = 100;

/// An order of nodes, and the hash of the statements in it.
pub(crate) struct Canonical {
    pub(crate) order: Vec<u32>,
    pub(crate) certificate: u128,
}

/// Finds canonical orders, component by component.
pub(crate) struct Canonizer<'n> {
    nodes: &'n Nodes,
    colours: &'n Colours,
    refine: Refine<'n>,
    /// Colours while nodes are singled out.
    work: Vec<u128>,
    /// The place of each node in an order.
    places: Vec<u32>,
    mix: Mix,
    /// What is left of the common budget.
    pool: u64,
    /// What is left for this component.
    left: u64,
}

impl<'n> Canonizer<'n> {
    /// `pool` is the budget in hashes beside those that each component has.
    pub(crate) fn new(nodes: &'n Nodes, colours: &'n Colours, pool: u64) -> Self {
        Canonizer {
            nodes,
            colours,
            refine: Refine::new(nodes, false),
            work: Vec::new(),
            places: vec![0; nodes.len()],
            mix: Mix::new(),
            pool,
            left: 0,
        }
    }

    /// Components in an order that no file decides, as far as colours know one.
    pub(crate) fn in_order(&mut self, components: &Components, some: Vec<u32>) -> Vec<u32> {
        let mut words = Vec::new();
        let mut order: Vec<(u128, u32)> = some
            .into_iter()
            .map(|component| {
                words.clear();
                let members = components.members(component).iter();
                words.extend(members.map(|&node| self.colours.full[node as usize]));
                (self.mix.bag(Use::Bag, &mut words), component)
            })
            .collect();
        order.sort_unstable();
        order.into_iter().map(|(_, component)| component).collect()
    }

    /// The order of a component in which colours leave no ties, or that is a forest; `None`: it has to be searched for.
    pub(crate) fn known(&mut self, members: &[u32]) -> Option<Canonical> {
        let full = &self.colours.full;
        let mut order = members.to_vec();
        order.sort_unstable_by_key(|&node| full[node as usize]);
        let has_ties = order.windows(2).any(|two| full[two[0] as usize] == full[two[1] as usize]);
        if !has_ties {
            return Some(self.leaf(order));
        }
        if self.is_forest(members) {
            let order = self.walk(members);
            return Some(self.leaf(order));
        }
        None
    }

    /// The order of a component that is searched for, unless the budget does not settle it.
    pub(crate) fn search_order(&mut self, members: &[u32]) -> Option<Canonical> {
        let rows = rows_of(self.nodes, members).count() as u64;
        let own = rows * OWN_WORK;
        self.left = own + self.pool;
        if self.work.is_empty() {
            self.work.clone_from(&self.colours.full);
        }
        let found = self.search(members, rows, Vec::new(), 0);
        for &node in members {
            self.work[node as usize] = self.colours.full[node as usize];
        }
        self.pool = self.pool.min(self.left);
        found.map(|Leaf { certificate, order }| Canonical { order, certificate })
    }

    /// The certificate of an order.
    fn leaf(&mut self, order: Vec<u32>) -> Canonical {
        for (place, &node) in order.iter().enumerate() {
            self.places[node as usize] = place as u32;
        }
        let mut words: Vec<u128> = Vec::new();
        for row in rows_of(self.nodes, &order) {
            self.mix.start(Use::Row).word(self.nodes.template(row).hash);
            for &node in self.nodes.nodes(row) {
                self.mix.number(u64::from(self.places[node as usize]));
            }
            words.push(self.mix.done());
        }
        let certificate = self.mix.bag(Use::Certificate, &mut words);
        Canonical { order, certificate }
    }

    /// Nodes and links make no circle; links between the same nodes are one.
    fn is_forest(&self, members: &[u32]) -> bool {
        let mut links: HashSet<Vec<u32>> = HashSet::new();
        let mut edges = 0;
        for row in rows_of(self.nodes, members) {
            let mut link = self.nodes.nodes(row).to_vec();
            link.sort_unstable();
            link.dedup();
            if link.len() > 1 {
                let ends = link.len();
                edges += if links.insert(link) { ends } else { 0 };
            }
            if edges > members.len() + links.len() {
                return false;
            }
        }
        edges + 1 == members.len() + links.len()
    }

    /// A forest from its rarest node on, neighbours by their colours; which of several equal ones comes first is the same.
    fn walk(&mut self, members: &[u32]) -> Vec<u32> {
        let full = &self.colours.full;
        let mut counts: BTreeMap<u128, (usize, u32)> = BTreeMap::new();
        for &node in members {
            counts.entry(full[node as usize]).or_insert((0, node)).0 += 1;
        }
        let start = counts.iter().min_by_key(|(colour, (count, _))| (*count, **colour));
        let Some((_, &(_, start))) = start else { return Vec::new() };
        let (mut order, mut stack) = (Vec::with_capacity(members.len()), vec![start]);
        let mut seen = HashSet::from([start]);
        while let Some(node) = stack.pop() {
            order.push(node);
            let rows = self.nodes.of(node).iter().filter(|&&row| self.nodes.nodes(row).len() > 1);
            let mut near: Vec<_> =
                rows.map(|&row| (row_colour(self.nodes, row, node, full, &mut self.mix), row)).collect();
            near.sort_unstable_by(|a, b| b.cmp(a));
            for (_, row) in near {
                for &found in self.nodes.nodes(row).iter().rev() {
                    if seen.insert(found) {
                        stack.push(found);
                    }
                }
            }
        }
        order
    }

    fn spend(&mut self, work: u64) -> Option<()> {
        self.left = self.left.checked_sub(work)?;
        Some(())
    }

    /// Singles out nodes, first those of `path`, then one of the smallest class each, until none is like another.
    ///
    /// Gives the leaf, the nodes that were singled out, and the class of each.
    fn greedy(&mut self, members: &[u32], rows: u64, mut path: Vec<u32>) -> Option<Greedy> {
        self.spend(members.len() as u64)?;
        for &node in members {
            self.work[node as usize] = self.colours.full[node as usize];
        }
        self.refine.begin(members, &self.work);
        let given = path.len();
        let mut cells: Vec<Vec<u32>> = Vec::new();
        let mut depth = 0;
        while !self.refine.is_discrete() {
            if depth == path.len() {
                let cell = self.refine.smallest().map(<[u32]>::to_vec).unwrap_or_default();
                let work = cell.len() as u64;
                path.extend(cell.first());
                cells.push(cell);
                self.spend(work)?;
            }
            let before = self.refine.spent;
            self.refine.single_out(path[depth], &mut self.work);
            let work = self.refine.spent - before + 1;
            self.spend(work)?;
            depth += 1;
        }
        self.refine.end(members);
        self.spend(rows)?;
        let mut order = members.to_vec();
        order.sort_unstable_by_key(|&node| self.work[node as usize]);
        let Canonical { order, certificate } = self.leaf(order);
        Some(Greedy { leaf: Leaf { certificate, order }, given, path, cells })
    }

    /// The smallest leaf below a path; branches that an automorphism takes to one that was searched are left out.
    fn search(&mut self, members: &[u32], rows: u64, path: Vec<u32>, depth: usize) -> Option<Leaf> {
        if depth > DEPTH {
            return None;
        }
        let first = self.greedy(members, rows, path)?;
        let mut best = first.leaf.clone();
        let mut seen = HashMap::from([(first.leaf.certificate, first.leaf.order)]);
        let at: HashMap<u32, u32> = members.iter().zip(0..).map(|(&node, at)| (node, at)).collect();
        let mut orbits: Vec<u32> = (0..members.len() as u32).collect();
        for level in (first.given..first.path.len()).rev() {
            let mut tried = vec![first.path[level]];
            for &node in &first.cells[level - first.given] {
                self.spend(tried.len() as u64)?;
                let orbit = find(&mut orbits, at[&node]);
                if tried.iter().any(|&other| find(&mut orbits, at[&other]) == orbit) {
                    continue;
                }
                tried.push(node);
                let mut branch = first.path[..level].to_vec();
                branch.push(node);
                let found = self.greedy(members, rows, branch.clone())?;
                if let Some(order) = seen.get(&found.leaf.certificate) {
                    // one leaf on the other: an automorphism that keeps the path
                    self.spend(members.len() as u64)?;
                    for (one, other) in order.iter().zip(&found.leaf.order) {
                        let one = find(&mut orbits, at[one]);
                        let other = find(&mut orbits, at[other]);
                        orbits[one as usize] = other;
                    }
                    continue;
                }
                let least = self.search(members, rows, branch, depth + 1)?;
                if least.certificate < best.certificate {
                    best = least.clone();
                }
                for leaf in [found.leaf, least] {
                    seen.insert(leaf.certificate, leaf.order);
                }
            }
        }
        Some(best)
    }
}

#[derive(Clone)]
struct Leaf {
    certificate: u128,
    order: Vec<u32>,
}

struct Greedy {
    leaf: Leaf,
    /// Nodes of the path that were given.
    given: usize,
    path: Vec<u32>,
    /// Classes of the nodes that were chosen.
    cells: Vec<Vec<u32>>,
}
