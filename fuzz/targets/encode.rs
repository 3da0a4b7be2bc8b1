//! Rows of any format, written as Jelly with any options, are read back; our decoder and the independent one agree on
//! what was written.
#![no_main]

use fuzzing::common::core::{Collect, config};
use fuzzing::common::rows::{Decoder as _, Framing, How, PatchRow, RdfRow};
use fuzzing::oracle::Oracle;
use fuzzing::{Plan, content, lines, push, rdf_patch, same_as_oracle, thrift};
use jelly_patch::With;
use jelly_patch::create::{default_patch_options, default_rdf_options};
use jelly_patch::decode::{PatchDecoder, RdfDecoder};
use jelly_patch::encode::{EncodeOptions, PatchEncoder, RdfEncoder};
use jelly_patch::options::{PatchOptions, PatchStreamType, PhysicalType, RdfOptions, TableSizes};
use jelly_patch::push::Push;
use jelly_patch::rows::RowDecoder;
use jelly_patch::sink::{self, PatchSink, RdfSink, Sink};
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
    match plan.flags % 5 {
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
        _ => {
            let decoder = || PatchDecoder::new(config(plan.how));
            patch(decoder(), decoder(), bytes, patch_options, encode);
        }
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

fn is_refused(error: &jelly_patch::Error) -> bool {
    matches!(error.kind().class(), ErrorClass::Encode | ErrorClass::Limit)
}
