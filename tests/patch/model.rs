//! What patches mean, with sets and nothing else.

use std::collections::{BTreeMap, HashMap, HashSet};

/// Subject, predicate, object and graph as canonical text.
pub type Quad = [String; 4];

/// A row of a log.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    Header(&'static str, String),
    AddPrefix(String, String, String),
    DeletePrefix(String, String),
    Add(Quad),
    Delete(Quad),
    Begin,
    Commit,
    Abort,
}

pub type Patch = Vec<Row>;

/// Language tags in lower case.
pub fn key(quad: &Quad) -> Quad {
    quad.clone().map(|term| match term.rfind("\"@") {
        Some(at) => format!("{}{}", &term[..at], term[at..].to_lowercase()),
        None => term,
    })
}

/// The rows that count, patch by patch, or why there are none.
pub fn committed(log: &[Patch]) -> Result<Vec<Vec<Row>>, &'static str> {
    log.iter().map(|patch| committed_of(patch)).collect()
}

fn committed_of(patch: &Patch) -> Result<Vec<Row>, &'static str> {
    let (mut all, mut open): (Vec<Row>, Option<Vec<Row>>) = (Vec::new(), None);
    for row in patch {
        match (row, &mut open) {
            (Row::Begin, None) => open = Some(Vec::new()),
            (Row::Begin, Some(_)) => return Err("patch.unfinished"),
            (Row::Commit | Row::Abort, None) => return Err("patch.stray"),
            (Row::Commit, Some(rows)) => {
                all.append(rows);
                open = None;
            }
            (Row::Abort, Some(_)) => open = None,
            (Row::Header(..), _) => {}
            (row, Some(rows)) => rows.push(row.clone()),
            (row, None) => all.push(row.clone()),
        }
    }
    if open.is_some() { Err("patch.unfinished") } else { Ok(all) }
}

/// A dataset: quads in their order, and prefixes of graphs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dataset {
    pub quads: Vec<Quad>,
    pub prefixes: BTreeMap<(String, String), String>,
}

impl Dataset {
    pub fn keys(&self) -> HashSet<Quad> {
        self.quads.iter().map(key).collect()
    }

    /// The base minus net deletes, in its order, then net adds in order of first add; what is added is spelled as it
    /// was added last, also where the base has it.
    pub fn apply(&self, rows: &[Row]) -> Dataset {
        let mut last: HashMap<Quad, bool> = HashMap::new();
        let (mut order, mut spelled) = (Vec::new(), HashMap::new());
        let mut prefixes = self.prefixes.clone();
        for row in rows {
            match row {
                Row::Add(quad) => {
                    if spelled.insert(key(quad), quad.clone()).is_none() {
                        order.push(key(quad));
                    }
                    last.insert(key(quad), true);
                }
                Row::Delete(quad) => drop(last.insert(key(quad), false)),
                Row::AddPrefix(name, iri, graph) => {
                    drop(prefixes.insert((graph.clone(), name.clone()), iri.clone()));
                }
                Row::DeletePrefix(name, graph) => {
                    drop(prefixes.remove(&(graph.clone(), name.clone())));
                }
                _ => {}
            }
        }
        let before = self.keys();
        let stays = |quad: &&Quad| last.get(&key(quad)) != Some(&false);
        let respelled = |quad: &Quad| spelled.get(&key(quad)).unwrap_or(quad).clone();
        let mut quads: Vec<_> = self.quads.iter().filter(stays).map(respelled).collect();
        let added = order.into_iter().filter(|key| last[key] && !before.contains(key));
        quads.extend(added.map(|key| spelled[&key].clone()));
        Dataset { quads, prefixes }
    }
}
