//! Rules that neither the vectors nor the conformance cases show, on the oracle, with rows by hand.

use crate::common::rows::{Class, Decoded, Decoder, Framing, How, PatchRow, RdfRow};
use crate::common::term::{Kind, Term};
use crate::common::vectors::check_numbers;
use crate::oracle::Oracle;
use crate::oracle::proto::v1::patch::rdf_patch_row::Row;
use crate::oracle::proto::v1::patch::{
    PatchStreamType, RdfPatchFrame, RdfPatchHeader, RdfPatchOptions, RdfPatchPunctuation, RdfPatchRow,
    RdfPatchTransactionAbort, RdfPatchTransactionCommit, RdfPatchTransactionStart, rdf_patch_header,
};
use crate::oracle::proto::v1::{
    PhysicalStreamType, RdfGraphEnd, RdfStreamFrame, RdfStreamOptions, RdfStreamRow, RdfTriple,
    rdf_stream_row, rdf_triple,
};
use prost::Message;

const TX: Row = Row::TransactionStart(RdfPatchTransactionStart {});
const TC: Row = Row::TransactionCommit(RdfPatchTransactionCommit {});
const TA: Row = Row::TransactionAbort(RdfPatchTransactionAbort {});
const MARK: Row = Row::Punctuation(RdfPatchPunctuation {});

fn options(stream_type: PatchStreamType) -> Row {
    Row::Options(RdfPatchOptions {
        statement_type: 1,
        stream_type: stream_type.into(),
        max_name_table_size: 8,
        version: 1,
        ..RdfPatchOptions::default()
    })
}

fn header() -> Row {
    let value = Some(rdf_patch_header::Value::HBnode("b".into()));
    Row::Header(RdfPatchHeader { key: "k".into(), value })
}

fn decode(frames: Vec<Vec<Row>>) -> Decoded<PatchRow> {
    let mut bytes = Vec::new();
    for rows in frames {
        let rows = rows.into_iter().map(|row| RdfPatchRow { row: Some(row) }).collect();
        RdfPatchFrame { rows }.encode_length_delimited(&mut bytes).expect("a Vec grows");
    }
    Oracle.patch(&bytes, How::new(Framing::Delimited))
}

/// `op` of each row; of an implied Z also why.
fn ops(frames: Vec<Vec<Row>>) -> String {
    let got = decode(frames);
    assert_eq!(got.error, None);
    check_numbers("by hand", &got.rows);
    let implied = |row: &PatchRow| row.name.clone().filter(|_| row.op == "Z").unwrap_or_default();
    got.rows.iter().flat_map(|row| [row.op.clone(), implied(row), " ".to_owned()]).collect()
}

#[test]
fn flat_is_one_patch() {
    let flat = || options(PatchStreamType::Flat);
    assert_eq!(ops(vec![vec![flat()]]), "Zeof ");
    assert_eq!(ops(vec![vec![], vec![flat(), TX], vec![], vec![TC]]), "TX TC Zeof ");
    assert_eq!(ops(vec![]), "");
}

#[test]
fn frame_is_one_patch_a_frame() {
    let frame = || options(PatchStreamType::Frame);
    assert_eq!(ops(vec![vec![frame()]]), "Zframe ");
    assert_eq!(
        ops(vec![vec![], vec![], vec![frame(), TX], vec![], vec![TC]]),
        "Zframe Zframe TX Zframe Zframe TC Zframe "
    );
}

#[test]
fn punctuated_is_one_patch_a_mark() {
    let punctuated = || options(PatchStreamType::Punctuated);
    assert_eq!(ops(vec![vec![punctuated()]]), "");
    assert_eq!(ops(vec![vec![], vec![punctuated(), MARK, MARK], vec![]]), "Z Z ");
    assert_eq!(ops(vec![vec![punctuated(), TX], vec![MARK, header()]]), "TX Z H Zeof ");
    assert_eq!(ops(vec![vec![punctuated(), MARK, punctuated()]]), "Z ");
}

#[test]
fn transactions_count_at_each_tx() {
    let rows = vec![options(PatchStreamType::Flat), TC, TX, TX, header(), TA, header(), TX, TC];
    let txns: Vec<_> = decode(vec![rows]).rows.iter().map(|row| row.txn).collect();
    let expected = [None, Some(0), Some(1), Some(1), Some(1), None, Some(2), Some(2), None];
    assert_eq!(txns, expected);
}

#[test]
fn faults_have_their_class() {
    let class = |frames| decode(frames).error.map(|fault| fault.class);
    let flat = || options(PatchStreamType::Flat);
    assert_eq!(class(vec![vec![]]), Some(Class::Options));
    assert_eq!(class(vec![vec![TX, flat()]]), Some(Class::Options));
    assert_eq!(class(vec![vec![flat(), options(PatchStreamType::Frame)]]), Some(Class::Options));
    assert_eq!(class(vec![vec![flat(), MARK]]), Some(Class::Other));
    assert_eq!(class(vec![vec![flat(), TX]]), None);
}

/// Seven bits of the tenth byte are there, one of them counts.
#[test]
fn bits_beyond_64_are_dropped() {
    let plain = RdfPatchFrame { rows: vec![RdfPatchRow { row: Some(options(PatchStreamType::Flat)) }] };
    let plain = plain.encode_to_vec();
    let (version, rest) = plain.split_last().expect("the version comes last");
    let long = [&[version | 0x80], [0x80; 8].as_slice(), &[0x7e]].concat();
    let mut bytes = [rest, &long].concat();
    // Frame and options are nine bytes longer.
    bytes[1] += 9;
    bytes[3] += 9;
    let got = Oracle.patch(&bytes, How::new(Framing::Single));
    assert_eq!(got, Oracle.patch(&plain, How::new(Framing::Single)));
    assert_eq!(got.error, None);
}

#[test]
fn a_frame_has_a_limit() {
    let class = |length: u64| {
        let mut bytes = Vec::new();
        prost::encoding::encode_varint(length, &mut bytes);
        Oracle.patch(&bytes, How::new(Framing::Delimited)).error.map(|fault| fault.class)
    };
    assert_eq!(class((1 << 31) - 1), Some(Class::Truncated));
    assert_eq!(class(1 << 31), Some(Class::Limit));
    assert_eq!(class(u64::MAX), Some(Class::Limit));
}

/// Every cut of a file, and the rows before it.
#[test]
fn a_cut_file_is_an_error_or_whole_frames() {
    let frame = |rows: Vec<Row>| {
        let rows = rows.into_iter().map(|row| RdfPatchRow { row: Some(row) }).collect();
        RdfPatchFrame { rows }.encode_length_delimited_to_vec()
    };
    let first = frame(vec![options(PatchStreamType::Punctuated), TX, header()]);
    let bytes = [first.clone(), frame(vec![TC, MARK])].concat();
    for cut in 0..bytes.len() {
        let got = Oracle.patch(&bytes[..cut], How::new(Framing::Delimited));
        if cut == 0 || cut == first.len() {
            assert_eq!(got.error, None, "{cut}");
        } else {
            assert_eq!(got.error.map(|fault| fault.class), Some(Class::Truncated), "{cut}");
            assert!(got.rows.iter().all(|row| row.op != "Z"), "{cut}");
        }
    }
}

fn rdf(rows: Vec<rdf_stream_row::Row>, framing: Framing) -> Decoded<RdfRow> {
    let rows = rows.into_iter().map(|row| RdfStreamRow { row: Some(row) }).collect();
    let frame = RdfStreamFrame { rows, ..RdfStreamFrame::default() };
    let bytes = match framing {
        Framing::Delimited => frame.encode_length_delimited_to_vec(),
        _ => frame.encode_to_vec(),
    };
    let got = Oracle.rdf(&bytes, How::new(framing));
    assert!(Oracle.rdf(&bytes, How::new(Framing::Auto)) == got);
    got
}

fn rdf_options(physical: PhysicalStreamType, flags: bool) -> rdf_stream_row::Row {
    rdf_stream_row::Row::Options(RdfStreamOptions {
        physical_type: physical.into(),
        generalized_statements: flags,
        rdf_star: flags,
        max_name_table_size: 8,
        version: 1,
        ..RdfStreamOptions::default()
    })
}

/// All blank nodes, in the subject `depth` quoted triples deep.
fn nested(depth: usize) -> RdfTriple {
    let subject = match depth {
        0 => rdf_triple::Subject::SBnode("b".into()),
        _ => rdf_triple::Subject::STripleTerm(Box::new(nested(depth - 1))),
    };
    RdfTriple {
        subject: Some(subject),
        predicate: Some(rdf_triple::Predicate::PBnode("b".into())),
        object: Some(rdf_triple::Object::OBnode("b".into())),
    }
}

#[test]
fn rdf_faults_have_their_class() {
    use rdf_stream_row::Row::{GraphEnd, Triple};
    let triples = || rdf_options(PhysicalStreamType::Triples, true);
    for framing in [Framing::Delimited, Framing::Single] {
        let class = |rows| rdf(rows, framing).error.map(|fault| fault.class);
        let graphs = || rdf_options(PhysicalStreamType::Graphs, false);
        assert_eq!(class(vec![graphs(), graphs()]), None);
        assert_eq!(class(vec![graphs(), triples()]), Some(Class::Options));
        assert_eq!(class(vec![graphs(), Triple(nested(0))]), Some(Class::Other));
        assert_eq!(class(vec![graphs(), GraphEnd(RdfGraphEnd {})]), Some(Class::Other));
        assert_eq!(class(vec![triples(), Triple(nested(64))]), None);
        assert_eq!(class(vec![triples(), Triple(nested(65))]), Some(Class::Limit));
        // Deeper than prost goes.
        assert_eq!(class(vec![triples(), Triple(nested(200))]), Some(Class::Limit));
        assert_eq!(class(vec![triples(), Triple(RdfTriple::default())]), Some(Class::Table));
    }
}

/// Where a row or a frame is 10 bytes long, its length looks like a tag, and the third byte tells.
#[test]
fn framing_is_detected() {
    let mut seen = Vec::new();
    for (names, rdf_star) in [(8, false), (8, true), (200, false), (200, true)] {
        let options = RdfStreamOptions {
            physical_type: 1,
            rdf_star,
            max_name_table_size: names,
            version: 1,
            ..RdfStreamOptions::default()
        };
        let row = Some(rdf_stream_row::Row::Options(options));
        let frame = RdfStreamFrame { rows: vec![RdfStreamRow { row }], ..Default::default() };
        for bytes in [frame.encode_to_vec(), frame.encode_length_delimited_to_vec()] {
            let got = Oracle.rdf(&bytes, How::new(Framing::Auto));
            assert_eq!(got.error, None, "{bytes:x?}");
            assert!(got.options.is_some(), "{bytes:x?}");
            seen.push([bytes[0], bytes[1], bytes[2]]);
        }
    }
    assert!(seen.contains(&[0x0a, 0x0a, 0x08]), "a delimited frame of 10 bytes: {seen:x?}");
    assert!(seen.contains(&[0x0a, 0x0a, 0x0a]), "a row of 10 bytes: {seen:x?}");
}

#[test]
fn terms_have_one_text() {
    let iri = |text: &str| Term::Iri(text.into()).to_string();
    let blank = |text: &str| Term::Blank(text.into()).to_string();
    let literal = |text: &str, kind| Term::Literal(text.into(), kind).to_string();
    assert_eq!(
        iri("a <>\"{}|^`\\\u{1}\u{7f}é"),
        "<a\\u0020\\u003C\\u003E\\u0022\\u007B\\u007D\\u007C\\u005E\\u0060\\u005C\\u0001\u{7f}é>"
    );
    assert_eq!(iri("_:b _:"), "<\\u005F:b\\u0020_:>");
    assert_eq!(iri(""), "<>");
    for label in ["a", "0", "_", "a.b", "a-", "é", "a\u{b7}", "a..b", "\u{10000}"] {
        assert_eq!(blank(label), format!("_:{label}"));
    }
    for label in ["", "a.", ".a", "-a", "a:b", "\u{b7}", "\u{d7}", "\u{37e}", "\u{f0000}"] {
        assert_eq!(blank(label), format!("<_:{label}>"));
    }
    assert_eq!(blank("a b>"), "<_:a\\u0020b\\u003E>");
    assert_eq!(
        literal("\u{8}\t\n\u{b}\u{c}\r\"\\'\0\u{1f}\u{7f}\u{80}\u{fffe}\u{ffff}\u{1ffff}", Kind::Simple),
        "\"\\b\\t\\n\\u000B\\f\\r\\\"\\\\'\\u0000\\u001F\\u007F\u{80}\\uFFFE\\uFFFF\u{1ffff}\""
    );
    assert_eq!(literal("x", Kind::Language(String::new())), "\"x\"@");
    assert_eq!(literal("x", Kind::Language("EN-us".into())), "\"x\"@EN-us");
    let datatype = |iri: &str| literal("x", Kind::Datatype(iri.into()));
    assert_eq!(datatype("http://www.w3.org/2001/XMLSchema#string"), "\"x\"");
    assert_eq!(datatype(""), "\"x\"^^<>");
    assert_eq!(datatype("_:d"), "\"x\"^^<\\u005F:d>");
    let triple = Term::Triple(Box::new(["s", "p", "o"].map(|text| Term::Iri(text.into()))));
    assert_eq!(triple.to_string(), "<<( <s> <p> <o> )>>");
    assert_eq!(Term::DefaultGraph.to_string(), "");
}
