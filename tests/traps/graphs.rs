//! Statements and graphs that the type of a stream forbids.

use jelly_patch::With;

use crate::common::craft::{
    Frames, blank, bytes, default_graph, delimited, iri, member, quads, rdf, rdf_with,
};

fn graphs(rows: &[Vec<u8>]) -> Frames {
    Frames::one(&[&[rdf::options(rdf::GRAPHS)], rows].concat())
}

/// The error of the last row; `byte` from its content.
#[track_caller]
fn refused(frames: &Frames, slug: &str, byte: u64, field: &str) {
    let row = frames.0[0].len() - 1;
    let expected = (slug, 0, row as u64, frames.offset(0, row) + byte, Some(field));
    assert_eq!(frames.rdf().fault(), expected);
}

#[test]
fn quad_without_a_graph_before_any_graph() {
    let triple = rdf::plain_triple()[2..].to_vec();
    let frames = Frames::one(&[rdf::options(rdf::QUADS), bytes(3, triple)]);
    refused(&frames, "table.repeated", 2, "quad.graph");
}

#[test]
fn triple_outside_a_graph() {
    refused(&graphs(&[rdf::plain_triple()]), "wire.graph", 0, "triple");
    let rows = [rdf::graph_start(&blank("g")), rdf::graph_end(), rdf::plain_triple()];
    refused(&graphs(&rows), "wire.graph", 0, "triple");
}

#[test]
fn stray_graph_end() {
    refused(&graphs(&[rdf::graph_end()]), "wire.graph", 0, "graph_end");
    let rows = [rdf::graph_start(&blank("g")), rdf::graph_end(), rdf::graph_end()];
    refused(&graphs(&rows), "wire.graph", 0, "graph_end");
}

#[test]
fn graph_start_inside_a_graph() {
    let rows = [rdf::graph_start(&blank("g")), rdf::plain_triple(), rdf::graph_start(&blank("h"))];
    let frames = graphs(&rows);
    refused(&frames, "wire.graph", 0, "graph_start");
    assert_eq!(frames.rdf().decoded.rows.len(), 1);
    let loose = delimited().with(|options| options.strict_graphs = false);
    let more = [rdf::plain_triple(), rdf::graph_end()];
    let frames = graphs(&[&rows[..], &more].concat());
    let got = quads(rdf_with(&frames.bytes(), loose.clone()).rows());
    assert_eq!(got, ["_:s _:p _:o _:g", "_:s _:p _:o _:h"]);
    // one end closes it
    let frames = graphs(&[&rows[..], &more, &[rdf::plain_triple()]].concat());
    assert_eq!(rdf_with(&frames.bytes(), loose).fault().0, "wire.graph");
}

#[test]
fn graph_start_without_a_name() {
    refused(&graphs(&[bytes(4, [])]), "wire.unset", 0, "graph_start");
}

#[test]
fn graph_that_is_open_at_the_end_is_fine() {
    let frames = graphs(&[rdf::graph_start(&default_graph()), rdf::plain_triple()]);
    assert_eq!(quads(frames.rdf().rows()), ["_:s _:p _:o "]);
    assert!(graphs(&[rdf::graph_start(&blank("g"))]).rdf().rows().is_empty());
}

#[test]
fn empty_graphs_leave_no_row() {
    let empty = [rdf::graph_start(&blank("g")), rdf::graph_end()];
    let full = [rdf::graph_start(&blank("h")), rdf::plain_triple(), rdf::graph_end()];
    let frames = graphs(&[&empty[..], &full, &empty].concat());
    assert_eq!(quads(frames.rdf().rows()), ["_:s _:p _:o _:h"]);
}

#[test]
fn terms_repeat_across_graphs() {
    let frames = graphs(&[
        rdf::name(1, "g"),
        rdf::graph_start(&iri(0, 1)),
        rdf::plain_triple(),
        rdf::graph_end(),
        // the name of a graph outlives its entry
        rdf::graph_start(&iri(0, 1)),
        rdf::name(1, "other"),
        bytes(2, []),
        bytes(2, member(9, &iri(0, 1))),
    ]);
    let expected = ["_:s _:p _:o <g>", "_:s _:p _:o <g>", "_:s _:p <other> <g>"];
    assert_eq!(quads(frames.rdf().rows()), expected);
}

#[test]
fn rows_that_the_type_forbids() {
    let quad = rdf::quad(["s", "p", "o"].map(blank), &blank("g"));
    let start = rdf::graph_start(&blank("g"));
    let cases = [
        (rdf::TRIPLES, quad.clone(), "quad"),
        (rdf::TRIPLES, start.clone(), "graph_start"),
        (rdf::TRIPLES, rdf::graph_end(), "graph_end"),
        (rdf::QUADS, rdf::plain_triple(), "triple"),
        (rdf::QUADS, start, "graph_start"),
        (rdf::QUADS, rdf::graph_end(), "graph_end"),
        (rdf::GRAPHS, quad, "quad"),
    ];
    for (physical, row, name) in cases {
        refused(&Frames::one(&[rdf::options(physical), row]), "wire.row", 0, name);
    }
}

#[test]
fn namespace_without_an_iri() {
    let frames = Frames::one(&[rdf::options(rdf::TRIPLES), bytes(6, bytes(1, "n"))]);
    refused(&frames, "wire.unset", 2, "namespace.value");
}
