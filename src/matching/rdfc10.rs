//! How much work RDFC-1.0 is on a dataset, at most: it has no bound of its own.
//!
//! RDFC-1.0 tells nodes apart by what their own statements say. Among nodes for which that is the same, it walks from each
//! one to all others that it reaches, and at every node tries all orders of neighbours that look the same.

use std::collections::HashMap;

use super::nodes::{NONE, Nodes};

/// Nodes that RDFC-1.0 walks through one inside the other; each walk keeps a copy of the names that were given so far.
const MOST_NODES: u64 = 2000;

/// Steps that RDFC-1.0 takes at most; `None`: too many to count, or in too much memory.
pub(crate) fn rdfc10_work(nodes: &Nodes) -> Option<u64> {
    let looks = looks(nodes);
    let mut count = vec![0u32; looks.len()];
    for &look in &looks {
        count[look as usize] += 1;
    }
    let is_tied = |node: u32| count[looks[node as usize] as usize] > 1;
    let mut seen = vec![false; nodes.len()];
    let mut total = 0u64;
    for start in (0..nodes.len() as u32).filter(|&node| is_tied(node)) {
        let mut ahead = vec![start];
        let (mut reached, mut statements, mut orders) = (0u64, 0u64, 1u64);
        while let Some(node) = ahead.pop() {
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            reached += 1;
            statements += nodes.of(node).len() as u64;
            let mut alike: HashMap<u32, u64> = HashMap::new();
            for &row in nodes.of(node) {
                for &other in nodes.nodes(row).iter().filter(|&&other| other != node && is_tied(other)) {
                    let number = alike.entry(looks[other as usize]).or_default();
                    *number += 1;
                    // the factorial, factor by factor
                    orders = orders.checked_mul(*number)?;
                    ahead.push(other);
                }
            }
        }
        if reached > MOST_NODES {
            return None;
        }
        total = total.checked_add(reached.checked_mul(statements)?.checked_mul(orders)?)?;
    }
    Some(total)
}

/// The same number for nodes whose own statements say the same, other nodes left out.
fn looks(nodes: &Nodes) -> Vec<u32> {
    let mut numbers: HashMap<Vec<(u32, Vec<bool>)>, u32> = HashMap::new();
    let mut found = vec![NONE; nodes.len()];
    for node in 0..nodes.len() as u32 {
        let mut look: Vec<_> = nodes
            .of(node)
            .iter()
            .map(|&row| (nodes.kind(row), nodes.nodes(row).iter().map(|&other| other == node).collect()))
            .collect();
        look.sort_unstable();
        let next = numbers.len() as u32;
        found[node as usize] = *numbers.entry(look).or_insert(next);
    }
    found
}
