//! The encoder.

mod cells;
mod conformance;
mod restarts;
mod spellings;
mod streams;
mod traps;
