//! RDF Patch Thrift: however the bytes come; what was written is read back.
#![no_main]

use fuzzing::common::core::Collect;
use fuzzing::common::rows::PatchRow;
use fuzzing::{Plan, content, push, thrift, whole_and_in_pieces};
use jelly_patch::ErrorKind;
use jelly_patch::sink::{self, PatchSink, Sink};
use jelly_patch::thrift::ThriftWriter;
use libfuzzer_sys::fuzz_target;

/// Never full, whatever the writer wants.
struct Whole(ThriftWriter);

impl Sink for Whole {}

impl PatchSink for Whole {
    fn row(&mut self, row: &sink::PatchRow<'_>) -> jelly_patch::Result<()> {
        self.0.row(row)
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((plan, bytes)) = Plan::of(input) else { return };
    let rows = whole_and_in_pieces(plan, bytes, thrift);
    if rows.error.is_some() {
        return;
    }
    let mut out = Whole(ThriftWriter::new());
    match push(thrift(), bytes, &mut out) {
        Ok(()) => {}
        Err(error) => return assert_eq!(error.kind(), ErrorKind::EncodeTerm, "{error}"),
    }
    out.0.finish().expect("memory");
    let written = std::mem::take(out.0.output());
    let mut again = Collect::<PatchRow>::new(usize::MAX);
    again.run(thrift(), &written, usize::MAX);
    assert_eq!(again.decoded.error, None);
    assert_eq!(content(&rows.rows), content(&again.decoded.rows));
});
