//! Traps of terms: lookups, repeats, flags, depth.

use jelly_patch::ErrorKind;
use jelly_patch::With;
use jelly_patch::encode::{EncodeOptions, RdfEncoder};
use jelly_patch::options::{Features, PatchStreamType, PhysicalType, RdfOptions, StatementType};
use jelly_patch::sink::{PatchOp, RdfSink, Same, Statement};
use jelly_patch::term::{Iri, Term, TermBuf, Triple, XSD_STRING};

use Term::{BlankNode, DefaultGraph};

use crate::common::rows::Decoder;
use crate::oracle::Oracle;

use super::*;

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
    let typed = Term::typed_literal;
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
            [Term::Triple(&triple), Term::iri("http://a/0"), Term::iri("http://a/0"), DefaultGraph],
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
        let object = match number % 2 {
            0 => Term::simple_literal(&lex),
            _ => Term::language_literal(&lex, "en"),
        };
        let predicate = format!("http://{}/p{}", number / 3, number % 4);
        let terms = [Term::iri(&subject), Term::iri(&predicate), object, DefaultGraph];
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
            PatchOp::Add(Statement { terms: [A, B, C, A], same: Same(0b1111) }),
            PatchOp::Add(Statement { terms: [A, B, C, A], same: same(0b1111) }),
            PatchOp::AddPrefix { name: "", iri: Iri::new("http://a/"), graph: B },
            PatchOp::Delete(Statement { terms: [A, A, C, A], same: same(0b1101) }),
            PatchOp::DeletePrefix { name: "x", iri: None, graph: A },
            PatchOp::Delete(Statement { terms: [A, A, C, A], same: same(0b1111) }),
        ] {
            encoder.push(&op).expect("a row");
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
                encoder.graph_end().expect("an open graph");
                encoder.graph_start(C).expect("a graph");
            }
            encoder.push(&Statement { terms, same: same(bits) }).expect("a statement");
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
        PatchOp::Add(Statement { terms: [A, B, C, A], same: Same::NONE }),
        PatchOp::Delete(Statement { terms: [A, B, C, BlankNode("")], same: Same::NONE }),
        PatchOp::AddPrefix { name: "", iri: Iri::new(""), graph: A },
        PatchOp::DeletePrefix { name: "", iri: None, graph: A },
    ] {
        let mut encoder = patch(StatementType::Triples, PatchStreamType::Flat);
        assert_eq!(encoder.push(&op).expect_err("a graph").kind(), ErrorKind::EncodeGraph);
    }
}

/// Jelly-JVM leaves it out, and readers take the graph before.
#[test]
fn the_default_graph_is_written() {
    let mut encoder = patch(StatementType::Quads, PatchStreamType::Flat);
    for op in [
        PatchOp::Add(Statement { terms: [A, B, C, A], same: Same::NONE }),
        PatchOp::AddPrefix { name: "", iri: Iri::new("http://a/"), graph: DefaultGraph },
        PatchOp::Add(Statement { terms: [A, B, C, A], same: Same::NONE }),
        PatchOp::Add(Statement { terms: [A, B, C, DefaultGraph], same: Same::NONE }),
    ] {
        encoder.push(&op).expect("a row");
    }
    let graphs: Vec<_> = read_patch(&mut encoder).into_iter().filter_map(|row| row.graph).collect();
    assert_eq!(graphs, ["<http://a/1>", "", "<http://a/1>", ""]);
}

#[test]
fn xsd_string_is_no_datatype() {
    let mut encoder = small(tables(8, 8, 0));
    for literal in [Term::simple_literal("x"), Term::typed_literal("x", XSD_STRING)] {
        add(&mut encoder, [A, B, literal, DefaultGraph]).expect("no datatype");
    }
    assert!(read_rdf(&mut encoder).rows.iter().all(|row| row.object == "\"x\""));
    let empty_row = [0x0a, 0x02, 0x12, 0x00];
    assert!(encoder.output().ends_with(&empty_row), "they are the same term");
}

#[test]
fn a_datatype_without_a_table_is_refused() {
    let mut encoder = small(tables(8, 8, 0));
    let error = add(&mut encoder, [A, B, Term::typed_literal("1", "urn:x"), DefaultGraph]);
    assert_eq!(error.expect_err("no table").kind(), ErrorKind::EncodeTable);
}

#[test]
fn flags_are_true() {
    let triple = Triple { terms: [A, B, C].map(TermBuf::from) };
    let quoted = Term::Triple(&triple);
    let literal = Term::simple_literal("x");
    let nested = Triple { terms: [A, BlankNode("x"), C].map(TermBuf::from) };
    let none = Features::default();
    let star = Features { rdf_star: true, ..none };
    let generalized = Features { generalized_statements: true, ..none };
    for (terms, allowed) in [
        ([A, B, quoted, A], star),
        ([quoted, B, C, A], star),
        ([A, quoted, C, A], ALL),
        ([A, B, Term::Triple(&nested), A], ALL),
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
        [A, B, C, Term::Triple(&triple)],
        [A, B, Term::Triple(&hollow), A],
    ] {
        let error = add(&mut rdf(PhysicalType::Quads), terms).expect_err("misplaced");
        assert_eq!(error.kind(), ErrorKind::EncodeTerm, "{terms:?}");
    }
    let mut encoder = patch(StatementType::Quads, PatchStreamType::Flat);
    let error = encoder.push(&PatchOp::Header { key: "", value: DefaultGraph }).expect_err("no term");
    assert_eq!(error.kind(), ErrorKind::EncodeTerm);
}

#[test]
fn triples_nest_as_deep_as_readers_take_them() {
    let mut term = TermBuf::from(A);
    for depth in 1..=65 {
        term = TermBuf::Triple(Box::new(Triple { terms: [term, TermBuf::from(B), TermBuf::from(C)] }));
        let mut encoder = rdf(PhysicalType::Triples);
        let done = add(&mut encoder, [A, B, term.as_term(), DefaultGraph]);
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
    let literal = Term::simple_literal("x");
    add(&mut encoder, [Term::iri("http://d/4"), literal, C, DefaultGraph]).expect_err("generalized");
    assert_eq!(*encoder.output(), whole);
    assert_eq!(add(&mut encoder, [A, B, C, DefaultGraph]).expect_err("failed").kind(), ErrorKind::Argument);
    assert_eq!(encoder.finish().expect_err("failed").kind(), ErrorKind::Argument);
    assert_eq!(*encoder.output(), whole);
}
