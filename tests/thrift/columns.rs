//! Columns and terms are two ways through the reader: the same rows, errors and places, wherever the bytes are cut.

use jelly_patch::Limits;
use jelly_patch::arrow::PatchBatches;

use super::hostile::streams;
use super::{decoder, hex, read, read_in};
use crate::common::batches::patch_rows;
use crate::common::columns::{batches, same, settings};
use crate::oracle::generate::rng::Rng;

/// Rows and whether an error came, of bytes cut where `cuts` says.
fn check(bytes: &[u8], cuts: impl Iterator<Item = usize>) -> (usize, bool) {
    check_within(bytes, &Limits::default(), cuts)
}

pub fn check_within(bytes: &[u8], limits: &Limits, cuts: impl Iterator<Item = usize>) -> (usize, bool) {
    let terms = read_in(bytes, limits, usize::MAX, usize::MAX);
    for cut in cuts {
        let sink = PatchBatches::new(settings([1, 3, 1000][cut % 3])).expect("settings");
        let (batches, error) = batches(decoder(limits), sink, [&bytes[..cut], &bytes[cut..]]);
        same(bytes, cut, &terms, (patch_rows(&batches), error));
    }
    (terms.rows.len(), terms.error.is_some())
}

#[test]
fn columns_hold_what_the_terms_say() {
    let (mut rows, mut errors) = (0, 0);
    for (seed, mut bytes) in streams(60) {
        rows += check(&bytes, (seed as usize % 5..bytes.len()).step_by(5)).0;
        let mut random = Rng::new(seed);
        for _ in 0..10 {
            if let Some(byte) = (!bytes.is_empty()).then(|| random.below(bytes.len())) {
                bytes[byte] ^= 1 << random.below(8);
                let (_, failed) = check(&bytes, [byte, seed as usize % bytes.len()].into_iter());
                errors += usize::from(failed);
            }
        }
    }
    assert!(rows > 80 && errors > 50, "{rows} rows, {errors} errors");
}

/// A row that columns cannot take term by term stands between repetitions.
#[test]
fn terms_repeat_behind_rows_that_come_as_a_whole() {
    let (iri, triple) = ("1c 1c 18 01 73 00 00", |at: &str| format!("1c 9c {at} {at} {at} 00 00"));
    let (repeat, label) = ("1c 8c 00 00", "1c 2c 18 01 2d 00 00"); // `-` is no label of N-Triples
    let row = |terms: [&str; 3]| format!("2c {} 00 00", terms.join(" "));
    let rows = [
        row([iri, iri, iri]),
        row([label, repeat, &triple(iri)]),
        row([repeat, repeat, repeat]),
        row([iri, repeat, iri]),
        row([repeat, repeat, repeat]),
    ];
    let bytes = hex(&rows.concat());
    assert_eq!(check(&bytes, 0..bytes.len()), (6, false), "{:?}", read(&bytes));
}
