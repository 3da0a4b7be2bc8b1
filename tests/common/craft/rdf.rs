//! Rows of Jelly-RDF.

use super::{Term, bytes, entry, member, number, spo};

pub const TRIPLES: u64 = 1;
pub const QUADS: u64 = 2;
pub const GRAPHS: u64 = 3;

/// Tables of 8, 4 and 4; everything declared.
pub fn options(physical: u64) -> Vec<u8> {
    options_but(physical, &[])
}

/// Options with some fields set otherwise; `None` leaves one out.
pub fn options_but(physical: u64, changes: &[(u32, Option<u64>)]) -> Vec<u8> {
    let fields = [(2, physical), (3, 1), (4, 1), (9, 8), (10, 4), (11, 4), (15, 2)];
    bytes(1, super::changed(&fields, changes))
}

pub fn name(id: u64, value: impl AsRef<[u8]>) -> Vec<u8> {
    entry(9, id, value)
}

pub fn prefix(id: u64, value: impl AsRef<[u8]>) -> Vec<u8> {
    entry(10, id, value)
}

pub fn datatype(id: u64, value: impl AsRef<[u8]>) -> Vec<u8> {
    entry(11, id, value)
}

pub fn triple(terms: [Term; 3]) -> Vec<u8> {
    bytes(2, spo(terms))
}

pub fn quad(terms: [Term; 3], graph: &Term) -> Vec<u8> {
    bytes(3, [spo(terms), member(13, graph)].concat())
}

pub fn graph_start(graph: &Term) -> Vec<u8> {
    bytes(4, member(1, graph))
}

pub fn graph_end() -> Vec<u8> {
    bytes(5, [])
}

pub fn namespace(name: &str, ids: Vec<u8>) -> Vec<u8> {
    bytes(6, [bytes(1, name), bytes(2, ids)].concat())
}

pub fn version(number_: u64) -> Vec<u8> {
    options_but(TRIPLES, &[(15, (number_ > 0).then_some(number_))])
}

/// A statement of blank nodes.
pub fn plain_triple() -> Vec<u8> {
    triple(["s", "p", "o"].map(super::blank))
}

/// Metadata of a frame, as a field beside its rows.
pub fn metadata(key: &str, value: &[u8]) -> Vec<u8> {
    bytes(15, [bytes(1, key), bytes(2, value)].concat())
}

/// A field of options with a number.
pub fn option(field: u32, value: u64) -> Vec<u8> {
    number(field, value)
}
