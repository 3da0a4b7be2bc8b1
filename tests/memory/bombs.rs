//! Few bytes that become much.

use jelly_patch::decode::Framing;

use crate::common::craft::{
    Frames, blank, bytes, iri, literal, literal_graph, member, number, patch, quoted, rdf, spo, text, varint,
};
use crate::{limited, options, patch as read_patch, rdf as read_rdf};

const MIB: usize = 1 << 20;

/// A frame with these rows, in pieces, so that a long one is not copied as a whole.
fn frame(rows: Vec<Vec<u8>>) -> impl Iterator<Item = Vec<u8>> {
    let length: usize = rows.iter().map(|row| row.len() + header(row.len()).len()).sum();
    let rows = rows.into_iter().flat_map(|row| [header(row.len()), row]);
    std::iter::once(varint(length as u64)).chain(rows)
}

fn header(length: usize) -> Vec<u8> {
    [vec![0x0a], varint(length as u64)].concat()
}

/// The file of the design: an IRI of 1 MiB, repeated in rows of 4 bytes.
fn repeated(rows: usize) -> impl Iterator<Item = Vec<u8>> {
    let first = vec![
        rdf::options(rdf::TRIPLES),
        rdf::name(1, "x".repeat(MIB)),
        rdf::triple([iri(0, 1), blank("p"), blank("o")]),
    ];
    let many = (0..rows / 100).flat_map(|_| frame(vec![bytes(2, []); 100]));
    frame(first).chain(many)
}

#[test]
fn one_megabyte_becomes_three_gigabytes_within_the_bound() {
    let reading = read_rdf(repeated(3_000), &limited(|limits| limits.expansion = 0)).bounded();
    assert_eq!((reading.rows, reading.slug()), (3_001, ""));
    assert!(reading.bytes > 3_000 << 20);
}

#[test]
fn one_megabyte_stops_at_the_expansion_limit() {
    let reading = read_rdf(repeated(3_000), &options(Framing::Delimited)).bounded();
    assert_eq!(reading.slug(), "limit.expansion");
    let error = reading.error.expect("an error");
    assert_eq!(error.limit_name(), Some("expansion"));
    assert!(reading.rows > 500 && reading.rows < 1_200, "{} rows", reading.rows);
}

/// All four terms as long as they may be, in every row.
#[test]
fn longest_terms_in_all_columns() {
    let long = "x".repeat(15 * MIB);
    let rows = vec![
        rdf::options(rdf::QUADS),
        rdf::name(1, &long),
        bytes(3, [spo([iri(0, 1), iri(0, 1), iri(0, 1)]), member(13, &iri(0, 1))].concat()),
        bytes(3, []),
        bytes(3, []),
        bytes(3, []),
        bytes(3, []),
        bytes(3, []),
    ];
    let reading = read_rdf(frame(rows), &limited(|limits| limits.expansion = 0)).bounded();
    assert_eq!((reading.rows, reading.slug()), (6, ""));
}

/// A long name of the stream, long last terms, tables full of long names, and rows of nothing else.
#[test]
fn everything_at_once() {
    let long = |letter: &str, length: usize| letter.repeat(length * MIB);
    let quad = |parts: &[Vec<u8>]| bytes(3, parts.concat());
    let names = |length| (1..=4).map(move |id| rdf::name(id, "n".repeat(length * MIB)));
    let name = bytes(1, long("n", 4));
    let options_ = bytes(1, [rdf::options(rdf::QUADS)[2..].to_vec(), name].concat());
    let terms = [
        member(1, &blank(long("s", 7))),
        member(5, &blank(long("p", 7))),
        member(9, &text(&long("o", 7))),
        member(13, &blank(long("g", 7))),
    ];
    let iris = quad(&[spo([iri(0, 1), iri(0, 2), iri(0, 3)]), member(13, &iri(0, 4))]);
    let again = || vec![bytes(3, []); 3];
    let rows: Vec<_> =
        [vec![options_, quad(&terms)], names(6).collect(), again(), vec![iris], again()].concat();
    let free = limited(|limits| limits.expansion = 0);
    let reading = read_rdf(frame(rows.clone()), &free).bounded();
    assert_eq!((reading.rows, reading.slug()), (8, ""));
    // copies of entries that go count as entries, so there cannot be twice as much
    let gone = (1..=4).map(|id| rdf::name(id, "a"));
    let more = [rows, gone.collect(), names(12).collect(), again()].concat();
    let reading = read_rdf(frame(more), &free).bounded();
    assert_eq!((reading.rows, reading.slug()), (8, "limit.lookup_bytes"));
}

#[test]
fn escapes_that_make_a_term_too_long() {
    let rows = |text_: &str| {
        vec![
            rdf::options(rdf::QUADS),
            rdf::quad([blank("s"), blank("p"), text(text_)], &blank("g")),
            rdf::quad([literal(bytes(1, text_)), blank("p"), text(text_)], &literal_graph(bytes(1, text_))),
        ]
    };
    let reading = read_rdf(frame(rows(&"\u{1}".repeat(10 * MIB))), &options(Framing::Delimited)).bounded();
    assert_eq!((reading.rows, reading.slug()), (0, "limit.term_bytes"));
    let label = "\u{1}".repeat(15 * MIB);
    let rows = vec![rdf::options(rdf::TRIPLES), rdf::triple([blank(&label), blank("p"), blank("o")])];
    let reading = read_rdf(frame(rows), &options(Framing::Delimited)).bounded();
    assert_eq!(reading.slug(), "limit.term_bytes");
    let rows = vec![
        rdf::options(rdf::TRIPLES),
        rdf::prefix(1, &label),
        rdf::name(1, "n"),
        rdf::triple([iri(1, 1), iri(1, 1), iri(1, 1)]),
    ];
    let reading = read_rdf(frame(rows), &options(Framing::Delimited)).bounded();
    assert_eq!(reading.slug(), "limit.term_bytes");
    let datatype = literal([bytes(1, "x"), number(3, 1)].concat());
    let rows = vec![
        rdf::options(rdf::TRIPLES),
        rdf::datatype(1, &label),
        rdf::triple([blank("s"), blank("p"), datatype]),
    ];
    let reading = read_rdf(frame(rows), &options(Framing::Delimited)).bounded();
    assert_eq!(reading.slug(), "limit.term_bytes");
}

/// A term whose parts are within the limit, but not their sum.
#[test]
fn lexical_form_and_datatype_are_one_term() {
    let typed = literal([bytes(1, "x".repeat(10 * MIB)), number(3, 1)].concat());
    let rows = vec![
        rdf::options(rdf::TRIPLES),
        rdf::datatype(1, "y".repeat(10 * MIB)),
        rdf::triple([blank("s"), blank("p"), typed]),
    ];
    let reading = read_rdf(frame(rows), &options(Framing::Delimited)).bounded();
    assert_eq!((reading.rows, reading.slug()), (0, "limit.term_bytes"));
}

fn tree(depth: usize, out: &mut Vec<u8>) {
    if depth == 0 {
        out.extend([0x12, 0, 0x32, 0, 0x52, 0]);
        return;
    }
    let mut child = Vec::new();
    tree(depth - 1, &mut child);
    for field in [4, 8, 12] {
        out.extend(bytes(field, &child));
    }
}

/// Quoted triples as wide as a row allows: two bytes a leaf.
#[test]
fn wide_quoted_triples() {
    let mut triple = Vec::new();
    tree(13, &mut triple);
    assert!(triple.len() > 12 * MIB && triple.len() < 32 * MIB, "{}", triple.len());
    let rows = vec![rdf::options(rdf::TRIPLES), bytes(2, triple)];
    let reading = read_rdf(frame(rows), &options(Framing::Delimited)).bounded();
    assert_eq!(reading.slug(), "limit.term_bytes");
}

/// Quoted triples that name long entries over and over.
#[test]
fn quoted_triples_of_long_entries() {
    let dt = || literal(number(3, 1));
    for leaf in [dt(), iri(0, 1)] {
        let inner = || quoted([leaf.clone(), leaf.clone(), leaf.clone()]);
        let middle = || quoted([inner(), inner(), inner()]);
        let rows = vec![
            rdf::options(rdf::TRIPLES),
            rdf::datatype(1, "d".repeat(15 * MIB)),
            rdf::name(1, "n".repeat(15 * MIB)),
            rdf::triple([middle(), middle(), middle()]),
        ];
        let reading = read_rdf(frame(rows), &options(Framing::Delimited)).bounded();
        assert_eq!((reading.rows, reading.slug()), (0, "limit.term_bytes"));
    }
}

/// Copies cost time although no column asks for their text.
#[test]
fn copies_that_nobody_sees_count_as_expansion() {
    let mut without_terms = options(Framing::Delimited);
    without_terms.batch.columns = Some(vec!["seq".to_owned()]);
    let start = || vec![rdf::options(rdf::TRIPLES), rdf::prefix(1, "x".repeat(15 * MIB)), rdf::name(1, "a")];
    let all = [iri(1, 1), iri(1, 1), iri(1, 1)];
    let over = vec![rdf::triple(all.clone()), rdf::name(1, "a")];
    let many = move |rows: Vec<Vec<u8>>| (0..100_000).flat_map(move |_| frame(rows.clone()));
    let reading = read_rdf(frame(start()).chain(many(over)), &without_terms).bounded();
    assert_eq!(reading.slug(), "limit.expansion");
    assert!(reading.rows > 100 && reading.rows < 1_000, "{} rows", reading.rows);
    let quoted = || quoted([iri(1, 1), blank("b"), blank("b")]);
    let triples = vec![rdf::triple([quoted(), blank("p"), quoted()])];
    let reading = read_rdf(frame(start()).chain(many(triples)), &without_terms).bounded();
    assert_eq!(reading.slug(), "limit.expansion");
    assert!(reading.rows > 100 && reading.rows < 1_000, "{} rows", reading.rows);
}

/// Members that come twice make copies on each level.
#[test]
fn merged_rows() {
    for length in [7 * MIB / 16, 15 * MIB] {
        let mut term = text(&"x".repeat(length));
        for _ in 0..60 {
            term = quoted([blank("s"), blank("p"), term]);
        }
        let twice = [rdf::triple([blank("s"), blank("p"), term]), bytes(2, [])].concat();
        let reading = read_rdf(frame(vec![rdf::options(rdf::TRIPLES), twice]), &options(Framing::Delimited));
        let slug = if length < MIB { "" } else { "limit.row_bytes" };
        assert_eq!(reading.bounded().slug(), slug);
    }
    // many small members
    let members = [bytes(4, []), bytes(1, [])].concat().repeat(30_000);
    let row = bytes(2, [members, spo(["s", "p", "o"].map(blank))].concat());
    let reading = read_rdf(frame(vec![rdf::options(rdf::TRIPLES), row]), &options(Framing::Delimited));
    assert_eq!(reading.bounded().rows, 1);
}

#[test]
fn patches_without_text_are_rows_all_the_same() {
    let start = Frames::one(&[patch::options(patch::PUNCTUATED, patch::QUADS)]).bytes();
    let marks = (0..5_000).map(|_| Frames::one(&vec![patch::mark(); 100]).bytes());
    let reading = read_patch(std::iter::once(start).chain(marks), &options(Framing::Delimited)).bounded();
    assert_eq!((reading.rows, reading.slug()), (500_000, ""));
    // frames before the options are a byte each, and a row
    let start = (0..500).map(|_| vec![0; 1_000]);
    let options_ = Frames::one(&[patch::options(patch::FRAME, patch::QUADS)]).bytes();
    let reading = read_patch(start.chain([options_]), &options(Framing::Delimited)).bounded();
    assert_eq!((reading.rows, reading.slug()), (500_001, ""));
}
