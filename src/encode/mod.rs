//! The encoder: takes rows, returns frames of Jelly, and does no I/O; the counterpart of
//! [`decode`](crate::decode).
//!
//! `rdf | patch -> repeat -> iri, lookup -> row -> frame -> delimiter`. Both encoders are sinks, so any
//! source of rows can feed them. IRIs in one piece are faster than IRIs that must be joined.
//! [`RdfEncoder::output`] holds complete frames, which the caller can take at any time.

pub(crate) mod bytes;
mod cells;
mod delimiter;
mod frame;
mod iri;
mod literal;
mod lookup;
mod misplaced;
mod options;
mod patch;
mod rdf;
mod repeat;
mod restart;
mod row;
mod stream;
mod term;

pub use delimiter::Framing;
pub use options::EncodeOptions;
pub(crate) use options::write_patch_options;
#[cfg(feature = "python")]
pub(crate) use options::write_rdf_options;
pub use patch::PatchEncoder;
pub use rdf::RdfEncoder;
#[cfg(feature = "arrow")]
pub(crate) use repeat::is_same_term;
pub(crate) use repeat::text_len;
pub(crate) use restart::kept_metadata;
