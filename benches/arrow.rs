//! Record batches out of bytes: canonical text in plain columns, all checks on.

mod common;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use common::{Sample, Shape};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use jelly_patch::With;
use jelly_patch::arrow::{BatchSettings, ReadBatches, ReadOptions, TermStyle, read_patch, read_rdf};
use jelly_patch::io::{SharedBytes, Source};

const TERMS: [&str; 4] = ["subject", "predicate", "object", "graph"];

fn options(terms: TermStyle) -> ReadOptions {
    let columns = Some(TERMS.map(str::to_owned).to_vec());
    ReadOptions::default().with(|options| {
        options.batch = BatchSettings::default().with(|inner| {
            inner.columns = columns;
            inner.terms = terms;
        });
    })
}

/// Rows with a subject, and bytes of text.
fn read(bytes: &SharedBytes, is_patch: bool, terms: TermStyle) -> (u64, u64) {
    let source = Source::Bytes(Arc::clone(bytes));
    let (mut rows, mut text) = (0, 0);
    let mut count = |batch: arrow_array::RecordBatch| {
        let columns = batch.columns();
        rows += (batch.num_rows() - columns[0].null_count()) as u64;
        if terms == TermStyle::Text {
            let values =
                columns.iter().map(|column| column.as_string::<i32>().offsets()[batch.num_rows()] as u64);
            text += values.sum::<u64>();
        }
    };
    if is_patch {
        let mut reader = read_patch(source, &options(terms)).expect("Jelly-Patch");
        while let Some(batch) = reader.next_batch(&mut || Ok(())).expect("a batch") {
            count(batch);
        }
    } else {
        let mut reader = read_rdf(source, &options(terms)).expect("Jelly-RDF");
        while let Some(batch) = reader.next_batch(&mut || Ok(())).expect("a batch") {
            count(batch);
        }
    }
    (rows, text)
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("arrow");
    for shape in Shape::ALL {
        for (format, sample) in [("rdf", common::rdf(shape, 50_000)), ("patch", common::patch(shape, 50_000))]
        {
            let Sample { bytes, statements, text_bytes } = sample;
            let bytes: SharedBytes = Arc::new(bytes);
            let is_patch = format == "patch";
            assert_eq!(
                read(&bytes, is_patch, TermStyle::Text),
                (statements, text_bytes),
                "{format} {shape:?}"
            );
            group.throughput(Throughput::Elements(statements));
            for (style, terms) in [("text", TermStyle::Text), ("struct", TermStyle::Struct)] {
                group.bench_function(format!("{format}/{}/{style}", shape.name()), |bencher| {
                    bencher.iter(|| read(&bytes, is_patch, terms));
                });
            }
        }
    }
    group.finish();
}

criterion_group!(arrow, benches);
criterion_main!(arrow);
