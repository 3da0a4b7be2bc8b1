//! What patches mean.

pub(crate) mod boundary;
mod committed;
pub(crate) mod numbering;
mod outcomes;
mod spool;

pub use committed::Committed;
pub(crate) use numbering::Numbering;
