//! Colours: what a node is, by what stands below it, and by its whole component.

use super::components::Components;
use super::hash::{Mix, SELF, Use};
use super::nodes::Nodes;
use super::refine::{Refine, row_colour};

/// The colours of all nodes of a dataset.
pub(crate) struct Colours {
    /// Of the tree below a node: what it says, and what is said of the nodes that it names.
    pub(crate) deep: Vec<u128>,
    /// Of all that is connected with a node.
    pub(crate) full: Vec<u128>,
    /// Nodes by strongly connected components, children first.
    pub(crate) order: Cycles,
    /// A node is below itself.
    pub(crate) in_cycle: Vec<bool>,
}

impl Colours {
    pub(crate) fn new(nodes: &Nodes, components: &Components) -> Self {
        let order = cycles(nodes);
        let (deep, in_cycle) = (vec![0; nodes.len()], vec![false; nodes.len()]);
        let mut colours = Colours { deep, full: Vec::new(), order, in_cycle };
        colours.below(nodes);
        colours.above(nodes);
        colours.around(nodes, components);
        colours
    }

    fn below(&mut self, nodes: &Nodes) {
        let mut mix = Mix::new();
        let mut words = Vec::new();
        let mut refine = Refine::new(nodes, true);
        for cycle in self.order.iter() {
            for &node in cycle {
                words.clear();
                for row in nodes.out(node) {
                    words.push(match nodes.nodes(row).len() {
                        1 => nodes.template(row).hash,
                        _ => row_colour(nodes, row, node, &self.deep, &mut mix),
                    });
                }
                let colour = mix.bag(Use::Deep, &mut words);
                if let [_] = cycle {
                    self.deep[node as usize] = colour;
                } else {
                    // inside of a cycle the others have no colour yet
                    self.full.push(colour);
                }
            }
            if cycle.len() > 1 {
                for (&node, colour) in cycle.iter().zip(self.full.drain(..)) {
                    self.deep[node as usize] = colour;
                }
                refine.begin(cycle, &self.deep);
                refine.run(cycle.to_vec(), &mut self.deep);
                refine.end(cycle);
                for &node in cycle {
                    self.in_cycle[node as usize] = true;
                }
            }
        }
    }

    /// From the top: what stands above, parents before children.
    fn above(&mut self, nodes: &Nodes) {
        let mut mix = Mix::new();
        let (mut words, mut new) = (Vec::new(), Vec::new());
        self.full.clone_from(&self.deep);
        for cycle in self.order.iter().rev() {
            for &node in cycle {
                words.clear();
                for (row, place) in nodes.into(node) {
                    let has_subject = nodes.template(row).has_subject;
                    mix.start(Use::Row).word(nodes.template(row).hash).number(place as u64);
                    for (place, &found) in nodes.nodes(row).iter().enumerate() {
                        // the subject stands above; what stands beside the node may come later
                        let is_above = place == 0 && has_subject;
                        let colours = if is_above { &self.full } else { &self.deep };
                        mix.word(if found == node { SELF } else { colours[found as usize] });
                    }
                    words.push(mix.done());
                }
                let above = mix.bag(Use::Bag, &mut words);
                new.push(mix.start(Use::Full).word(self.deep[node as usize]).word(above).done());
            }
            for (&node, colour) in cycle.iter().zip(new.drain(..)) {
                self.full[node as usize] = colour;
            }
        }
    }

    /// In components that have ties: what stands anywhere.
    fn around(&mut self, nodes: &Nodes, components: &Components) {
        let mut refine = Refine::new(nodes, false);
        for component in 0..components.len() as u32 {
            let members = components.members(component);
            if members.len() > 1 {
                refine.begin(members, &self.full);
                refine.run(members.to_vec(), &mut self.full);
                refine.end(members);
            }
        }
    }
}

/// Groups of nodes, one behind the other.
#[derive(Default)]
pub(crate) struct Cycles {
    members: Vec<u32>,
    ends: Vec<u32>,
}

impl Cycles {
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &[u32]> {
        (0..self.ends.len()).map(|at| {
            let start = if at == 0 { 0 } else { self.ends[at - 1] };
            &self.members[start as usize..self.ends[at] as usize]
        })
    }
}

/// Strongly connected components of subjects and the nodes they name, children first, by Tarjan's rule without recursion.
fn cycles(nodes: &Nodes) -> Cycles {
    let count = nodes.len();
    let (mut index, mut low) = (vec![0u32; count], vec![0u32; count]);
    let mut is_open = vec![false; count];
    let (mut stack, mut order, mut next) = (Vec::new(), Cycles::default(), 0);
    for root in 0..count as u32 {
        if index[root as usize] != 0 {
            continue;
        }
        // a node, the statement and the place that come next
        let mut work = vec![(root, 0usize, 1usize)];
        while let Some((node, mut row, mut place)) = work.pop() {
            let at = node as usize;
            if index[at] == 0 {
                next += 1;
                (index[at], low[at]) = (next, next);
                stack.push(node);
                is_open[at] = true;
            }
            let rows = nodes.of(node);
            let mut child = None;
            while row < rows.len() && child.is_none() {
                if nodes.is_subject(rows[row], node) {
                    let of = nodes.nodes(rows[row]);
                    while place < of.len() && child.is_none() {
                        let found = of[place];
                        if index[found as usize] == 0 {
                            child = Some(found);
                        } else {
                            if is_open[found as usize] {
                                low[at] = low[at].min(low[found as usize]);
                            }
                            place += 1;
                        }
                    }
                }
                if child.is_none() {
                    (row, place) = (row + 1, 1);
                }
            }
            if let Some(child) = child {
                // this place is looked at again when the child is done
                work.push((node, row, place));
                work.push((child, 0, 1));
                continue;
            }
            if low[at] == index[at] {
                while let Some(member) = stack.pop() {
                    is_open[member as usize] = false;
                    order.members.push(member);
                    if member == node {
                        break;
                    }
                }
                order.ends.push(order.members.len() as u32);
            }
        }
    }
    order
}
