//! The published conformance cases of Jelly-RDF, direction `to_jelly`.

use jelly_patch::With;
use jelly_patch::encode::{EncodeOptions, RdfEncoder};
use jelly_patch::options::{Features, LogicalType, PhysicalType, RdfOptions, TableSizes};
use jelly_patch::sink::Statement;
use jelly_patch::term::{TermBuf, Triple};
use jelly_patch::{ErrorClass, Result};
use prost::Message;
use serde_json::Value;

use crate::common::core::Core;
use crate::common::lexer::Lexer;
use crate::common::rows::{Decoder, Framing, How, Relabel};
use crate::common::shared::{read, read_text, shared};
use crate::common::term::{Kind, Term};
use crate::common::vectors::assert_same;
use crate::oracle::Oracle;
use crate::oracle::proto::v1::RdfStreamFrame;
use crate::oracle::proto::v1::rdf_stream_row::Row;

/// What a case asks for, which may be what no decoder takes.
fn requested(bytes: &[u8]) -> RdfOptions {
    let frame = RdfStreamFrame::decode_length_delimited(bytes).expect("a frame");
    let Some(Row::Options(options)) = frame.rows.into_iter().next().and_then(|row| row.row) else {
        panic!("no options");
    };
    let number = |number: i32| u32::try_from(number).expect("no sign");
    RdfOptions {
        physical_type: PhysicalType::from_number(number(options.physical_type)).expect("a type"),
        logical_type: LogicalType(number(options.logical_type)),
        features: Features {
            generalized_statements: options.generalized_statements,
            rdf_star: options.rdf_star,
        },
        tables: TableSizes {
            names: options.max_name_table_size,
            prefixes: options.max_prefix_table_size,
            datatypes: options.max_datatype_table_size,
        },
        version: options.version,
        stream_name: options.stream_name,
    }
}

fn term(term: &Term) -> TermBuf {
    match term {
        Term::Iri(iri) => TermBuf::iri(iri),
        Term::Blank(label) => TermBuf::blank_node(label),
        Term::Literal(lex, Kind::Simple) => TermBuf::simple_literal(lex),
        Term::Literal(lex, Kind::Language(tag)) => TermBuf::language_literal(lex, tag),
        Term::Literal(lex, Kind::Datatype(iri)) => TermBuf::typed_literal(lex, iri),
        Term::Triple(terms) => {
            let terms = [&terms[0], &terms[1], &terms[2]].map(self::term);
            TermBuf::Triple(Box::new(Triple { terms }))
        }
        Term::DefaultGraph => TermBuf::DefaultGraph,
    }
}

/// Writes each text as a frame.
fn encode(encoder: &mut RdfEncoder, texts: &[String]) -> Result<Vec<u8>> {
    for text in texts {
        for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
            let mut lexer = Lexer::new(line.trim_end());
            let mut terms: [TermBuf; 4] = std::array::from_fn(|_| TermBuf::DefaultGraph);
            for slot in &mut terms {
                if !lexer.at_end() {
                    *slot = term(&lexer.term());
                }
            }
            assert!(lexer.at_end(), "{line}");
            encoder.push(&Statement::of(terms.each_ref().map(TermBuf::as_term)))?;
        }
        encoder.end_frame(&[])?;
    }
    encoder.finish()?;
    Ok(std::mem::take(encoder.output()))
}

#[test]
#[ignore = "needs ../shared"]
fn conformance_cases() {
    let folder = shared("conformance");
    let cases: Value = serde_json::from_slice(&read(&folder.join("cases.json"))).expect("JSON");
    let (mut positive, mut negative) = (0, 0);
    for case in cases["cases"].as_array().expect("a list") {
        if case["direction"] != "to_jelly" {
            continue;
        }
        let name = case["id"].as_str().expect("a string");
        let paths = |field: &str| -> Vec<_> {
            let list = case[field].as_array().expect("a list");
            list.iter().map(|path| folder.join(path.as_str().expect("a path"))).collect()
        };
        let action = paths("action");
        let options = requested(&read(&action[0]));
        let texts: Vec<_> = action[1..].iter().map(|path| read_text(path)).collect();
        if case["positive"] != true {
            negative += 1;
            let written = RdfEncoder::new(options, EncodeOptions::rdf())
                .and_then(|mut encoder| encode(&mut encoder, &texts));
            assert_eq!(written.expect_err(name).kind().class(), ErrorClass::Encode, "{name}");
            continue;
        }
        positive += 1;
        let encode_options = EncodeOptions::rdf().with(|options| options.frame_rows = usize::MAX);
        let mut encoder = RdfEncoder::new(options, encode_options).expect(name);
        let written = encode(&mut encoder, &texts).expect(name);
        let expected = read(&paths("result")[0]);
        let delimited = How::new(Framing::Delimited);
        let expected_rows = Oracle.rdf(&expected, How::default());
        assert_eq!(expected_rows.error, None, "{name}");
        assert!(!expected_rows.rows.is_empty(), "{name}");
        for got in [Oracle.rdf(&written, delimited), Core::default().rdf(&written, delimited)] {
            assert_eq!(got.error, None, "{name}");
            let relabel = |rows: &[_]| Relabel::default().rows(rows);
            assert_same(name, &relabel(&got.rows), &relabel(&expected_rows.rows));
        }
    }
    assert_eq!([positive, negative], [NUMBER - NEGATIVE, NEGATIVE]);
}

const NUMBER: usize = 54;
const NEGATIVE: usize = 1;
