//! A snapshot at any row boundary resumes to the same rows.

use crate::common::core::{Collect, config};
use crate::common::rows::{Decoder, PatchRow, RdfRow};
use crate::common::soak::seeds;
use crate::oracle::generate::{Format, stream};
use jelly_patch::decode::{self, Dialect, DialectState};
use jelly_patch::push::{Push, PushState};
use jelly_patch::sink::Sink;

/// Decodes up to `stop` rows, then goes on in a decoder made from a snapshot.
fn resumed<D, R>(bytes: &[u8], how: crate::common::rows::How, stop: usize) -> Option<Collect<R>>
where
    D: Dialect<Collect<R>> + DialectState,
    Collect<R>: Sink,
{
    let mut first = Collect::new(stop);
    let mut decoder = decode::Decoder::<D>::new(config(how));
    let taken = decoder.decode(bytes, &mut first).expect("a valid stream");
    if taken == bytes.len() {
        return None;
    }
    let snapshot = decoder.snapshot().expect("a row boundary");
    let second = decode::Decoder::<D>::resume(config(how), &snapshot).expect("an own snapshot");
    assert_eq!(second.offset(), taken as u64);
    let mut rest = Collect::new(usize::MAX);
    rest.run(second, &bytes[taken..], 11);
    first.decoded.rows.append(&mut rest.decoded.rows);
    first.decoded.error = rest.decoded.error;
    Some(first)
}

#[test]
fn every_row_boundary() {
    let mut resumes = 0;
    for seed in seeds(200) {
        let stream = stream(seed);
        let (bytes, how) = (stream.bytes(), stream.how);
        for stop in 1.. {
            let ended = match stream.format {
                Format::Rdf => resumed::<decode::Rdf, RdfRow>(&bytes, how, stop).map(|got| {
                    let expected = crate::common::core::Core::default().rdf(&bytes, how);
                    assert!(got.decoded.rows == expected.rows, "seed {seed}, row {stop}");
                    assert_eq!(got.decoded.error, None);
                }),
                Format::Patch => resumed::<decode::Patch, PatchRow>(&bytes, how, stop).map(|got| {
                    let expected = crate::common::core::Core::default().patch(&bytes, how);
                    assert!(got.decoded.rows == expected.rows, "seed {seed}, row {stop}");
                    assert_eq!(got.decoded.error, None);
                }),
            };
            if ended.is_none() {
                break;
            }
            resumes += 1;
        }
    }
    assert!(resumes > 2_000, "{resumes}");
}

#[test]
fn damaged_snapshots_are_refused() {
    let stream = (0..100).map(stream).find(|stream| stream.format == Format::Patch);
    let stream = stream.expect("some streams are of patches");
    let bytes = stream.bytes();
    let mut decoder = decode::PatchDecoder::new(config(stream.how));
    decoder.decode(&bytes, &mut Collect::<PatchRow>::new(5)).expect("a valid stream");
    let snapshot = decoder.snapshot().expect("a row boundary");
    assert!(decode::RdfDecoder::resume(config(stream.how), &snapshot).is_err(), "the other format");
    for at in 0..snapshot.len() {
        let mut damaged = snapshot.clone();
        damaged[at] ^= 1;
        let error = decode::PatchDecoder::resume(config(stream.how), &damaged).expect_err("damaged");
        assert_eq!(error.kind().slug(), "options.snapshot");
        let cut = decode::PatchDecoder::resume(config(stream.how), &snapshot[..at]);
        assert!(cut.is_err(), "cut at {at}");
    }
}
