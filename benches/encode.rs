//! Terms whose IRIs lie in one piece to bytes, columns to bytes, and bytes through decoder and encoder to bytes.

mod common;

use std::sync::Arc;

use arrow_array::RecordBatch;
use common::{Sample, Shape};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use jelly_patch::Result;
use jelly_patch::arrow::{RdfRows, ReadBatches, ReadOptions, read_rdf};
use jelly_patch::decode::{DecodeOptions, RdfDecoder};
use jelly_patch::encode::{EncodeOptions, RdfEncoder};
use jelly_patch::io::Source;
use jelly_patch::options::RdfOptions;
use jelly_patch::push::Push;
use jelly_patch::sink::{RdfRow, RdfSink, Sink, Statement};
use jelly_patch::term::TermBuf;

/// Options and statements of a stream.
#[derive(Default)]
struct Statements {
    options: Option<RdfOptions>,
    terms: Vec<[TermBuf; 4]>,
}

impl Sink for Statements {}

impl RdfSink for Statements {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        self.options = Some(options.clone());
        Ok(())
    }

    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.terms.push(row.statement.terms.map(TermBuf::from));
        Ok(())
    }
}

fn decode<S: RdfSink>(bytes: &[u8], sink: &mut S) {
    let mut decoder = RdfDecoder::new(DecodeOptions::default());
    decoder.decode(bytes, sink).expect("a valid stream");
    decoder.finish(sink).expect("a whole stream");
}

fn encoder(options: &RdfOptions) -> RdfEncoder {
    RdfEncoder::new(options.clone(), EncodeOptions::rdf()).expect("right options")
}

fn finish(mut encoder: RdfEncoder) -> Vec<u8> {
    encoder.finish().expect("a whole stream");
    std::mem::take(encoder.output())
}

fn encode_whole(options: &RdfOptions, terms: &[[TermBuf; 4]]) -> Vec<u8> {
    let mut encoder = encoder(options);
    for terms in terms {
        encoder.push(&Statement::of(terms.each_ref().map(TermBuf::as_term))).expect("a statement");
    }
    finish(encoder)
}

fn batches(bytes: &[u8]) -> Vec<RecordBatch> {
    let source = Source::Bytes(Arc::new(bytes.to_vec()));
    let mut reader = read_rdf(source, &ReadOptions::default()).expect("Jelly-RDF");
    std::iter::from_fn(|| reader.next_batch(&mut || Ok(())).expect("a batch")).collect()
}

fn encode_columns(options: &RdfOptions, batches: &[RecordBatch]) -> Vec<u8> {
    let (mut encoder, mut rows) = (encoder(options), RdfRows::default());
    for batch in batches {
        rows.write(batch, &mut encoder).expect("statements");
    }
    finish(encoder)
}

fn transcode(options: &RdfOptions, bytes: &[u8]) -> Vec<u8> {
    let mut encoder = encoder(options);
    decode(bytes, &mut encoder);
    finish(encoder)
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode");
    for shape in Shape::ALL {
        let Sample { bytes, statements, .. } = common::rdf(shape, 50_000);
        let mut expected = Statements::default();
        decode(&bytes, &mut expected);
        let options = expected.options.clone().expect("options");
        let written = encode_whole(&options, &expected.terms);
        let mut found = Statements::default();
        decode(&written, &mut found);
        assert_eq!(found.terms.len() as u64, statements, "{shape:?}");
        assert!(found.terms == expected.terms, "{shape:?}");
        assert_eq!(transcode(&options, &bytes), written, "{shape:?}");
        let columns = batches(&bytes);
        assert_eq!(encode_columns(&options, &columns), written, "{shape:?}");

        group.throughput(Throughput::Elements(statements));
        group.bench_function(format!("whole/{}", shape.name()), |bencher| {
            bencher.iter(|| encode_whole(&options, &expected.terms));
        });
        group.bench_function(format!("columns/{}", shape.name()), |bencher| {
            bencher.iter(|| encode_columns(&options, &columns));
        });
        group.bench_function(format!("transcode/{}", shape.name()), |bencher| {
            bencher.iter(|| transcode(&options, &bytes));
        });
    }
    group.finish();
}

criterion_group!(encode, benches);
criterion_main!(encode);
