//! The encoder: rows in, frames of Jelly out, no I/O; the mirror of [`decode`](crate::decode).
//!
//! `rdf | patch -> repeat -> iri, lookup -> row -> frame -> delimiter`. Both encoders are sinks, so any
//! reader drives them; terms that lie in one piece go in as [`PlainTerm`](crate::term::PlainTerm), which
//! is faster. What is in [`RdfEncoder::output`] are whole frames, and the caller takes them when it likes.

pub(crate) mod bytes;
mod delimiter;
mod frame;
mod iri;
mod joined;
mod lookup;
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
#[cfg(feature = "python")]
pub(crate) use options::write_rdf_options;
pub use patch::{PatchEncoder, PlainOp};
pub use rdf::RdfEncoder;
pub(crate) use restart::kept_metadata;
