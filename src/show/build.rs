//! Builds the blocks from the gathered changes.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::block::{Block, Entry, Head, Op, Value};
use super::gathered::{Counts, Gathered, Mark, RDF, Said, Side, Subject, iri_of, is_iri};
use super::index::is_blank;
use super::names::Names;
use super::options::ShowOptions;
use super::owners::Owners;
use crate::error::Result;
use crate::term::{Literal, LiteralKind, Term, TermBuf};

/// Maximum nesting of blank nodes and lists.
const MOST_DEPTH: usize = 40;
/// Maximum nesting in a value that was added or deleted.
const VALUE_DEPTH: usize = 6;
/// Maximum number of terms of a value that are shown.
const VALUE_TERMS: usize = 60;
const SHACL: &str = "http://www.w3.org/ns/shacl#";
const OWL: &str = "http://www.w3.org/2002/07/owl#";
/// The properties that identify a blank node among its siblings, best first.
const TELLING: [(&str, &str); 8] = [
    (SHACL, "path"),
    (OWL, "onProperty"),
    (OWL, "annotatedSource"),
    (OWL, "annotatedProperty"),
    (SHACL, "message"),
    (SHACL, "name"),
    ("http://www.w3.org/2000/01/rdf-schema#", "label"),
    (RDF, "type"),
];

/// Builds blocks one after the other.
pub(super) struct Builder<'a> {
    pub(super) gathered: &'a mut Gathered,
    pub(super) names: &'a Names,
    pub(super) owners: &'a Owners,
    pub(super) options: &'a ShowOptions,
    /// The subject of the block, and the blank nodes that it showed.
    root: u128,
    pub(super) drawn: HashSet<u128>,
    /// Blank nodes of the last values whose changes the values do not show completely: the changes are shown
    /// beside them.
    beside: Vec<TermBuf>,
    /// Number of rows that were left out.
    pub(super) more: u64,
}

/// The values of one predicate in one graph.
#[derive(Default)]
struct Values {
    deletes: Vec<TermBuf>,
    adds: Vec<TermBuf>,
    /// Blank nodes that stay and have changes below them.
    kept: Vec<TermBuf>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        gathered: &'a mut Gathered,
        names: &'a Names,
        owners: &'a Owners,
        options: &'a ShowOptions,
    ) -> Self {
        Builder {
            gathered,
            names,
            owners,
            options,
            root: 0,
            drawn: HashSet::new(),
            beside: Vec::new(),
            more: 0,
        }
    }

    /// Builds the block of a subject.
    pub(super) fn block(&mut self, key: u128) -> Result<Option<Block>> {
        let Some(term) = self.gathered.term_of(key)? else { return Ok(None) };
        (self.root, self.more) = (key, 0);
        self.drawn = HashSet::from([key]);
        let subject = self.gathered.subjects.get(&key).copied().unwrap_or_default();
        let mark = self.mark_of(key)?;
        let side = if mark == Mark::Gone { Side::Old } else { Side::New };
        let graph = self.graph_of(key)?;
        let entries = self.entries(key, 0, graph.as_ref().unwrap_or(&TermBuf::DefaultGraph))?;
        let head = if is_blank(key) { self.telling(key, side)? } else { Vec::new() };
        let Subject { added, deleted, .. } = subject;
        Ok(Some(Block {
            mark,
            subject: term,
            head,
            label: self.label(key, side)?,
            classes: self.classes(key, side)?,
            graph,
            counts: Counts { added, deleted },
            entries,
            more: self.more,
        }))
    }

    /// Whether a subject is new, changed or gone.
    pub(super) fn mark_of(&mut self, key: u128) -> Result<Mark> {
        if !is_blank(key) {
            return Ok(self.gathered.subjects.get(&key).map_or(Mark::Changed, |one| self.gathered.mark(one)));
        }
        let [old, new] = [Side::Old, Side::New].map(|side| self.gathered.said(key, side));
        Ok(match (old?.is_empty(), new?.is_empty()) {
            _ if !self.gathered.has_base => Mark::Changed,
            (true, _) => Mark::New,
            (_, true) => Mark::Gone,
            _ => Mark::Changed,
        })
    }

    /// The named graph of all rows of a subject, if there is only one.
    fn graph_of(&mut self, key: u128) -> Result<Option<TermBuf>> {
        let ([deletes, adds], _) = self.gathered.rows_of(key)?;
        let mut all = deletes.into_iter().chain(adds).map(|said| said.graph);
        let first = all.next().filter(|graph| *graph != TermBuf::DefaultGraph);
        Ok(first.filter(|first| all.all(|other| other == *first)))
    }

    fn label(&mut self, key: u128, side: Side) -> Result<Option<TermBuf>> {
        let options = self.options;
        let all = self.gathered.labels_of(key, side, options)?;
        let rank = |said: &Said| {
            let tag = match said.object.as_term() {
                Term::Literal(Literal { kind: LiteralKind::Language(tag), .. }) => Some(tag.to_lowercase()),
                _ => None,
            };
            let language = match (&tag, &options.lang) {
                (Some(tag), Some(wanted)) if tag == wanted => 0,
                (None, _) => 1,
                (Some(tag), None) if tag == "en" || tag.starts_with("en-") => 2,
                _ => 3,
            };
            let text = said.object.as_term().to_string();
            (options.label_rank(&said.predicate.as_term()), language, text)
        };
        Ok(all.into_iter().min_by_key(rank).map(|said| said.object))
    }

    /// The classes of a subject, sorted by name.
    pub(super) fn classes(&mut self, key: u128, side: Side) -> Result<Vec<TermBuf>> {
        let mut classes =
            if is_blank(key) { self.said_classes(key, side)? } else { self.known_classes(key, side) };
        classes.sort_by_cached_key(|class| self.names.term(class));
        Ok(classes)
    }

    fn said_classes(&mut self, key: u128, side: Side) -> Result<Vec<TermBuf>> {
        let is_type = |said: &Said| is_iri(&said.predicate.as_term(), RDF, "type");
        let said = self.gathered.said(key, side)?;
        Ok(said.into_iter().filter(is_type).map(|said| said.object).collect())
    }

    fn known_classes(&self, key: u128, side: Side) -> Vec<TermBuf> {
        let types = &self.gathered.types;
        let start = types.partition_point(|row| row.0 < key);
        let rows = types[start..].iter().take_while(|row| row.0 == key);
        let there: BTreeSet<u128> = rows.filter(|row| row.2[side as usize]).map(|row| row.1).collect();
        there.into_iter().filter_map(|class| self.gathered.classes.get(&class).cloned()).collect()
    }

    /// The changes of a node and below it.
    fn entries(&mut self, key: u128, depth: usize, graph: &TermBuf) -> Result<Vec<Entry>> {
        let ([deletes, adds], more) = self.gathered.rows_of(key)?;
        self.more += more;
        let mut groups: BTreeMap<(bool, String, String), (TermBuf, TermBuf, Values)> = BTreeMap::new();
        let base = self.gathered.base_of(key)?;
        let mut kept = Vec::new();
        for said in base {
            let nodes = self.gathered.dirty_nodes(&said.object);
            if !nodes.is_empty() && !self.gathered.is_deleted(&said) {
                kept.extend(nodes.into_iter().map(|object| Said { object, ..said.clone() }));
            }
        }
        for (list, which) in [(deletes, 0), (adds, 1), (kept, 2)] {
            for Said { predicate, object, graph, .. } in list {
                let name = self.names.predicate(&predicate);
                let at = (name != "a", name, graph.as_term().to_string());
                let (_, _, values) = groups.entry(at).or_insert((predicate, graph, Values::default()));
                match which {
                    0 => values.deletes.push(object),
                    1 => values.adds.push(object),
                    _ => values.kept.push(object),
                }
            }
        }
        let mut entries = Vec::new();
        for (predicate, other, values) in groups.into_values() {
            let other = (other != *graph).then_some(other);
            self.values(&predicate, other.as_ref(), values, depth, graph, &mut entries)?;
        }
        Ok(entries)
    }

    fn values(
        &mut self,
        predicate: &TermBuf,
        graph: Option<&TermBuf>,
        values: Values,
        depth: usize,
        around: &TermBuf,
        out: &mut Vec<Entry>,
    ) -> Result<()> {
        let Values { mut deletes, mut adds, kept } = values;
        for node in kept {
            self.inside(Some(predicate), &node, depth, around, out)?;
        }
        // a list whose first cell changed is a list that changed
        while let Some((old, new)) = self.lists_of(&deletes, &adds)? {
            let (old, new) = (deletes.remove(old), adds.remove(new));
            self.list_inside(Some(predicate), &old, &new, depth, around, out)?;
        }
        let change = |op, old, new| Entry::Change {
            op,
            path: Some(predicate.clone()),
            graph: graph.cloned(),
            old,
            new,
        };
        if let ([old], [new]) = (&deletes[..], &adds[..])
            && !matches!((old, new), (TermBuf::BlankNode(_), _) | (_, TermBuf::BlankNode(_)))
        {
            let (old, new) = (self.value(old, Side::Old)?, self.value(new, Side::New)?);
            out.push(change(Op::Replace, Some(old), Some(new)));
            return self.put_beside(predicate, depth, around, out);
        }
        for (terms, side) in [(deletes, Side::Old), (adds, Side::New)] {
            let shown = terms.iter().map(|term| self.value(term, side));
            let mut shown = shown.collect::<Result<Vec<_>>>()?;
            shown.sort_by_cached_key(|value| value.text(self.names));
            out.extend(shown.into_iter().map(|value| match side {
                Side::Old => change(Op::Delete, Some(value), None),
                Side::New => change(Op::Add, None, Some(value)),
            }));
        }
        self.put_beside(predicate, depth, around, out)
    }

    /// Adds the changes of blank nodes in the last values that the values do not show.
    fn put_beside(
        &mut self,
        predicate: &TermBuf,
        depth: usize,
        graph: &TermBuf,
        out: &mut Vec<Entry>,
    ) -> Result<()> {
        for node in std::mem::take(&mut self.beside) {
            self.inside(Some(predicate), &node, depth, graph, out)?;
        }
        Ok(())
    }

    /// The changes below a blank node that stays.
    pub(super) fn inside(
        &mut self,
        path: Option<&TermBuf>,
        node: &TermBuf,
        depth: usize,
        graph: &TermBuf,
        out: &mut Vec<Entry>,
    ) -> Result<()> {
        let key = self.gathered.keys.of(&node.as_term());
        if let Some(owner) = self.owners.of(key).filter(|&owner| owner != self.root) {
            if let Some(subject) = self.gathered.term_of(owner)? {
                out.push(Entry::See { path: path.cloned(), subject });
            }
            return Ok(());
        }
        if !self.drawn.insert(key) {
            return Ok(());
        }
        if depth >= MOST_DEPTH {
            self.more += 1;
            return Ok(());
        }
        if self.changes_as_list(node)? {
            return self.list_inside(path, node, node, depth, graph, out);
        }
        let entries = self.entries(key, depth + 1, graph)?;
        if !entries.is_empty() {
            let head = Head::Node(self.telling(key, Side::New)?);
            out.push(Entry::Inside { path: path.cloned(), head, entries });
        }
        Ok(())
    }

    /// Up to two values that identify a blank node among its siblings.
    fn telling(&mut self, key: u128, side: Side) -> Result<Vec<(TermBuf, TermBuf)>> {
        let said = self.gathered.said(key, side)?;
        let mut found = Vec::new();
        for (space, name) in TELLING {
            let is_it = |said: &&Said| {
                iri_of(&said.predicate)
                    .and_then(|iri| iri.strip_prefix(space))
                    .is_some_and(|rest| rest == name)
            };
            let mut values = said.iter().filter(is_it);
            if let (Some(one), None) = (values.next(), values.next())
                && !matches!(one.object, TermBuf::BlankNode(_))
            {
                found.push((one.predicate.clone(), one.object.clone()));
            }
        }
        found.truncate(2);
        found.sort_by_cached_key(|(predicate, _)| {
            let name = self.names.predicate(predicate);
            (name != "a", name)
        });
        Ok(found)
    }

    /// A value with the properties of its blank nodes.
    pub(super) fn value(&mut self, term: &TermBuf, side: Side) -> Result<Value> {
        self.value_within(term, side, VALUE_DEPTH, &mut { VALUE_TERMS })
    }

    fn value_within(&mut self, term: &TermBuf, side: Side, depth: usize, left: &mut usize) -> Result<Value> {
        if *left == 0 {
            return Ok(Value::Cut);
        }
        *left -= 1;
        if !matches!(term, TermBuf::BlankNode(_)) {
            self.beside.extend(self.gathered.dirty_nodes(term));
            return Ok(Value::Term(term.clone()));
        }
        if depth == 0 {
            return Ok(Value::Cut);
        }
        let (key, other) = (self.gathered.keys.of(&term.as_term()), side.other());
        if self.gathered.has_rows(key, other) && !self.owners.is_reached(key, other) {
            self.beside.push(term.clone());
        }
        if let Some(items) = self.items(term, side)? {
            let mut values = Vec::new();
            for (_, item) in items {
                values.push(self.value_within(&item, side, depth - 1, left)?);
                if *left == 0 {
                    break;
                }
            }
            return Ok(Value::List(values));
        }
        let mut groups: BTreeMap<(bool, String), (TermBuf, Vec<TermBuf>)> = BTreeMap::new();
        for Said { predicate, object, .. } in self.gathered.said(key, side)? {
            let name = self.names.predicate(&predicate);
            groups.entry((name != "a", name)).or_insert((predicate, Vec::new())).1.push(object);
        }
        let mut said = Vec::new();
        for (predicate, objects) in groups.into_values() {
            let values = objects.iter().map(|object| self.value_within(object, side, depth - 1, left));
            let mut values = values.collect::<Result<Vec<_>>>()?;
            values.sort_by_cached_key(|value| value.text(self.names));
            let is_cut = *left == 0;
            said.push((predicate, values));
            if is_cut {
                break;
            }
        }
        // without the dataset, the properties of a node are known only from rows
        if said.is_empty() && !self.gathered.has_base {
            return Ok(Value::Unknown);
        }
        Ok(Value::Node(said))
    }
}
