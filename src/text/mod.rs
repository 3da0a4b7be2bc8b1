//! Text: terms as canonical N-Triples (RDF 1.2), and the formats that are made of such terms.

#[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "columns use all of it"))]
pub(crate) mod buffer;
pub(crate) mod lex;
mod nquads;
mod other;
mod rdf_patch;
mod rows;
pub(crate) mod scan;
pub(crate) mod slot;
mod v1;
mod write;

pub use nquads::{Lines, LinesOptions};
pub use other::OtherRdf;
pub use rdf_patch::{PatchDialect, RdfPatch};
pub use rows::TextRows;

#[cfg(feature = "arrow")]
pub(crate) use write::TermWriter;
