//! Terms as canonical N-Triples text (RDF 1.2).

pub(crate) mod buffer;
pub(crate) mod scan;
mod write;

#[cfg(feature = "arrow")]
pub(crate) use write::TermWriter;
