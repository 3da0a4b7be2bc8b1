//! Traps of streams: tables, graphs, frames, versions.

use jelly_patch::With;
use jelly_patch::encode::{EncodeOptions, Framing, RdfEncoder};
use jelly_patch::options::{LogicalType, PatchStreamType, PhysicalType, RdfOptions, StatementType};
use jelly_patch::sink::{PatchEnd, PatchOp, RdfSink};
use jelly_patch::term::{Iri, Term};
use jelly_patch::{ErrorClass, ErrorKind};

use Term::DefaultGraph;

use crate::common::rows::{self, Decoder, How};
use crate::oracle::Oracle;

use super::*;

#[test]
fn tables_that_readers_refuse_are_refused() {
    for (tables, class) in [
        (tables(7, 8, 8), ErrorClass::Encode),
        (tables(5000, 8, 8), ErrorClass::Limit),
        (tables(8, 1025, 8), ErrorClass::Limit),
        (tables(8, 8, 257), ErrorClass::Limit),
    ] {
        let options = RdfOptions { tables, ..rdf_options(PhysicalType::Triples) };
        let error = RdfEncoder::new(options, EncodeOptions::rdf()).expect_err("a wrong size");
        assert_eq!(error.kind().class(), class, "{tables:?}");
    }
}

#[test]
fn graphs_from_runs_of_quads() {
    let mut encoder = rdf(PhysicalType::Graphs);
    for graph in [A, A, DefaultGraph, A, B] {
        add(&mut encoder, [A, B, C, graph]).expect("a quad");
    }
    let graphs: Vec<_> = read_rdf(&mut encoder).rows.into_iter().map(|row| row.graph).collect();
    assert_eq!(graphs, ["<http://a/1>", "<http://a/1>", "", "<http://a/1>", "<http://b/2>"]);
    let rows = |field: u8| encoder_rows(&encoder_bytes(PhysicalType::Graphs), field);
    assert_eq!([rows(0x22), rows(0x2a)], [4, 4], "starts and ends");
    let error = rdf(PhysicalType::Graphs).graph_end().expect_err("no graph");
    assert_eq!(error.kind(), ErrorKind::EncodeGraph);
}

fn encoder_bytes(physical_type: PhysicalType) -> Vec<u8> {
    let mut encoder = rdf(physical_type);
    for graph in [A, A, DefaultGraph, A, B] {
        add(&mut encoder, [A, B, C, graph]).expect("a quad");
    }
    encoder.finish().expect("a whole stream");
    std::mem::take(encoder.output())
}

/// Rows of one frame whose member has this tag.
fn encoder_rows(bytes: &[u8], tag: u8) -> usize {
    let mut rest = bytes;
    prost::encoding::decode_varint(&mut rest).expect("a length");
    let mut found = 0;
    while !rest.is_empty() {
        let key = prost::encoding::decode_varint(&mut rest).expect("a key");
        let length = prost::encoding::decode_varint(&mut rest).expect("a length") as usize;
        assert!(matches!(key, 0x0a | 0x7a), "a row, or the mark");
        found += usize::from(key == 0x0a && rest[0] == tag);
        rest = &rest[length..];
    }
    found
}

#[test]
fn grouped_frames_are_elements() {
    let options = RdfOptions { logical_type: LogicalType(3), ..rdf_options(PhysicalType::Triples) };
    let encode = EncodeOptions::rdf().with(|options| options.frame_rows = 1);
    let mut encoder = RdfEncoder::new(options, encode).expect("right options");
    let metadata = [("key".to_owned(), b"\xff".to_vec()), (String::new(), Vec::new())];
    encoder.end_frame(&[]).expect("an empty frame");
    for _ in 0..3 {
        add(&mut encoder, [A, B, C, DefaultGraph]).expect("a triple");
    }
    encoder.end_frame(&metadata).expect("a frame");
    encoder.end_frame(&[]).expect("an empty frame");
    add(&mut encoder, [A, B, C, DefaultGraph]).expect("a triple");
    let decoded = read_rdf(&mut encoder);
    let frames: Vec<_> = decoded.rows.iter().map(|row| row.frame).collect();
    assert_eq!(frames, [1, 1, 1, 3]);
    let expected = [(1, String::new(), Vec::new()), (1, "key".to_owned(), b"\xff".to_vec())];
    assert_eq!(decoded.metadata[0].1, "jelly.restart");
    assert_eq!(decoded.metadata[1..], expected);
}

#[test]
fn single_frames_are_taken_one_by_one() {
    let encode = EncodeOptions::rdf().with(|options| {
        options.framing = Framing::Single;
        options.frame_rows = 1;
    });
    let mut encoder = RdfEncoder::new(rdf_options(PhysicalType::Triples), encode).expect("right options");
    let mut frames = Vec::new();
    for _ in 0..2 {
        add(&mut encoder, [A, B, C, DefaultGraph]).expect("a triple");
        add(&mut encoder, [B, B, C, DefaultGraph]).expect("a triple");
        encoder.end_frame(&[]).expect("a frame");
        frames.push(std::mem::take(encoder.output()));
        encoder.end_message();
    }
    assert_eq!(Oracle.rdf(&frames[0], How::new(rows::Framing::Single)).rows.len(), 2);
    let whole = Oracle.rdf(&frames.concat(), How::new(rows::Framing::Single));
    assert_eq!((whole.rows.len(), whole.error), (4, None), "messages are fields one after the other");
    encoder.end_frame(&[]).expect("an empty frame");
    encoder.output().clear();
    assert_eq!(encoder.end_frame(&[]).expect_err("one message").kind(), ErrorKind::EncodeFrame);
}

#[test]
fn a_second_flat_patch_is_refused() {
    for op in [PatchOp::Begin, PatchOp::End(PatchEnd::Mark)] {
        let mut encoder = patch(StatementType::Quads, PatchStreamType::Flat);
        encoder.push(&PatchOp::Begin).expect("a row");
        encoder.end_patch().expect("the first");
        assert_eq!(encoder.push(&op).expect_err("the second").kind(), ErrorKind::EncodePatch);
    }
}

#[test]
fn the_last_punctuated_patch_has_its_mark() {
    for ended in [false, true] {
        let mut encoder = patch(StatementType::Quads, PatchStreamType::Punctuated);
        encoder.end_patch().expect("an empty patch");
        encoder.push(&PatchOp::Begin).expect("a row");
        if ended {
            encoder.end_patch().expect("a patch");
        }
        let ops: Vec<_> = read_patch(&mut encoder).into_iter().map(|row| (row.op, row.name)).collect();
        let mark = ("Z".to_owned(), None);
        assert_eq!(ops, [mark.clone(), ("TX".to_owned(), None), mark]);
    }
}

#[test]
fn frame_patches_may_be_empty() {
    let mut encoder = patch(StatementType::Triples, PatchStreamType::Frame);
    encoder.end_patch().expect("an empty patch");
    for _ in 0..600 {
        encoder.push(&PatchOp::Begin).expect("a row");
    }
    encoder.end_frame().expect("a patch");
    encoder.end_patch().expect("an empty patch");
    let rows = read_patch(&mut encoder);
    let patches: Vec<_> = rows.iter().filter(|row| row.op == "Z").map(|row| row.seq).collect();
    assert_eq!(patches, [0, 601, 602]);
}

/// Options alone would be a patch where the stream or its frame is one, and without bytes there is no stream.
#[test]
fn streams_without_rows() {
    for stream_type in [PatchStreamType::Punctuated, PatchStreamType::Frame, PatchStreamType::Flat] {
        let mut encoder = patch(StatementType::Quads, stream_type);
        let rows = read_patch(&mut encoder);
        assert_eq!((rows.len(), encoder.output().is_empty()), (0, false), "{stream_type:?}");
    }
    for stream_type in [PatchStreamType::Frame, PatchStreamType::Flat] {
        let mut encoder = patch(StatementType::Quads, stream_type);
        encoder.end_patch().expect("an empty patch");
        assert_eq!(read_patch(&mut encoder).len(), 1, "{stream_type:?}");
    }
    let decoded = read_rdf(&mut rdf(PhysicalType::Quads));
    assert!(decoded.options.is_some() && decoded.rows.is_empty());
}

#[test]
fn versions_follow_what_is_written() {
    for (namespaces, version) in [(Some(false), "version=1"), (Some(true), "version=2"), (None, "version=2")]
    {
        let encode = EncodeOptions::rdf().with(|options| options.namespaces = namespaces);
        let options = RdfOptions { version: 7, ..rdf_options(PhysicalType::Triples) };
        let mut encoder = RdfEncoder::new(options, encode).expect("right options");
        encoder.namespace("a", Iri::new("http://a/")).expect("a namespace");
        let decoded = read_rdf(&mut encoder);
        assert!(decoded.options.expect("options").ends_with(version));
        assert_eq!(decoded.namespaces.len(), usize::from(namespaces != Some(false)));
    }
    // what was written cannot change
    let encode = EncodeOptions::rdf().with(|options| options.namespaces = None);
    let mut encoder = RdfEncoder::new(rdf_options(PhysicalType::Triples), encode).expect("right options");
    encoder.end_frame(&[]).expect("a frame");
    let error = encoder.namespace("a", Iri::new("http://a/")).expect_err("version 1");
    assert_eq!(error.kind(), ErrorKind::EncodeUndeclared);
}
