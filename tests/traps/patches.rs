//! Rows and ends of patches.

use jelly_patch::With;
use jelly_patch::decode::Framing;

use crate::common::craft::{
    Frames, Outcome, blank, bytes, default_graph, delimited, ids, iri, ops, patch, patch_with,
};
use crate::common::rows::PatchRow;

fn stream(kind: u64, statements: u64, rows: &[Vec<u8>]) -> Frames {
    Frames::one(&[&[patch::options(kind, statements)], rows].concat())
}

fn strictly(frames: &Frames) -> Outcome<PatchRow> {
    patch_with(&frames.bytes(), delimited().with(|options| options.strict = true))
}

/// The error of the last row; `byte` from its content.
#[track_caller]
fn refused(frames: &Frames, outcome: &Outcome<PatchRow>, slug: &str, byte: u64, field: Option<&str>) {
    let frame = frames.0.len() - 1;
    let row = frames.0[frame].len() - 1;
    let expected = (slug, frame as u64, row as u64, frames.offset(frame, row) + byte, field);
    assert_eq!(outcome.fault(), expected);
}

#[test]
fn quad_without_a_graph() {
    let row = patch::add(["s", "p", "o"].map(blank), None);
    let frames = stream(patch::FLAT, patch::QUADS, &[row]);
    refused(&frames, &frames.patch(), "table.repeated", 2, Some("statement_add.graph"));
    let delete = patch::delete(["s", "p", "o"].map(blank), None);
    let frames = stream(patch::FLAT, patch::QUADS, &[delete]);
    refused(&frames, &frames.patch(), "table.repeated", 2, Some("statement_delete.graph"));
    let prefix = patch::namespace(4, "p", Some(ids(0, 1)), None);
    let frames = stream(patch::FLAT, patch::QUADS, &[patch::name(1, "n"), prefix]);
    refused(&frames, &frames.patch(), "table.repeated", 0, Some("namespace_add.graph"));
}

#[test]
fn graph_of_a_prefix_is_the_last_graph() {
    let graph = |row: &str| blank(row);
    let bare = ["s", "p", "o"].map(blank);
    let rows = [
        patch::name(1, "n"),
        patch::namespace(4, "p", Some(ids(0, 1)), Some(&graph("g"))),
        patch::add(bare.clone(), None),
        patch::add(bare, Some(&graph("h"))),
        patch::namespace(5, "p", None, None),
    ];
    let got = ops(stream(patch::FLAT, patch::QUADS, &rows).patch().rows());
    let expected = ["PA _:g p <n>", "A _:s _:p _:o _:g", "A _:s _:p _:o _:h", "PD _:h p", "Z eof"];
    assert_eq!(got, expected);
}

#[test]
fn pa_without_value() {
    let row = patch::namespace(4, "p", None, Some(&default_graph()));
    let frames = stream(patch::FLAT, patch::QUADS, &[row]);
    refused(&frames, &frames.patch(), "wire.unset", 0, Some("namespace_add.value"));
    // a PD may have one or not, and its ids count
    let rows = [
        patch::name(1, "a"),
        patch::name(2, "b"),
        patch::namespace(5, "p", None, Some(&default_graph())),
        patch::namespace(5, "q", Some(ids(0, 0)), Some(&default_graph())),
        patch::header("k", &iri(0, 0)),
    ];
    let got = ops(stream(patch::FLAT, patch::QUADS, &rows).patch().rows());
    assert_eq!(got, ["PD  p", "PD  q <a>", "H k <b>", "Z eof"]);
}

#[test]
fn header_without_value() {
    let frames = stream(patch::FLAT, patch::QUADS, &[bytes(14, bytes(1, "id"))]);
    refused(&frames, &frames.patch(), "wire.unset", 2, Some("header.value"));
    // a header neither reads nor writes what repeats
    let bare = ["s", "p", "o"].map(blank);
    let rows = [patch::add(bare, Some(&default_graph())), patch::header("id", &blank("x")), bytes(2, [])];
    let got = ops(stream(patch::FLAT, patch::QUADS, &rows).patch().rows());
    assert_eq!(got, ["A _:s _:p _:o ", "H id _:x", "A _:s _:p _:o ", "Z eof"]);
}

#[test]
fn graph_in_triples_is_decoded_and_dropped() {
    let graph = iri(0, 0);
    let bare = || ["s", "p", "o"].map(blank);
    let names = [patch::name(1, "a"), patch::name(2, "b"), patch::name(3, "c")];
    let statement = [&names[..], &[patch::add(bare(), Some(&graph))]].concat();
    let prefix = [&names[..], &[patch::namespace(4, "p", Some(ids(0, 0)), Some(&graph))]].concat();
    for (rows, expected, byte, field) in [
        (&statement, "A _:s _:p _:o ", 0, "statement_add"),
        (&prefix, "PA  p <a>", 2 + 3 + 2, "namespace_add"),
    ] {
        let frames = stream(patch::FLAT, patch::TRIPLES, rows);
        assert_eq!(ops(frames.patch().rows())[0], expected);
        refused(&frames, &strictly(&frames), "patch.graph", byte, Some(field));
    }
    let after = [prefix, vec![patch::header("k", &graph)]].concat();
    let got = ops(stream(patch::FLAT, patch::TRIPLES, &after).patch().rows());
    assert_eq!(got, ["PA  p <a>", "H k <c>", "Z eof"]);
    // a graph that is no graph is still an error
    let bad = patch::add(bare(), Some(&iri(0, 5)));
    let frames = stream(patch::FLAT, patch::TRIPLES, &[bad]);
    assert_eq!(frames.patch().fault().0, "table.undefined");
}

#[test]
fn punctuation_in_the_wrong_stream_type() {
    for kind in [patch::FRAME, patch::FLAT] {
        let frames = stream(kind, patch::QUADS, &[patch::mark()]);
        refused(&frames, &frames.patch(), "wire.row", 0, Some("punctuation"));
    }
}

#[test]
fn ends_of_patches() {
    let (tx, mark) = (patch::tx, patch::mark);
    let ends = |kind: u64, frames: &[Vec<Vec<u8>>]| {
        let mut frames = frames.to_vec();
        frames[0].insert(0, patch::options(kind, patch::QUADS));
        let got = Frames(frames).patch().rows();
        assert!(got.iter().enumerate().all(|(seq, row)| row.seq == seq as i64));
        let what = |row: &PatchRow| row.name.clone().unwrap_or(row.op.clone());
        let patches = got.iter().map(|row| format!("{}{}", row.patch, what(row)));
        patches.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ends(patch::FLAT, &[vec![]]), "0eof");
    assert_eq!(ends(patch::FLAT, &[vec![], vec![tx()], vec![]]), "0TX 0eof");
    assert_eq!(ends(patch::FRAME, &[vec![]]), "0frame");
    let frames = [vec![tx()], vec![], vec![tx()]];
    assert_eq!(ends(patch::FRAME, &frames), "0TX 0frame 1frame 2TX 2frame");
    assert_eq!(ends(patch::PUNCTUATED, &[vec![]]), "");
    let frames = [vec![mark(), mark()], vec![tx()]];
    assert_eq!(ends(patch::PUNCTUATED, &frames), "0Z 1Z 2TX 2eof");
    assert_eq!(ends(patch::PUNCTUATED, &[vec![tx()], vec![mark()]]), "0TX 0Z");
}

#[test]
fn frames_before_the_options_are_patches_of_a_frame_stream() {
    for (kind, expected) in [
        (patch::FRAME, vec!["Z frame", "Z frame", "TX", "Z frame"]),
        (patch::FLAT, vec!["TX", "Z eof"]),
        (patch::PUNCTUATED, vec!["TX", "Z eof"]),
    ] {
        let frames = Frames(vec![vec![], vec![], vec![patch::options(kind, patch::QUADS), patch::tx()]]);
        assert_eq!(ops(frames.patch().rows()), expected);
    }
}

#[test]
fn strict_refuses_what_reading_only_reports() {
    let cases: [(u64, &[Vec<u8>], &str); 5] = [
        (patch::FLAT, &[patch::commit()], "patch.stray"),
        (patch::FLAT, &[patch::abort()], "patch.stray"),
        (patch::FLAT, &[patch::tx(), patch::tx()], "patch.unfinished"),
        (patch::PUNCTUATED, &[patch::tx(), patch::mark()], "patch.unfinished"),
        (patch::FLAT, &[patch::tx(), patch::abort(), patch::commit()], "patch.stray"),
    ];
    for (kind, rows, slug) in cases {
        let frames = stream(kind, patch::QUADS, rows);
        assert!(frames.patch().error.is_none());
        refused(&frames, &strictly(&frames), slug, 0, None);
    }
    for field in [4, 5] {
        for (name, is_good) in [("e.x", true), ("", true), ("ex:", false), ("e x", false)] {
            let prefix = patch::namespace(field, name, Some(ids(0, 1)), Some(&default_graph()));
            let frames = stream(patch::FLAT, patch::QUADS, &[patch::name(1, "n"), prefix]);
            assert!(frames.patch().error.is_none());
            if is_good {
                assert!(strictly(&frames).error.is_none());
                continue;
            }
            let row = if field == 4 { "namespace_add.name" } else { "namespace_delete.name" };
            refused(&frames, &strictly(&frames), "patch.name", 4, Some(row));
        }
    }
    // at the end of a frame or stream, where the next row would be
    for (kind, rows, slug) in [
        (patch::FLAT, [patch::tx()], "patch.unfinished"),
        (patch::FRAME, [patch::tx()], "patch.unfinished"),
        (patch::PUNCTUATED, [patch::header("k", &blank("b"))], "patch.unterminated"),
    ] {
        let frames = stream(kind, patch::QUADS, &rows);
        let end = frames.bytes().len() as u64;
        assert_eq!(strictly(&frames).fault(), (slug, 0, 2, end, None));
    }
}

#[test]
fn concatenated_streams_end_their_patches() {
    let concatenated = || delimited().with(|options| options.framing = Framing::Concatenated);
    let of =
        |kind: u64, row: Vec<u8>| Frames(vec![vec![], vec![patch::options(kind, patch::QUADS), row]]).bytes();
    let (tx, add) = (patch::tx(), patch::plain_add("o"));
    let all = [
        of(patch::FLAT, tx),
        of(patch::PUNCTUATED, add.clone()),
        of(patch::FRAME, add.clone()),
        of(patch::FRAME, add),
    ];
    let rows = patch_with(&all.concat(), concatenated()).rows();
    let numbers: Vec<_> = rows.iter().map(|row| (row.patch, row.seq, row.txn)).collect();
    let a = "A _:s _:p _:o ";
    let expected = ["TX", "Z eof", a, "Z eof", a, "Z frame", "Z frame", a, "Z frame"];
    assert_eq!(ops(rows), expected);
    let (patches, txn) = ([0, 0, 1, 1, 2, 2, 3, 4, 4], |n| (n == 0).then_some(0));
    let expected: Vec<_> = (0..9).map(|n| (patches[n as usize], n, txn(n))).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn concatenated_stream_inside_a_frame_ends_the_patch() {
    let options = |kind| patch::options(kind, patch::QUADS);
    let rows = [options(patch::FRAME), patch::tx(), options(patch::FLAT), patch::plain_add("o")];
    let config = delimited().with(|options| options.framing = Framing::Concatenated);
    let rows = patch_with(&Frames::one(&rows).bytes(), config).rows();
    assert_eq!(rows[2].txn, None);
    assert_eq!(ops(rows), ["TX", "Z frame", "A _:s _:p _:o ", "Z eof"]);
}
