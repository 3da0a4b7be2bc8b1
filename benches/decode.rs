//! Rows out of bytes, into a sink that looks at each term and keeps nothing.

mod common;

use std::hint::black_box;

use common::{Sample, Shape};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use jelly_patch::Result;
use jelly_patch::decode::{DecodeOptions, PatchDecoder, RdfDecoder};
use jelly_patch::push::Push;
use jelly_patch::sink::{PatchOp, PatchRow, PatchSink, RdfRow, RdfSink, Sink, Statement};

#[derive(Default)]
struct Count {
    statements: u64,
}

impl Count {
    fn look(&mut self, statement: &Statement<'_>) {
        self.statements += 1;
        black_box(statement);
    }
}

impl Sink for Count {}

impl RdfSink for Count {
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.look(&row.statement);
        Ok(())
    }
}

impl PatchSink for Count {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        if let PatchOp::Add(statement) | PatchOp::Delete(statement) = &row.op {
            self.look(statement);
        }
        Ok(())
    }
}

fn decode_rdf(sample: &Sample) -> u64 {
    let (mut decoder, mut sink) = (RdfDecoder::new(DecodeOptions::default()), Count::default());
    decoder.decode(&sample.bytes, &mut sink).expect("a valid stream");
    decoder.finish(&mut sink).expect("a whole stream");
    sink.statements
}

fn decode_patch(sample: &Sample) -> u64 {
    let (mut decoder, mut sink) = (PatchDecoder::new(DecodeOptions::default()), Count::default());
    decoder.decode(&sample.bytes, &mut sink).expect("a valid stream");
    decoder.finish(&mut sink).expect("a whole stream");
    sink.statements
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode");
    for shape in Shape::ALL {
        for (format, sample, decode) in [
            ("rdf", common::rdf(shape, 50_000), decode_rdf as fn(&Sample) -> u64),
            ("patch", common::patch(shape, 50_000), decode_patch),
        ] {
            assert_eq!(decode(&sample), sample.statements, "{format} {shape:?}");
            group.throughput(Throughput::Elements(sample.statements));
            group.bench_function(format!("{format}/{}", shape.name()), |bencher| {
                bencher.iter(|| decode(&sample));
            });
        }
    }
    group.finish();
}

criterion_group!(decode, benches);
criterion_main!(decode);
