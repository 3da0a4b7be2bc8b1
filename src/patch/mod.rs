//! What patches mean.

mod committed;
mod numbering;
mod outcomes;
mod spool;

pub use committed::Committed;
pub(crate) use numbering::Numbering;
