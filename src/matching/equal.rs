//! Equal components of two datasets, which give no rows of a patch.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::components::rows_of;
use super::parts::{Ordered, Part, Parts, each_order};
use crate::error::Result;

/// What is left when equal components are taken away.
pub(crate) struct Left {
    /// By the number of a statement: it is left. Of equal statements only the first one is.
    pub(crate) rows: [Vec<bool>; 2],
    /// Nodes of components that the budget left without a certificate, on both sides.
    pub(crate) unsettled: u64,
}

impl Left {
    /// Everything.
    pub(crate) fn all(sides: [&dyn Parts; 2]) -> Self {
        Left { rows: sides.map(|parts| vec![true; parts.rows() as usize]), unsettled: 0 }
    }
}

/// A component: its certificate, what its labels are where they decide, and the number of its first statement.
type Known = (u128, u64, u32);

/// No component.
const NONE: u32 = u32::MAX;

/// Takes equal components away, as many on one side as on the other.
///
/// `names_decide`: labels are stable on both sides, so among equal components those with the same labels go
/// first.
pub(crate) fn unequal(sides: [&mut dyn Parts; 2], budget: u64, names_decide: bool) -> Result<Left> {
    let mut unsettled = 0;
    let mut found: [(Vec<Known>, Vec<u32>); 2] = Default::default();
    for (parts, (known, firsts)) in sides.into_iter().zip(&mut found) {
        *firsts = vec![NONE; parts.rows() as usize];
        let all = &mut |part: &Part| (0..part.side.components.len() as u32).collect();
        each_order(parts, budget, all, &mut |Ordered { part, members, canonical, .. }| {
            let first = part.first(members);
            let nodes = &part.side.nodes;
            for row in rows_of(nodes, members) {
                firsts[part.read[row as usize] as usize] = first;
            }
            match canonical {
                Some(canonical) => {
                    let labels = members.iter().map(|&node| nodes.labels.of(node));
                    let name = if names_decide { name(labels) } else { 0 };
                    known.push((canonical.certificate, name, first));
                }
                None => unsettled += members.len() as u64,
            }
            Ok(())
        })?;
        known.sort_unstable();
    }
    let [(old, old_firsts), (new, new_firsts)] = found;
    let mut gone = [vec![false; old_firsts.len()], vec![false; new_firsts.len()]];
    let (mut old, mut new) = (&old[..], &new[..]);
    while let (Some(a), Some(b)) = (old.first(), new.first()) {
        let certificate = a.0.min(b.0);
        let split = |all: &[Known]| all.partition_point(|one| one.0 <= certificate);
        let (these, rest) = old.split_at(split(old));
        let (those, other) = new.split_at(split(new));
        (old, new) = (rest, other);
        for (one, other) in pairs(these, those) {
            gone[0][one as usize] = true;
            gone[1][other as usize] = true;
        }
    }
    let left = |firsts: Vec<u32>, gone: &[bool]| {
        firsts.into_iter().map(|first| first != NONE && !gone[first as usize]).collect()
    };
    let rows = [left(old_firsts, &gone[0]), left(new_firsts, &gone[1])];
    Ok(Left { rows, unsettled })
}

/// As many components of each side as the other one has, those with the same labels first, by their first statements.
fn pairs(old: &[Known], new: &[Known]) -> Vec<(u32, u32)> {
    let (mut found, mut rest) = (Vec::new(), [Vec::new(), Vec::new()]);
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        let (one, other) = (&old[i], &new[j]);
        let order = one.1.cmp(&other.1);
        match order {
            Ordering::Less => rest[0].push(one.2),
            Ordering::Greater => rest[1].push(other.2),
            Ordering::Equal => found.push((one.2, other.2)),
        }
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
    }
    rest[0].extend(old[i..].iter().map(|one| one.2));
    rest[1].extend(new[j..].iter().map(|one| one.2));
    let [mut one, mut other] = rest;
    one.sort_unstable();
    other.sort_unstable();
    found.extend(one.into_iter().zip(other));
    found
}

/// What the labels of a component are, in any order.
fn name<'l>(labels: impl Iterator<Item = &'l str>) -> u64 {
    let hash = |label: &str| {
        let mut hasher = DefaultHasher::new();
        label.hash(&mut hasher);
        hasher.finish()
    };
    labels.fold(0, |sum, label| sum.wrapping_add(hash(label)))
}
