//! Rows of any format, written as Jelly with any options, are read back; our decoder and the independent one agree on
//! what was written. Cells of columns become the same bytes, or the same error, in batches and as statements that come
//! alone.
#![no_main]

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use fuzzing::common::core::{Collect, config};
use fuzzing::common::rows::{Decoder as _, Framing, How, PatchRow, RdfRow};
use fuzzing::oracle::Oracle;
use fuzzing::{Plan, content, lines, push, rdf_patch, same_as_oracle, thrift};
use jelly_patch::With;
use jelly_patch::arrow::RdfRows;
use jelly_patch::create::{default_patch_options, default_rdf_options};
use jelly_patch::decode::{PatchDecoder, RdfDecoder};
use jelly_patch::encode::{EncodeOptions, PatchEncoder, RdfEncoder};
use jelly_patch::options::{PatchOptions, PatchStreamType, PhysicalType, RdfOptions, TableSizes};
use jelly_patch::push::Push;
use jelly_patch::rows::RowDecoder;
use jelly_patch::sink::{self, PatchSink, RdfSink, Sink, Statement};
use jelly_patch::term::TermBuf;
use jelly_patch::text::{LinesOptions, PatchDialect, TextRows};
use jelly_patch::thrift::ThriftPatch;
use jelly_patch::{ErrorClass, Limits};
use libfuzzer_sys::fuzz_target;

/// Never full, whatever the encoder wants, and with options of its own.
struct Whole<E>(E);

impl<E> Sink for Whole<E> {}

impl RdfSink for Whole<RdfEncoder> {
    fn statement(&mut self, row: &sink::RdfRow<'_>) -> jelly_patch::Result<()> {
        self.0.statement(row)
    }
}

impl PatchSink for Whole<PatchEncoder> {
    fn row(&mut self, row: &sink::PatchRow<'_>) -> jelly_patch::Result<()> {
        self.0.row(row)
    }
}

const TABLES: [(u32, u32, u32); 6] =
    [(8, 0, 0), (8, 1, 1), (9, 2, 0), (16, 0, 3), (64, 8, 8), (4000, 150, 32)];

fuzz_target!(|input: &[u8]| {
    let Some((plan, bytes)) = Plan::of(input) else { return };
    let limits = Limits::default();
    let (names, prefixes, datatypes) = TABLES[plan.chunk % TABLES.len()];
    let tables = TableSizes { names, prefixes, datatypes };
    let encode = EncodeOptions::rdf().with(|options| {
        options.frame_rows = plan.pause;
        options.restart_bytes = plan.flag(7).then_some(16);
    });
    let rdf_options = RdfOptions {
        tables,
        physical_type: if plan.flag(6) { PhysicalType::Graphs } else { PhysicalType::Quads },
        ..default_rdf_options(true)
    };
    let stream_type = [PatchStreamType::Punctuated, PatchStreamType::Frame][usize::from(plan.flag(6))];
    let patch_options = PatchOptions { tables, stream_type, ..default_patch_options() };
    match plan.flags % 6 {
        0 => {
            let options = LinesOptions { generalized: true, ..LinesOptions::default() };
            let decoder = RowDecoder::new(TextRows::lines(options, &limits), &limits, None);
            rdf(decoder, lines(options), bytes, rdf_options, encode);
        }
        1 => {
            let decoder = || RdfDecoder::new(config(plan.how));
            rdf(decoder(), decoder(), bytes, rdf_options, encode);
        }
        2 => {
            let dialect = PatchDialect::Any;
            let decoder = RowDecoder::new(TextRows::patch(dialect, false, &limits), &limits, None);
            patch(decoder, rdf_patch(dialect), bytes, patch_options, encode);
        }
        3 => {
            let decoder = RowDecoder::new(ThriftPatch::new(&limits, false), &limits, None);
            patch(decoder, thrift(), bytes, patch_options, encode);
        }
        4 => {
            let decoder = || PatchDecoder::new(config(plan.how));
            patch(decoder(), decoder(), bytes, patch_options, encode);
        }
        _ => cells(bytes, plan.chunk, &rdf_options, &encode),
    }
});

const DELIMITED: How = How { framing: Framing::Delimited, lenient_flags: false, strict_graphs: true };

fn rdf(
    source: impl Push<Whole<RdfEncoder>>,
    again: impl Push<Collect<RdfRow>>,
    bytes: &[u8],
    options: RdfOptions,
    encode: EncodeOptions,
) {
    let mut sink = Whole(RdfEncoder::new(options, encode).expect("these options can be"));
    let pushed = push(source, bytes, &mut sink);
    let mut expected = Collect::<RdfRow>::new(usize::MAX);
    expected.run(again, bytes, usize::MAX);
    match pushed {
        Ok(()) => {}
        // what cannot be read is not written whole, and what no table has room for is refused
        Err(error) => return assert!(expected.decoded.error.is_some() || is_refused(&error), "{error}"),
    }
    sink.0.finish().expect("memory");
    let written = std::mem::take(sink.0.output());
    let mut found = Collect::<RdfRow>::new(usize::MAX);
    found.run(RdfDecoder::new(config(DELIMITED)), &written, usize::MAX);
    assert_eq!(found.decoded.error, None);
    let terms = |rows: &[RdfRow]| {
        let term = |row: &RdfRow| [&row.subject, &row.predicate, &row.object, &row.graph].map(String::clone);
        rows.iter().map(term).collect::<Vec<_>>()
    };
    assert_eq!(terms(&found.decoded.rows), terms(&expected.decoded.rows));
    same_as_oracle(&found.decoded, &Oracle.rdf(&written, DELIMITED));
}

fn patch(
    source: impl Push<Whole<PatchEncoder>>,
    again: impl Push<Collect<PatchRow>>,
    bytes: &[u8],
    options: PatchOptions,
    encode: EncodeOptions,
) {
    let mut sink = Whole(PatchEncoder::new(options, encode).expect("these options can be"));
    let pushed = push(source, bytes, &mut sink);
    let mut expected = Collect::<PatchRow>::new(usize::MAX);
    expected.run(again, bytes, usize::MAX);
    match pushed {
        Ok(()) => {}
        Err(error) => return assert!(expected.decoded.error.is_some() || is_refused(&error), "{error}"),
    }
    sink.0.finish().expect("memory");
    let written = std::mem::take(sink.0.output());
    let mut found = Collect::<PatchRow>::new(usize::MAX);
    found.run(PatchDecoder::new(config(DELIMITED)), &written, usize::MAX);
    assert_eq!(found.decoded.error, None);
    assert_eq!(content(&found.decoded.rows), content(&expected.decoded.rows));
    let mut theirs = Oracle.patch(&written, DELIMITED);
    theirs.metadata.clear();
    same_as_oracle(&found.decoded, &theirs);
}

/// Lines as the cells of four columns, row by row.
fn cells(bytes: &[u8], batch_rows: usize, options: &RdfOptions, encode: &EncodeOptions) {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.split('\n').collect();
    let (rows, _) = lines.as_chunks::<4>();
    let new = || RdfEncoder::new(options.clone(), encode.clone()).expect("these options can be");
    let mut alone = new();
    let expected = rows.iter().try_for_each(|row| {
        let [subject, predicate, object, graph] = row.map(TermBuf::from_text);
        let terms = [subject?, predicate?, object?, graph?];
        alone.push(&Statement::of(terms.each_ref().map(TermBuf::as_term)))
    });
    let column = |place: usize| -> ArrayRef {
        Arc::new(rows.iter().map(|row| Some(row[place])).collect::<StringArray>())
    };
    let names = ["subject", "predicate", "object", "graph"];
    let columns = names.into_iter().enumerate().map(|(place, name)| (name, column(place)));
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let (mut encoder, mut source) = (new(), RdfRows::default());
    let written = (0..rows.len())
        .step_by(batch_rows)
        .try_for_each(|at| source.write(&batch.slice(at, batch_rows.min(rows.len() - at)), &mut encoder));
    let said =
        |done: jelly_patch::Result<()>| done.map_err(|error| (error.kind(), error.message().to_owned()));
    let is_whole = expected.is_ok();
    assert_eq!(said(written), said(expected));
    if is_whole {
        alone.finish().expect("memory");
        encoder.finish().expect("memory");
    }
    assert!(encoder.output() == alone.output());
}

fn is_refused(error: &jelly_patch::Error) -> bool {
    matches!(error.kind().class(), ErrorClass::Encode | ErrorClass::Limit)
}
