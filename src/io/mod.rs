//! Where bytes come from: paths, memory, readers; compressed or not.

mod decompress;
mod detect;
mod source;

pub use decompress::Compression;
pub use detect::{Content, patch_format, rdf_format, sniff};
pub use source::{Opened, SharedBytes, Source, Stream, open};
