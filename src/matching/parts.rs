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
    parts.each(&mut |part| {
        let Side { nodes, components, colours } = &part.side;
        let mut canonizer = Canonizer::new(nodes, colours, 0);
        for component in wanted(part) {
            let members = components.members(component);
            let canonical = canonizer.order(members);
            if canonical.is_some() {
                take(Ordered { part, is_again: false, members, canonical })?;
                continue;
            }
            is_any_hard = true;
            for row in rows_of(nodes, members) {
                hard[part.read[row as usize] as usize] = true;
            }
        }
        Ok(())
    })?;
    if !is_any_hard {
        return Ok(());
    }
    let part = parts.only(&hard)?;
    let Side { nodes, components, colours } = &part.side;
    let mut canonizer = Canonizer::new(nodes, colours, budget);
    for (component, canonical) in canonizer.of_some(components, (0..components.len() as u32).collect()) {
        let members = components.members(component);
        take(Ordered { part: &part, is_again: true, members, canonical })?;
    }
    Ok(())
}
