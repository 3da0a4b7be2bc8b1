//! Rules that neither the vectors nor the conformance cases show, on the oracle, with rows by hand.

mod common;
mod oracle;

use common::rows::{Class, Decoded, Decoder, Framing, How, PatchRow};
use common::term::{Kind, Term};
use common::vectors::check_numbers;
use oracle::Oracle;
use oracle::proto::v1::patch::rdf_patch_row::Row;
use oracle::proto::v1::patch::{
    PatchStreamType, RdfPatchFrame, RdfPatchHeader, RdfPatchOptions, RdfPatchPunctuation,
    RdfPatchRow, RdfPatchTransactionAbort, RdfPatchTransactionCommit, RdfPatchTransactionStart,
    rdf_patch_header,
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
    Row::Header(RdfPatchHeader {
        key: "k".into(),
        value,
    })
}

fn decode(frames: Vec<Vec<Row>>) -> Decoded<PatchRow> {
    let mut bytes = Vec::new();
    for rows in frames {
        let rows = rows
            .into_iter()
            .map(|row| RdfPatchRow { row: Some(row) })
            .collect();
        RdfPatchFrame { rows }
            .encode_length_delimited(&mut bytes)
            .expect("a Vec grows");
    }
    Oracle.patch(&bytes, How::new(Framing::Delimited))
}

/// `op` of each row; of an implied Z also why.
fn ops(frames: Vec<Vec<Row>>) -> String {
    let got = decode(frames);
    assert_eq!(got.error, None);
    check_numbers("by hand", &got.rows);
    let implied = |row: &PatchRow| {
        row.name
            .clone()
            .filter(|_| row.op == "Z")
            .unwrap_or_default()
    };
    got.rows
        .iter()
        .flat_map(|row| [row.op.clone(), implied(row), " ".to_owned()])
        .collect()
}

#[test]
fn flat_is_one_patch() {
    let flat = || options(PatchStreamType::Flat);
    assert_eq!(ops(vec![vec![flat()]]), "Zeof ");
    assert_eq!(
        ops(vec![vec![], vec![flat(), TX], vec![], vec![TC]]),
        "TX TC Zeof "
    );
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
    assert_eq!(
        ops(vec![vec![], vec![punctuated(), MARK, MARK], vec![]]),
        "Z Z "
    );
    assert_eq!(
        ops(vec![vec![punctuated(), TX], vec![MARK, header()]]),
        "TX Z H Zeof "
    );
    assert_eq!(ops(vec![vec![punctuated(), MARK, punctuated()]]), "Z ");
}

#[test]
fn transactions_count_at_each_tx() {
    let rows = vec![
        options(PatchStreamType::Flat),
        TC,
        TX,
        TX,
        header(),
        TA,
        header(),
        TX,
        TC,
    ];
    let txns: Vec<_> = decode(vec![rows]).rows.iter().map(|row| row.txn).collect();
    let expected = [
        None,
        Some(0),
        Some(1),
        Some(1),
        Some(1),
        None,
        Some(2),
        Some(2),
        None,
    ];
    assert_eq!(txns, expected);
}

#[test]
fn faults_have_their_class() {
    let class = |frames| decode(frames).error.map(|fault| fault.class);
    let flat = || options(PatchStreamType::Flat);
    assert_eq!(class(vec![vec![]]), Some(Class::Options));
    assert_eq!(class(vec![vec![TX, flat()]]), Some(Class::Options));
    assert_eq!(
        class(vec![vec![flat(), options(PatchStreamType::Frame)]]),
        Some(Class::Options)
    );
    assert_eq!(class(vec![vec![flat(), MARK]]), Some(Class::Other));
    assert_eq!(class(vec![vec![flat(), TX]]), None);
}

/// Every cut of a file, and the rows before it.
#[test]
fn a_cut_file_is_an_error_or_whole_frames() {
    let frame = |rows: Vec<Row>| {
        let rows = rows
            .into_iter()
            .map(|row| RdfPatchRow { row: Some(row) })
            .collect();
        RdfPatchFrame { rows }.encode_length_delimited_to_vec()
    };
    let first = frame(vec![options(PatchStreamType::Punctuated), TX, header()]);
    let bytes = [first.clone(), frame(vec![TC, MARK])].concat();
    for cut in 0..bytes.len() {
        let got = Oracle.patch(&bytes[..cut], How::new(Framing::Delimited));
        if cut == 0 || cut == first.len() {
            assert_eq!(got.error, None, "{cut}");
        } else {
            assert_eq!(
                got.error.map(|fault| fault.class),
                Some(Class::Truncated),
                "{cut}"
            );
            assert!(got.rows.iter().all(|row| row.op != "Z"), "{cut}");
        }
    }
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
    for label in [
        "a",
        "0",
        "_",
        "a.b",
        "a-",
        "é",
        "a\u{b7}",
        "a..b",
        "\u{10000}",
    ] {
        assert_eq!(blank(label), format!("_:{label}"));
    }
    for label in [
        "",
        "a.",
        ".a",
        "-a",
        "a:b",
        "\u{b7}",
        "\u{d7}",
        "\u{37e}",
        "\u{f0000}",
    ] {
        assert_eq!(blank(label), format!("<_:{label}>"));
    }
    assert_eq!(blank("a b>"), "<_:a\\u0020b\\u003E>");
    assert_eq!(
        literal(
            "\u{8}\t\n\u{b}\u{c}\r\"\\'\0\u{1f}\u{7f}\u{80}\u{fffe}\u{ffff}\u{1ffff}",
            Kind::Simple
        ),
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
