//! The first and the last change of each prefix.

use std::collections::{BTreeMap, HashMap};

use crate::sink::PatchOp;
use crate::term::{Term, TermBuf};

/// An operation on a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PrefixOp {
    /// The prefix gets this namespace.
    Add(String),
    /// The prefix is deleted; its namespace, if known.
    Delete(Option<String>),
}

impl PrefixOp {
    /// The name and graph of the prefix that a row changes, and the operation.
    pub(crate) fn of<'a>(op: &PatchOp<'a>) -> Option<(&'a str, Term<'a>, Self)> {
        match *op {
            PatchOp::AddPrefix { name, iri, graph } => Some((name, graph, PrefixOp::Add(iri.to_string()))),
            PatchOp::DeletePrefix { name, iri, graph } => {
                Some((name, graph, PrefixOp::Delete(iri.map(|iri| iri.to_string()))))
            }
            _ => None,
        }
    }
}

/// A prefix that was changed.
#[derive(Clone, Debug)]
pub(crate) struct Prefix {
    pub(crate) graph: TermBuf,
    pub(crate) name: String,
    pub(crate) first: PrefixOp,
    pub(crate) last: PrefixOp,
    /// The namespace in a base that was looked up.
    pub(crate) in_base: Option<String>,
}

impl Prefix {
    /// The namespace after all changes.
    pub(crate) fn after(&self) -> Option<&str> {
        match &self.last {
            PrefixOp::Add(iri) => Some(iri),
            PrefixOp::Delete(_) => None,
        }
    }

    /// Whether the prefix belongs to the dataset, not to a named graph.
    pub(crate) fn is_of_the_dataset(&self) -> bool {
        self.graph == TermBuf::DefaultGraph
    }
}

/// Prefixes with their graphs and names, in the order of their first change.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    list: Vec<Prefix>,
    places: HashMap<(String, String), usize>,
}

impl Prefixes {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Prefix> {
        self.list.iter()
    }

    /// The prefix with a name and graph, if it was changed.
    pub(crate) fn get_mut(&mut self, name: &str, graph: &Term<'_>) -> Option<&mut Prefix> {
        let place = *self.places.get(&(graph.to_string(), name.to_owned()))?;
        self.list.get_mut(place)
    }

    /// Adds a change.
    pub(crate) fn change(&mut self, name: &str, graph: &Term<'_>, op: PrefixOp) {
        if let Some(prefix) = self.get_mut(name, graph) {
            prefix.last = op;
            return;
        }
        self.places.insert((graph.to_string(), name.to_owned()), self.list.len());
        self.list.push(Prefix {
            graph: (*graph).into(),
            name: name.to_owned(),
            first: op.clone(),
            last: op,
            in_base: None,
        });
    }

    /// Looks up the namespaces of the prefixes in a base.
    pub(crate) fn look_up(&mut self, base: &BTreeMap<String, String>) {
        for prefix in self.list.iter_mut().filter(|prefix| prefix.is_of_the_dataset()) {
            prefix.in_base = base.get(&prefix.name).cloned();
        }
    }
}
