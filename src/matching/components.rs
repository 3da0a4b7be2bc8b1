//! Components: nodes that statements connect.

use super::nodes::Nodes;

/// The nodes of each component.
pub(crate) struct Components {
    /// The component of each node.
    pub(crate) of: Vec<u32>,
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Components {
    pub(crate) fn new(nodes: &Nodes) -> Self {
        let mut parents: Vec<u32> = (0..nodes.len() as u32).collect();
        for row in 0..nodes.rows() as u32 {
            let row = nodes.nodes(row);
            let first = find(&mut parents, row[0]);
            for &node in &row[1..] {
                let other = find(&mut parents, node);
                parents[other as usize] = first;
            }
        }
        let mut numbers = vec![u32::MAX; nodes.len()];
        let mut of = Vec::with_capacity(nodes.len());
        let mut counts = vec![0u32];
        for node in 0..nodes.len() as u32 {
            let root = find(&mut parents, node) as usize;
            if numbers[root] == u32::MAX {
                numbers[root] = counts.len() as u32 - 1;
                counts.push(0);
            }
            counts[numbers[root] as usize + 1] += 1;
            of.push(numbers[root]);
        }
        for component in 1..counts.len() {
            counts[component] += counts[component - 1];
        }
        let starts = counts.clone();
        let mut members = vec![0; nodes.len()];
        for (node, &component) in of.iter().enumerate() {
            let at = &mut counts[component as usize];
            members[*at as usize] = node as u32;
            *at += 1;
        }
        Components { of, starts, members }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn members(&self, component: u32) -> &[u32] {
        let at = component as usize;
        &self.members[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// The root of a tree of nodes; the way there is halved.
pub(crate) fn find(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        let above = parents[parents[node as usize] as usize];
        parents[node as usize] = above;
        node = above;
    }
    node
}

/// The statements of a component, each once.
pub(crate) fn rows_of<'n>(nodes: &'n Nodes, members: &'n [u32]) -> impl Iterator<Item = u32> + 'n {
    members
        .iter()
        .flat_map(move |&node| nodes.of(node).iter().copied().filter(move |&row| nodes.nodes(row)[0] == node))
}
