//! Text formats: what is read, what is refused and where, and what is written.

#[cfg(feature = "arrow")]
mod columns;
mod corpus;
mod lines;
mod open;
mod pieces;
mod roundtrip;
mod table;

use jelly_patch::Limits;
use jelly_patch::rows::RowDecoder;
use jelly_patch::text::{LinesOptions, PatchDialect, TextRows};

use crate::common::core::Collect;
use crate::common::rows::{Decoded, PatchRow, RdfRow};

/// Reads N-Quads or N-Triples in pieces.
fn lines(text: &[u8], options: LinesOptions, chunk: usize, pause: usize) -> Decoded<RdfRow> {
    let limits = Limits::default();
    let mut sink = Collect::new(pause);
    sink.run(RowDecoder::new(TextRows::lines(options, &limits), &limits, None), text, chunk);
    sink.decoded
}

/// Reads RDF Patch in pieces.
fn patch(text: &[u8], dialect: PatchDialect, chunk: usize, pause: usize) -> Decoded<PatchRow> {
    let limits = Limits::default();
    let mut sink = Collect::new(pause);
    sink.run(RowDecoder::new(TextRows::patch(dialect, false, &limits), &limits, None), text, chunk);
    sink.decoded
}

/// The row as a line, with the marks that the text only implies.
fn line(row: &PatchRow) -> String {
    let columns = [&row.name, &row.value, &row.subject, &row.predicate, &row.object, &row.graph];
    let columns = columns.into_iter().flatten().filter(|column| !column.is_empty());
    [&row.op].into_iter().chain(columns).map(String::as_str).collect::<Vec<_>>().join(" ")
}
