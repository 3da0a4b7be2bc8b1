//! Text: terms as canonical N-Triples (RDF 1.2), and the formats that are made of such terms.

#[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "columns use all of it"))]
pub(crate) mod buffer;
pub(crate) mod lex;
pub(crate) mod scan;
pub(crate) mod slot;
mod write;

#[cfg(feature = "arrow")]
pub(crate) use write::TermWriter;
