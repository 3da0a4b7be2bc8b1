//! Oneofs and messages that come twice.

use crate::common::craft::{
    Frames, blank, bytes, default_graph, ids, literal, member, number, ops, patch, quads, rdf, text,
};

fn triples(rows: &[Vec<u8>]) -> Vec<String> {
    let frames = Frames::one(&[&[rdf::options(rdf::TRIPLES)], rows].concat());
    quads(frames.rdf().rows())
}

#[test]
fn presence_not_truth() {
    let start = || ["s", "p", "o"].map(blank);
    // an empty label, literal, IRI, language tag, default graph: all of them are set
    let set =
        |object: Vec<u8>| triples(&[rdf::name(1, ""), rdf::triple(start()), bytes(2, object)])[1].clone();
    assert_eq!(set(bytes(10, [])), "_:s _:p <_:> ");
    assert_eq!(set(bytes(11, [])), "_:s _:p \"\" ");
    assert_eq!(set(bytes(9, [])), "_:s _:p <> ");
    assert_eq!(set(bytes(11, bytes(2, ""))), "_:s _:p \"\"@ ");
    let quad = |graph: Vec<u8>| {
        let rows = [rdf::options(rdf::QUADS), rdf::quad(start(), &blank("g")), bytes(3, graph)];
        quads(Frames::one(&rows).rdf().rows())[1].clone()
    };
    assert_eq!(quad(bytes(15, [])), "_:s _:p _:o ");
    assert_eq!(quad(bytes(14, [])), "_:s _:p _:o <_:>");
    assert_eq!(quad(vec![]), "_:s _:p _:o _:g");
    let graphs = |graph: Vec<u8>| {
        let rows = [rdf::options(rdf::GRAPHS), bytes(4, graph), rdf::plain_triple()];
        quads(Frames::one(&rows).rdf().rows())[0].clone()
    };
    assert_eq!(graphs(bytes(3, [])), "_:s _:p _:o ");
    assert_eq!(graphs(bytes(2, [])), "_:s _:p _:o <_:>");
    let namespace = |graph: Vec<u8>| {
        let rows = [
            patch::options(patch::FLAT, patch::QUADS),
            patch::name(1, "n"),
            patch::plain_add("o"),
            patch::namespace(4, "", Some(ids(0, 1)), Some(&blank("g"))),
            bytes(5, graph),
        ];
        ops(Frames::one(&rows).patch().rows())[2].clone()
    };
    assert_eq!(namespace(bytes(5, [])), "PD  ");
    assert_eq!(namespace(bytes(4, [])), "PD <_:> ");
    assert_eq!(namespace(vec![]), "PD _:g ");
}

#[test]
fn last_member_wins() {
    let object = |parts: [Vec<u8>; 2]| {
        bytes(2, [member(1, &blank("s")), member(5, &blank("p")), parts.concat()].concat())
    };
    let (label, word) = (member(9, &blank("b")), member(9, &text("l")));
    assert_eq!(triples(&[object([label.clone(), word.clone()])]), ["_:s _:p \"l\" "]);
    assert_eq!(triples(&[object([word.clone(), label.clone()])]), ["_:s _:p _:b "]);
    // a tag, then a datatype, and the reverse
    let datatype = rdf::datatype(1, "http://ex.org/dt");
    let (tag, typed) = (bytes(2, "en"), number(3, 1));
    let of = |parts: [&[u8]; 2]| member(9, &literal([&bytes(1, "x"), parts[0], parts[1]].concat()));
    let kinds = [object([of([&tag, &typed]), vec![]]), object([of([&typed, &tag]), vec![]])];
    let rows = [vec![datatype], kinds.to_vec()].concat();
    let expected = ["_:s _:p \"x\"^^<http://ex.org/dt> ", "_:s _:p \"x\"@en "];
    assert_eq!(triples(&rows), expected);
    // numbers and strings
    let name = bytes(9, [number(1, 5), bytes(2, "no"), number(1, 1), bytes(2, "yes")].concat());
    let twice = bytes(9, [number(2, 7), number(2, 1)].concat());
    assert_eq!(triples(&[name, object([twice, vec![]])]), ["_:s _:p <yes> "]);
}

#[test]
fn last_member_of_a_row_wins() {
    let (triple, name) = (rdf::plain_triple(), rdf::name(1, "n"));
    let uses = rdf::triple([blank("s"), blank("p"), crate::common::craft::iri(0, 1)]);
    let row = [triple.clone(), name.clone()].concat();
    assert_eq!(triples(&[row, uses]), ["_:s _:p <n> "], "the triple is gone");
    assert_eq!(triples(&[[name, triple].concat()]), ["_:s _:p _:o "]);
}

#[test]
fn ids_of_a_replaced_member_do_not_count() {
    let names = ["a", "b", "c"].map(|name| rdf::name(0, name));
    let next = bytes(9, []);
    let content =
        [member(1, &blank("s")), member(5, &blank("p")), next.clone(), bytes(10, "b"), next].concat();
    let rows = [names.to_vec(), vec![bytes(2, content)]].concat();
    assert_eq!(triples(&rows), ["_:s _:p <a> "]);
}

#[test]
fn repeated_message_member_merges() {
    let names = [rdf::prefix(1, "http://a/"), rdf::name(2, "b")];
    let with = |row: Vec<u8>| triples(&[&names[..], &[row]].concat());
    let [s, p, o] = [(1, "s"), (5, "p"), (9, "o")].map(|(first, label)| member(first, &blank(label)));
    // a row's member in two parts
    let row = [bytes(2, [&s[..], &p].concat()), bytes(2, &o)].concat();
    assert_eq!(with(row), ["_:s _:p _:o "]);
    // a term in two parts
    let halves = [bytes(9, number(1, 1)), bytes(9, number(2, 2))].concat();
    let row = bytes(2, [&s[..], &p, &halves].concat());
    assert_eq!(with(row), ["_:s _:p <http://a/b> "]);
    // both, in a quoted triple
    let inner = [bytes(12, [&s[..], &halves].concat()), bytes(12, &p)].concat();
    let row = bytes(2, [&s[..], &p, &inner].concat());
    assert_eq!(with(row), ["_:s _:p <<( _:s _:p <http://a/b> )>> "]);
    // a literal, an entry, a graph
    let halves = [bytes(11, bytes(1, "x")), bytes(11, bytes(2, "en"))].concat();
    let row = bytes(2, [&s[..], &p, &halves].concat());
    assert_eq!(with(row), ["_:s _:p \"x\"@en "]);
    let entry = [bytes(9, number(1, 2)), bytes(9, bytes(2, "c"))].concat();
    let uses = rdf::triple([blank("s"), blank("p"), crate::common::craft::iri(1, 2)]);
    assert_eq!(triples(&[names[0].clone(), entry, uses]), ["_:s _:p <http://a/c> "]);
}

#[test]
fn repeated_message_member_merges_in_patches() {
    let value = [bytes(2, number(1, 1)), bytes(2, number(2, 1))].concat();
    let header = bytes(14, [bytes(1, "no"), value.clone(), bytes(1, "k")].concat());
    let namespace =
        [bytes(4, [bytes(1, "p"), value].concat()), bytes(4, member(3, &default_graph()))].concat();
    let rows = [
        patch::options(patch::FLAT, patch::QUADS),
        patch::prefix(1, "http://a/"),
        patch::name(1, "n"),
        header,
        namespace,
        [bytes(6, []), bytes(6, [])].concat(),
    ];
    let got = ops(Frames::one(&rows).patch().rows());
    assert_eq!(got, ["H k <http://a/n>", "PA  p <http://a/n>", "TX", "Z eof"]);
}

/// What was replaced must still be well-formed; a fault there is at the row.
#[test]
fn replaced_member_is_checked() {
    let bad = bytes(2, member(1, &blank(b"\xff")));
    let frames = Frames::one(&[rdf::options(rdf::TRIPLES), [bad, rdf::name(1, "n")].concat()]);
    let outcome = frames.rdf();
    let (slug, frame, row, ..) = outcome.fault();
    assert_eq!((slug, frame, row), ("wire.utf8", 0, 1));
}

/// Merging copies level by level, so rows that are merged have a smaller limit.
#[test]
fn merged_row_is_limited() {
    let row = |length: usize| {
        let long = rdf::triple([blank("s"), blank("p"), text(&"x".repeat(length))]);
        [long, bytes(2, [])].concat()
    };
    let most = (32 << 20) / 64;
    let fits = Frames::one(&[rdf::options(rdf::TRIPLES), row(most - 100)]);
    assert_eq!(fits.rdf().rows().len(), 1);
    let frames = Frames::one(&[rdf::options(rdf::TRIPLES), row(most)]);
    let outcome = frames.rdf();
    assert_eq!(outcome.fault(), ("limit.row_bytes", 0, 1, frames.offset(0, 1), None));
    let error = outcome.error.expect("an error");
    assert_eq!(error.limit_name(), Some("row_bytes"));
}
