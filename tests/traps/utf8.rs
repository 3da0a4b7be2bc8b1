//! Strings that are not UTF-8.

use crate::common::craft::{
    Frames, blank, bytes, delimited, ids, member, number, patch, rdf, rdf_with, varint,
};

fn triples(rows: &[Vec<u8>]) -> Frames {
    Frames::one(&[&[rdf::options(rdf::TRIPLES)], rows].concat())
}

/// The error of a row after the options, `byte` from its content.
#[track_caller]
fn refused(row: &[u8], slug: &str, byte: u64, field: Option<&str>) {
    let frames = triples(&[row.to_vec()]);
    let expected = (slug, 0, 1, frames.offset(0, 1) + byte, field);
    assert_eq!(frames.rdf().fault(), expected);
}

/// A string that is not UTF-8, of several kinds.
const BAD: [&[u8]; 6] = [b"\xff", b"a\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"ab\x80"];

#[test]
fn invalid_utf8_at_every_string_site_of_rdf() {
    let [s, p, o] = [(1, "s"), (5, "p"), (9, "o")].map(|(first, label)| member(first, &blank(label)));
    for bad in BAD {
        let string = |field| bytes(field, bad);
        // where the tag of the string is, after the tags and lengths around it and the terms before it
        let triple = |object: Vec<u8>| bytes(2, [&s[..], &p, &object].concat());
        refused(&triple(string(10)), "wire.utf8", 2 + 6, Some("triple.o_bnode"));
        let lexical = triple(bytes(11, string(1)));
        refused(&lexical, "wire.utf8", 2 + 6 + 2, Some("triple.o_literal.lex"));
        let language = triple(bytes(11, [bytes(1, "x"), string(2)].concat()));
        refused(&language, "wire.utf8", 2 + 6 + 2 + 3, Some("triple.o_literal.langtag"));
        let subject = bytes(2, [&string(2)[..], &p, &o].concat());
        refused(&subject, "wire.utf8", 2, Some("triple.s_bnode"));
        let predicate = bytes(2, [&s[..], &string(6), &o].concat());
        refused(&predicate, "wire.utf8", 2 + 3, Some("triple.p_bnode"));
        let inside = triple(bytes(12, [&s[..], &p, &string(10)].concat()));
        refused(&inside, "wire.utf8", 2 + 6 + 2 + 6, Some("triple.o_triple_term.o_bnode"));
        for (field, label) in [(9, "name"), (10, "prefix"), (11, "datatype")] {
            let entry = bytes(field, [number(1, 1), string(2)].concat());
            refused(&entry, "wire.utf8", 2 + 2, Some(&format!("{label}.value")));
        }
        let namespace = bytes(6, [bytes(2, ids(0, 1)), string(1)].concat());
        refused(&namespace, "wire.utf8", 2 + 4, Some("namespace.name"));
        let name = bytes(1, [number(2, 1), string(1)].concat());
        let frames = Frames::one(&[name]);
        let expected = ("wire.utf8", 0, 0, frames.offset(0, 0) + 4, Some("options.stream_name"));
        assert_eq!(frames.rdf().fault(), expected);
        for (row, physical, byte, field) in [
            (bytes(4, string(2)), rdf::GRAPHS, 2, "graph_start.g_bnode"),
            (bytes(4, bytes(4, string(1))), rdf::GRAPHS, 2 + 2, "graph_start.g_literal.lex"),
            (bytes(3, [&s[..], &p, &o, &string(14)].concat()), rdf::QUADS, 2 + 9, "quad.g_bnode"),
        ] {
            let frames = Frames::one(&[rdf::options(physical), row]);
            let expected = ("wire.utf8", 0, 1, frames.offset(0, 1) + byte, Some(field));
            assert_eq!(frames.rdf().fault(), expected);
        }
    }
}

#[test]
fn invalid_utf8_at_every_string_site_of_patches() {
    for bad in BAD {
        let string = |field| bytes(field, bad);
        let value = bytes(2, ids(0, 1));
        for (row, byte, field) in [
            (bytes(14, [bytes(2, ids(0, 1)), string(1)].concat()), 2 + 4, "header.key"),
            (bytes(14, string(3)), 2, "header.h_bnode"),
            (bytes(14, bytes(4, string(1))), 2 + 2, "header.h_literal.lex"),
            (bytes(4, [value.clone(), string(1)].concat()), 2 + 4, "namespace_add.name"),
            (bytes(4, [value.clone(), string(4)].concat()), 2 + 4, "namespace_add.g_bnode"),
            (bytes(5, string(4)), 2, "namespace_delete.g_bnode"),
            (bytes(2, string(2)), 2, "statement_add.s_bnode"),
            (bytes(3, string(2)), 2, "statement_delete.s_bnode"),
        ] {
            let options = patch::options(patch::FLAT, patch::QUADS);
            let frames = Frames::one(&[options, patch::name(1, "n"), row]);
            let expected = ("wire.utf8", 0, 2, frames.offset(0, 2) + byte, Some(field));
            assert_eq!(frames.patch().fault(), expected);
        }
    }
}

#[test]
fn invalid_utf8_in_metadata() {
    for bad in BAD {
        let field = bytes(15, bytes(1, bad));
        let stream = [varint(field.len() as u64), field].concat();
        let expected = ("wire.utf8", 0, 0, 3, Some("metadata"));
        assert_eq!(rdf_with(&stream, delimited()).fault(), expected);
    }
    // values are bytes, not text
    let rows = triples(&[]).single();
    let field = rdf::metadata("k", b"\xff");
    let stream = [varint((rows.len() + field.len()) as u64), rows, field].concat();
    let outcome = rdf_with(&stream, delimited());
    let expected = (0, "k".to_owned(), b"\xff".to_vec());
    assert_eq!(outcome.decoded.metadata, [expected]);
    assert!(outcome.error.is_none());
}
