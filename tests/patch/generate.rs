//! Logs and datasets of few terms, so that quads meet often.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::model::{Patch, Quad, Row};

const SUBJECTS: [&str; 3] = ["<a:s>", "_:b", "<a:S>"];
const PREDICATES: [&str; 2] = ["<a:p>", "<a:q>"];
const OBJECTS: [&str; 9] = [
    "\"x\"@en",
    "\"x\"@EN",
    "\"x\"@En--ltr",
    "\"x\"",
    "\"X\"",
    "\"5\"^^<http://www.w3.org/2001/XMLSchema#integer>",
    "_:b",
    "<<( <a:s> <a:p> \"x@EN \\\" y\" )>>",
    "<a:o>",
];
const GRAPHS: [&str; 4] = ["", "", "<a:g>", "_:b"];
const NAMES: [&str; 2] = ["e", ""];
const NAMESPACES: [&str; 3] = ["http://e/", "http://f#", "a:"];

pub fn quad() -> impl Strategy<Value = Quad> {
    (select(&SUBJECTS[..]), select(&PREDICATES[..]), select(&OBJECTS[..]), select(&GRAPHS[..]))
        .prop_map(|(s, p, o, g)| [s, p, o, g].map(str::to_owned))
}

pub fn quads() -> impl Strategy<Value = Vec<Quad>> {
    vec(quad(), 0..25)
}

fn change() -> impl Strategy<Value = Row> {
    let graph = prop_oneof![4 => Just(""), 1 => Just("<a:g>")];
    let added = (select(&NAMES[..]), select(&NAMESPACES[..]), graph.clone())
        .prop_map(|(name, iri, graph)| Row::AddPrefix(name.into(), iri.into(), graph.into()));
    let deleted =
        (select(&NAMES[..]), graph).prop_map(|(name, graph)| Row::DeletePrefix(name.into(), graph.into()));
    prop_oneof![
        8 => quad().prop_map(Row::Add),
        6 => quad().prop_map(Row::Delete),
        1 => added,
        1 => deleted,
    ]
}

/// Rows in and out of transactions; `odd` ones are stray or unfinished now and then.
pub fn patch(odd: bool) -> impl Strategy<Value = Patch> {
    let end =
        prop_oneof![4 => Just(Some(Row::Commit)), 1 => Just(Some(Row::Abort)), u32::from(odd) => Just(None)];
    let begin = prop_oneof![20 => Just(Some(Row::Begin)), u32::from(odd) => Just(None)];
    let transaction = (begin, vec(change(), 0..12), end)
        .prop_map(|(begin, rows, end)| begin.into_iter().chain(rows).chain(end).collect::<Vec<_>>());
    let group = prop_oneof![3 => transaction, 1 => vec(change(), 0..4)];
    vec(group, 0..4).prop_map(|groups| groups.concat())
}

/// Patches without headers.
pub fn log(odd: bool) -> impl Strategy<Value = Vec<Patch>> {
    vec(patch(odd), 0..5)
}

/// Gives patches ids that form a chain.
pub fn chained(mut log: Vec<Patch>) -> Vec<Patch> {
    for (at, patch) in log.iter_mut().enumerate() {
        let id = |at: usize| format!("<urn:patch:{at}>");
        patch.insert(0, Row::Header("id", id(at + 1)));
        patch.insert(1, Row::Header("PREV", id(at)));
    }
    log
}

/// RDF Patch text; every patch has its mark.
pub fn text(log: &[Patch]) -> String {
    let mut out = String::new();
    for patch in log {
        for row in patch {
            let line = match row {
                Row::Header(key, value) => format!("H {key} {value} ."),
                Row::AddPrefix(name, iri, graph) => format!("PA \"{name}\" <{iri}> {graph} ."),
                Row::DeletePrefix(name, graph) => format!("PD \"{name}\" {graph} ."),
                Row::Add(quad) => format!("A {} .", quad.join(" ")),
                Row::Delete(quad) => format!("D {} .", quad.join(" ")),
                Row::Begin => "TX .".to_owned(),
                Row::Commit => "TC .".to_owned(),
                Row::Abort => "TA .".to_owned(),
            };
            out.push_str(&line);
            out.push('\n');
        }
        out.push_str("Z .\n");
    }
    out
}

/// N-Quads as the crate writes them.
pub fn nquads(quads: &[Quad]) -> String {
    let line = |[s, p, o, g]: &Quad| {
        let space = if g.is_empty() { "" } else { " " };
        format!("{s} {p} {o} {g}{space}.\n")
    };
    quads.iter().map(line).collect()
}
