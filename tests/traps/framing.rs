//! Where frames begin and end.

use jelly_patch::With;
use jelly_patch::decode::{DecodeOptions, Framing};

use crate::common::craft::{
    Frames, blank, bytes, delimited, iri, member, number, ops, patch, patch_with, quads, rdf, rdf_with,
    varint,
};

fn framed(framing: Framing) -> DecodeOptions {
    delimited().with(|options| options.framing = framing)
}

fn two_frames() -> Frames {
    Frames(vec![
        vec![rdf::options(rdf::TRIPLES), rdf::plain_triple()],
        vec![rdf::plain_triple(), rdf::plain_triple()],
    ])
}

#[test]
fn frame_length_consumed_whole() {
    // bytes of a frame that are no row belong to it all the same
    let frames = two_frames();
    let unknown = bytes(99, [0; 50]);
    let first = Frames(vec![frames.0[0].clone()]).single();
    let body = [first, unknown].concat();
    let second = Frames(vec![frames.0[1].clone()]).bytes();
    let stream = [varint(body.len() as u64), body, second].concat();
    let rows = rdf_with(&stream, delimited()).rows();
    assert_eq!(rows.iter().map(|row| row.frame).collect::<Vec<_>>(), [0, 1, 1]);
}

#[test]
fn end_inside_frame_at_row_boundary() {
    let frames = two_frames();
    let whole = frames.bytes();
    let row = bytes(1, rdf::plain_triple()).len();
    let cut = whole.len() - row;
    let outcome = rdf_with(&whole[..cut], delimited());
    assert_eq!(outcome.decoded.rows.len(), 2);
    assert_eq!(outcome.fault(), ("truncated.frame", 1, 1, cut as u64, None));
    let outcome = rdf_with(&whole[..cut - row], delimited());
    assert_eq!(outcome.decoded.rows.len(), 1);
    assert_eq!(outcome.fault(), ("truncated.frame", 1, 0, (cut - row) as u64, None));
    // right before the length of a frame there is a shorter stream
    let between = cut - row - 1;
    assert_eq!(rdf_with(&whole[..between], delimited()).rows().len(), 1);
}

#[test]
fn end_inside_the_length() {
    let stream = [two_frames().bytes(), vec![0x80]].concat();
    let at = stream.len() as u64 - 1;
    let outcome = rdf_with(&stream, delimited());
    assert_eq!(outcome.fault(), ("truncated.length", 2, 0, at, None));
    assert_eq!(rdf_with(&[0x80], delimited()).fault(), ("truncated.length", 0, 0, 0, None));
}

#[test]
fn lengths_over_the_limit() {
    let most = (1 << 31) - 1;
    for length in [most + 1, 1 << 40, u64::MAX] {
        let stream = [two_frames().bytes(), varint(length)].concat();
        let outcome = rdf_with(&stream, delimited());
        assert_eq!(outcome.decoded.rows.len(), 3);
        let at = (stream.len() - varint(length).len()) as u64;
        assert_eq!(outcome.fault(), ("limit.frame_bytes", 2, 0, at, None));
    }
    let stream = [two_frames().bytes(), varint(most)].concat();
    assert_eq!(rdf_with(&stream, delimited()).fault().0, "truncated.frame");
}

#[test]
fn rows_over_the_limit() {
    let row = (32 << 20) + 1;
    let inside = [bytes(1, [])[..1].to_vec(), varint(row)].concat();
    let stream = [two_frames().bytes(), varint(row * 2), inside].concat();
    let at = two_frames().bytes().len() + varint(row * 2).len();
    assert_eq!(rdf_with(&stream, delimited()).fault(), ("limit.row_bytes", 2, 0, at as u64, None));
}

#[test]
fn three_byte_rule() {
    let rows = [rdf::options(rdf::TRIPLES), rdf::plain_triple()];
    let auto = || framed(Framing::Auto);
    for stream in [Frames::one(&rows).bytes(), Frames::one(&rows).single()] {
        assert_eq!(rdf_with(&stream, auto()).rows().len(), 1);
    }
    // a delimited frame of 10 bytes, and a single one whose row has 10 bytes
    let fields = [[9, 8], [2, 1], [15, 1]].map(|[field, value]| number(field, value.into()));
    let options = [bytes(1, fields.concat())];
    assert_eq!(options[0].len(), 8);
    for stream in [Frames::one(&options).bytes(), Frames::one(&options).single()] {
        assert!(rdf_with(&stream, auto()).error.is_none());
    }
}

#[test]
fn framing_overrides() {
    let rows = [rdf::options(rdf::TRIPLES), rdf::plain_triple()];
    let frames = Frames::one(&rows);
    assert_eq!(rdf_with(&frames.single(), framed(Framing::Single)).rows().len(), 1);
    assert_eq!(rdf_with(&frames.bytes(), framed(Framing::Delimited)).rows().len(), 1);
    assert!(rdf_with(&frames.single(), framed(Framing::Delimited)).error.is_some());
    assert!(rdf_with(&frames.bytes(), framed(Framing::Single)).error.is_some());
    // what the 3-byte rule misreads
    let metadata = [rdf::metadata("k", b"v"), frames.single()].concat();
    assert!(rdf_with(&metadata, framed(Framing::Auto)).error.is_some());
    assert_eq!(rdf_with(&metadata, framed(Framing::Single)).rows().len(), 1);
}

#[test]
fn a_single_frame_has_one_patch_of_a_frame_stream() {
    let rows = [patch::options(patch::FRAME, patch::QUADS), patch::tx()];
    let single = Frames::one(&rows).single();
    let got = ops(patch_with(&single, framed(Framing::Single)).rows());
    assert_eq!(got, ["TX", "Z frame"]);
    let cut = patch_with(&single[..single.len() - 1], framed(Framing::Single));
    assert_eq!(cut.fault().0, "truncated.frame");
}

#[test]
fn concatenated() {
    let one = |graph: &str| {
        let rows = [
            rdf::options(rdf::QUADS),
            rdf::name(0, graph),
            rdf::quad(["s", "p", "o"].map(blank), &iri(0, 0)),
        ];
        Frames(vec![rows.to_vec(), vec![bytes(3, member(9, &blank("x")))]])
    };
    let both = [one("a").bytes(), one("b").bytes()].concat();
    let rows = rdf_with(&both, framed(Framing::Concatenated)).rows();
    let at: Vec<_> = rows.iter().map(|row| (row.frame, row.seq)).collect();
    assert_eq!(at, [(0, 0), (1, 1), (2, 2), (3, 3)]);
    let expected = ["_:s _:p _:o <a>", "_:s _:p _:x <a>", "_:s _:p _:o <b>", "_:s _:p _:x <b>"];
    assert_eq!(quads(rows), expected);
    // told to be one stream, the second begins with "the next entry"
    let rows = rdf_with(&both, framed(Framing::Delimited)).rows();
    assert_eq!(quads(rows).len(), 4);
    // nothing repeats from the stream before, and other options are fine
    let second = Frames::one(&[rdf::options(rdf::TRIPLES), bytes(2, [])]);
    let stream = [one("a").bytes(), second.bytes()].concat();
    let outcome = rdf_with(&stream, framed(Framing::Concatenated));
    let at = one("a").bytes().len() as u64 + second.offset(0, 1) + 2;
    assert_eq!(outcome.fault(), ("table.repeated", 2, 1, at, Some("triple.subject")));
    // a graph that was open is not
    let open = Frames::one(&[rdf::options(rdf::GRAPHS), rdf::graph_start(&blank("g"))]).bytes();
    let rest = Frames::one(&[rdf::options(rdf::GRAPHS), rdf::plain_triple()]).bytes();
    let outcome = rdf_with(&[open, rest].concat(), framed(Framing::Concatenated));
    assert_eq!(outcome.fault().0, "wire.graph");
}

#[test]
fn no_bytes() {
    for framing in [Framing::Auto, Framing::Delimited, Framing::Single, Framing::Concatenated] {
        let outcome = rdf_with(&[], framed(framing));
        assert_eq!(outcome.decoded.options, None);
        assert!(outcome.rows().is_empty());
        assert!(patch_with(&[], framed(framing)).rows().is_empty());
    }
}

#[test]
fn only_empty_frames() {
    for framing in [Framing::Auto, Framing::Delimited, Framing::Concatenated] {
        for count in [1, 2, 3, 50] {
            let stream = vec![0; count];
            let end = count as u64;
            let expected = ("options.missing", end - 1, 0, end, None);
            assert_eq!(rdf_with(&stream, framed(framing)).fault(), expected);
            assert_eq!(patch_with(&stream, framed(framing)).fault(), expected);
        }
    }
}

#[test]
fn other_files() {
    let starts: [&[u8]; 5] = [
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
        b"PAR1\x15\x04\x15\x10",
        b"<http://s> <http://p> <http://o> .\n",
        b"A <http://s> <http://p> <http://o> .\n",
        b"\x28\xb5\x2f\xfd\x04\x00",
    ];
    for start in starts {
        let outcome = rdf_with(start, framed(Framing::Auto));
        assert!(outcome.error.is_some() && outcome.decoded.rows.is_empty());
        let outcome = patch_with(start, framed(Framing::Auto));
        assert!(outcome.error.is_some() && outcome.decoded.rows.is_empty());
    }
}
