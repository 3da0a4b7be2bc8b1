//! The Arrow `PyCapsule` interface: schemas, batches and streams from and to any Arrow library.
//!
//! The `unsafe` code of the crate is here, but for two measured lines.
#![expect(unsafe_code, reason = "the C data interface is structs of C callbacks")]

mod check;
mod ends;
mod export;
mod foreign;
mod import;

pub(super) use export::{array, column, data_type, schema, stream};
pub(super) use import::{Batches, PythonBatches};
