//! Ids, lookups and repeated terms.

use crate::common::craft::{
    Frames, Term, blank, bytes, entry, ids, iri, literal, member, number, ops, patch, quads, quoted, rdf,
    spo, text,
};

/// `xsd:string` is dropped, so it is no datatype to test with.
const DT: &str = "http://ex.org/dt";

fn triples(rows: &[Vec<u8>]) -> Frames {
    Frames::one(&[&[rdf::options(rdf::TRIPLES)], rows].concat())
}

fn decoded(rows: &[Vec<u8>]) -> Vec<String> {
    quads(triples(rows).rdf().rows())
}

/// The error of the last row; `byte` counts from its content.
#[track_caller]
fn refused(rows: &[Vec<u8>], slug: &str, byte: u64, field: &str) {
    let frames = triples(rows);
    let outcome = frames.rdf();
    let offset = frames.offset(0, rows.len()) + byte;
    assert_eq!(outcome.fault(), (slug, 0, rows.len() as u64, offset, Some(field)));
}

#[test]
fn repeated_term_is_the_same_term_after_eviction() {
    let typed = literal([bytes(1, "1"), number(3, 1)].concat());
    let rows = [
        rdf::prefix(1, "http://a/"),
        rdf::name(1, "n"),
        rdf::name(2, "m"),
        rdf::datatype(1, DT),
        rdf::triple([iri(1, 1), iri(1, 2), typed]),
        // every slot that the statement used is another term now
        rdf::name(1, "N"),
        rdf::name(2, "M"),
        rdf::prefix(1, "http://b/"),
        rdf::datatype(1, "http://ex.org/other"),
        bytes(2, []),
        rdf::triple([iri(1, 1), iri(1, 2), text("x")]),
        bytes(2, []),
    ];
    let (old, new) =
        (format!("<http://a/n> <http://a/m> \"1\"^^<{DT}> "), "<http://b/N> <http://b/M> \"x\" ".to_owned());
    assert_eq!(decoded(&rows), [old.clone(), old, new.clone(), new]);
}

#[test]
fn repeated_graph_is_the_same_term_after_eviction() {
    let frames = Frames(vec![
        vec![
            rdf::options(rdf::QUADS),
            rdf::name(1, "g"),
            rdf::quad([blank("s"), blank("p"), blank("o")], &iri(0, 1)),
        ],
        // in another frame, too
        vec![rdf::name(1, "other"), bytes(3, member(1, &blank("t")))],
    ]);
    let expected = ["_:s _:p _:o <g>", "_:t _:p _:o <g>"];
    assert_eq!(quads(frames.rdf().rows()), expected);
}

#[test]
fn repeated_quoted_triple_is_the_same_term_after_eviction() {
    let triple = quoted([iri(1, 1), iri(0, 1), iri(0, 1)]);
    let rows = [
        rdf::prefix(1, "http://a/"),
        rdf::name(1, "n"),
        rdf::triple([triple, blank("p"), blank("o")]),
        rdf::name(1, "N"),
        rdf::prefix(1, "http://b/"),
        bytes(2, []),
    ];
    let row = "<<( <http://a/n> <http://a/n> <http://a/n> )>> _:p _:o ";
    assert_eq!(decoded(&rows), [row, row]);
}

/// Four names, and a statement whose ids are all "the next".
fn names() -> Vec<Vec<u8>> {
    let names = ["a", "b", "c", "d", "e", "f"];
    names.map(|name| rdf::name(0, name)).to_vec()
}

#[test]
fn ids_move_spog_whatever_the_wire_order() {
    let next = iri(0, 0);
    let [s, p, o, g] = [1, 5, 9, 13].map(|first| member(first, &next));
    for order in [[&s, &p, &o, &g], [&g, &o, &p, &s], [&o, &g, &s, &p]] {
        let quad = bytes(3, order.into_iter().flatten().copied().collect::<Vec<u8>>());
        let frames = Frames::one(&[vec![rdf::options(rdf::QUADS)], names(), vec![quad]].concat());
        assert_eq!(quads(frames.rdf().rows()), ["<a> <b> <c> <d>"]);
    }
}

#[test]
fn ids_move_depth_first_in_quoted_triples() {
    let next = || iri(0, 0);
    let inner = [member(9, &next()), member(5, &next()), member(1, &next())].concat();
    let statement = [member(9, &next()), bytes(4, inner), member(5, &next())].concat();
    let rows = [names(), vec![bytes(2, statement)]].concat();
    assert_eq!(decoded(&rows), ["<<( <a> <b> <c> )>> <d> <e> "]);
}

#[test]
fn ids_move_namespace_value_then_graph() {
    let graph = member(3, &iri(0, 0));
    let value = bytes(2, ids(0, 0));
    for parts in [[&graph, &value], [&value, &graph]] {
        let content = [bytes(1, "p"), parts[0].clone(), parts[1].clone()].concat();
        let rows = [
            patch::options(patch::FLAT, patch::QUADS),
            patch::name(0, "iri"),
            patch::name(0, "graph"),
            bytes(4, content),
        ];
        let got = ops(Frames::one(&rows).patch().rows());
        assert_eq!(got, ["PA <graph> p <iri>", "Z eof"]);
    }
}

#[test]
fn ignored_terms_still_count() {
    // a graph in a stream of triples
    let graph = iri(0, 0);
    let rows = [
        patch::options(patch::FLAT, patch::TRIPLES),
        patch::name(0, "a"),
        patch::name(0, "b"),
        patch::name(0, "c"),
        patch::add([blank("s"), blank("p"), blank("o")], Some(&graph)),
        patch::header("k", &graph),
        patch::add([graph.clone(), blank("p"), blank("o")], None),
    ];
    let got = ops(Frames::one(&rows).patch().rows());
    assert_eq!(got, ["A _:s _:p _:o ", "H k <b>", "A <c> _:p _:o ", "Z eof"]);
    // a namespace that no sink keeps
    let namespace = rdf::namespace("x", ids(0, 0));
    let statement = rdf::triple([iri(0, 0), blank("p"), blank("o")]);
    let rows = [names(), vec![namespace, statement]].concat();
    assert_eq!(decoded(&rows), ["<b> _:p _:o "]);
}

#[test]
fn a_term_that_repeats_does_not_count() {
    let rows =
        [names(), vec![rdf::triple([iri(0, 0), iri(0, 0), iri(0, 0)]), bytes(2, member(9, &iri(0, 0)))]]
            .concat();
    assert_eq!(decoded(&rows), ["<a> <b> <c> ", "<a> <b> <d> "]);
}

#[test]
fn entry_size_plus_one_through_zero() {
    // tables of 8, 4 and 4 in the order of their fields
    for (field, label, size) in [(9, "name", 8), (10, "prefix", 4), (11, "datatype", 4)] {
        let last = entry(field, size, "x");
        let header = last.len() as u64 - 5;
        assert_eq!(header, 2, "tag and length of the entry");
        refused(&[last, entry(field, 0, "x")], "table.range", header, &format!("{label}.id"));
        refused(&[entry(field, size + 1, "x")], "table.range", header, &format!("{label}.id"));
    }
}

#[test]
fn entry_counter_is_not_the_reference_counter() {
    let rows = [
        rdf::name(3, "c"),
        rdf::name(0, "d"),
        rdf::triple([iri(0, 3), iri(0, 0), iri(0, 3)]),
        rdf::name(0, "e"),
        rdf::triple([iri(0, 0), iri(0, 0), blank("o")]),
    ];
    assert_eq!(decoded(&rows), ["<c> <d> <c> ", "<d> <e> _:o "]);
}

/// A triple that refers to `term` in its object: tag and length of the triple, of subject and predicate.
fn object(term: Term) -> Vec<u8> {
    rdf::triple([blank("s"), blank("p"), term])
}

/// Where the content of the object begins: after the triple's header, two blank nodes, its own header.
const OBJECT: u64 = 2 + 3 + 3 + 2;

#[test]
fn reference_to_an_undefined_slot() {
    refused(&[object(iri(0, 5))], "table.undefined", OBJECT, "triple.o_iri.name_id");
    refused(&[object(iri(0, 0))], "table.undefined", OBJECT, "triple.o_iri.name_id");
    let name = rdf::name(1, "a");
    refused(&[name.clone(), object(iri(3, 1))], "table.undefined", OBJECT, "triple.o_iri.prefix_id");
    let inside = quoted([blank("s"), blank("p"), iri(0, 2)]);
    refused(
        &[name, object(inside)],
        "table.undefined",
        OBJECT + 3 + 3 + 2,
        "triple.o_triple_term.o_iri.name_id",
    );
    let typed = literal([bytes(1, "x"), number(3, 2)].concat());
    refused(&[object(typed)], "table.undefined", OBJECT + 3, "triple.o_literal.datatype");
}

#[test]
fn datatype_zero() {
    let zero = literal([number(3, 0), bytes(1, "x")].concat());
    let rows = [rdf::datatype(1, DT), object(zero)];
    refused(&rows, "table.datatype", OBJECT, "triple.o_literal.datatype");
}

#[test]
fn id_over_the_table() {
    let high = 2 + 3; // bytes of a prefix id and its tag, before the name id
    let entries = [rdf::prefix(1, ""), rdf::name(1, "a")];
    let with = |row| [&entries[..], &[row]].concat();
    refused(&with(object(iri(0, 9))), "table.range", OBJECT, "triple.o_iri.name_id");
    refused(&with(object(iri(5, 1))), "table.range", OBJECT, "triple.o_iri.prefix_id");
    refused(&with(object(iri(1 << 31, 9))), "table.range", OBJECT, "triple.o_iri.prefix_id");
    refused(&with(object(iri(1, 9))), "table.range", OBJECT + high - 3, "triple.o_iri.name_id");
    let typed = literal(number(3, 5));
    refused(&with(object(typed)), "table.range", OBJECT, "triple.o_literal.datatype");
}

#[test]
fn table_that_is_switched_off() {
    let options = rdf::options_but(rdf::TRIPLES, &[(10, None), (11, None)]);
    let check = |row: Vec<u8>, byte: u64, field: &str| {
        let frames = Frames::one(&[options.clone(), rdf::name(1, "a"), row]);
        let offset = frames.offset(0, 2) + byte;
        let expected = ("table.disabled", 0, 2, offset, Some(field));
        assert_eq!(frames.rdf().fault(), expected);
    };
    check(rdf::prefix(1, ""), 2, "prefix.id");
    check(rdf::datatype(0, DT), 2, "datatype.id");
    check(object(iri(1, 1)), OBJECT, "triple.o_iri.prefix_id");
    check(object(literal(number(3, 1))), OBJECT, "triple.o_literal.datatype");
    // but without a prefix there are IRIs
    let frames = Frames::one(&[options.clone(), rdf::name(1, "a"), object(iri(0, 1))]);
    assert_eq!(quads(frames.rdf().rows()), ["_:s _:p <a> "]);
}

#[test]
fn u32_wrap() {
    // 2^31 and 2^32-1 are ids, and too high; none of them counts back
    for id in [1 << 31, (1 << 32) - 1] {
        let rows = [rdf::name(1, "a"), object(iri(0, id))];
        refused(&rows, "table.range", OBJECT, "triple.o_iri.name_id");
        refused(&[rdf::name(id, "a")], "table.range", 2, "name.id");
    }
}

#[test]
fn prefix_zero_is_the_last_prefix_that_was_named() {
    let rows = [
        rdf::name(1, "n"),
        rdf::prefix(1, "http://a/"),
        rdf::prefix(2, ""),
        object(iri(0, 1)),
        object(iri(1, 1)),
        object(iri(0, 1)),
        object(iri(2, 1)),
        object(iri(0, 1)),
    ];
    let expected = ["<n>", "<http://a/n>", "<http://a/n>", "<n>", "<n>"];
    assert_eq!(decoded(&rows), expected.map(|iri| format!("_:s _:p {iri} ")));
}

#[test]
fn xsd_string_is_a_simple_literal() {
    let typed = literal([bytes(1, "x"), number(3, 1)].concat());
    let rows = [
        rdf::datatype(1, "http://www.w3.org/2001/XMLSchema#string"),
        object(typed),
        // repeated after its datatype changed
        rdf::datatype(1, DT),
        bytes(2, []),
    ];
    assert_eq!(decoded(&rows), ["_:s _:p \"x\" ", "_:s _:p \"x\" "]);
}

#[test]
fn nothing_to_repeat() {
    let named = |first: &[u32]| {
        let members = first.iter().map(|&first| member(first, &blank("b")));
        bytes(2, members.collect::<Vec<_>>().concat())
    };
    refused(&[named(&[5, 9])], "table.repeated", 2, "triple.subject");
    refused(&[named(&[1, 9])], "table.repeated", 2, "triple.predicate");
    refused(&[named(&[1, 5])], "table.repeated", 2, "triple.object");
    // nothing repeats inside a quoted triple
    let half = quoted([blank("s"), blank("p"), blank("o")]);
    let unset = bytes(2, [member(1, &half), bytes(8, member(1, &blank("x"))), member(9, &half)].concat());
    let quoted_length = 2 + spo([blank("s"), blank("p"), blank("o")]).len() as u64;
    refused(&[unset], "wire.unset", 2 + quoted_length + 2, "triple.p_triple_term.predicate");
}
