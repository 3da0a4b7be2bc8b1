//! Any chunking and any pauses give the same rows, the same error and the same position.

use crate::common::core::Core;
use crate::common::rows::{Decoder, How};
use crate::common::soak::seeds;
use crate::oracle::generate::mutate::damage;
use crate::oracle::generate::{Format, stream};

const CHUNKS: [usize; 6] = [1, 2, 3, 7, 64, 1000];
const PAUSES: [usize; 3] = [1, 2, 17];

fn check(format: Format, bytes: &[u8], how: How, seed: u64) -> (usize, bool) {
    let whole = Core::default();
    let parts = CHUNKS.map(|chunk| Core { chunk, ..whole });
    let paused = PAUSES.map(|rows| Core { rows, chunk: 5 });
    let cut = parts.into_iter().chain(paused);
    match format {
        Format::Rdf => {
            let expected = whole.rdf(bytes, how);
            cut.for_each(|core| assert!(core.rdf(bytes, how) == expected, "seed {seed}, {core:?}"));
            (expected.rows.len(), expected.error.is_some())
        }
        Format::Patch => {
            let expected = whole.patch(bytes, how);
            cut.for_each(|core| {
                assert!(core.patch(bytes, how) == expected, "seed {seed}, {core:?}");
            });
            (expected.rows.len(), expected.error.is_some())
        }
    }
}

#[test]
fn valid_streams() {
    let mut rows = 0;
    for seed in seeds(300) {
        let stream = stream(seed);
        rows += check(stream.format, &stream.bytes(), stream.how, seed).0;
    }
    assert!(rows > 3_000, "{rows} rows");
}

#[test]
fn damaged_streams() {
    let mut errors = 0;
    for seed in seeds(500) {
        let damaged = damage(seed);
        errors += usize::from(check(damaged.format, &damaged.bytes, damaged.how, seed).1);
    }
    assert!(errors > 100, "{errors} errors");
}
