//! The order of the patches of a log.

use std::collections::HashMap;

use super::facts::{Fault, identity};
use crate::error::ErrorKind;
use crate::term::TermBuf;

/// What the chain says of one patch.
pub(super) struct Link<'a> {
    pub(super) id: Option<&'a TermBuf>,
    pub(super) prev: Option<&'a TermBuf>,
}

/// The order of patches, by their numbers as they were given, and what is wrong with it; `patch` of a fault is
/// such a number.
pub(super) struct Chain {
    pub(super) order: Vec<usize>,
    pub(super) faults: Vec<Fault>,
}

/// Puts patches in order: as they were given if no `prev` speaks against that, else as `prev` says.
pub(super) fn chain(links: &[Link<'_>]) -> Chain {
    let given = || (0..links.len()).collect();
    let fault = |patch, kind, message| Fault { patch, kind, message };
    let with_id = links.iter().filter(|link| link.id.is_some()).count();
    if let Some(patch) = links.iter().position(|link| link.id.is_none())
        && (with_id > 0 || links.iter().any(|link| link.prev.is_some()))
    {
        let message = if with_id > 0 {
            format!("{with_id} patches of this log have an id, but not this one")
        } else {
            "this patch has a prev, but no id".to_owned()
        };
        let patch = if with_id > 0 {
            patch
        } else {
            links.iter().position(|link| link.prev.is_some()).unwrap_or(patch)
        };
        return Chain { order: given(), faults: vec![fault(patch, ErrorKind::PatchMixed, message)] };
    }
    if with_id == 0 {
        return Chain { order: given(), faults: Vec::new() };
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
        return Chain { order: given(), faults };
    }
    let follows = |(patch, prev): (usize, &Option<String>)| {
        prev.as_ref().is_none_or(|prev| {
            patch == 0 && !places.contains_key(prev.as_str()) || patch > 0 && *prev == ids[patch - 1]
        })
    };
    if prevs.iter().enumerate().all(follows) {
        return Chain { order: given(), faults };
    }
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
                }
            }
        }
    }
    // the beginning of the log is a start too: the one that says so, else the first
    let first = starts.iter().copied().find(|&patch| prevs[patch].is_none()).or(starts.first().copied());
    for &patch in starts.iter().filter(|&&patch| Some(patch) != first) {
        let message = match links[patch].prev {
            Some(prev) => {
                format!("{} comes after {}, which is not there", show(links[patch].id), prev.as_term())
            }
            None => format!("{} comes after no patch, and so does another one", show(links[patch].id)),
        };
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
        let message = format!("{} comes after itself, by way of others", show(links[patch].id));
        faults.push(fault(patch, ErrorKind::PatchCycle, message));
    }
    Chain { order: if faults.is_empty() { order } else { given() }, faults }
}

fn show(id: Option<&TermBuf>) -> String {
    id.map_or_else(|| "no id".to_owned(), |id| id.as_term().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `id<prev`, either of them may be missing.
    fn chained(log: &str) -> Result<Vec<usize>, Vec<&'static str>> {
        let term = |text: &str| (!text.is_empty()).then(|| TermBuf::iri(text));
        let patches: Vec<_> = log
            .split_whitespace()
            .map(|patch| {
                let (id, prev) = patch.split_once('<').unwrap();
                (term(id), term(prev))
            })
            .collect();
        let links: Vec<_> =
            patches.iter().map(|(id, prev)| Link { id: id.as_ref(), prev: prev.as_ref() }).collect();
        let Chain { order, faults } = chain(&links);
        if faults.is_empty() {
            Ok(order)
        } else {
            Err(faults.iter().map(|fault| fault.kind.slug()).collect())
        }
    }

    #[test]
    fn logs_and_what_is_wrong_with_them() {
        for (log, expected) in [
            ("", Ok(vec![])),
            ("< < <", Ok(vec![0, 1, 2])),
            ("a< b<a c<b", Ok(vec![0, 1, 2])),
            ("a<z b<a c<b", Ok(vec![0, 1, 2])),
            ("c<b a< b<a", Ok(vec![1, 2, 0])),
            ("c<b a<z b<a", Ok(vec![1, 2, 0])),
            ("a< b<", Ok(vec![0, 1])),
            ("a< b<a c< d<c", Ok(vec![0, 1, 2, 3])),
            ("a< <", Err(vec!["patch.mixed"])),
            ("< <a", Err(vec!["patch.mixed"])),
            ("a< a<", Err(vec!["patch.duplicate"])),
            ("a< b<a c<a", Err(vec!["patch.fork"])),
            ("a< c<b", Err(vec!["patch.gap"])),
            ("b<x c<y", Err(vec!["patch.gap"])),
            ("b<a c<", Ok(vec![0, 1])),
            ("a<b b<a", Err(vec!["patch.cycle"])),
            ("a<a", Err(vec!["patch.cycle"])),
            ("a< b<a c<d d<c", Err(vec!["patch.cycle"])),
            ("a< b<a c<a d<x", Err(vec!["patch.fork", "patch.gap"])),
        ] {
            assert_eq!(chained(log), expected, "{log}");
        }
    }

    #[test]
    fn a_uuid_is_one_id_in_all_its_spellings() {
        let uuid = "0b5e9d8a-77A9-4c0e-9f6e-3f0f3b0a2c11";
        let ids = [
            TermBuf::iri(&format!("uuid:{uuid}")),
            TermBuf::iri(&format!("URN:uuid:{}", uuid.to_lowercase())),
            TermBuf::simple_literal(uuid),
            TermBuf::iri(uuid),
        ];
        assert!(ids.iter().all(|id| identity(id) == uuid.to_lowercase()));
        assert_ne!(identity(&TermBuf::iri("a")), identity(&TermBuf::simple_literal("a")));
    }
}
