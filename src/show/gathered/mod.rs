//! Gathers the changes of a patch, and the properties of the nodes that it changes.
//!
//! Rows are in a temporary file. In memory a row and its subject take about 250 bytes while they are sorted.
//! The base is read for the data that is not in the rows: once to find the rows that have an effect and to
//! keep its statements with blank nodes (in a file, with 64 bytes each in memory), and once for labels and
//! classes of the changed subjects.

mod said;

use std::collections::{BTreeMap, HashSet};

pub(super) use said::{Said, Side};

use super::index::{Index, TermKeys, is_blank};
use super::options::ShowOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::matching::has_nodes;
use crate::patch::{
    Again, ByKey, Change, KeySet, Keys, Log, LogSink, Net, Store, Stored, Work, each_statement,
};
use crate::sink::{PatchOp, Statement};
use crate::term::{Term, TermBuf};

pub(super) const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/// A subject that changed, or that has a changed blank node below it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Subject {
    pub(super) added: u64,
    pub(super) deleted: u64,
    /// The weight of its rows: see [`ShowOptions::weight`].
    pub(super) weight: u8,
    /// Whether the base has statements about it.
    had: bool,
    /// Whether a statement of the base about it stays.
    stays: bool,
    /// Whether a row adds or deletes a class.
    class_rows: [bool; 2],
    /// The order of the subject: the place of its first row, otherwise of a statement of the base.
    pub(super) place: u64,
}

/// Whether a subject is new, changed or gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    Changed,
    Gone,
    New,
}

/// Numbers of adds and deletes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) added: u64,
    pub(super) deleted: u64,
}

/// All gathered data.
pub(super) struct Gathered {
    pub(super) keys: TermKeys,
    quads: Keys,
    rows: Index,
    texts: Stored,
    base: Option<(Index, Stored)>,
    labels: Option<(Index, Stored)>,
    deleted: KeySet,
    pub(super) subjects: ByKey<Subject>,
    /// Edges between a blank node and the subject of a statement about it: in both directions, with their
    /// number.
    pub(super) edges: Edges,
    /// Blank nodes whose statements changed, and the nodes above them.
    pub(super) dirty: HashSet<u128>,
    pub(super) predicates: Vec<(TermBuf, Counts)>,
    /// For each statement: subject, class, and whether the old and the new side have it.
    pub(super) types: Vec<(u128, u128, [bool; 2])>,
    pub(super) classes: ByKey<TermBuf>,
    pub(super) totals: Counts,
    /// Prefixes of both sides.
    pub(super) prefixes: [BTreeMap<String, String>; 2],
    pub(super) prefix_rows: Vec<(String, Option<String>, Option<String>)>,
    pub(super) has_base: bool,
}

/// Child and parent of each edge.
#[derive(Default)]
pub(super) struct Edges {
    pub(super) base: Vec<(u128, u128)>,
    pub(super) deleted: Vec<(u128, u128)>,
    pub(super) added: Vec<(u128, u128)>,
}

impl Side {
    pub(super) fn other(self) -> Self {
        if self == Side::Old { Side::New } else { Side::Old }
    }
}

impl Edges {
    fn all(&self) -> impl Iterator<Item = (u128, u128)> + '_ {
        self.base.iter().chain(&self.deleted).chain(&self.added).copied()
    }
}

/// The rows of a log.
struct Rows {
    net: Net,
    has_nodes: bool,
}

impl LogSink for Rows {
    fn change(&mut self, change: &Change<'_>) -> Result<()> {
        if let PatchOp::Add(statement) | PatchOp::Delete(statement) = &change.op {
            self.has_nodes |= change.counts && has_nodes(statement);
        }
        LogSink::change(&mut self.net, change)
    }
}

impl Gathered {
    /// Reads versions of a log, and the base before them. `exact`: each row is known to have an effect.
    pub(super) fn new(
        log: &Log,
        versions: std::ops::Range<u64>,
        base: Option<&Again>,
        exact: bool,
        options: &ShowOptions,
        work: &mut Work<'_>,
    ) -> Result<Self> {
        let mut rows = Rows { net: Net::new(true)?, has_nodes: false };
        log.replay_on(base, versions.clone(), "reading the patches", &mut rows, work)?;
        let Rows { mut net, has_nodes } = rows;
        let mut keys = TermKeys::new()?;
        let mut edges = Edges::default();
        let mut known = None;
        let mut prefixes: [BTreeMap<String, String>; 2] = Default::default();
        let looks_up = base.is_some() && (!exact || has_nodes);
        if let Some(base) = base.filter(|_| looks_up) {
            let (mut index, mut store) = (Index::default(), Store::new());
            let most = base.options.decode.limits.blank_bytes.saturating_mul(4);
            log.each_of_base(versions, (base.source(), &base.options), work, |statement| {
                let key = net.keys.of(statement).key;
                if let Some(entry) = net.entry(key) {
                    entry.find();
                }
                if has_nodes && self::has_nodes(statement) {
                    index.push(keys.of(&statement.terms[0]), store.push(statement)?);
                    add_edges(statement, &mut keys, &mut edges.base);
                    if (index.len() + edges.base.len()) * 32 > most {
                        return Err(too_many(most));
                    }
                }
                Ok(())
            })?;
            known = Some((index.sorted(), store.read()?));
        }
        let picked = net.pick(|entry| match (entry.is_added(), entry.in_base()) {
            (adds, _) if !looks_up => Some(adds),
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        })?;
        let mut gathered = Gathered {
            keys,
            quads: Keys::random()?,
            rows: Index::default(),
            texts: picked.stored,
            base: known,
            labels: None,
            deleted: KeySet::new(),
            subjects: ByKey::default(),
            edges,
            dirty: HashSet::new(),
            predicates: Vec::new(),
            types: Vec::new(),
            classes: ByKey::default(),
            totals: Counts { added: picked.adds.len() as u64, deleted: picked.deletes.len() as u64 },
            prefixes: Default::default(),
            prefix_rows: Vec::new(),
            has_base: base.is_some(),
        };
        let mut places: Vec<u64> = Vec::with_capacity(picked.deletes.len() + picked.adds.len());
        places.extend(picked.deletes.iter().map(|&(_, place)| place << 1));
        places.extend(picked.adds.iter().map(|&(_, place)| place << 1 | 1));
        gathered.take_rows(places, options, work)?;
        gathered.find_dirty();
        if let Some(base) = base {
            prefixes[0] = gathered.describe(base, options, work)?;
        }
        gathered.types.sort_unstable();
        prefixes[1] = prefixes[0].clone();
        for prefix in picked.prefixes.iter().filter(|prefix| prefix.is_of_the_dataset()) {
            let before = prefixes[0].get(&prefix.name).cloned();
            match prefix.after() {
                Some(iri) => drop(prefixes[1].insert(prefix.name.clone(), iri.to_owned())),
                None => drop(prefixes[1].remove(&prefix.name)),
            }
            let after = prefix.after().map(str::to_owned);
            if before != after || base.is_none() {
                gathered.prefix_rows.push((prefix.name.clone(), before, after));
            }
        }
        gathered.prefixes = prefixes;
        Ok(gathered)
    }

    fn take_rows(&mut self, mut places: Vec<u64>, options: &ShowOptions, work: &mut Work<'_>) -> Result<()> {
        work.phase("grouping the rows")?;
        places.sort_unstable();
        let mut predicates: ByKey<(TermBuf, Counts)> = ByKey::default();
        for (row, place) in places.into_iter().enumerate() {
            let statement = self.texts.get(place >> 1)?;
            let adds = place & 1 != 0;
            let [subject, predicate, object, _] = &statement.terms;
            let key = self.keys.of(subject);
            self.rows.push(key, place);
            let edges = if adds { &mut self.edges.added } else { &mut self.edges.deleted };
            add_edges(&statement, &mut self.keys, edges);
            if !adds {
                self.deleted.insert(self.quads.of(&statement).key);
            }
            let predicate_key = self.keys.of(predicate);
            let (_, counts) =
                predicates.entry(predicate_key).or_insert_with(|| ((*predicate).into(), Counts::default()));
            let is_type = is_iri(predicate, RDF, "type");
            if is_blank(key) {
                self.dirty.insert(key);
            } else {
                let found = self.subjects.entry(key).or_insert(Subject { place, ..Subject::default() });
                found.weight = found.weight.max(options.weight(predicate));
                found.class_rows[usize::from(!adds)] |= is_type;
                *(if adds { &mut found.added } else { &mut found.deleted }) += 1;
                if is_type {
                    let class = self.keys.of(object);
                    self.classes.entry(class).or_insert_with(|| (*object).into());
                    self.types.push((key, class, [!adds, adds]));
                }
            }
            *(if adds { &mut counts.added } else { &mut counts.deleted }) += 1;
            if row.is_multiple_of(8192) {
                work.wrote(row as u64)?;
            }
        }
        self.rows = std::mem::take(&mut self.rows).sorted();
        self.predicates = predicates.into_values().collect();
        Ok(())
    }

    /// Marks the nodes above changed blank nodes.
    fn find_dirty(&mut self) {
        if self.dirty.is_empty() {
            return;
        }
        let mut up: Vec<_> = self.edges.all().collect();
        up.sort_unstable();
        let mut ahead: Vec<_> = self.dirty.iter().copied().collect();
        while let Some(child) = ahead.pop() {
            let start = up.partition_point(|edge| edge.0 < child);
            for &(_, parent) in up[start..].iter().take_while(|edge| edge.0 == child) {
                if !is_blank(parent) {
                    let place = self.first_place(parent);
                    self.subjects.entry(parent).or_insert(Subject { place, ..Subject::default() });
                } else if self.dirty.insert(parent) {
                    ahead.push(parent);
                }
            }
        }
    }

    /// Sorts a subject without rows after the subjects with rows.
    fn first_place(&self, key: u128) -> u64 {
        match &self.base {
            Some((index, _)) => index.of(key).first().map_or(u64::MAX, |(_, place)| 1 << 62 | place),
            None => u64::MAX,
        }
    }

    /// Reads labels and classes of subjects in the base.
    fn describe(
        &mut self,
        base: &Again,
        options: &ShowOptions,
        work: &mut Work<'_>,
    ) -> Result<BTreeMap<String, String>> {
        work.phase("reading statements about the subjects")?;
        let (mut index, mut store) = (Index::default(), Store::new());
        let Gathered { keys, subjects, deleted, quads, types, classes, .. } = self;
        let prefixes = each_statement(base.source(), &base.options, work, |statement| {
            let [subject, predicate, object, _] = &statement.terms;
            let key = keys.of(subject);
            let Some(found) = subjects.get_mut(&key) else { return Ok(()) };
            found.had = true;
            let stays = deleted.mark(quads.of(statement).key, true).is_none();
            found.stays |= stays;
            if is_iri(predicate, RDF, "type") {
                let class = keys.of(object);
                classes.entry(class).or_insert_with(|| (*object).into());
                types.push((key, class, [true, stays]));
            }
            if options.is_label(predicate) {
                index.push(key, store.push(statement)?);
            }
            Ok(())
        })?;
        self.labels = Some((index.sorted(), store.read()?));
        Ok(prefixes)
    }

    /// Whether a subject is new, changed or gone. Without a base, a subject with only added rows, one of
    /// which adds a class, is considered new.
    pub(super) fn mark(&self, subject: &Subject) -> Mark {
        let Subject { added, deleted, had, stays, class_rows: [gets, loses], .. } = *subject;
        if self.has_base {
            return match (had, stays || added > 0) {
                (false, _) => Mark::New,
                (true, true) => Mark::Changed,
                (true, false) => Mark::Gone,
            };
        }
        match (added > 0, deleted > 0) {
            (true, false) if gets => Mark::New,
            (false, true) if loses => Mark::Gone,
            _ => Mark::Changed,
        }
    }
}

/// Adds the edges from the blank nodes of an object to the subject.
fn add_edges(statement: &Statement<'_>, keys: &mut TermKeys, edges: &mut Vec<(u128, u128)>) {
    let [subject, _, object, _] = &statement.terms;
    match object {
        Term::BlankNode(_) => {
            let edge = (keys.of(object), keys.of(subject));
            edges.push(edge);
        }
        Term::Triple(triple) => {
            let parent = keys.of(subject);
            let mut ahead: Vec<_> = triple.terms.iter().collect();
            while let Some(term) = ahead.pop() {
                match term {
                    TermBuf::BlankNode(_) => edges.push((keys.of(&term.as_term()), parent)),
                    TermBuf::Triple(triple) => ahead.extend(&triple.terms),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Whether a term is the IRI that consists of `start` and `name`.
pub(super) fn is_iri(term: &Term<'_>, start: &str, name: &str) -> bool {
    match term {
        Term::Iri(iri) => {
            let (prefix, rest) = (iri.prefix(), iri.name());
            prefix.len() + rest.len() == start.len() + name.len()
                && prefix.bytes().chain(rest.bytes()).eq(start.bytes().chain(name.bytes()))
        }
        _ => false,
    }
}

/// The IRI of a term, if the term is one.
pub(super) fn iri_of(term: &TermBuf) -> Option<&str> {
    match term.as_term() {
        Term::Iri(iri) => Some(iri.name()),
        _ => None,
    }
}

#[cold]
fn too_many(most: usize) -> Error {
    let message = format!(
        "showing statements with blank nodes below their subjects needs more than {most} bytes, four times limits.blank_bytes"
    );
    let hint = "without a base, only the rows of the patches are shown, which needs less memory";
    Error::limit(ErrorKind::LimitBlankBytes, "blank_bytes", message).with_hint(hint)
}
