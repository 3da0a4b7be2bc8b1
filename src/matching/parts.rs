//! A dataset that is looked at part by part, and the canonical orders of its components.

use super::canonical::{Canonical, Canonizer};
use super::components::rows_of;
use super::pairing::Side;
use crate::error::Result;

/// Some components of a dataset, whole ones.
pub(crate) struct Part {
    pub(crate) side: Side,
    /// The number of each statement as it was read: the statements with blank nodes of the dataset, from 0.
    pub(crate) read: Vec<u32>,
}

impl Part {
    /// The number of the first statement of a component: the same however the dataset is divided.
    pub(crate) fn first(&self, members: &[u32]) -> u32 {
        rows_of(&self.side.nodes, members).map(|row| self.read[row as usize]).min().unwrap_or(u32::MAX)
    }
}

/// The statements with blank nodes of a dataset, divided into parts that each fit in memory.
pub(crate) trait Parts {
    /// How many statements there are, with those that come again.
    fn rows(&self) -> u32;

    /// Whether all statements are in one part.
    fn is_one(&self) -> bool;

    /// Hands each part to `take`, in the same order each time.
    fn each(&mut self, take: &mut dyn FnMut(&Part) -> Result<()>) -> Result<()>;

    /// A part of its own: the statements that are wanted.
    fn only(&mut self, wanted: &[bool]) -> Result<Part>;
}

/// A component whose order was looked for.
pub(crate) struct Ordered<'p> {
    pub(crate) part: &'p Part,
    /// The part is one that was made for components that need the common budget; the others have been handed out before.
    pub(crate) is_again: bool,
    pub(crate) members: &'p [u32],
    /// `None`: the budget does not settle it.
    pub(crate) canonical: Option<Canonical>,
}

/// Hands the components that `wanted` picks in each part to `take`, each once.
///
/// Those that need more hashes than a component has for its statements share `budget`, in an order that neither the
/// parts nor the file decide.
pub(crate) fn each_order(
    parts: &mut dyn Parts,
    budget: u64,
    wanted: &mut dyn FnMut(&Part) -> Vec<u32>,
    take: &mut dyn FnMut(Ordered<'_>) -> Result<()>,
) -> Result<()> {
    let mut hard = vec![false; parts.rows() as usize];
    let mut is_any_hard = false;
    let is_one = parts.is_one();
    parts.each(&mut |part| {
        let some = wanted(part);
        orders(part, if is_one { budget } else { 0 }, some, |members, canonical| {
            if canonical.is_some() || is_one {
                return take(Ordered { part, is_again: false, members, canonical });
            }
            is_any_hard = true;
            for row in rows_of(&part.side.nodes, members) {
                hard[part.read[row as usize] as usize] = true;
            }
            Ok(())
        })
    })?;
    if !is_any_hard {
        return Ok(());
    }
    let part = &parts.only(&hard)?;
    let all = (0..part.side.components.len() as u32).collect();
    orders(part, budget, all, |members, canonical| take(Ordered { part, is_again: true, members, canonical }))
}

/// Hands the nodes of some components of a part and their orders to `take`; those that are searched for share `pool`.
fn orders(
    part: &Part,
    pool: u64,
    some: Vec<u32>,
    mut take: impl FnMut(&[u32], Option<Canonical>) -> Result<()>,
) -> Result<()> {
    let Side { nodes, components, colours } = &part.side;
    let mut canonizer = Canonizer::new(nodes, colours, pool);
    let mut searched = Vec::new();
    for component in some {
        let members = components.members(component);
        match canonizer.known(members) {
            Some(found) => take(members, Some(found))?,
            None => searched.push(component),
        }
    }
    for component in canonizer.in_order(components, searched) {
        let members = components.members(component);
        take(members, canonizer.search_order(members))?;
    }
    Ok(())
}
