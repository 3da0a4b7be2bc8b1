//! The encoder.

mod conformance;
mod restarts;
mod streams;
mod traps;
