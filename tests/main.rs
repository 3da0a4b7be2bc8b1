//! The tests of the crate, in one program because that compiles once.
//!
//! Tests that need the shared folder (`JELLY_SHARED`, or `../shared`) are ignored, so that `cargo test` counts them;
//! `make test` includes them where the folder exists.

mod common;
mod oracle;

#[cfg(feature = "arrow")]
mod batches;
mod chunking;
mod codegen;
#[cfg(feature = "arrow")]
mod committed;
mod conformance;
mod differential;
mod encode;
mod index;
mod oracle_rules;
mod oracle_selftest;
mod oracle_vectors;
mod output;
mod patch;
mod positions;
mod snapshot;
mod text;
mod thrift;
mod traps;
mod truncation;
