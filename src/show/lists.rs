//! Shows RDF lists as lists: their items, and the items that changed.

use std::collections::{HashMap, HashSet};

use super::block::{Entry, Head, Op};
use super::build::Builder;
use super::gathered::{RDF, Said, Side, iri_of};
use crate::error::Result;
use crate::matching::{Run, runs};
use crate::term::TermBuf;

/// Maximum length of a list; a longer list is shown as blank nodes.
const MOST_ITEMS: usize = 100_000;

/// Maximum number of moved items that are shown; more are counted.
const FEW: usize = 3;

/// A cell and its item.
pub(super) type Item = (u128, TermBuf);

fn is(term: &TermBuf, name: &str) -> bool {
    iri_of(term).and_then(|iri| iri.strip_prefix(RDF)).is_some_and(|rest| rest == name)
}

impl Builder<'_> {
    /// The items of a list; `None` if the node is not a list, or has more statements than a list has.
    pub(super) fn items(&mut self, head: &TermBuf, side: Side) -> Result<Option<Vec<Item>>> {
        let (mut items, mut seen) = (Vec::new(), HashSet::new());
        let mut cell = head.clone();
        while !is(&cell, "nil") {
            let key = self.gathered.keys.of(&cell.as_term());
            if !matches!(cell, TermBuf::BlankNode(_)) || !seen.insert(key) || items.len() >= MOST_ITEMS {
                return Ok(None);
            }
            let (mut first, mut rest) = (None, None);
            for Said { predicate, object, .. } in self.gathered.said(key, side)? {
                let place = match () {
                    () if is(&predicate, "first") => &mut first,
                    () if is(&predicate, "rest") => &mut rest,
                    () if is(&predicate, "type") && is(&object, "List") => continue,
                    () => return Ok(None),
                };
                if place.replace(object).is_some() {
                    return Ok(None);
                }
            }
            let (Some(item), Some(next)) = (first, rest) else { return Ok(None) };
            items.push((key, item));
            cell = next;
        }
        Ok(Some(items))
    }

    /// Whether a node is a list on both sides, and no cell stays with another class or graph.
    pub(super) fn changes_as_list(&mut self, head: &TermBuf) -> Result<bool> {
        let [Some(old), Some(new)] = [self.items(head, Side::Old)?, self.items(head, Side::New)?] else {
            return Ok(false);
        };
        let kept: HashSet<_> = old.into_iter().map(|(cell, _)| cell).collect();
        for (cell, _) in new.into_iter().filter(|(cell, _)| kept.contains(cell)) {
            let ([deletes, adds], _) = self.gathered.rows_of(cell)?;
            let is_again = |old: &Said| {
                adds.iter().any(|new| (&old.predicate, &old.object) == (&new.predicate, &new.object))
            };
            if deletes.iter().any(is_again)
                || deletes.iter().chain(&adds).any(|said| is(&said.predicate, "type"))
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The places of a deleted and an added list that belong together: the lists with the most common items.
    pub(super) fn lists_of(
        &mut self,
        deletes: &[TermBuf],
        adds: &[TermBuf],
    ) -> Result<Option<(usize, usize)>> {
        if deletes.is_empty() || adds.is_empty() {
            return Ok(None);
        }
        let mut sides = [Vec::new(), Vec::new()];
        for (terms, side, found) in [(deletes, Side::Old, 0), (adds, Side::New, 1)] {
            for (place, term) in terms.iter().enumerate() {
                if (matches!(term, TermBuf::BlankNode(_)) || is(term, "nil"))
                    && let Some(items) = self.items(term, side)?
                {
                    let keys: HashSet<_> =
                        items.iter().map(|(_, item)| self.gathered.keys.of(&item.as_term())).collect();
                    sides[found].push((place, keys));
                }
            }
        }
        let [old, new] = sides;
        let pairs = old.iter().flat_map(|old| new.iter().map(move |new| (old, new)));
        let best = pairs
            .max_by_key(|((old, a), (new, b))| (a.intersection(b).count(), std::cmp::Reverse((*old, *new))));
        Ok(best.map(|((old, _), (new, _))| (*old, *new)))
    }

    /// The changes in a list.
    pub(super) fn list_inside(
        &mut self,
        path: Option<&TermBuf>,
        old: &TermBuf,
        new: &TermBuf,
        depth: usize,
        graph: &TermBuf,
        out: &mut Vec<Entry>,
    ) -> Result<()> {
        let (Some(old), Some(new)) = (self.items(old, Side::Old)?, self.items(new, Side::New)?) else {
            return Ok(());
        };
        self.drawn.extend(old.iter().chain(&new).map(|(cell, _)| *cell));
        let keys = [self.item_keys(&old, &new, Side::Old)?, self.item_keys(&new, &old, Side::New)?];
        let mut entries = Vec::new();
        let (mut i, mut j) = (0, 0);
        let mut gone: HashMap<u128, usize> = HashMap::new();
        let all = runs(&keys[0], &keys[1]);
        for run in &all {
            match *run {
                Run::Equal(count) => (i, j) = (i + count, j + count),
                Run::Gap(a, b) => {
                    keys[0][i..i + a].iter().for_each(|&key| *gone.entry(key).or_default() += 1);
                    (i, j) = (i + a, j + b);
                }
            }
        }
        // an item that is gone in one place and new in another has moved
        let mut moved: HashMap<u128, usize> = HashMap::new();
        (i, j) = (0, 0);
        for run in &all {
            match *run {
                Run::Equal(count) => (i, j) = (i + count, j + count),
                Run::Gap(a, b) => {
                    for key in &keys[1][j..j + b] {
                        if let Some(left) = gone.get_mut(key).filter(|left| **left > 0) {
                            *left -= 1;
                            *moved.entry(*key).or_default() += 1;
                        }
                    }
                    (i, j) = (i + a, j + b);
                }
            }
        }
        let mut moved_away = moved.clone();
        let all_moved: usize = moved.values().sum();
        if all_moved > FEW {
            entries.push(Entry::Moved(all_moved));
        }
        (i, j) = (0, 0);
        for run in all {
            match run {
                Run::Equal(count) => {
                    for (_, item) in &new[j..j + count] {
                        self.item_inside(item, depth, graph, &mut entries)?;
                    }
                    (i, j) = (i + count, j + count);
                }
                Run::Gap(a, b) => {
                    let olds: Vec<_> = (i..i + a).filter(|&at| !take(&mut moved_away, keys[0][at])).collect();
                    let mut news = Vec::new();
                    for at in j..j + b {
                        if take(&mut moved, keys[1][at]) {
                            let item = &new[at].1;
                            if all_moved <= FEW {
                                let value = self.value(item, Side::New)?;
                                entries.push(change(Op::Move, None, Some(value)));
                            }
                            self.item_inside(item, depth, graph, &mut entries)?;
                        } else {
                            news.push(at);
                        }
                    }
                    let is_plain = |item: &Item| !matches!(item.1, TermBuf::BlankNode(_));
                    let replaces = olds.len() == news.len()
                        && olds.iter().all(|&at| is_plain(&old[at]))
                        && news.iter().all(|&at| is_plain(&new[at]));
                    if replaces {
                        for (&at, &to) in olds.iter().zip(&news) {
                            let (was, now) =
                                (self.value(&old[at].1, Side::Old)?, self.value(&new[to].1, Side::New)?);
                            entries.push(change(Op::Replace, Some(was), Some(now)));
                        }
                    } else {
                        for at in olds {
                            let value = self.value(&old[at].1, Side::Old)?;
                            entries.push(change(Op::Delete, Some(value), None));
                        }
                        for at in news {
                            let value = self.value(&new[at].1, Side::New)?;
                            entries.push(change(Op::Add, None, Some(value)));
                        }
                    }
                    (i, j) = (i + a, j + b);
                }
            }
        }
        if !entries.is_empty() {
            let head = Head::List { were: old.len(), now: new.len() };
            out.push(Entry::Inside { path: path.cloned(), head, entries });
        }
        Ok(())
    }

    fn item_inside(
        &mut self,
        item: &TermBuf,
        depth: usize,
        graph: &TermBuf,
        out: &mut Vec<Entry>,
    ) -> Result<()> {
        for node in self.gathered.dirty_nodes(item) {
            self.inside(None, &node, depth + 1, graph, out)?;
        }
        Ok(())
    }

    /// The keys by which items are compared: a node on both sides by itself, other nodes by the statements
    /// about them.
    fn item_keys(&mut self, items: &[Item], others: &[Item], side: Side) -> Result<Vec<u128>> {
        let others: HashSet<_> =
            others.iter().map(|(_, item)| self.gathered.keys.of(&item.as_term())).collect();
        let mut keys = Vec::with_capacity(items.len());
        for (_, item) in items {
            let key = self.gathered.keys.of(&item.as_term());
            keys.push(if !matches!(item, TermBuf::BlankNode(_)) || others.contains(&key) {
                key
            } else {
                let value = self.value(item, side)?;
                // the part that is cut may differ
                if value.is_cut() { key } else { self.gathered.keys.of_text(&value.text(self.names)) }
            });
        }
        Ok(keys)
    }
}

fn change(op: Op, old: Option<super::block::Value>, new: Option<super::block::Value>) -> Entry {
    Entry::Change { op, path: None, graph: None, old, new }
}

fn take(counts: &mut HashMap<u128, usize>, key: u128) -> bool {
    match counts.get_mut(&key) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    }
}
