//! Protobuf on the wire.

use crate::common::craft::{
    Frames, Outcome, blank, bytes, delimited, ids, iri, member, number, patch, quads, rdf, rdf_with, tag,
    varint,
};
use crate::common::rows::RdfRow;

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

/// The error of a field of a frame that comes after the options and one row.
#[track_caller]
fn refused_in_frame(field: &[u8], slug: &str) {
    let rows = triples(&[rdf::plain_triple()]).single();
    let stream = [varint((rows.len() + field.len()) as u64), rows.clone(), field.to_vec()].concat();
    let outcome = rdf_with(&stream, delimited());
    assert_eq!(outcome.decoded.rows.len(), 1);
    let at = (stream.len() - field.len()) as u64;
    assert_eq!(outcome.fault(), (slug, 0, 2, at, None));
}

#[test]
fn empty_row() {
    refused(&[], "wire.row", 0, None);
    let frames = Frames::one(&[patch::options(patch::FLAT, patch::QUADS), vec![]]);
    assert_eq!(frames.patch().fault(), ("wire.row", 0, 1, frames.offset(0, 1), None));
}

#[test]
fn unknown_row_kind() {
    for field in [7, 8, 12, 99] {
        refused(&bytes(field, "x"), "wire.row", 0, None);
    }
    for field in [9, 10, 16] {
        let row = bytes(field, "x");
        let frames = Frames::one(&[patch::options(patch::FLAT, patch::QUADS), row]);
        assert_eq!(frames.patch().fault().0, "wire.row");
    }
}

#[test]
fn varint_of_64_bits_truncates() {
    let high = 1 << 32;
    let rows = [
        bytes(9, [number(1, high + 1), bytes(2, "a")].concat()),
        bytes(10, [number(1, high), bytes(2, "http://a/")].concat()),
        rdf::triple([blank("s"), blank("p"), iri(high * 3 + 1, high + 1)]),
        rdf::triple([blank("s"), blank("p"), iri(u64::MAX - u64::from(u32::MAX), high + 1)]),
    ];
    let expected = ["_:s _:p <http://a/a> "; 2];
    assert_eq!(quads(triples(&rows).rdf().rows()), expected);
    // options, too
    let changes = [(2, Some(high + 1)), (9, Some(high * 7 + 8)), (15, Some(high + 2))];
    let options = rdf::options_but(rdf::TRIPLES, &changes);
    assert_eq!(Frames::one(&[options, rdf::plain_triple()]).rdf().rows().len(), 1);
    // a bool is true by any bit
    let star = rdf::options_but(rdf::TRIPLES, &[(3, Some(high)), (4, Some(high))]);
    assert_eq!(Frames::one(&[star, rdf::plain_triple()]).rdf().rows().len(), 1);
}

#[test]
fn overlong_varint_of_10_bytes_is_read() {
    let long = [&[0x81][..], &[0x80; 8], &[0]].concat();
    let name = bytes(9, [tag(1, 0), long, bytes(2, "a")].concat());
    let uses = rdf::triple([blank("s"), blank("p"), iri(0, 1)]);
    assert_eq!(quads(triples(&[name, uses]).rdf().rows()), ["_:s _:p <a> "]);
}

#[test]
fn varint_of_11_bytes() {
    let long = [&[0x80; 10][..], &[1]].concat();
    let id = bytes(9, [tag(1, 0), long.clone()].concat());
    refused(&id, "wire.varint", 2 + 1, Some("name.id"));
    let length = bytes(9, [tag(2, 2), long.clone()].concat());
    refused(&length, "wire.varint", 2 + 1, Some("name.value"));
    refused(&long, "wire.varint", 0, None);
    let frame = rdf_with(&long, delimited());
    assert_eq!(frame.fault(), ("wire.varint", 0, 0, 0, None));
    let field = [tag(1, 2), long].concat();
    let rows = triples(&[rdf::plain_triple()]).single();
    let stream = [varint((rows.len() + field.len()) as u64), rows, field].concat();
    let outcome = rdf_with(&stream, delimited());
    let (slug, frame, row, offset, _) = outcome.fault();
    assert_eq!((slug, frame, row), ("wire.varint", 0, 2));
    assert_eq!(offset as usize, stream.len() - 11);
}

#[test]
fn unknown_fields_and_groups_are_skipped() {
    let group = |fields: &[u8]| [&tag(60, 3)[..], fields, &tag(60, 4)].concat();
    let unknown = [
        number(50, u64::MAX),
        [tag(51, 1), vec![0xff; 8]].concat(),
        bytes(52, b"\xff\xff"),
        [tag(53, 5), vec![0xff; 4]].concat(),
        group(&group(&[number(1, 1), bytes(1, "x")].concat())),
    ]
    .concat();
    let around = |inside: Vec<u8>| [&unknown[..], &inside, &unknown].concat();
    let content = [
        bytes(2, around(b"".to_vec())),
        around(bytes(5, around(ids(0, 1)))),
        bytes(11, around(bytes(1, "x"))),
    ];
    // field 2 of a statement is a label; here it must hold text
    let statement = [&member(1, &blank("s"))[..], &content[1], &content[2]].concat();
    let rows = [
        around(bytes(9, around([number(1, 1), bytes(2, "p")].concat()))),
        around(bytes(2, around(statement))),
    ];
    let inner = triples(&rows).single();
    let frame = around([&unknown[..], &inner, &unknown].concat());
    let stream = [varint(frame.len() as u64), frame].concat();
    let outcome: Outcome<RdfRow> = rdf_with(&stream, delimited());
    assert_eq!(quads(outcome.rows()), ["_:s <p> \"x\" "]);
    let options = bytes(1, around(rdf::options(rdf::TRIPLES)[2..].to_vec()));
    assert_eq!(Frames::one(&[options, rdf::plain_triple()]).rdf().rows().len(), 1);
}

#[test]
fn groups_are_skipped_without_recursion() {
    for depth in [64, 65, 100_000] {
        let row = [tag(60, 3).repeat(depth), tag(60, 4).repeat(depth), rdf::plain_triple()].concat();
        let beside = [tag(60, 3).repeat(depth), tag(60, 4).repeat(depth)].concat();
        if depth == 64 {
            assert_eq!(triples(&[row]).rdf().rows().len(), 1);
            continue;
        }
        refused(&row, "limit.nesting", 0, None);
        let rows = triples(&[]).single();
        let stream = [varint((rows.len() + beside.len()) as u64), rows.clone(), beside].concat();
        let outcome = rdf_with(&stream, delimited());
        let at = varint(stream.len() as u64).len() + rows.len() + 64 * 2;
        assert_eq!(outcome.fault(), ("limit.nesting", 0, 1, at as u64, None));
    }
}

#[test]
fn groups_that_do_not_match() {
    let (open, close, other) = (tag(60, 3), tag(60, 4), tag(61, 4));
    refused(&[open.clone(), other.clone()].concat(), "wire.group", 0, None);
    refused(&open, "wire.group", 0, None);
    refused(&close, "wire.group", 0, None);
    refused_in_frame(&close, "wire.group");
    for field in [open.clone(), [open, other].concat()] {
        let rows = triples(&[rdf::plain_triple()]).single();
        let stream = [varint((rows.len() + field.len()) as u64), rows, field].concat();
        assert_eq!(rdf_with(&stream, delimited()).fault().0, "wire.group");
    }
}

#[test]
fn wrong_wire_type() {
    let fixed = |field| [tag(field, 5), vec![0; 4]].concat();
    let [s, p] = [(1, "s"), (5, "p")].map(|(first, label)| member(first, &blank(label)));
    refused(&number(2, 1), "wire.type", 0, None);
    let object = |field| bytes(2, [&s[..], &p, &number(field, 1)].concat());
    for (field, name) in [(9, "o_iri"), (10, "o_bnode"), (11, "o_literal"), (12, "o_triple_term")] {
        refused(&object(field), "wire.type", 2 + 6, Some(&format!("triple.{name}")));
    }
    let inside = |first: u32, content: Vec<u8>| bytes(2, [&s[..], &p, &bytes(first, content)].concat());
    refused(&inside(9, fixed(2)), "wire.type", 2 + 6 + 2, Some("triple.o_iri.name_id"));
    refused(&inside(9, bytes(1, "")), "wire.type", 2 + 6 + 2, Some("triple.o_iri.prefix_id"));
    refused(&inside(11, number(1, 1)), "wire.type", 2 + 6 + 2, Some("triple.o_literal.lex"));
    refused(&inside(11, bytes(3, "")), "wire.type", 2 + 6 + 2, Some("triple.o_literal.datatype"));
    refused(&bytes(9, fixed(1)), "wire.type", 2, Some("name.id"));
    refused(&bytes(10, number(2, 1)), "wire.type", 2, Some("prefix.value"));
    refused(&bytes(6, number(1, 1)), "wire.type", 2, Some("namespace.name"));
    refused(&bytes(6, number(2, 1)), "wire.type", 2, Some("namespace.value"));
    refused_in_frame(&number(1, 1), "wire.type");
    refused_in_frame(&number(15, 1), "wire.type");
    let tagged = inside(11, fixed(2));
    refused(&tagged, "wire.type", 2 + 6 + 2, Some("triple.o_literal.langtag"));
}

#[test]
fn tag_zero() {
    refused(&[0, 0], "wire.tag", 0, None);
    refused(&bytes(2, [0, 0]), "wire.tag", 2, Some("triple"));
    refused(&bytes(9, [0]), "wire.tag", 2, Some("name"));
    refused_in_frame(&[0], "wire.tag");
    // a field number over 2^29-1
    let high = [varint(1 << 32 | 2), varint(0)].concat();
    refused(&high, "wire.tag", 0, None);
}

#[test]
fn wire_types_6_and_7() {
    for wire in [6, 7] {
        refused(&tag(2, wire), "wire.type", 0, None);
        refused(&tag(60, wire), "wire.type", 0, None);
        refused(&bytes(2, tag(60, wire)), "wire.type", 2, Some("triple"));
        refused_in_frame(&tag(60, wire), "wire.type");
    }
}

#[test]
fn field_that_passes_its_message() {
    let long = [tag(2, 2), varint(5), b"abcd".to_vec()].concat();
    refused(&long, "wire.length", 1, None);
    refused(&bytes(9, [tag(2, 2), varint(1 << 40)].concat()), "wire.length", 2 + 1, Some("name.value"));
    refused(&tag(60, 2), "wire.varint", 2, None);
    refused_in_frame(&[tag(1, 2), varint(3), vec![0, 0]].concat(), "wire.length");
    refused_in_frame(&[tag(60, 1), vec![0; 7]].concat(), "wire.length");
    refused_in_frame(&[tag(1, 2), varint(u64::MAX)].concat(), "wire.length");
}
