//! How many random cases to try.

/// The seeds of a test: as many as usual, or `JELLY_SOAK` times as many (`make soak`).
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    0..usual * times().unwrap_or(1)
}

/// The seeds of a test whose cases take long: a quarter of `all`, or `JELLY_SOAK` times `all`.
pub fn costly(all: u64) -> std::ops::Range<u64> {
    0..times().map_or(all.div_ceil(4), |times| all * times)
}

fn times() -> Option<u64> {
    std::env::var("JELLY_SOAK").ok().map(|times| times.parse().expect("JELLY_SOAK is a whole number"))
}
