//! Terms as canonical N-Triples text (RDF 1.2).

#[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "columns use all of it"))]
pub(crate) mod buffer;
pub(crate) mod scan;
mod write;

#[cfg(feature = "arrow")]
pub(crate) use write::TermWriter;
