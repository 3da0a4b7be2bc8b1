//! The encoder.

mod conformance;
mod restarts;
mod spellings;
mod streams;
mod traps;
