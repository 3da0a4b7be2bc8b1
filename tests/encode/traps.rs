//! What encoders get wrong in silence, each by name.

use jelly_patch::With;
use jelly_patch::encode::{EncodeOptions, Framing, PatchEncoder, PlainOp, RdfEncoder};
use jelly_patch::options::{
    Features, LogicalType, PatchOptions, PatchStreamType, PhysicalType, RdfOptions, StatementType, TableSizes,
};
use jelly_patch::sink::Same;
use jelly_patch::term::{PlainKind, PlainTerm, TermBuf, Triple, XSD_STRING};
use jelly_patch::{Error, ErrorClass, ErrorKind};

use PlainTerm::{BlankNode, DefaultGraph, Iri, Literal};

use crate::common::core::Core;
use crate::common::rows::{self, Decoded, Decoder, How, PatchRow, RdfRow};
use crate::oracle::Oracle;

const A: PlainTerm<'_> = Iri("http://a/1");
const B: PlainTerm<'_> = Iri("http://b/2");
const C: PlainTerm<'_> = Iri("http://c/3");
const ALL: Features = Features { generalized_statements: true, rdf_star: true };
const HOW: fn() -> How = || How::new(rows::Framing::Delimited);

fn tables(names: u32, prefixes: u32, datatypes: u32) -> TableSizes {
    TableSizes { names, prefixes, datatypes }
}

fn rdf_options(physical_type: PhysicalType) -> RdfOptions {
    RdfOptions {
        stream_name: String::new(),
        physical_type,
        logical_type: LogicalType(0),
        features: ALL,
        tables: TableSizes::default(),
        version: 1,
    }
}

fn patch_options(statement_type: StatementType, stream_type: PatchStreamType) -> PatchOptions {
    PatchOptions { statement_type, stream_type, features: ALL, tables: TableSizes::default(), version: 1 }
}

fn rdf(physical_type: PhysicalType) -> RdfEncoder {
    RdfEncoder::new(rdf_options(physical_type), EncodeOptions::rdf()).expect("right options")
}

fn small(tables: TableSizes) -> RdfEncoder {
    let options = RdfOptions { tables, ..rdf_options(PhysicalType::Triples) };
    RdfEncoder::new(options, EncodeOptions::rdf()).expect("right options")
}

fn patch(statement_type: StatementType, stream_type: PatchStreamType) -> PatchEncoder {
    PatchEncoder::new(patch_options(statement_type, stream_type), EncodeOptions::patch())
        .expect("right options")
}

fn add(encoder: &mut RdfEncoder, terms: [PlainTerm<'_>; 4]) -> Result<(), Error> {
    encoder.plain_statement(&terms, Same::NONE)
}

/// The rows that both decoders read.
fn read_rdf(encoder: &mut RdfEncoder) -> Decoded<RdfRow> {
    encoder.finish().expect("a whole stream");
    let decoded = Oracle.rdf(encoder.output(), HOW());
    assert_eq!(decoded.error, None);
    assert_eq!(Core::default().rdf(encoder.output(), HOW()).rows, decoded.rows);
    decoded
}

fn read_patch(encoder: &mut PatchEncoder) -> Vec<PatchRow> {
    encoder.finish().expect("a whole stream");
    let decoded = Oracle.patch(encoder.output(), HOW());
    assert_eq!(decoded.error, None);
    assert_eq!(Core::default().patch(encoder.output(), HOW()).rows, decoded.rows);
    decoded.rows
}

#[test]
fn eviction_inside_one_statement() {
    for (prefixes, fits) in [(0, true), (1, false), (2, false), (3, true)] {
        let mut encoder = small(tables(8, prefixes, 0));
        let done = add(&mut encoder, [A, B, C, DefaultGraph]);
        if fits {
            done.expect("three prefixes");
            let row = &read_rdf(&mut encoder).rows[0];
            assert_eq!([&*row.subject, &*row.object], ["<http://a/1>", "<http://c/3>"]);
        } else {
            assert_eq!(done.expect_err("too many prefixes").kind(), ErrorKind::EncodeTable);
        }
    }
}

#[test]
fn a_prefix_table_of_one_with_three_prefixes_one_after_the_other() {
    let mut encoder = small(tables(8, 1, 0));
    for iri in [A, B, C, A, B, C] {
        add(&mut encoder, [iri, iri, BlankNode("x"), DefaultGraph]).expect("one prefix");
    }
    let subjects: Vec<_> = read_rdf(&mut encoder).rows.into_iter().map(|row| row.subject).collect();
    let once = ["<http://a/1>", "<http://b/2>", "<http://c/3>"];
    assert_eq!(subjects, [once, once].concat());
}

#[test]
fn a_datatype_table_of_one_with_two_datatypes_in_a_statement() {
    let typed = |lex, datatype| Literal(lex, PlainKind::Datatype(datatype));
    let mut encoder = small(tables(8, 8, 1));
    add(&mut encoder, [typed("1", "urn:x"), A, typed("1", "urn:x"), DefaultGraph]).expect("one datatype");
    let terms = [typed("2", "urn:x"), A, typed("2", "urn:y"), DefaultGraph];
    let error = add(&mut encoder, terms).expect_err("two datatypes");
    assert_eq!(error.kind(), ErrorKind::EncodeTable);
}

/// Of 27 names.
fn deep_triple() -> Triple {
    let leaf = |name: usize| TermBuf::iri(&format!("http://a/{name}"));
    let triple = |terms| TermBuf::Triple(Box::new(Triple { terms }));
    let level = |from: usize| triple([leaf(from), leaf(from + 1), leaf(from + 2)]);
    let [one, other] = [0, 12].map(|from| triple([level(from), leaf(from + 9), level(from + 3)]));
    Triple { terms: [one, leaf(26), other] }
}

#[test]
fn eviction_inside_quoted_triples() {
    let triple = deep_triple();
    for (names, fits) in [(8, false), (14, false), (16, true)] {
        let mut encoder = small(tables(names, 1, 0));
        let done = add(
            &mut encoder,
            [PlainTerm::Triple(&triple), Iri("http://a/0"), Iri("http://a/0"), DefaultGraph],
        );
        match done {
            Ok(()) => {
                assert!(fits, "{names} names");
                let row = &read_rdf(&mut encoder).rows[0];
                assert_eq!(row.subject, TermBuf::Triple(Box::new(triple.clone())).as_term().to_string());
            }
            Err(error) => assert!(!fits && error.kind() == ErrorKind::EncodeTable, "{names}: {error}"),
        }
    }
}

#[test]
fn terms_repeat_by_value_not_by_id() {
    let mut encoder = small(tables(8, 1, 1));
    for number in 0..100 {
        let (subject, lex) = (format!("http://{}/s", number / 3), format!("{}", number / 5));
        let kind = if number % 2 == 0 { PlainKind::Simple } else { PlainKind::Language("en") };
        let predicate = format!("http://{}/p{}", number / 3, number % 4);
        let terms = [Iri(&subject), Iri(&predicate), Literal(&lex, kind), DefaultGraph];
        add(&mut encoder, terms).expect("a statement");
    }
    for (number, row) in read_rdf(&mut encoder).rows.iter().enumerate() {
        assert_eq!(row.subject, format!("<http://{}/s>", number / 3));
        let tag = ["", "@en"][number % 2];
        assert_eq!(row.object, format!("\"{}\"{tag}", number / 5));
    }
}

/// What is true of statements need not be true of the graphs between them.
#[test]
fn bytes_do_not_depend_on_hints() {
    let write = |hints: bool| {
        let mut encoder = patch(StatementType::Quads, PatchStreamType::Punctuated);
        let same = |bits| if hints { Same(bits) } else { Same::NONE };
        for op in [
            PlainOp::Add(&[A, B, C, A], Same(0b1111)),
            PlainOp::Add(&[A, B, C, A], same(0b1111)),
            PlainOp::AddPrefix { name: "", iri: "http://a/", graph: B },
            PlainOp::Delete(&[A, A, C, A], same(0b1101)),
            PlainOp::DeletePrefix { name: "x", iri: None, graph: A },
            PlainOp::Delete(&[A, A, C, A], same(0b1111)),
        ] {
            encoder.plain_row(&op).expect("a row");
        }
        (read_patch(&mut encoder), encoder.output().clone())
    };
    let (rows, bytes) = write(true);
    assert_eq!(write(false), (rows.clone(), bytes));
    let graphs: Vec<_> = rows.iter().filter_map(|row| row.graph.as_deref()).collect();
    let [a, b] = ["<http://a/1>", "<http://b/2>"];
    assert_eq!(graphs, [a, a, b, a, a, a]);

    let write = |hints: bool| {
        let mut encoder = rdf(PhysicalType::Graphs);
        let same = |bits| if hints { Same(bits) } else { Same::NONE };
        for (end, terms, bits) in
            [(false, [A, B, C, A], 0), (false, [B, B, C, A], 0b1110), (true, [B, B, C, A], 0b1111)]
        {
            if end {
                encoder.plain_graph_end().expect("an open graph");
                encoder.plain_graph_start(C).expect("a graph");
            }
            encoder.plain_statement(&terms, same(bits)).expect("a statement");
        }
        (read_rdf(&mut encoder).rows, encoder.output().clone())
    };
    let (rows, bytes) = write(true);
    assert_eq!(write(false), (rows.clone(), bytes));
    assert!(rows.len() == 3 && rows.iter().all(|row| row.graph == a), "{rows:?}");
}

#[test]
fn a_graph_in_triples_is_refused() {
    let error = add(&mut rdf(PhysicalType::Triples), [A, B, C, A]).expect_err("a graph");
    assert_eq!(error.kind(), ErrorKind::EncodeGraph);
    for op in [
        PlainOp::Add(&[A, B, C, A], Same::NONE),
        PlainOp::Delete(&[A, B, C, BlankNode("")], Same::NONE),
        PlainOp::AddPrefix { name: "", iri: "", graph: A },
        PlainOp::DeletePrefix { name: "", iri: None, graph: A },
    ] {
        let mut encoder = patch(StatementType::Triples, PatchStreamType::Flat);
        assert_eq!(encoder.plain_row(&op).expect_err("a graph").kind(), ErrorKind::EncodeGraph);
    }
}

/// Jelly-JVM leaves it out, and readers take the graph before.
#[test]
fn the_default_graph_is_written() {
    let mut encoder = patch(StatementType::Quads, PatchStreamType::Flat);
    for op in [
        PlainOp::Add(&[A, B, C, A], Same::NONE),
        PlainOp::AddPrefix { name: "", iri: "http://a/", graph: DefaultGraph },
        PlainOp::Add(&[A, B, C, A], Same::NONE),
        PlainOp::Add(&[A, B, C, DefaultGraph], Same::NONE),
    ] {
        encoder.plain_row(&op).expect("a row");
    }
    let graphs: Vec<_> = read_patch(&mut encoder).into_iter().filter_map(|row| row.graph).collect();
    assert_eq!(graphs, ["<http://a/1>", "", "<http://a/1>", ""]);
}

#[test]
fn xsd_string_is_no_datatype() {
    let mut encoder = small(tables(8, 8, 0));
    for kind in [PlainKind::Simple, PlainKind::Datatype(XSD_STRING)] {
        add(&mut encoder, [A, B, Literal("x", kind), DefaultGraph]).expect("no datatype");
    }
    assert!(read_rdf(&mut encoder).rows.iter().all(|row| row.object == "\"x\""));
    let empty_row = [0x0a, 0x02, 0x12, 0x00];
    assert!(encoder.output().ends_with(&empty_row), "they are the same term");
}

#[test]
fn a_datatype_without_a_table_is_refused() {
    let mut encoder = small(tables(8, 8, 0));
    let error = add(&mut encoder, [A, B, Literal("1", PlainKind::Datatype("urn:x")), DefaultGraph]);
    assert_eq!(error.expect_err("no table").kind(), ErrorKind::EncodeTable);
}

#[test]
fn flags_are_true() {
    let triple = Triple { terms: [A, B, C].map(TermBuf::from) };
    let quoted = PlainTerm::Triple(&triple);
    let literal = Literal("x", PlainKind::Simple);
    let nested = Triple { terms: [A, BlankNode("x"), C].map(TermBuf::from) };
    let none = Features::default();
    let star = Features { rdf_star: true, ..none };
    let generalized = Features { generalized_statements: true, ..none };
    for (terms, allowed) in [
        ([A, B, quoted, A], star),
        ([quoted, B, C, A], star),
        ([A, quoted, C, A], ALL),
        ([A, B, PlainTerm::Triple(&nested), A], ALL),
        ([literal, B, C, A], generalized),
        ([A, literal, C, A], generalized),
        ([A, BlankNode("x"), C, A], generalized),
        ([A, B, C, literal], generalized),
        ([BlankNode("x"), B, literal, BlankNode("y")], none),
    ] {
        for features in [none, star, generalized, ALL] {
            let options = RdfOptions { features, ..rdf_options(PhysicalType::Quads) };
            let mut encoder = RdfEncoder::new(options, EncodeOptions::rdf()).expect("right options");
            let fits = (features.rdf_star || !allowed.rdf_star)
                && (features.generalized_statements || !allowed.generalized_statements);
            match add(&mut encoder, terms) {
                Ok(()) => assert!(fits && read_rdf(&mut encoder).rows.len() == 1, "{terms:?} {features:?}"),
                Err(error) => {
                    assert!(!fits && error.kind() == ErrorKind::EncodeUndeclared, "{terms:?} {features:?}");
                }
            }
        }
    }
}

#[test]
fn terms_that_cannot_stand_there_are_refused() {
    let triple = Triple { terms: [A, B, C].map(TermBuf::from) };
    let hollow = Triple { terms: [A, B, DefaultGraph].map(TermBuf::from) };
    for terms in [
        [DefaultGraph, B, C, A],
        [A, DefaultGraph, C, A],
        [A, B, DefaultGraph, A],
        [A, B, C, PlainTerm::Triple(&triple)],
        [A, B, PlainTerm::Triple(&hollow), A],
    ] {
        let error = add(&mut rdf(PhysicalType::Quads), terms).expect_err("misplaced");
        assert_eq!(error.kind(), ErrorKind::EncodeTerm, "{terms:?}");
    }
    let mut encoder = patch(StatementType::Quads, PatchStreamType::Flat);
    let error = encoder.plain_row(&PlainOp::Header { key: "", value: DefaultGraph }).expect_err("no term");
    assert_eq!(error.kind(), ErrorKind::EncodeTerm);
}

#[test]
fn triples_nest_as_deep_as_readers_take_them() {
    let mut term = TermBuf::from(A);
    for depth in 1..=65 {
        term = TermBuf::Triple(Box::new(Triple { terms: [term, TermBuf::from(B), TermBuf::from(C)] }));
        let mut encoder = rdf(PhysicalType::Triples);
        let done = add(&mut encoder, [A, B, term.as_plain(), DefaultGraph]);
        if depth <= 64 {
            done.expect("deep enough");
            assert_eq!(read_rdf(&mut encoder).rows[0].object, term.as_term().to_string());
        } else {
            assert_eq!(done.expect_err("too deep").limit_name(), Some("nesting"));
        }
    }
}

/// A failed row must not leave its entries behind.
#[test]
fn a_failed_row_leaves_nothing() {
    let options = RdfOptions { features: Features::default(), ..rdf_options(PhysicalType::Triples) };
    let encode = EncodeOptions::rdf().with(|options| options.frame_rows = 1);
    let mut encoder = RdfEncoder::new(options, encode).expect("right options");
    add(&mut encoder, [A, B, C, DefaultGraph]).expect("a statement");
    let whole = encoder.output().clone();
    assert_eq!(Oracle.rdf(&whole, HOW()).rows.len(), 1);
    let literal = Literal("x", PlainKind::Simple);
    add(&mut encoder, [Iri("http://d/4"), literal, C, DefaultGraph]).expect_err("generalized");
    assert_eq!(*encoder.output(), whole);
    assert_eq!(add(&mut encoder, [A, B, C, DefaultGraph]).expect_err("failed").kind(), ErrorKind::Argument);
    assert_eq!(encoder.finish().expect_err("failed").kind(), ErrorKind::Argument);
    assert_eq!(*encoder.output(), whole);
}

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
    let error = rdf(PhysicalType::Graphs).plain_graph_end().expect_err("no graph");
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
    for op in [PlainOp::Begin, PlainOp::End] {
        let mut encoder = patch(StatementType::Quads, PatchStreamType::Flat);
        encoder.plain_row(&PlainOp::Begin).expect("a row");
        encoder.end_patch().expect("the first");
        assert_eq!(encoder.plain_row(&op).expect_err("the second").kind(), ErrorKind::EncodePatch);
    }
}

#[test]
fn the_last_punctuated_patch_has_its_mark() {
    for ended in [false, true] {
        let mut encoder = patch(StatementType::Quads, PatchStreamType::Punctuated);
        encoder.end_patch().expect("an empty patch");
        encoder.plain_row(&PlainOp::Begin).expect("a row");
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
        encoder.plain_row(&PlainOp::Begin).expect("a row");
    }
    encoder.end_frame().expect("a patch");
    encoder.end_patch().expect("an empty patch");
    let rows = read_patch(&mut encoder);
    let patches: Vec<_> = rows.iter().filter(|row| row.op == "Z").map(|row| row.seq).collect();
    assert_eq!(patches, [0, 601, 602]);
}

/// Options alone would be a patch where the stream or its frame is one.
#[test]
fn streams_without_rows() {
    for (stream_type, options, patches) in [
        (PatchStreamType::Punctuated, true, 0),
        (PatchStreamType::Frame, false, 0),
        (PatchStreamType::Flat, false, 0),
    ] {
        let mut encoder = patch(StatementType::Quads, stream_type);
        let rows = read_patch(&mut encoder);
        assert_eq!((rows.len(), encoder.output().is_empty()), (patches, !options), "{stream_type:?}");
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
        encoder.plain_namespace("a", "http://a/").expect("a namespace");
        let decoded = read_rdf(&mut encoder);
        assert!(decoded.options.expect("options").ends_with(version));
        assert_eq!(decoded.namespaces.len(), usize::from(namespaces != Some(false)));
    }
    // what was written cannot change
    let encode = EncodeOptions::rdf().with(|options| options.namespaces = None);
    let mut encoder = RdfEncoder::new(rdf_options(PhysicalType::Triples), encode).expect("right options");
    encoder.end_frame(&[]).expect("a frame");
    let error = encoder.plain_namespace("a", "http://a/").expect_err("version 1");
    assert_eq!(error.kind(), ErrorKind::EncodeUndeclared);
}
