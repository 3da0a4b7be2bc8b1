//! The patch that turns one dataset into another.
//!
//! The new dataset is read twice, and the old one once. First the keys of the new dataset are collected. Then
//! the statements that only the old dataset has are deleted, and the statements that only the new one has are
//! added. The keys of the new dataset and of the deletes are in memory. Formats that take long to parse are
//! read once and kept in a temporary file. If blank nodes are matched, statements with blank nodes are kept
//! separately, and their rows follow from a mapping of the nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::again::Again;
use super::blank_rows::{BlankNodes, BlankRows, BlankStatements, NEW, NodeCounts, OLD};
use super::dataset::Dataset;
use super::emit::{Emit, PatchOut, Patched, PrefixChange};
use super::key_set::KeySet;
use super::keyed::{KeyedQuads, Quad};
use super::quad_text::Nodes;
use super::stored::{Store, Stored};
use super::work::{Watch, Work};
use crate::blank::refuse_positions;
use crate::convert::Skolem;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::matching::has_nodes;
use crate::open::OpenOptions;
use crate::sink::Statement;
use crate::term::{Term, TermBuf};
use crate::with::With;

/// How datasets are compared.
#[derive(Default)]
#[non_exhaustive]
pub struct DiffOptions {
    /// How the old dataset is read.
    pub old: OpenOptions,
    /// The term of `H id`, if any.
    pub id: Option<TermBuf>,
    /// The term of `H prev`, if any.
    pub prev: Option<TermBuf>,
    /// Also compare prefixes.
    pub prefixes: bool,
    /// The start of the IRIs that replace blank nodes; `None`: blank nodes stay.
    pub skolemize: Option<String>,
    /// How blank nodes are compared.
    pub blank_nodes: BlankNodes,
    /// Rows have the labels of the old dataset as they were read, for a reader that reads it again in the
    /// same way.
    pub names_as_read: bool,
}

impl With for DiffOptions {}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Statements of the old dataset.
    pub old: u64,
    /// Statements of the new dataset.
    pub new: u64,
    /// The patch that was written.
    pub patch: Patched,
    /// How blank nodes were compared.
    pub blank_nodes: BlankNodes,
    /// Numbers of blank nodes, unless blank nodes were compared by labels.
    pub nodes: NodeCounts,
}

/// Writes the patch that turns `old` into `new`.
pub fn diff(
    old: Source,
    new: &Again,
    options: DiffOptions,
    out: PatchOut,
    watch: Watch<'_>,
) -> Result<Compared> {
    let mut work = Work::new(watch);
    let reading = match options.blank_nodes {
        BlankNodes::Auto => {
            let old = Again::new(old, options.old.clone())?;
            let by_label = has_labels(&old)? && has_labels(new)?;
            let by_label = by_label
                .then(|| Reading::new(old.source(), new, &options, BlankNodes::Labels, &mut work))
                .transpose();
            match by_label {
                Ok(Some(reading)) => reading,
                Err(error) if error.kind() != ErrorKind::PatchLabels => return Err(error),
                _ => Reading::new(old.source(), new, &options, BlankNodes::Match, &mut work)?,
            }
        }
        way => Reading::new(old, new, &options, way, &mut work)?,
    };
    reading.write(new, options, out, &mut work)
}

/// Whether all nodes of a dataset have labels in its format.
fn has_labels(source: &Again) -> Result<bool> {
    Ok(!Dataset::open(source.source(), &source.options)?.format.has_unlabelled_nodes())
}

/// Number of keys that are added together.
const KEYS: usize = 32;

/// Both datasets, after they were read.
struct Reading {
    way: BlankNodes,
    quads: KeyedQuads,
    counts: [u64; 2],
    /// Statements of the new dataset without blank nodes, or all statements. Statements that the old dataset
    /// also has are marked, or removed if the others are `kept`.
    found: KeySet,
    deletes: (Stored, Vec<u64>),
    /// Statements of the new dataset without blank nodes, if reading them again would take long.
    kept: Option<Stored>,
    prefixes: [BTreeMap<String, String>; 2],
    rows: Option<BlankRows>,
}

impl Reading {
    /// Reads both datasets. If labels are compared, nodes without stable labels are an error
    /// (`patch.labels`).
    fn new(
        old: Source,
        new: &Again,
        options: &DiffOptions,
        way: BlankNodes,
        work: &mut Work<'_>,
    ) -> Result<Self> {
        let by_label = way == BlankNodes::Labels;
        let mut blank = (!by_label).then(|| BlankStatements::new(&options.old.decode.limits));
        let skolem = options.skolemize.clone().map(Skolem::new).transpose()?.filter(|_| by_label);
        let mut quads = KeyedQuads::new(skolem)?;
        let nodes = if by_label { Nodes::Named } else { Nodes::No };
        let mut found = KeySet::new();
        work.phase("reading the new dataset")?;
        let dataset = Dataset::open(new.source(), &new.options)?;
        let new_lasts = !dataset.format.has_unlabelled_nodes();
        let mut new_keys = Vec::with_capacity(KEYS);
        // formats such as Turtle and JSON-LD take long to parse
        let mut kept = (!by_label && !new_lasts).then(Store::new);
        let take = |key, quad: Quad<'_>| {
            new_keys.push(key);
            if new_keys.len() == KEYS {
                found.insert_all(&new_keys);
                new_keys.clear();
            }
            match &mut kept {
                Some(kept) => kept.push_with_key(key, &quad.statement()?),
                None => Ok(()),
            }
        };
        let (new_count, prefixes_after) = quads.each(dataset, nodes, work, aside(&mut blank, NEW), take)?;
        found.insert_all(&new_keys);
        let kept = kept.map(Store::read).transpose()?;
        if let Some(blank) = &mut blank {
            blank.end(NEW)?;
        }
        quads.next_dataset();
        work.phase("comparing the old dataset")?;
        let dataset = Dataset::open(old, &options.old)?;
        let old_lasts = !dataset.format.has_unlabelled_nodes();
        let (mut store, mut places, mut deleted) = (Store::new(), Vec::new(), KeySet::new());
        let take = |key, quad: Quad<'_>| {
            if found.mark(key, true).is_none() && deleted.insert(key) {
                places.push(store.push(&quad.statement()?)?);
            }
            Ok(())
        };
        let (old_count, prefixes_before) = quads.each(dataset, nodes, work, aside(&mut blank, OLD), take)?;
        drop(deleted);
        if kept.is_some() {
            found = found.without_marks();
        }
        let rows = blank
            .map(|blank| {
                work.phase("matching blank nodes")?;
                blank.compare(way, [old_lasts, new_lasts], options.names_as_read)
            })
            .transpose()?;
        let deletes = (store.read()?, places);
        let prefixes = [prefixes_before, prefixes_after];
        let counts = [old_count, new_count];
        Ok(Reading { way, quads, counts, found, deletes, kept, prefixes, rows })
    }

    /// Writes the patch.
    fn write(
        mut self,
        new: &Again,
        options: DiffOptions,
        out: PatchOut,
        work: &mut Work<'_>,
    ) -> Result<Compared> {
        let mut rows = self.rows.unwrap_or_default();
        let skolem = options.skolemize.as_deref();
        let mut emit = Emit::new(out, None)?;
        emit.header("id", options.id.as_ref())?;
        emit.header("prev", options.prev.as_ref())?;
        rows.headers(&mut emit, skolem)?;
        work.phase("writing what is deleted")?;
        let (mut stored, places) = self.deletes;
        for place in places {
            emit.change(stored.get(place)?, false)?;
            emit.tell(work)?;
        }
        rows.write(OLD, &mut emit, skolem)?;
        if options.prefixes {
            let [before, after] = &self.prefixes;
            for name in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
                let [before, after] = [before, after].map(|prefixes| prefixes.get(name).map(String::as_str));
                emit.prefix(&PrefixChange::between(name, Term::DefaultGraph, before, after))?;
            }
        }
        self.quads.next_dataset();
        work.phase("comparing the new dataset")?;
        let [old, new_count] = self.counts;
        if let Some(kept) = &mut self.kept {
            let (mut place, mut rows) = (0, 0u64);
            while let Some((key, at)) = kept.next_key(&mut place)? {
                if self.found.mark(key, true) == Some(false) {
                    emit.change(kept.get(at)?, true)?;
                }
                rows += 1;
                if rows.is_multiple_of(8192) {
                    work.wrote(rows)?;
                }
            }
        } else {
            let by_label = self.way == BlankNodes::Labels;
            let dataset = Dataset::open(new.source(), &new.options)?;
            let nodes = if by_label { Nodes::Any } else { Nodes::No };
            let aside = |statement: &Statement<'_>| Ok(!by_label && has_nodes(statement));
            let (again, _) = self.quads.each(dataset, nodes, work, aside, |key, quad| {
                match self.found.mark(key, true) {
                    Some(true) => Ok(()),
                    Some(false) => emit.change(quad.statement()?, true),
                    None => Err(changed()),
                }
            })?;
            if again != new_count {
                return Err(changed());
            }
        }
        rows.write(NEW, &mut emit, skolem)?;
        emit.end_patch()?;
        let id = options.id.map(|id| id.as_term().to_string());
        let patch = Patched { id, ..emit.finish()? };
        Ok(Compared { old, new: new_count, patch, blank_nodes: self.way, nodes: rows.nodes })
    }
}

/// Keeps statements whose blank nodes are matched, and rejects positions if labels are compared.
fn aside(blank: &mut Option<BlankStatements>, side: usize) -> impl FnMut(&Statement<'_>) -> Result<bool> {
    move |statement| match blank {
        Some(blank) => blank.take(side, statement),
        None => refuse_positions(statement).map_err(could_match).map(|()| false),
    }
}

#[cold]
fn could_match(error: Error) -> Error {
    error.with_hint(
        "`--blank-nodes match` (`blank_nodes=\"match\"`) matches these nodes by the statements about them",
    )
}

fn changed() -> Error {
    Error::new(ErrorKind::PatchChanged, "the new dataset was changed while it was read")
}
