//! What is kept from row to row, all of it at once.

use jelly_patch::arrow::ReadOptions;
use jelly_patch::decode::Framing;

use crate::common::craft::{
    Frames, Term, bytes, default_graph, ids, iri, literal_graph, member, patch, rdf, spo, text, varint,
};
use crate::{Reading, limited, options, patch as read_patch, rdf as read_rdf};

const MIB: usize = 1 << 20;

fn one(row: Vec<u8>) -> Vec<u8> {
    Frames::one(&[row]).bytes()
}

fn long(letter: &str, mebibytes: usize) -> String {
    letter.repeat(mebibytes * MIB)
}

/// Last terms of these lengths in all four places, set one by one and then again and again; `field` is that of
/// the row.
fn terms(field: u32, length: usize) -> impl Iterator<Item = Vec<u8>> {
    let first = [spo([text(&long("a", length)), iri(0, 8), iri(0, 8)]), member(13, &iri(0, 8))].concat();
    let one_by_one = [(5, "b"), (9, "c"), (13, "d")];
    let again = (0..12).map(move |_| {
        [member(9, &text(&long("e", length))), member(13, &graph(&long("f", length)))].concat()
    });
    let rows = one_by_one.map(|(first, letter)| match first {
        13 => member(13, &graph(&long(letter, length))),
        _ => member(first, &text(&long(letter, length))),
    });
    std::iter::once(first).chain(rows).chain(again).map(move |row| bytes(field, row))
}

fn graph(value: &str) -> Term {
    literal_graph(bytes(1, value))
}

fn patches(names: usize, prefixes: usize, length: usize, options_: &ReadOptions) -> Reading {
    let start = one(patch::options(patch::FLAT, patch::QUADS));
    let entries =
        (0..names).map(|n| one(patch::name(n as u64 + 1, long("n", 12)))).chain([one(patch::name(8, "p"))]);
    let prefixes = (0..prefixes).map(|n| {
        let label = format!("{n}{}", long("x", 7));
        one(patch::namespace(4, &label, Some(ids(0, 8)), Some(&default_graph())))
    });
    let stream = std::iter::once(start).chain(entries).chain(prefixes).chain(terms(2, length).map(one));
    read_patch(stream, options_).bounded()
}

fn quads(names: usize, namespaces: usize, length: usize, metadata: usize) -> Reading {
    let start = one(rdf::options(rdf::QUADS));
    let entries =
        (0..names).map(|n| one(rdf::name(n as u64 + 1, long("n", 12)))).chain([one(rdf::name(8, "p"))]);
    let namespaces = (0..namespaces).map(|n| one(rdf::namespace(&format!("{n}{}", long("x", 7)), ids(0, 8))));
    let field = rdf::metadata("k", long("v", metadata).as_bytes());
    let frames = terms(3, length).map(move |row| {
        let row = bytes(1, row);
        [varint((field.len() + row.len()) as u64), field.clone(), row].concat()
    });
    let stream = std::iter::once(start).chain(entries).chain(namespaces).chain(frames);
    read_rdf(stream, &options(Framing::Delimited)).bounded()
}

fn committed() -> ReadOptions {
    let mut options_ = options(Framing::Delimited);
    options_.open.committed = true;
    options_
}

#[test]
fn tables_prefixes_and_last_terms_of_patches() {
    let reading = patches(5, 4, 15, &options(Framing::Delimited));
    assert_eq!(reading.error.expect("too much").limit_name(), Some("lookup_bytes"));
    // each of them alone
    assert_eq!(patches(5, 0, 0, &options(Framing::Delimited)).slug(), "");
    assert_eq!(patches(0, 4, 0, &options(Framing::Delimited)).slug(), "");
    assert_eq!(patches(0, 0, 15, &options(Framing::Delimited)).slug(), "");
}

#[test]
fn committed_rows_take_two_decoders() {
    assert_eq!(patches(5, 4, 15, &committed()).slug(), "limit.lookup_bytes");
    assert_eq!(patches(0, 0, 15, &committed()).slug(), "limit.lookup_bytes");
    assert_eq!(patches(0, 0, 7, &committed()).slug(), "");
    assert_eq!(patches(2, 0, 0, &committed()).slug(), "");
}

#[test]
fn tables_namespaces_metadata_and_last_terms_of_statements() {
    assert_eq!(quads(5, 4, 15, 31).slug(), "limit.lookup_bytes");
    assert_eq!(quads(0, 4, 15, 1).slug(), "limit.lookup_bytes");
    assert_eq!(quads(0, 0, 10, 20).slug(), "");
    assert_eq!(quads(2, 1, 5, 1).slug(), "");
}

/// All that may be kept, and batches as large as they get: full of small rows and then one that is huge.
#[test]
fn small_rows_and_then_the_largest() {
    let names = (1..=4).map(|id| one(rdf::name(id, long("n", 15))));
    let small = rdf::quad([text("s"), text("p"), text(&long("o", 1))], &graph("g"));
    let large = bytes(3, [spo([iri(0, 1), iri(0, 2), iri(0, 3)]), member(13, &iri(0, 4))].concat());
    let rows = (0..4).flat_map(move |_| {
        let small = (0..14).map(|_| one(small.clone())).collect::<Vec<_>>();
        small.into_iter().chain([one(large.clone())])
    });
    let stream = std::iter::once(one(rdf::options(rdf::QUADS))).chain(names).chain(rows);
    let reading = read_rdf(stream, &limited(|limits| limits.expansion = 0)).bounded();
    assert_eq!((reading.rows, reading.slug()), (60, ""));
}
