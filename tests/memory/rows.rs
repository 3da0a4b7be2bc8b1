//! What readers of text and Thrift keep from row to row, all of it at once.

use jelly_patch::arrow::ReadOptions;
use jelly_patch::{PatchFormat, RdfFormat};

use crate::{Reading, options, patch, rdf};
use jelly_patch::decode::Framing;

const MIB: usize = 1 << 20;

fn long(letter: &str, mebibytes: usize) -> String {
    letter.repeat(mebibytes * MIB)
}

fn of_patches(format: PatchFormat) -> ReadOptions {
    let mut options = options(Framing::Auto);
    options.open.patch_format = Some(format);
    options
}

fn of_statements(format: RdfFormat) -> ReadOptions {
    let mut options = options(Framing::Auto);
    options.open.rdf_format = Some(format);
    options
}

/// Rows of the text: so many prefixes of 15 MiB, `@prefix`es, and statements with long terms that may repeat.
fn text(prefixes: usize, declared: usize, length: usize) -> impl Iterator<Item = Vec<u8>> {
    let prefixes = (0..prefixes).map(|n| format!("PA \"{n}{}\" <u:> .\n", long("x", 7)));
    let declared = (0..declared).map(|n| format!("@prefix p{n}: <u:{}> .\n", long("n", 15)));
    let value = |letter| format!("\"{}\\n\"", long(letter, length));
    let rows = [
        format!("A {} {} <u:o> <u:g> .\n", value("a"), value("b")),
        format!("A R R {} {} .\n", value("c"), value("d")),
        "A R R R R .\n".to_owned(),
    ];
    prefixes.chain(declared).chain(rows).map(String::into_bytes)
}

fn v1(prefixes: usize, declared: usize, length: usize) -> Reading {
    patch(text(prefixes, declared, length), &of_patches(PatchFormat::RdfPatchV1)).bounded()
}

#[test]
fn last_terms_and_prefixes_of_v1() {
    for (prefixes, declared, length) in [(4, 0, 14), (0, 3, 14), (4, 1, 0)] {
        let reading = v1(prefixes, declared, length);
        assert_eq!(reading.error.expect("too much").limit_name(), Some("lookup_bytes"));
    }
    let reading = v1(0, 0, 15);
    assert_eq!((reading.slug(), reading.rows), ("", 4));
    assert_eq!(v1(3, 0, 1).slug(), "");
    assert_eq!(v1(0, 4, 0).slug(), "");
}

/// Names that are short and stand for long IRIs.
#[test]
fn prefixed_names_of_v1() {
    for (length, slug) in [(15, "limit.lookup_bytes"), (20, "limit.term_bytes"), (10, "")] {
        let declared = format!("@prefix n: <u:{}> .\n", long("n", length));
        let rows = (0..2).map(|_| "A n:s n:p n:o n:g .\nA n:a n:b \"\"^^n:c n:d .\n".to_owned());
        let text = std::iter::once(declared).chain(rows).map(String::into_bytes);
        assert_eq!(patch(text, &of_patches(PatchFormat::RdfPatchV1)).bounded().slug(), slug);
    }
}

/// Prefixes, and then rows of terms that are as long as they get and have to be unescaped.
#[test]
fn prefixes_and_long_rows_of_text() {
    let prefixes = (0..4).map(|n| format!("PA \"{n}{}\" <u:> .\n", long("x", 7)));
    let rows = (0..3).map(|_| {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|letter| long(letter, 7));
        format!("A <u:\\u0061{a}> <u:\\u0061{b}> \"\\n{c}\" <u:\\u0061{d}> .\n")
    });
    let rows = prefixes.chain(rows).map(String::into_bytes);
    let reading = patch(rows, &of_patches(PatchFormat::RdfPatch)).bounded();
    assert_eq!((reading.rows, reading.slug()), (8, ""));
}

#[test]
fn long_rows_of_lines() {
    let rows = (0..4).map(|n| {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|letter| long(letter, if n < 3 { 7 } else { 1 }));
        format!("<u:\\u0061{a}> <u:\\u0061{b}> \"\\n{c}\" <u:\\u0061{d}> .\n").into_bytes()
    });
    let reading = rdf(rows, &of_statements(RdfFormat::NQuads)).bounded();
    assert_eq!((reading.rows, reading.slug()), (4, ""));
}

/// A number of compact Thrift.
fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A field whose value is a string, after the header byte of the field.
fn string(header: u8, value: &str) -> Vec<u8> {
    [vec![header], varint(value.len()), value.as_bytes().to_vec()].concat()
}

const REPEAT: &[u8] = &[0x8c, 0, 0];

fn iri(value: &str) -> Vec<u8> {
    [vec![0x1c], string(0x18, value), vec![0, 0]].concat()
}

/// A literal with a datatype.
fn literal(value: &str, datatype: &str) -> Vec<u8> {
    [vec![0x3c], string(0x18, value), string(0x28, datatype), vec![0, 0]].concat()
}

/// `dataAdd` of four terms.
fn add(terms: [&[u8]; 4]) -> Vec<u8> {
    let mut row = vec![0x2c];
    for term in terms {
        row.push(0x1c);
        row.extend_from_slice(term);
    }
    row.extend([0, 0]);
    row
}

fn prefix(label: &str) -> Vec<u8> {
    [vec![0x4c], string(0x28, label), string(0x18, "u:"), vec![0, 0]].concat()
}

fn thrift(prefixes: usize, length: usize) -> Reading {
    let prefixes = (0..prefixes).map(|n| prefix(&format!("{n}{}", long("x", 7))));
    let [a, b] = ["a", "b"].map(|letter| iri(&format!("u:{}", long(letter, length))));
    let short = iri("u:o");
    let rows = [
        add([&a, &b, &short, &short]),
        add([REPEAT, REPEAT, &b, &a]),
        add([REPEAT; 4]),
        // other kinds of terms in the same places
        add([&literal("", &long("c", length)), REPEAT, &literal(&long("d", length), ""), REPEAT]),
        add([REPEAT, &short, REPEAT, &short]),
    ];
    patch(prefixes.chain(rows), &of_patches(PatchFormat::Thrift)).bounded()
}

#[test]
fn last_terms_and_prefixes_of_thrift() {
    let reading = thrift(4, 15);
    assert_eq!(reading.error.expect("too much").limit_name(), Some("lookup_bytes"));
    let reading = thrift(0, 15);
    assert_eq!((reading.slug(), reading.rows), ("", 6));
    assert_eq!(thrift(4, 0).slug(), "");
    assert_eq!(thrift(3, 3).slug(), "");
}

#[test]
fn prefixes_of_turtle() {
    let mut options = of_statements(RdfFormat::Turtle);
    let limits = &mut options.open.decode.limits;
    (limits.lookup_bytes, limits.term_bytes, limits.row_bytes) = (8 * MIB, MIB, MIB);
    let prefixes = |count: usize| {
        let prefixes = (0..count).map(move |n| format!("@prefix p{n}: <u:{n}{}> .\n", "x".repeat(10 << 10)));
        let end = std::iter::once("<u:s> <u:p> <u:o> .\n".to_owned());
        rdf(prefixes.chain(end).map(String::into_bytes), &options).bounded()
    };
    assert_eq!(prefixes(100).slug(), "");
    assert_eq!(prefixes(500).slug(), "limit.lookup_bytes"); // with those of the reader
    assert_eq!(prefixes(1000).slug(), "limit.lookup_bytes");
}
