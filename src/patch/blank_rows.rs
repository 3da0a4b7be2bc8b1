//! What differs in the statements with blank nodes: rows by a map of nodes, and the names of nodes in them.

use std::collections::HashMap;

use super::emit::Emit;
use super::stored::{Store, Stored};
use crate::blank::is_position;
use crate::convert::skolem_iri;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::matching::{
    CONTENT, ContentLabels, Gathered, Matched, NONE, Nodes, Renamed, Side, Templates, matched,
};
use crate::sink::{PatchOp, Statement};
use crate::term::TermBuf;

/// How nodes of two datasets are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlankNodes {
    /// By matching if a side has nodes whose labels do not last, else by labels.
    #[default]
    Auto,
    /// Nodes of the new dataset are found in the old one by what is said of them.
    Match,
    /// By labels that depend on the content of each dataset alone.
    Content,
    /// By their labels: the same label, the same node.
    Labels,
}

impl BlankNodes {
    /// Every way, as the table of options has them.
    pub const ALL: [Self; 4] = [BlankNodes::Auto, BlankNodes::Match, BlankNodes::Content, BlankNodes::Labels];

    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            BlankNodes::Auto => "auto",
            BlankNodes::Match => "match",
            BlankNodes::Content => "content",
            BlankNodes::Labels => "labels",
        }
    }
}

/// What became of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCounts {
    /// Nodes of the new dataset that are nodes of the old one.
    pub kept: u64,
    /// Nodes that only the new dataset has.
    pub new: u64,
    /// Nodes that only the old dataset has.
    pub gone: u64,
    /// Nodes that the budget did not settle.
    pub unsettled: u64,
}

/// The statements with blank nodes of two datasets.
pub(crate) struct BlankStatements {
    templates: Templates,
    sides: [Reading; 2],
    limits: Limits,
}

/// Those of one of them.
struct Reading {
    gathered: Gathered,
    store: Store,
    places: Vec<u64>,
}

/// Those of one of them, and what is known of its nodes.
struct Known {
    side: Side,
    stored: Stored,
    places: Vec<u64>,
}

pub(crate) const OLD: usize = 0;
pub(crate) const NEW: usize = 1;

impl BlankStatements {
    pub(crate) fn new(limits: &Limits) -> Self {
        let side = || Reading { gathered: Gathered::new(limits), store: Store::new(), places: Vec::new() };
        BlankStatements { templates: Templates::new(), sides: [side(), side()], limits: limits.clone() }
    }

    /// Keeps a statement, if it has blank nodes, and says whether it has some.
    pub(crate) fn take(&mut self, side: usize, statement: &Statement<'_>) -> Result<bool> {
        let Reading { gathered, store, places } = &mut self.sides[side];
        let is_kept = gathered.add(statement, &mut self.templates)?;
        if is_kept {
            places.push(store.push(statement)?);
        }
        Ok(is_kept)
    }

    /// The statements of both sides are known.
    fn read(self) -> Result<[Known; 2]> {
        let (templates, ranks) = self.templates.ranked();
        let [old, new] = self.sides;
        let known = |Reading { gathered, store, places }: Reading| -> Result<Known> {
            let side = Side::new(gathered.finish(&templates, &ranks));
            Ok(Known { side, stored: store.read()?, places })
        };
        Ok([known(old)?, known(new)?])
    }

    /// Whether nodes can be renamed so that both sides are the same.
    pub(crate) fn are_same(self) -> Result<bool> {
        let budget = self.limits.blank_work;
        let [old, new] = self.read()?.map(|known| known.side);
        if old.nodes.rows() != new.nodes.rows() || old.nodes.len() != new.nodes.len() {
            return Ok(false);
        }
        let Matched { to, unsettled } = matched(&old, &new, None, budget);
        let rows = Rows::new(&old.nodes, &new.nodes, &to);
        if rows.deletes.is_empty() && rows.adds.is_empty() {
            return Ok(true);
        }
        let colours = [&old, &new].map(|side| {
            let mut full = side.colours.full.clone();
            full.sort_unstable();
            full
        });
        if unsettled == 0 || colours[OLD] != colours[NEW] {
            return Ok(false);
        }
        let message = format!(
            "{unsettled} blank nodes are so alike that limits.blank_work ({budget}) does not suffice to put them in order, \
             so whether the datasets are the same is not decided"
        );
        Err(Error::limit(ErrorKind::LimitBlankWork, "blank_work", message))
    }

    /// Finds out what differs. `lasts`: labels of files of this format last.
    ///
    /// `as_read`: rows have the labels of the old dataset as they were read, also those that do not last.
    pub(crate) fn compare(self, way: BlankNodes, lasts: [bool; 2], as_read: bool) -> Result<BlankRows> {
        let budget = self.limits.blank_work;
        let [old, new] = self.read()?;
        let stored = [(old.stored, old.places), (new.stored, new.places)];
        let (old, new) = (old.side, new.side);
        let lasts = [(&old, lasts[OLD]), (&new, lasts[NEW])]
            .map(|(side, lasts)| lasts && !side.nodes.labels.iter().any(|label| is_position(label)));
        let mut labels = Labels { old: &old, new: &new, budget, content: [None, None] };
        let (to, unsettled) = if way == BlankNodes::Content {
            labels.same_content()
        } else {
            let names =
                (way == BlankNodes::Match && lasts == [true; 2]).then(|| same_label(&old.nodes, &new.nodes));
            let Matched { to, unsettled } = matched(&old, &new, names, budget);
            (to, unsettled)
        };
        let rows = Rows::new(&old.nodes, &new.nodes, &to);
        let kept = to.iter().filter(|&&node| node != NONE).count();
        let nodes = NodeCounts {
            kept: kept as u64,
            new: (new.nodes.len() - kept) as u64,
            gone: (old.nodes.len() - kept) as u64,
            unsettled,
        };
        let mut found = BlankRows { nodes, ..BlankRows::default() };
        if rows.deletes.is_empty() && rows.adds.is_empty() {
            return Ok(found);
        }
        let speaks_content = !as_read && (way == BlankNodes::Content || !lasts[OLD]);
        if speaks_content {
            let digest = labels.of(OLD).digest;
            found.digest = (way != BlankNodes::Content).then_some(digest);
        }
        let names = labels.names(&rows, &to, speaks_content, speaks_content && way == BlankNodes::Content);
        for ((side, rows), (stored, places)) in
            [(&old, rows.deletes), (&new, rows.adds)].into_iter().zip(stored)
        {
            let mut places: Vec<u64> =
                rows.iter().map(|&row| places[side.nodes.read[row as usize] as usize]).collect();
            places.sort_unstable();
            found.sides.push((stored, places));
        }
        found.names = names.into();
        Ok(found)
    }
}

/// The old node with the label of each new one.
fn same_label(old: &Nodes, new: &Nodes) -> Vec<u32> {
    let known: HashMap<&str, u32> = old.labels.iter().map(|label| &**label).zip(0..).collect();
    new.labels.iter().map(|label| known.get(&**label).copied().unwrap_or(NONE)).collect()
}

/// What differs, by a map of the nodes.
struct Rows {
    deletes: Vec<u32>,
    adds: Vec<u32>,
}

impl Rows {
    /// Deletes are what the old dataset has beside the mapped new one, adds the other way round.
    fn new(old: &Nodes, new: &Nodes, to: &[u32]) -> Self {
        let mut stays = vec![false; old.rows()];
        let mut adds = Vec::new();
        let mut mapped = Vec::new();
        for row in 0..new.rows() as u32 {
            mapped.clear();
            mapped.extend(new.nodes(row).iter().map(|&node| to[node as usize]));
            // a new node is NONE there, and no node of the old dataset
            match old.find(new.kind(row), &mapped) {
                Some(found) => stays[found as usize] = true,
                None => adds.push(row),
            }
        }
        let deletes = (0..old.rows() as u32).filter(|&row| !stays[row as usize]).collect();
        Rows { deletes, adds }
    }
}

/// The names that nodes get in a patch.
struct Labels<'s> {
    old: &'s Side,
    new: &'s Side,
    budget: u64,
    content: [Option<ContentLabels>; 2],
}

impl Labels<'_> {
    /// The content labels of a side.
    fn of(&mut self, side: usize) -> &ContentLabels {
        let Side { nodes, components, colours } = if side == OLD { self.old } else { self.new };
        self.content[side].get_or_insert_with(|| ContentLabels::new(nodes, components, colours, self.budget))
    }

    /// Nodes with the same content label, and how many have one that is not settled.
    fn same_content(&mut self) -> (Vec<u32>, u64) {
        let old = self.of(OLD).labels.clone();
        let known: HashMap<&str, u32> = old.iter().map(String::as_str).zip(0..).collect();
        let new = self.of(NEW);
        let to = new.labels.iter().map(|label| known.get(label.as_str()).copied().unwrap_or(NONE)).collect();
        let unsettled = [OLD, NEW]
            .map(|side| self.of(side).is_unsettled.iter().filter(|&&unsettled| unsettled).count() as u64);
        (to, unsettled.iter().sum())
    }

    /// The name of each label of both sides that may be in a row.
    fn names(
        &mut self,
        rows: &Rows,
        to: &[u32],
        speaks_content: bool,
        both: bool,
    ) -> [HashMap<Box<str>, String>; 2] {
        let (old, new) = (self.old, self.new);
        let mut names: [HashMap<Box<str>, String>; 2] = Default::default();
        let old_name = |labels: &mut Self, node: u32| {
            if speaks_content {
                labels.of(OLD).labels[node as usize].clone()
            } else {
                old.nodes.labels[node as usize].to_string()
            }
        };
        for &node in rows.deletes.iter().flat_map(|&row| old.nodes.nodes(row)) {
            if !names[OLD].contains_key(&old.nodes.labels[node as usize]) {
                let name = old_name(self, node);
                names[OLD].insert(old.nodes.labels[node as usize].clone(), name);
            }
        }
        let mut taken: Option<std::collections::HashSet<&str>> = None;
        for &node in rows.adds.iter().flat_map(|&row| new.nodes.nodes(row)) {
            let label = &new.nodes.labels[node as usize];
            if names[NEW].contains_key(label) {
                continue;
            }
            let name = match to[node as usize] {
                NONE if both => self.of(NEW).labels[node as usize].clone(),
                NONE => {
                    let name = format!("n{}", &self.of(NEW).labels[node as usize][1..]);
                    let taken =
                        taken.get_or_insert_with(|| old.nodes.labels.iter().map(|label| &**label).collect());
                    another(name, |name| !speaks_content && taken.contains(name))
                }
                known => old_name(self, known),
            };
            names[NEW].insert(label.clone(), name);
        }
        names
    }
}

/// A name that is not taken: with a number behind it, if it is.
pub(crate) fn another(name: String, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(&name) {
        return name;
    }
    let numbered = |number: u64| format!("{name}.{number}");
    (0..u64::MAX).map(numbered).find(|name| !is_taken(name)).unwrap_or(name)
}

/// Rows that are to be written.
#[derive(Default)]
pub(crate) struct BlankRows {
    pub(crate) nodes: NodeCounts,
    /// Nodes are named by the content of the old dataset, which has this digest.
    digest: Option<u128>,
    /// Deletes and adds: statements, and the places of those that are meant.
    sides: Vec<(Stored, Vec<u64>)>,
    names: Vec<HashMap<Box<str>, String>>,
}

/// The header that says how nodes are named.
pub(crate) const BLANK_NODES: &str = "blank-nodes";
/// The header with the digest of the state before.
pub(crate) const BLANK_DIGEST: &str = "blank-digest";

impl BlankRows {
    /// Writes the headers, unless nodes become IRIs.
    pub(crate) fn headers(&self, emit: &mut Emit, skolem: Option<&str>) -> Result<()> {
        let Some(digest) = self.digest.filter(|_| skolem.is_none()) else { return Ok(()) };
        for (key, value) in [(BLANK_NODES, CONTENT.to_owned()), (BLANK_DIGEST, format!("{digest:032x}"))] {
            let value = TermBuf::simple_literal(&value);
            emit.row(PatchOp::Header { key, value: value.as_term() })?;
        }
        Ok(())
    }

    /// Writes the deletes or the adds.
    pub(crate) fn write(&mut self, side: usize, emit: &mut Emit, skolem: Option<&str>) -> Result<()> {
        let (Some((stored, places)), Some(names)) = (self.sides.get_mut(side), self.names.get(side)) else {
            return Ok(());
        };
        let mut renamed = Renamed::new();
        for &place in places.iter() {
            let statement = stored.get(place)?;
            let name = |label: &str| {
                let name = names.get(label).map_or(label, String::as_str);
                Ok(skolem.map_or_else(|| TermBuf::blank_node(name), |start| skolem_iri(start, name)))
            };
            emit.change(renamed.statement(&statement, name)?, side == NEW)?;
        }
        Ok(())
    }
}
