//! What patches mean.

mod boundary;
mod committed;
mod numbering;
mod outcomes;
mod spool;

pub(crate) use boundary::EndMarks;
pub use committed::Committed;
pub(crate) use numbering::Numbering;
