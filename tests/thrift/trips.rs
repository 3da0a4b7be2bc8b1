//! Rows of Jelly-Patch through Thrift.

use super::{again, from_jelly, read};
use crate::common::core::Core;
use crate::common::rows::{Decoder, PatchRow};
use crate::common::soak::seeds;
use crate::oracle::generate::{Format, stream};
use jelly_patch::ErrorKind;
use jelly_patch::sink::{PatchEnd, PatchOp, PatchRow as SinkRow, PatchSink, Same, Sink, Statement};
use jelly_patch::term::{Term, TermBuf};
use jelly_patch::thrift::ThriftWriter;

/// What Thrift has no place for: who ended a patch, and the namespace of a deleted prefix.
pub fn plain(rows: &[PatchRow]) -> Vec<PatchRow> {
    let plain = rows.iter().map(|row| {
        let mut row = row.clone();
        if row.op == "Z" {
            row.name = None;
        }
        if row.op == "PD" {
            row.value = None;
        }
        row
    });
    plain.collect()
}

/// A header after a change and outside a transaction starts a patch in Thrift, but not in Jelly-Patch.
fn headers_start_patches(rows: &[PatchRow]) -> bool {
    let mut changed = false;
    rows.iter().all(|row| {
        let fine = row.op != "H" || !changed || row.txn.is_some();
        changed = row.op != "Z" && (changed || row.op != "H");
        fine
    })
}

#[test]
fn rows_come_back() {
    let (mut rows, mut whole, mut refused) = (0, 0, 0);
    for seed in seeds(1000) {
        let stream = stream(seed);
        if stream.format != Format::Patch {
            continue;
        }
        let expected = Core::default().patch(&stream.bytes(), stream.how);
        let bytes = from_jelly(&stream.bytes(), stream.how);
        let late = bytes.as_ref().is_err_and(|error| error.kind() == ErrorKind::EncodeHeader);
        if late {
            assert!(!headers_start_patches(&expected.rows), "seed {seed}");
            refused += 1;
            continue;
        }
        let Ok(bytes) = bytes else {
            let empty = |row: &PatchRow| {
                let terms = [&row.subject, &row.predicate, &row.object, &row.graph, &row.value];
                terms.into_iter().flatten().any(|term| term.ends_with("\"@") || term.contains("\"@ "))
            };
            assert!(expected.rows.iter().any(empty), "seed {seed}");
            continue;
        };
        let got = read(&bytes);
        assert_eq!(got.error, None, "seed {seed}");
        let (got, expected) = (plain(&got.rows), plain(&expected.rows));
        assert_eq!(got, expected, "seed {seed}");
        whole += 1;
        assert_eq!(again(&bytes), bytes, "seed {seed}");
        rows += got.len();
    }
    assert!(rows > 2_000 && whole > 50 && refused > 50, "{rows} rows, {whole} streams, {refused} refused");
}

fn row(op: PatchOp<'_>) -> SinkRow<'_> {
    SinkRow { patch: 0, txn: None, seq: 0, op }
}

#[test]
fn a_row_that_cannot_be_written_leaves_nothing() {
    let mut writer = ThriftWriter::new();
    writer.row(&row(PatchOp::Begin)).expect("a row");
    let iri = TermBuf::iri("a:b");
    let terms = [iri.as_term(), iri.as_term(), Term::DefaultGraph, iri.as_term()];
    let statement = Statement { terms, same: Same::NONE };
    let error = writer.row(&row(PatchOp::Add(statement))).expect_err("no object");
    assert_eq!(error.kind().slug(), "encode.term");
    assert_eq!(*writer.output(), [0x65, 0, 0]);
}

#[test]
fn a_writer_asks_to_be_drained() {
    let mut writer = ThriftWriter::new();
    let label = "b".repeat(300_000);
    let mut rows = 0;
    while !writer.is_full() {
        let value = Term::BlankNode(&label);
        writer.row(&row(PatchOp::Header { key: "k", value })).expect("a row");
        rows += 1;
    }
    assert_eq!(rows, 4);
    writer.output().clear();
    assert!(!writer.is_full());
    writer.row(&row(PatchOp::End(PatchEnd::Mark))).expect("a row");
    writer.finish().expect("memory");
    assert!(writer.output().is_empty(), "the end of the stream says it");
}
