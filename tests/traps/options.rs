//! The options row.

use jelly_patch::With;

use crate::common::craft::{
    Frames, blank, bytes, delimited, iri, literal, member, number, patch, patch_with, quoted, rdf, rdf_with,
    text,
};

/// The error of a row, `byte` from its content.
#[track_caller]
fn refused(frames: &Frames, row: usize, slug: &str, byte: u64, field: Option<&str>) {
    let expected = (slug, 0, row as u64, frames.offset(0, row) + byte, field);
    assert_eq!(frames.rdf().fault(), expected);
}

#[test]
fn options_first() {
    let rows = [rdf::name(1, "a"), rdf::plain_triple(), rdf::namespace("a", vec![]), rdf::graph_end()];
    for row in rows {
        let frames = Frames::one(&[row, rdf::options(rdf::TRIPLES)]);
        refused(&frames, 0, "options.missing", 0, None);
    }
    for row in [patch::name(1, "a"), patch::tx(), patch::header("k", &blank("b")), patch::mark()] {
        let frames = Frames::one(&[row, patch::options(patch::FLAT, patch::QUADS)]);
        let expected = ("options.missing", 0, 0, frames.offset(0, 0), None);
        assert_eq!(frames.patch().fault(), expected);
    }
    // first row, not first frame
    let frames = Frames(vec![vec![], vec![], vec![rdf::options(rdf::TRIPLES), rdf::plain_triple()]]);
    assert_eq!(frames.rdf().rows().len(), 1);
}

#[test]
fn later_options_are_identical_and_reset_nothing() {
    let options = rdf::options(rdf::TRIPLES);
    // the same fields in other bytes are the same options
    let reversed = bytes(
        1,
        [(15, 2), (11, 4), (10, 4), (9, 8), (4, 7), (3, 1), (2, 1), (14, 0)]
            .map(|(field, value)| number(field, value))
            .concat(),
    );
    let frames = Frames::one(&[
        options.clone(),
        rdf::name(0, "a"),
        rdf::name(0, "b"),
        rdf::triple([iri(0, 0), blank("p"), blank("o")]),
        reversed,
        rdf::name(0, "c"),
        bytes(2, member(1, &iri(0, 0))),
        bytes(2, member(1, &iri(0, 0))),
    ]);
    let got = crate::common::craft::quads(frames.rdf().rows());
    assert_eq!(got, ["<a> _:p _:o ", "<b> _:p _:o ", "<c> _:p _:o "]);
    let changes: [&[(u32, Option<u64>)]; 9] = [
        &[(2, Some(2))],
        &[(3, None)],
        &[(4, None)],
        &[(9, Some(9))],
        &[(10, None)],
        &[(11, Some(3))],
        &[(15, Some(1))],
        &[(14, Some(1))],
        &[(9, Some(16)), (10, Some(16))],
    ];
    for change in changes {
        let mut other = rdf::options_but(rdf::TRIPLES, change);
        if change[0].0 == 14 {
            other = bytes(1, [&options[2..], &number(14, 1)].concat());
        }
        let frames = Frames(vec![vec![options.clone(), rdf::plain_triple()], vec![other]]);
        let outcome = frames.rdf();
        assert_eq!(outcome.decoded.rows.len(), 1);
        let expected = ("options.changed", 1, 0, frames.offset(1, 0) + 2, Some("options"));
        assert_eq!(outcome.fault(), expected);
    }
    let named = bytes(1, [&options[2..], &bytes(1, "x")].concat());
    let frames = Frames::one(&[options, named]);
    refused(&frames, 1, "options.changed", 2, Some("options"));
}

#[test]
fn later_patch_options_are_identical() {
    let options = patch::options(patch::PUNCTUATED, patch::QUADS);
    for change in [(1, Some(1)), (2, Some(2)), (9, Some(12)), (3, None)] {
        let other = patch::options_but(patch::PUNCTUATED, patch::QUADS, &[change]);
        let frames = Frames::one(&[options.clone(), other]);
        assert_eq!(frames.patch().fault().0, "options.changed");
    }
    let frames = Frames::one(&[options.clone(), patch::mark(), options]);
    assert_eq!(frames.patch().rows().len(), 1);
}

#[test]
fn version_0_and_newer() {
    let field = Some("options.version");
    for version in [1, 2] {
        let frames = Frames::one(&[rdf::version(version), rdf::plain_triple()]);
        assert_eq!(frames.rdf().rows().len(), 1);
    }
    refused(&Frames::one(&[rdf::version(0)]), 0, "options.version", 2, field);
    for version in [3, 10_000, (1 << 31) + 1, u64::from(u32::MAX)] {
        let options = rdf::version(version);
        let at = options.len() as u64 - 1 - number(0, version).len() as u64 + 1;
        refused(&Frames::one(&[options]), 0, "options.version", at, field);
    }
    for (version, fits) in [(None, false), (Some(0), false), (Some(1), true), (Some(2), false)] {
        let options = patch::options_but(patch::FLAT, patch::QUADS, &[(15, version)]);
        let outcome = Frames::one(&[options]).patch();
        assert_eq!(outcome.error.is_none(), fits, "{version:?}");
        if !fits {
            assert_eq!(outcome.fault().0, "options.version");
        }
    }
}

#[test]
fn types_that_do_not_exist() {
    for physical in [0, 4, u64::from(u32::MAX), u64::MAX] {
        let options = rdf::options_but(rdf::TRIPLES, &[(2, Some(physical))]);
        refused(&Frames::one(&[options]), 0, "options.type", 2, Some("options.physical_type"));
    }
    let none = rdf::options_but(rdf::TRIPLES, &[(2, None)]);
    refused(&Frames::one(&[none]), 0, "options.type", 2, Some("options.physical_type"));
    for (field, name, byte) in [(1, "statement_type", 2), (2, "stream_type", 4)] {
        for value in [0, 4, 77] {
            let options = patch::options_but(patch::FLAT, patch::QUADS, &[(field, Some(value))]);
            let frames = Frames::one(&[options]);
            let name = format!("options.{name}");
            let expected = ("options.type", 0, 0, frames.offset(0, 0) + byte, Some(name.as_str()));
            assert_eq!(frames.patch().fault(), expected);
        }
    }
}

#[test]
fn tables_too_small_or_too_large() {
    // tag and length, then type and two flags come before the tables
    let at = |field: u32| 2 + 6 + 2 * u64::from(field - 9);
    for names in [0, 1, 7] {
        let options = rdf::options_but(rdf::TRIPLES, &[(9, Some(names))]);
        let field = Some("options.max_name_table_size");
        refused(&Frames::one(&[options]), 0, "options.table", at(9), field);
    }
    let tables = [(9, "name", 4096), (10, "prefix", 1024), (11, "datatype", 256)];
    for (field, label, most) in tables {
        let fits = rdf::options_but(rdf::TRIPLES, &[(field, Some(most))]);
        assert!(Frames::one(&[fits]).rdf().error.is_none());
        for size in [most + 1, 10_000_000, 1 << 31, u64::from(u32::MAX)] {
            let options = rdf::options_but(rdf::TRIPLES, &[(field, Some(size))]);
            let frames = Frames::one(&[options]);
            let name = format!("options.max_{label}_table_size");
            refused(&frames, 0, "limit.table", at(field), Some(&name));
            let error = frames.rdf().error.expect("an error");
            assert_eq!(error.limit_name(), Some(format!("{label}_table").as_str()));
        }
    }
}

#[test]
fn the_other_format() {
    let frames = Frames::one(&[patch::options(patch::FLAT, patch::QUADS)]);
    refused(&frames, 0, "options.format", 2, Some("options"));
    let named = bytes(1, [bytes(1, "x"), number(2, 1), number(9, 8), number(15, 1)].concat());
    for options in [rdf::options(rdf::TRIPLES), named] {
        let frames = Frames::one(&[options]);
        let expected = ("options.format", 0, 0, frames.offset(0, 0) + 2, Some("options"));
        assert_eq!(frames.patch().fault(), expected);
    }
}

#[test]
fn undeclared_star_and_generalized() {
    let lenient = delimited().with(|options| options.lenient_flags = true);
    let triple = || quoted(["a", "b", "c"].map(blank));
    let word = || text("x");
    let start = || (blank("s"), iri(0, 1), blank("o"));
    let (s, p, o) = start();
    let star = [
        (rdf::triple([triple(), p.clone(), o.clone()]), 2, "triple.s_triple_term"),
        (rdf::triple([s.clone(), p.clone(), triple()]), 2 + 3 + 4, "triple.o_triple_term"),
    ];
    let generalized = [
        (rdf::triple([s.clone(), blank("p"), o.clone()]), 2 + 3, "triple.p_bnode"),
        (rdf::triple([s.clone(), word(), o.clone()]), 2 + 3, "triple.p_literal"),
        (rdf::triple([word(), p.clone(), o.clone()]), 2, "triple.s_literal"),
    ];
    for (flag, rows) in [(4, star.to_vec()), (3, generalized.to_vec())] {
        for (row, byte, field) in rows {
            let both = rdf::options_but(rdf::TRIPLES, &[(3, None), (4, None)]);
            let declared = rdf::options_but(rdf::TRIPLES, &[(7 - flag, None)]);
            // quoted triples have blank nodes as predicates here
            let declared = if flag == 4 { rdf::options(rdf::TRIPLES) } else { declared };
            let stream = |options: Vec<u8>| Frames::one(&[options, rdf::name(1, "p"), row.clone()]);
            let frames = stream(both);
            refused(&frames, 2, "options.undeclared", byte, Some(field));
            assert_eq!(rdf_with(&frames.bytes(), lenient.clone()).rows().len(), 1);
            assert_eq!(stream(declared).rdf().rows().len(), 1);
        }
    }
    // a literal as the name of a graph, generalized terms inside quoted triples
    let options = |physical| rdf::options_but(physical, &[(3, None)]);
    let graph = crate::common::craft::literal_graph(bytes(1, "g"));
    let quad = Frames::one(&[
        options(rdf::QUADS),
        rdf::name(1, "p"),
        rdf::quad([s.clone(), p.clone(), o.clone()], &graph),
    ]);
    refused(&quad, 2, "options.undeclared", 2 + 3 + 4 + 3, Some("quad.g_literal"));
    assert_eq!(rdf_with(&quad.bytes(), lenient.clone()).rows().len(), 1);
    let start = Frames::one(&[options(rdf::GRAPHS), rdf::graph_start(&graph)]);
    refused(&start, 1, "options.undeclared", 2, Some("graph_start.g_literal"));
    let inside = rdf::triple([quoted([s, word(), o.clone()]), p, o]);
    let inside = Frames::one(&[options(rdf::TRIPLES), rdf::name(1, "p"), inside]);
    let field = Some("triple.s_triple_term.p_literal");
    refused(&inside, 2, "options.undeclared", 2 + 2 + 3, field);
}

#[test]
fn undeclared_star_in_a_header() {
    let row = patch::header("k", &quoted(["a", "b", "c"].map(blank)));
    let options = patch::options_but(patch::FLAT, patch::QUADS, &[(4, None)]);
    let frames = Frames::one(&[options, row]);
    let expected = ("options.undeclared", 0, 1, frames.offset(0, 1) + 2 + 3, Some("header.h_triple_term"));
    assert_eq!(frames.patch().fault(), expected);
    let lenient = delimited().with(|options| options.lenient_flags = true);
    assert_eq!(patch_with(&frames.bytes(), lenient).rows().len(), 2);
    // any term may be the value of a header, without any flag
    let options = patch::options_but(patch::FLAT, patch::QUADS, &[(3, None), (4, None)]);
    let value = literal(bytes(1, "x"));
    assert_eq!(Frames::one(&[options, patch::header("k", &value)]).patch().rows().len(), 2);
}
