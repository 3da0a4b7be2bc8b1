//! Rows as Arrow record batches; the only place that names Arrow.

mod columns;
mod frame;
mod patch;
mod rdf;
pub mod schema;
mod settings;

pub use patch::PatchBatches;
pub use rdf::RdfBatches;
pub use settings::{BatchSettings, Batches, BlankNodes, TermStyle};
