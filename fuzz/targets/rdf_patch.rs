//! RDF Patch text: however the bytes come; what is read strictly is read by default and as v1, and the same; what was
//! written is read back, strictly too where it was strict.
#![no_main]

use fuzzing::common::core::Collect;
use fuzzing::common::rows::PatchRow;
use fuzzing::{Plan, collect, content, push, rdf_patch, whole_and_in_pieces};
use jelly_patch::Limits;
use jelly_patch::rows::RowDecoder;
use jelly_patch::sink::{self, PatchSink, Sink};
use jelly_patch::text::{PatchDialect, PatchTextWriter, TextRows};
use libfuzzer_sys::fuzz_target;

/// Never full, whatever the writer wants.
struct Whole(PatchTextWriter);

impl Sink for Whole {}

impl PatchSink for Whole {
    fn row(&mut self, row: &sink::PatchRow<'_>) -> jelly_patch::Result<()> {
        self.0.row(row)
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((plan, bytes)) = Plan::of(input) else { return };
    let dialect =
        [PatchDialect::Any, PatchDialect::Strict, PatchDialect::V1][usize::from(plan.flags >> 1) % 3];
    let rows = whole_and_in_pieces(plan, bytes, || rdf_patch(dialect));
    if rows.error.is_some() {
        return;
    }
    if dialect == PatchDialect::Strict {
        for other in [PatchDialect::Any, PatchDialect::V1] {
            assert_eq!(rows, collect(rdf_patch(other), bytes, usize::MAX, usize::MAX), "{other:?}");
        }
    }
    let mut out = Whole(PatchTextWriter::new(plan.flag(0)));
    let limits = Limits::default();
    let decoder = RowDecoder::new(TextRows::patch(dialect, false, &limits), &limits, None);
    push(decoder, bytes, &mut out).expect("it was read before");
    out.0.finish().expect("memory");
    let text = std::mem::take(out.0.output());
    let mut again = Collect::<PatchRow>::new(usize::MAX);
    again.run(rdf_patch(PatchDialect::Any), &text, usize::MAX);
    let shown = String::from_utf8_lossy(&text);
    assert_eq!(again.decoded.error, None, "written as {shown}");
    let with_iris = without_namespaces(content(&rows.rows));
    assert_eq!(with_iris, without_namespaces(content(&again.decoded.rows)), "written as {shown}");
});

/// Jena's grammar has no place for the namespace of a `PD`.
fn without_namespaces(mut rows: Vec<PatchRow>) -> Vec<PatchRow> {
    rows.iter_mut().filter(|row| row.op == "PD").for_each(|row| row.value = None);
    rows
}
