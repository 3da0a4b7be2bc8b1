//! Decides the subject below which a changed blank node is shown.

use std::collections::{HashMap, HashSet, VecDeque};

use super::gathered::{Gathered, Side};

/// The subject below which each changed blank node is shown.
pub(super) struct Owners {
    of: HashMap<u128, u128>,
    /// Changed blank nodes that are the object of a statement, on the old and on the new side.
    reached: [HashSet<u128>; 2],
    /// Blank nodes that are below no subject and have their own block.
    pub(super) roots: Vec<u128>,
}

/// Parent and child of edges, sorted.
type Down = Vec<(u128, u128)>;

impl Owners {
    /// Assigns nodes from the first subject on: a node of several subjects belongs to the first one.
    pub(super) fn new(gathered: &Gathered) -> Self {
        let dirty = &gathered.dirty;
        if dirty.is_empty() {
            return Owners { of: HashMap::new(), reached: Default::default(), roots: Vec::new() };
        }
        let edges = &gathered.edges;
        let kept = without(down(&edges.base), &down(&edges.deleted));
        let reached = [&edges.deleted, &edges.added].map(|gone_or_new| {
            let nodes = kept.iter().map(|edge| edge.1).chain(gone_or_new.iter().map(|edge| edge.0));
            nodes.filter(|node| dirty.contains(node)).collect()
        });
        let inline = down(&[&edges.deleted[..], &edges.added[..]].concat());
        let mut walk = Walk { dirty, kept, inline, of: HashMap::new(), covered: HashSet::new() };
        let mut subjects: Vec<_> = gathered.subjects.iter().map(|(&key, one)| (one.place, key)).collect();
        subjects.sort_unstable();
        for (_, subject) in subjects {
            walk.below(subject);
        }
        // blank nodes that no edge leads to come before those in cycles
        let children: HashSet<u128> = walk.kept.iter().chain(&walk.inline).map(|edge| edge.1).collect();
        let mut left: Vec<_> = dirty.iter().copied().filter(|node| !walk.covered.contains(node)).collect();
        left.sort_by_cached_key(|&node| (children.contains(&node), gathered.place_of(node)));
        let mut roots = Vec::new();
        for node in left {
            if !walk.covered.contains(&node) {
                roots.push(node);
                walk.below(node);
            }
        }
        Owners { of: walk.of, reached, roots }
    }

    /// Whether a changed node is the object of a statement on a side.
    pub(super) fn is_reached(&self, node: u128, side: Side) -> bool {
        self.reached[side as usize].contains(&node)
    }

    /// The subject below which a node is shown.
    pub(super) fn of(&self, node: u128) -> Option<u128> {
        self.of.get(&node).copied()
    }
}

struct Walk<'g> {
    dirty: &'g HashSet<u128>,
    /// Edges that are on both sides.
    kept: Down,
    /// Edges that were deleted or added: the nodes behind them are shown with the value.
    inline: Down,
    of: HashMap<u128, u128>,
    covered: HashSet<u128>,
}

impl Walk<'_> {
    /// Assigns the nodes below a subject.
    fn below(&mut self, root: u128) {
        let Walk { dirty, kept, inline, of, covered } = self;
        covered.insert(root);
        let mut ahead = VecDeque::from([(root, true)]);
        while let Some((node, is_kept)) = ahead.pop_front() {
            for child in children(kept, node).filter(|child| dirty.contains(child)) {
                if is_kept && !of.contains_key(&child) && child != root {
                    of.insert(child, root);
                    covered.insert(child);
                    ahead.push_back((child, true));
                } else if covered.insert(child) {
                    ahead.push_back((child, false));
                }
            }
            for child in children(inline, node) {
                if covered.insert(child) {
                    ahead.push_back((child, false));
                }
            }
        }
    }
}

fn down(edges: &[(u128, u128)]) -> Down {
    let mut down: Vec<_> = edges.iter().map(|&(child, parent)| (parent, child)).collect();
    down.sort_unstable();
    down
}

/// Removes from `all` as many of each edge as `gone` has; both are sorted.
fn without(all: Down, gone: &Down) -> Down {
    let mut gone = gone.iter().peekable();
    let mut left = all;
    left.retain(|edge| {
        while gone.next_if(|other| *other < edge).is_some() {}
        gone.next_if(|other| *other == edge).is_none()
    });
    left
}

fn children(edges: &Down, parent: u128) -> impl Iterator<Item = u128> + '_ {
    let start = edges.partition_point(|edge| edge.0 < parent);
    edges[start..].iter().take_while(move |edge| edge.0 == parent).map(|edge| edge.1)
}
