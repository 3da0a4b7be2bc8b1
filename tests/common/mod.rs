//! What several tests share. Only [`core`] uses the crate.
//!
//! A test that wants to judge a decoder implements [`rows::Decoder`] for it (two functions from bytes
//! to plain rows) and hands it to [`conformance::check`], [`vectors::check`] or [`corpus::check`];
//! each returns how many cases it compared, and panics at the first that differs.

#![allow(dead_code, reason = "each test is a crate of its own and uses only a part")]

#[cfg(feature = "arrow")]
pub mod batches;
#[cfg(feature = "arrow")]
pub mod columns;
pub mod conformance;
pub mod core;
pub mod corpus;
pub mod craft;
pub mod encode;
pub mod frames;
pub mod lexer;
pub mod memory;
pub mod rows;
pub mod shared;
pub mod soak;
pub mod term;
pub mod vectors;
