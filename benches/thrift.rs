//! Rows out of RDF Patch Thrift, and back into it.

mod common;

use std::hint::black_box;

use common::Shape;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use jelly_patch::decode::{DecodeOptions, PatchDecoder};
use jelly_patch::push::Push;
use jelly_patch::rows::RowDecoder;
use jelly_patch::sink::{PatchRow, PatchSink, Sink};
use jelly_patch::thrift::{ThriftPatch, ThriftWriter};
use jelly_patch::{Limits, Result};

#[derive(Default)]
struct Count(u64);

impl Sink for Count {}

impl PatchSink for Count {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        black_box(row);
        self.0 += 1;
        Ok(())
    }
}

fn decoder() -> RowDecoder<ThriftPatch> {
    let limits = Limits::default();
    RowDecoder::new(ThriftPatch::new(&limits, false), &limits, None)
}

fn read(bytes: &[u8]) -> u64 {
    let (mut decoder, mut sink) = (decoder(), Count::default());
    decoder.decode(bytes, &mut sink).expect("a valid stream");
    decoder.finish(&mut sink).expect("a whole stream");
    sink.0
}

/// All of a stream as Thrift.
fn write(mut decoder: impl Push<ThriftWriter>, mut bytes: &[u8]) -> Vec<u8> {
    let (mut writer, mut out) = (ThriftWriter::new(), Vec::new());
    while !bytes.is_empty() {
        let taken = decoder.decode(bytes, &mut writer).expect("a valid stream");
        bytes = &bytes[taken..];
        out.append(writer.output());
    }
    while !decoder.finish(&mut writer).expect("a whole stream") {
        out.append(writer.output());
    }
    writer.finish().expect("memory");
    out.append(writer.output());
    out
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("thrift");
    for shape in Shape::ALL {
        let sample = common::patch(shape, 50_000);
        let bytes = write(PatchDecoder::new(DecodeOptions::default()), &sample.bytes);
        assert!(read(&bytes) >= sample.statements, "{shape:?}");
        group.throughput(Throughput::Elements(sample.statements));
        group.bench_function(format!("read/{}", shape.name()), |bencher| bencher.iter(|| read(&bytes)));
        group.bench_function(format!("read and write/{}", shape.name()), |bencher| {
            bencher.iter(|| write(decoder(), &bytes));
        });
    }
    group.finish();
}

criterion_group!(thrift, benches);
criterion_main!(thrift);
