//! Differences between statements with blank nodes: the rows that follow from a mapping of nodes, and the
//! names of the nodes in them.

use std::collections::{HashMap, HashSet};

use super::blank_parts::{BlankParts, BlankReading};
use super::emit::Emit;
use super::stored::Stored;
use crate::convert::skolem_iri;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::matching::{
    CONTENT, ContentLabels, Left, NONE, Nodes, Renamed, Side, Templates, matched, unequal,
};
use crate::sink::{PatchOp, Statement};
use crate::term::TermBuf;

/// How blank nodes of two datasets are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlankNodes {
    /// By matching if either dataset has nodes without stable labels, otherwise by labels.
    #[default]
    Auto,
    /// By matching nodes of the new dataset with nodes of the old one, using the statements about them.
    Match,
    /// By labels that depend only on the content of each dataset.
    Content,
    /// By labels: nodes with the same label are the same node.
    Labels,
}

impl BlankNodes {
    /// All variants, in the order of the table of options.
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

/// Numbers of blank nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCounts {
    /// Nodes of the new dataset that are also in the old one.
    pub kept: u64,
    /// Nodes that only the new dataset has.
    pub new: u64,
    /// Nodes that only the old dataset has.
    pub gone: u64,
    /// Nodes that could not be ordered within the limit.
    pub unsettled: u64,
}

/// The statements with blank nodes of two datasets.
pub(crate) struct BlankStatements {
    sides: [Given; 2],
    limits: Limits,
}

/// The statements of one dataset.
enum Given {
    Reading(Box<BlankReading>),
    Read(Box<BlankParts>),
}

pub(crate) const OLD: usize = 0;
pub(crate) const NEW: usize = 1;

impl BlankStatements {
    pub(crate) fn new(limits: &Limits) -> Self {
        let side = || Given::Reading(Box::new(BlankReading::new(limits)));
        BlankStatements { sides: [side(), side()], limits: limits.clone() }
    }

    /// Keeps a statement if it has blank nodes; returns whether it has any.
    pub(crate) fn take(&mut self, side: usize, statement: &Statement<'_>) -> Result<bool> {
        match &mut self.sides[side] {
            Given::Reading(reading) => reading.take(statement),
            Given::Read(_) => Err(Error::new(ErrorKind::Internal, "a dataset was read to its end before")),
        }
    }

    /// Ends the input of a dataset and frees the memory that reading it needed.
    pub(crate) fn end(&mut self, side: usize) -> Result<()> {
        let given = &mut self.sides[side];
        let empty = Given::Reading(Box::new(BlankReading::new(&self.limits)));
        *given = Given::Read(Box::new(std::mem::replace(given, empty).finish()?));
        Ok(())
    }

    fn finish(self) -> Result<[BlankParts; 2]> {
        let [old, new] = self.sides;
        Ok([old.finish()?, new.finish()?])
    }

    /// Whether the nodes can be renamed so that both datasets are equal.
    pub(crate) fn are_same(self) -> Result<bool> {
        let budget = self.limits.blank_work;
        let [mut old, mut new] = self.finish()?;
        if old.nodes() != new.nodes() {
            return Ok(false);
        }
        let left = unequal([&mut old, &mut new], budget, false)?;
        if !left.rows.iter().flatten().any(|&left| left) {
            return Ok(true);
        }
        if left.unsettled == 0 {
            return Ok(false);
        }
        let [(old, _), (new, _)] = picked([&mut old, &mut new], &left.rows)?;
        let rows = Rows::new(&old.nodes, &new.nodes, &matched(&old, &new, None, budget));
        if rows.deletes.is_empty() && rows.adds.is_empty() {
            return Ok(true);
        }
        let colours = [&old, &new].map(|side| {
            let mut full = side.colours.full.clone();
            full.sort_unstable();
            full
        });
        if colours[OLD] != colours[NEW] {
            return Ok(false);
        }
        let message = format!(
            "{} blank nodes are too similar to be put in order within limits.blank_work ({budget}), so it is \
             undecided whether the datasets are the same",
            left.unsettled
        );
        Err(Error::limit(ErrorKind::LimitBlankWork, "blank_work", message))
    }

    /// Computes the differences. `lasts`: labels in files of this format are stable.
    ///
    /// `as_read`: rows have the labels of the old dataset as they were read, including unstable labels.
    pub(crate) fn compare(self, way: BlankNodes, lasts: [bool; 2], as_read: bool) -> Result<BlankRows> {
        let budget = self.limits.blank_work;
        let [mut all_old, mut all_new] = self.finish()?;
        let lasts = [(&all_old, lasts[OLD]), (&all_new, lasts[NEW])]
            .map(|(parts, lasts)| lasts && !parts.has_position());
        let have_names = way == BlankNodes::Match && lasts == [true; 2];
        let left = match way {
            BlankNodes::Content => Left::all([&all_old, &all_new]),
            _ => unequal([&mut all_old, &mut all_new], budget, have_names)?,
        };
        let [(old, old_places), (new, new_places)] = picked([&mut all_old, &mut all_new], &left.rows)?;
        let speaks_content = !as_read && (way == BlankNodes::Content || !lasts[OLD]);
        let mut labels = Labels {
            old: &old,
            new: &new,
            parts: [&mut all_old, &mut all_new],
            budget,
            speaks_content,
            content: [None, None],
        };
        let (to, unsettled) = if way == BlankNodes::Content {
            labels.same_content()?
        } else {
            let names = have_names.then(|| same_label(&old.nodes, &new.nodes));
            (matched(&old, &new, names, budget), left.unsettled)
        };
        let rows = Rows::new(&old.nodes, &new.nodes, &to);
        let fresh = to.iter().filter(|&&node| node == NONE).count();
        let [nodes_before, nodes_after] = [OLD, NEW].map(|side| labels.parts[side].nodes());
        let kept = nodes_after - fresh;
        let nodes = NodeCounts {
            kept: kept as u64,
            new: fresh as u64,
            gone: (nodes_before - kept) as u64,
            unsettled,
        };
        let mut found = BlankRows { nodes, ..BlankRows::default() };
        if rows.deletes.is_empty() && rows.adds.is_empty() {
            return Ok(found);
        }
        let has_digest = speaks_content && way != BlankNodes::Content;
        let (names, digest) = labels.names(&rows, &to, has_digest)?;
        found.digest = digest;
        found.names = names.into();
        let sides = [(&old, rows.deletes, old_places, all_old), (&new, rows.adds, new_places, all_new)];
        for (side, rows, places, all) in sides {
            let mut places: Vec<u64> =
                rows.iter().map(|&row| places[side.nodes.read[row as usize] as usize]).collect();
            places.sort_unstable();
            found.sides.push((all.stored(), places));
        }
        Ok(found)
    }
}

impl Given {
    fn finish(self) -> Result<BlankParts> {
        match self {
            Given::Reading(reading) => reading.finish(),
            Given::Read(parts) => Ok(*parts),
        }
    }
}

/// Selects statements of both datasets; returns them with the place of each.
fn picked(parts: [&mut BlankParts; 2], wanted: &[Vec<bool>; 2]) -> Result<[(Side, Vec<u64>); 2]> {
    let mut templates = Templates::new();
    let [old, new] = parts;
    let old = old.pick(&wanted[OLD], &mut templates)?;
    let new = new.pick(&wanted[NEW], &mut templates)?;
    let (templates, ranks) = templates.ranked();
    Ok([old, new].map(|picked| (Side::new(picked.gathered.finish(&templates, &ranks)), picked.places)))
}

/// The old node that has the label of each new node.
fn same_label(old: &Nodes, new: &Nodes) -> Vec<u32> {
    let known: HashMap<&str, u32> = old.labels.iter().zip(0..).collect();
    new.labels.iter().map(|label| known.get(label).copied().unwrap_or(NONE)).collect()
}

/// The rows that differ under a mapping of the nodes.
struct Rows {
    deletes: Vec<u32>,
    adds: Vec<u32>,
}

impl Rows {
    /// Computes the deletes (statements of the old dataset that the mapped new one lacks) and the adds (the
    /// opposite).
    fn new(old: &Nodes, new: &Nodes, to: &[u32]) -> Self {
        let mut stays = vec![false; old.rows()];
        let mut adds = Vec::new();
        let mut mapped = Vec::new();
        for row in 0..new.rows() as u32 {
            mapped.clear();
            mapped.extend(new.nodes(row).iter().map(|&node| to[node as usize]));
            // a new node is NONE there, which is no node of the old dataset
            match old.find(new.kind(row), &mapped) {
                Some(found) => stays[found as usize] = true,
                None => adds.push(row),
            }
        }
        let deletes = (0..old.rows() as u32).filter(|&row| !stays[row as usize]).collect();
        Rows { deletes, adds }
    }
}

/// The names of the nodes in a patch.
struct Labels<'s> {
    old: &'s Side,
    new: &'s Side,
    /// All statements of both datasets.
    parts: [&'s mut BlankParts; 2],
    budget: u64,
    /// The nodes of the old dataset are named by content.
    speaks_content: bool,
    content: [Option<ContentLabels>; 2],
}

/// The name of each label that occurs in a row, for both datasets.
type Names = [HashMap<Box<str>, String>; 2];

impl Labels<'_> {
    /// Maps nodes with the same content label; also returns how many nodes have an unsettled label.
    fn same_content(&mut self) -> Result<(Vec<u32>, u64)> {
        for side in [OLD, NEW] {
            self.content[side] = Some(ContentLabels::new(self.parts[side], self.budget, None, false)?);
        }
        let old = self.old.nodes.labels.iter().map(|label| self.content(OLD, label));
        let known: HashMap<&str, u32> = old.zip(0..).collect();
        let new = self.new.nodes.labels.iter().map(|label| self.content(NEW, label));
        let to = new.map(|label| known.get(label).copied().unwrap_or(NONE)).collect();
        let all = self.content.iter().flatten().flat_map(|content| content.of.values());
        Ok((to, all.filter(|label| label.is_unsettled).count() as u64))
    }

    /// The content label of a node.
    fn content<'l>(&'l self, side: usize, label: &'l str) -> &'l str {
        let known = self.content[side].as_ref().and_then(|content| content.of.get(label));
        known.map_or(label, |label| &label.text)
    }

    /// The name of a node that is not in the old dataset.
    fn fresh_name(&self, label: &str) -> String {
        format!("n{}", &self.content(NEW, label)[1..])
    }

    /// The names of the nodes in rows, and the digest of the old dataset if it is requested.
    fn names(&mut self, rows: &Rows, to: &[u32], has_digest: bool) -> Result<(Names, Option<u128>)> {
        let (old, new) = (&self.old.nodes, &self.new.nodes);
        let in_adds = || rows.adds.iter().flat_map(|&row| new.nodes(row)).copied();
        let both = self.content[NEW].is_some();
        if self.speaks_content && !both {
            let mapped = in_adds().map(|node| to[node as usize]).filter(|&node| node != NONE);
            let deleted = rows.deletes.iter().flat_map(|&row| old.nodes(row)).copied();
            let wanted = deleted.chain(mapped).map(|node| old.labels.of(node)).collect();
            let content = ContentLabels::new(self.parts[OLD], self.budget, Some(&wanted), has_digest)?;
            self.content[OLD] = Some(content);
        }
        let fresh: HashSet<&str> =
            in_adds().filter(|&node| to[node as usize] == NONE).map(|node| new.labels.of(node)).collect();
        if !fresh.is_empty() && !both {
            let content = ContentLabels::new(self.parts[NEW], self.budget, Some(&fresh), false)?;
            self.content[NEW] = Some(content);
        }
        let taken = if self.speaks_content || fresh.is_empty() {
            HashSet::new()
        } else {
            let names = fresh.iter().map(|label| self.fresh_name(label)).collect();
            taken(self.parts[OLD], &names)?
        };
        let old_name = |node: u32| {
            let label = old.labels.of(node);
            if self.speaks_content { self.content(OLD, label).to_owned() } else { label.to_owned() }
        };
        let mut names = Names::default();
        for &node in rows.deletes.iter().flat_map(|&row| old.nodes(row)) {
            names[OLD].entry(old.labels.of(node).into()).or_insert_with(|| old_name(node));
        }
        for node in in_adds() {
            let label = new.labels.of(node);
            names[NEW].entry(label.into()).or_insert_with(|| match to[node as usize] {
                NONE if both => self.content(NEW, label).to_owned(),
                NONE => another(self.fresh_name(label), |name| taken.contains(name)),
                known => old_name(known),
            });
        }
        let digest = self.content[OLD].as_ref().filter(|_| has_digest).map(|content| content.digest);
        Ok((names, digest))
    }
}

/// The labels of a dataset that are equal to one of `names`, or to such a name with a number.
fn taken(parts: &mut BlankParts, names: &HashSet<String>) -> Result<HashSet<String>> {
    let mut found = HashSet::new();
    parts.each_label(&mut |label| {
        if label.starts_with('n')
            && names.contains(label.rsplit_once('.').map_or(label, |(name, _)| name))
            && !found.contains(label)
        {
            found.insert(label.to_owned());
        }
    })?;
    Ok(found)
}

/// A free name: `name`, with a number appended if it is taken.
pub(crate) fn another(name: String, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(&name) {
        return name;
    }
    let numbered = |number: u64| format!("{name}.{number}");
    (0..u64::MAX).map(numbered).find(|name| !is_taken(name)).unwrap_or(name)
}

/// The rows to write.
#[derive(Default)]
pub(crate) struct BlankRows {
    pub(crate) nodes: NodeCounts,
    /// The digest of the old dataset, if its content names the nodes.
    digest: Option<u128>,
    /// Deletes and adds: the statements, and the places of the selected ones.
    sides: Vec<(Stored, Vec<u64>)>,
    names: Vec<HashMap<Box<str>, String>>,
}

/// The header that declares how nodes are named.
pub(crate) const BLANK_NODES: &str = "blank-nodes";
/// The header with the digest of the previous state.
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
