//! Text to rows, rows to text, and text to Arrow.

mod common;

use std::hint::black_box;
use std::sync::Arc;

use common::{Sample, Shape};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use jelly_patch::With;
use jelly_patch::decode::{DecodeOptions, PatchDecoder, RdfDecoder};
use jelly_patch::io::Source;
use jelly_patch::open::{OpenOptions, open_patch, open_rdf};
use jelly_patch::push::Push;
use jelly_patch::sink::{PatchOp, PatchRow, PatchSink, RdfRow, RdfSink, Sink};
use jelly_patch::text::{LinesWriter, PatchTextWriter};
use jelly_patch::{PatchFormat, RdfFormat, Result};

#[derive(Default)]
struct Count(u64);

impl Sink for Count {}

impl RdfSink for Count {
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.0 += 1;
        black_box(&row.statement);
        Ok(())
    }
}

impl PatchSink for Count {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        if let PatchOp::Add(statement) | PatchOp::Delete(statement) = &row.op {
            self.0 += 1;
            black_box(statement);
        }
        Ok(())
    }
}

/// Takes all that comes and gives it as one text.
struct All<W>(W);

impl<W> Sink for All<W> {}

impl<W: RdfSink> RdfSink for All<W> {
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.0.statement(row)
    }
}

impl<W: PatchSink> PatchSink for All<W> {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        self.0.row(row)
    }
}

fn push<S: Sink>(mut decoder: impl Push<S>, bytes: &[u8], sink: &mut S) {
    decoder.decode(bytes, sink).expect("a valid stream");
    decoder.finish(sink).expect("a whole stream");
}

fn quads(sample: &Sample) -> Vec<u8> {
    let mut sink = All(LinesWriter::quads());
    push(RdfDecoder::new(DecodeOptions::default()), &sample.bytes, &mut sink);
    std::mem::take(sink.0.output())
}

fn patch(sample: &Sample) -> Vec<u8> {
    let mut sink = All(PatchTextWriter::new(false));
    push(PatchDecoder::new(DecodeOptions::default()), &sample.bytes, &mut sink);
    std::mem::take(sink.0.output())
}

fn source(text: &Arc<Vec<u8>>) -> Source {
    Source::Bytes(Arc::clone(text) as _)
}

fn read_rdf<S: RdfSink>(text: &Arc<Vec<u8>>, sink: &mut S) {
    let options = OpenOptions::default().with(|options| options.rdf_format = Some(RdfFormat::NQuads));
    let mut reader = open_rdf(source(text), &options).expect("bytes");
    assert!(reader.advance(sink, &mut || Ok(())).expect("valid"));
}

fn read_patch<S: PatchSink>(text: &Arc<Vec<u8>>, sink: &mut S) {
    let options = OpenOptions::default().with(|options| options.patch_format = Some(PatchFormat::RdfPatch));
    let mut reader = open_patch(source(text), &options).expect("bytes");
    assert!(reader.advance(sink, &mut || Ok(())).expect("valid"));
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("text");
    for shape in Shape::ALL {
        let samples = [common::rdf(shape, 50_000), common::patch(shape, 50_000)];
        group.throughput(Throughput::Elements(50_000));
        let text = Arc::new(quads(&samples[0]));
        let (mut count, mut again) = (Count::default(), All(LinesWriter::quads()));
        read_rdf(&text, &mut count);
        read_rdf(&text, &mut again);
        assert_eq!(count.0, samples[0].statements);
        assert!(again.0.output() == &*text, "{shape:?}");
        group.bench_function(format!("read nq/{}", shape.name()), |bencher| {
            bencher.iter(|| read_rdf(&text, &mut Count::default()));
        });
        group.bench_function(format!("write nq/{}", shape.name()), |bencher| {
            bencher.iter(|| quads(&samples[0]));
        });
        let text = Arc::new(patch(&samples[1]));
        let (mut count, mut again) = (Count::default(), All(PatchTextWriter::new(false)));
        read_patch(&text, &mut count);
        read_patch(&text, &mut again);
        assert_eq!(count.0, samples[1].statements);
        assert!(again.0.output() == &*text, "{shape:?}");
        group.bench_function(format!("read rdfp/{}", shape.name()), |bencher| {
            bencher.iter(|| read_patch(&text, &mut Count::default()));
        });
        group.bench_function(format!("write rdfp/{}", shape.name()), |bencher| {
            bencher.iter(|| patch(&samples[1]));
        });
    }
    group.finish();
}

criterion_group!(text, benches);
criterion_main!(text);
