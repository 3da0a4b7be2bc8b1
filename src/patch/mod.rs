//! What patches mean.

mod committed;
mod outcomes;
mod spool;

pub use committed::Committed;
