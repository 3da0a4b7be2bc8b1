//! The order of patches by their ids.

use std::collections::{HashMap, HashSet};

use super::facts::{Fault, identity};
use crate::error::ErrorKind;
use crate::term::TermBuf;

/// The ids of one patch.
pub(super) struct Link<'a> {
    pub(super) id: Option<&'a TermBuf>,
    pub(super) prev: Option<&'a TermBuf>,
}

/// The order of the patches, as their numbers in the input, and the faults of the chain; `patch` of a fault
/// is such a number.
pub(super) struct Chain {
    pub(super) order: Vec<usize>,
    pub(super) faults: Vec<Fault>,
    /// Number of patches at the start whose order is certain, even if others are wrong.
    pub(super) certain: usize,
}

/// Orders the patches: in the given order unless a `prev` contradicts it, otherwise by `prev`. `left_out` has
/// the identities of unfinished patches; no patch may follow them.
pub(super) fn chain(links: &[Link<'_>], left_out: &HashSet<String>) -> Chain {
    let given = || (0..links.len()).collect();
    let fault = |patch, kind, message| Fault { patch, kind, message };
    let with_id = links.iter().filter(|link| link.id.is_some()).count();
    if let Some(patch) = links.iter().position(|link| link.id.is_none())
        && (with_id > 0 || links.iter().any(|link| link.prev.is_some()))
    {
        let message = if with_id > 0 {
            format!("this patch has no id, but {with_id} patches of this log have one")
        } else {
            "this patch has a prev, but no id".to_owned()
        };
        let patch = if with_id > 0 {
            patch
        } else {
            links.iter().position(|link| link.prev.is_some()).unwrap_or(patch)
        };
        return Chain {
            order: given(),
            faults: vec![fault(patch, ErrorKind::PatchMixed, message)],
            certain: 0,
        };
    }
    if with_id == 0 {
        return Chain { order: given(), faults: Vec::new(), certain: links.len() };
    }
    let ids: Vec<String> = links.iter().filter_map(|link| link.id.map(identity)).collect();
    let prevs: Vec<Option<String>> = links.iter().map(|link| link.prev.map(identity)).collect();
    let mut faults = Vec::new();
    let mut places = HashMap::new();
    for (patch, id) in ids.iter().enumerate() {
        if places.insert(id.as_str(), patch).is_some() {
            let message = format!("another patch before this one has the id {}", show(links[patch].id));
            faults.push(fault(patch, ErrorKind::PatchDuplicate, message));
        }
    }
    if !faults.is_empty() {
        return Chain { order: given(), faults, certain: 0 };
    }
    let comes_first = |prev: &String| !places.contains_key(prev.as_str()) && !left_out.contains(prev);
    let follows = |(patch, prev): (usize, &Option<String>)| {
        prev.as_ref()
            .is_none_or(|prev| patch == 0 && comes_first(prev) || patch > 0 && *prev == ids[patch - 1])
    };
    let in_place = prevs.iter().enumerate().take_while(|&link| follows(link)).count();
    if in_place == links.len() {
        return Chain { order: given(), faults, certain: links.len() };
    }
    // a later patch that precedes the first one moves all of them
    let is_first =
        |patch: usize| prevs[patch].as_ref().is_none_or(|prev| !places.contains_key(prev.as_str()));
    let mut certain = if links.is_empty() || is_first(0) { in_place } else { 0 };
    let mut next: HashMap<usize, usize> = HashMap::new();
    let mut starts = Vec::new();
    for (patch, prev) in prevs.iter().enumerate() {
        match prev.as_ref().and_then(|prev| places.get(prev.as_str())) {
            None => starts.push(patch),
            Some(&before) => {
                if let Some(other) = next.insert(before, patch) {
                    let message = format!(
                        "{} and {} both come after {}",
                        show(links[other].id),
                        show(links[patch].id),
                        show(links[patch].prev)
                    );
                    faults.push(fault(patch, ErrorKind::PatchFork, message));
                    certain = certain.min(other).min(patch);
                }
            }
        }
    }
    // the beginning of the log is a start too: the patch that says so, otherwise the first one
    let first = starts.iter().copied().find(|&patch| prevs[patch].is_none()).or(starts.first().copied());
    let is_left_out = |patch: usize| prevs[patch].as_ref().is_some_and(|prev| left_out.contains(prev));
    for &patch in starts.iter().filter(|&&patch| Some(patch) != first || is_left_out(patch)) {
        let message = begins(&links[patch], is_left_out(patch));
        faults.push(fault(patch, ErrorKind::PatchGap, message));
    }
    let mut order = Vec::with_capacity(links.len());
    let mut at = first;
    while let Some(patch) = at {
        order.push(patch);
        at = next.get(&patch).copied();
    }
    if faults.is_empty() && order.len() < links.len() {
        let mut seen = vec![false; links.len()];
        for &patch in &order {
            seen[patch] = true;
        }
        let patch = seen.iter().position(|seen| !seen).unwrap_or_default();
        let message = format!("{} comes after itself in a cycle", show(links[patch].id));
        faults.push(fault(patch, ErrorKind::PatchCycle, message));
    }
    let certain = if faults.is_empty() { links.len() } else { certain };
    Chain { order: if faults.is_empty() { order } else { given() }, faults, certain }
}

/// The reason why a patch cannot begin a log that begins with another patch, or with a patch that is left
/// out.
fn begins(link: &Link<'_>, is_left_out: bool) -> String {
    let id = show(link.id);
    match link.prev {
        Some(prev) if is_left_out => {
            format!("{id} comes after {}, which is left out because it is unfinished", prev.as_term())
        }
        Some(prev) => format!("{id} comes after {}, which is missing", prev.as_term()),
        None => format!("{id} comes after no patch, but another patch also begins the log"),
    }
}

fn show(id: Option<&TermBuf>) -> String {
    id.map_or_else(|| "no id".to_owned(), |id| id.as_term().to_string())
}
