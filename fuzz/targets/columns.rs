//! Columns of each format: the rows, the error and its place that terms have, wherever the bytes are cut.
#![no_main]

use fuzzing::common::batches::{patch_rows, rdf_rows};
use fuzzing::common::columns::{batches, same, settings};
use fuzzing::common::core::{Collect, config};
use fuzzing::common::rows::{PatchRow, RdfRow};
use fuzzing::{Plan, collect};
use jelly_patch::Limits;
use jelly_patch::arrow::{PatchBatches, RdfBatches};
use jelly_patch::decode::{PatchDecoder, RdfDecoder};
use jelly_patch::push::Push;
use jelly_patch::rows::RowDecoder;
use jelly_patch::text::{LinesOptions, PatchDialect, TextRows};
use jelly_patch::thrift::ThriftPatch;
use libfuzzer_sys::fuzz_target;

fn rdf<D: Push<RdfBatches> + Push<Collect<RdfRow>>>(plan: Plan, bytes: &[u8], decoder: impl Fn() -> D) {
    let terms = collect::<RdfRow>(decoder(), bytes, usize::MAX, usize::MAX);
    let (first, second) = bytes.split_at(plan.chunk.min(bytes.len()));
    let sink = RdfBatches::new(settings(plan.pause)).expect("settings");
    let (found, error) = batches(decoder(), sink, [first, second]);
    same(bytes, first.len(), &terms, (rdf_rows(&found), error));
}

fn patch<D: Push<PatchBatches> + Push<Collect<PatchRow>>>(plan: Plan, bytes: &[u8], decoder: impl Fn() -> D) {
    let terms = collect::<PatchRow>(decoder(), bytes, usize::MAX, usize::MAX);
    let (first, second) = bytes.split_at(plan.chunk.min(bytes.len()));
    let sink = PatchBatches::new(settings(plan.pause)).expect("settings");
    let (found, error) = batches(decoder(), sink, [first, second]);
    same(bytes, first.len(), &terms, (patch_rows(&found), error));
}

fuzz_target!(|input: &[u8]| {
    let Some((plan, bytes)) = Plan::of(input) else { return };
    let limits = Limits::default();
    let dialects = [PatchDialect::Any, PatchDialect::Strict];
    match plan.flags >> 3 {
        0 => {
            let options =
                LinesOptions { triples: plan.flag(0), generalized: plan.flag(1), strict: plan.flag(2) };
            rdf(plan, bytes, || RowDecoder::new(TextRows::lines(options, &limits), &limits, None));
        }
        1 => {
            let dialect = dialects[usize::from(plan.flag(0))];
            patch(plan, bytes, || RowDecoder::new(TextRows::patch(dialect, false, &limits), &limits, None));
        }
        2 => patch(plan, bytes, || RowDecoder::new(ThriftPatch::new(&limits, plan.flag(0)), &limits, None)),
        3 => rdf(plan, bytes, || RdfDecoder::new(config(plan.how))),
        4 => patch(plan, bytes, || PatchDecoder::new(config(plan.how))),
        _ => {}
    }
});
