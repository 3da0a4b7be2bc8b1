//! N-Triples and N-Quads: however the bytes come; what is read strictly is read by default and the same; what was
//! written is read back.
#![no_main]

use fuzzing::common::core::Collect;
use fuzzing::common::rows::RdfRow;
use fuzzing::{Plan, collect, lines, push, whole_and_in_pieces};
use jelly_patch::rows::RowDecoder;
use jelly_patch::sink::{self, RdfSink, Sink};
use jelly_patch::text::{LinesOptions, LinesWriter, TextRows};
use jelly_patch::{ErrorKind, Limits};
use libfuzzer_sys::fuzz_target;

/// Never full, whatever the writer wants.
struct Whole(LinesWriter);

impl Sink for Whole {}

impl RdfSink for Whole {
    fn statement(&mut self, row: &sink::RdfRow<'_>) -> jelly_patch::Result<()> {
        self.0.statement(row)
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((plan, bytes)) = Plan::of(input) else { return };
    let options = LinesOptions { triples: plan.flag(0), generalized: plan.flag(1), strict: plan.flag(2) };
    let rows = whole_and_in_pieces(plan, bytes, || lines(options));
    if rows.error.is_some() {
        return;
    }
    if options.strict {
        let loose: fuzzing::common::rows::Decoded<RdfRow> =
            collect(lines(LinesOptions { strict: false, ..options }), bytes, usize::MAX, usize::MAX);
        assert_eq!(rows, loose, "read strictly and by default");
    }
    let mut out = Whole(if options.triples { LinesWriter::triples() } else { LinesWriter::quads() });
    let limits = Limits::default();
    let decoder = RowDecoder::new(TextRows::lines(options, &limits), &limits, None);
    if options.generalized {
        // the writers refuse it
        drop(push(decoder, bytes, &mut out));
        return;
    }
    match push(decoder, bytes, &mut out) {
        Ok(()) => {}
        // `<_:..>` has labels that this format has not
        Err(error) => return assert_eq!(error.kind(), ErrorKind::EncodeLabel, "{error}"),
    }
    out.0.finish().expect("memory");
    let text = std::mem::take(out.0.output());
    let mut again = Collect::<RdfRow>::new(usize::MAX);
    again.run(lines(LinesOptions { strict: false, ..options }), &text, usize::MAX);
    assert_eq!(rows, again.decoded, "written as {}", String::from_utf8_lossy(&text));
});
