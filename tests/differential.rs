//! The decoder and an independent one on prost agree: on every row, and on what to refuse.

use crate::common::core::Core;
use crate::common::rows::{Class, Decoded, Decoder, How};
use crate::common::soak::costly;
use crate::oracle::Oracle;
use crate::oracle::generate::mutate::damage;
use crate::oracle::generate::{Format, stream};

const STREAMS: u64 = 10_000;
const DAMAGED: u64 = 20_000;

/// Same rows, same error or none; says how many rows there were and whether there was an error.
fn compare<R: PartialEq + std::fmt::Debug>(seed: u64, ours: Decoded<R>, theirs: Decoded<R>) -> (usize, bool) {
    let first = ours.rows.iter().zip(&theirs.rows).position(|(ours, theirs)| ours != theirs);
    if let Some(row) = first {
        panic!("seed {seed}, row {row}:\n ours {:?}\n them {:?}", ours.rows[row], theirs.rows[row]);
    }
    assert_eq!(
        (ours.rows.len(), ours.error.is_some()),
        (theirs.rows.len(), theirs.error.is_some()),
        "seed {seed}: ours {:?}, theirs {:?}",
        ours.error,
        theirs.error
    );
    if let (Some(ours), Some(theirs)) = (&ours.error, &theirs.error) {
        assert!(is_same_fault(ours.class, theirs.class), "seed {seed}: {ours:?}, {theirs:?}");
    }
    assert_eq!(ours.namespaces, theirs.namespaces, "seed {seed}");
    if ours.error.is_none() {
        assert_eq!(ours.metadata, theirs.metadata, "seed {seed}");
    }
    (ours.rows.len(), ours.error.is_some())
}

/// Where there are two faults: prost parses a whole row before the oracle looks at it, and the crate
/// looks at limits first.
fn is_same_fault(ours: Class, theirs: Class) -> bool {
    ours == theirs || theirs == Class::Wire || ours == Class::Limit
}

fn both(seed: u64, format: Format, bytes: &[u8], how: How) -> (usize, bool) {
    let core = Core::default();
    match format {
        Format::Rdf => compare(seed, core.rdf(bytes, how), Oracle.rdf(bytes, how)),
        Format::Patch => {
            // patch frames have no metadata by the specification; ours are read for their marks
            let ours = Decoded { metadata: Vec::new(), ..core.patch(bytes, how) };
            compare(seed, ours, Oracle.patch(bytes, how))
        }
    }
}

#[test]
fn generated_streams() {
    let mut total = 0;
    for seed in costly(STREAMS) {
        let stream = stream(seed);
        let (rows, failed) = both(seed, stream.format, &stream.bytes(), stream.how);
        assert!(!failed, "seed {seed} is valid");
        total += rows;
    }
    assert!(total > 25_000, "{total} rows");
}

#[test]
fn damaged_streams() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in costly(DAMAGED) {
        let damaged = damage(seed);
        let (_, failed) = both(seed, damaged.format, &damaged.bytes, damaged.how);
        if failed { refused += 1 } else { accepted += 1 }
    }
    assert!(refused > 1_250 && accepted > 125, "{refused} refused, {accepted} accepted");
}
