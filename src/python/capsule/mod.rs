//! The Arrow `PyCapsule` interface: schemas, batches and streams from and to any Arrow library.
//!
//! The `unsafe` code of the crate is here and in `arrow::foreign`, but for two measured lines.
#![expect(unsafe_code, reason = "the C data interface is structs of C callbacks")]

mod export;
mod import;

pub(super) use export::{Capsules, batch, column, schema, stream};
pub(super) use import::{Batches, PythonBatches};
