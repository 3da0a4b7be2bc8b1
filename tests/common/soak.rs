//! How many random cases to try.

/// The seeds of a test: as many as usual, or `JELLY_SOAK` times as many (`make soak`).
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    let times =
        std::env::var("JELLY_SOAK").map_or(1, |times| times.parse().expect("JELLY_SOAK is a whole number"));
    0..usual * times
}
