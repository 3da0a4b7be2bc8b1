//! Rows of Jelly-Patch.

use super::{Term, bytes, entry, member, spo};

pub const TRIPLES: u64 = 1;
pub const QUADS: u64 = 2;
pub const FRAME: u64 = 1;
pub const FLAT: u64 = 2;
pub const PUNCTUATED: u64 = 3;

pub fn options(stream: u64, statements: u64) -> Vec<u8> {
    options_but(stream, statements, &[])
}

pub fn options_but(stream: u64, statements: u64, changes: &[(u32, Option<u64>)]) -> Vec<u8> {
    let (first, last) = ([(1, statements), (2, stream)], [(9, 8), (10, 4), (11, 4), (15, 1)]);
    let fields = [&first[..], &[(3, 1), (4, 1)], &last].concat();
    bytes(1, super::changed(&fields, changes))
}

pub fn name(id: u64, value: impl AsRef<[u8]>) -> Vec<u8> {
    entry(11, id, value)
}

pub fn prefix(id: u64, value: impl AsRef<[u8]>) -> Vec<u8> {
    entry(12, id, value)
}

pub fn add(terms: [Term; 3], graph: Option<&Term>) -> Vec<u8> {
    statement(2, terms, graph)
}

pub fn delete(terms: [Term; 3], graph: Option<&Term>) -> Vec<u8> {
    statement(3, terms, graph)
}

fn statement(field: u32, terms: [Term; 3], graph: Option<&Term>) -> Vec<u8> {
    let graph = graph.map(|graph| member(13, graph)).unwrap_or_default();
    bytes(field, [spo(terms), graph].concat())
}

/// PA is field 4, PD field 5.
pub fn namespace(field: u32, name: &str, ids: Option<Vec<u8>>, graph: Option<&Term>) -> Vec<u8> {
    let ids = ids.map(|ids| bytes(2, ids)).unwrap_or_default();
    let graph = graph.map(|graph| member(3, graph)).unwrap_or_default();
    bytes(field, [bytes(1, name), ids, graph].concat())
}

pub fn header(key: &str, value: &Term) -> Vec<u8> {
    bytes(14, [bytes(1, key), member(2, value)].concat())
}

pub fn tx() -> Vec<u8> {
    bytes(6, [])
}

pub fn commit() -> Vec<u8> {
    bytes(7, [])
}

pub fn abort() -> Vec<u8> {
    bytes(8, [])
}

pub fn mark() -> Vec<u8> {
    bytes(15, [])
}

/// Adds a statement of blank nodes with this object.
pub fn plain_add(object: &str) -> Vec<u8> {
    add(["s", "p", object].map(super::blank), Some(&super::default_graph()))
}
