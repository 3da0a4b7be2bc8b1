//! Jelly-RDF: however the bytes come, and as the independent decoder reads them.
#![no_main]

use fuzzing::common::core::config;
use fuzzing::common::rows::Decoder as _;
use fuzzing::oracle::Oracle;
use fuzzing::{Plan, same_as_oracle, whole_and_in_pieces};
use jelly_patch::decode::RdfDecoder;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((plan, bytes)) = Plan::of(input) else { return };
    let ours = whole_and_in_pieces(plan, bytes, || RdfDecoder::new(config(plan.how)));
    same_as_oracle(&ours, &Oracle.rdf(bytes, plan.how));
});
