//! Where bytes come from: paths, memory, readers; compressed or not.

mod decompress;
mod detect;
mod output;
mod source;

pub use decompress::Compression;
pub use detect::{Content, is_patch, patch_format, rdf_format, sniff};
pub use output::{Output, Target};
pub use source::{Opened, SharedBytes, Source, Stream, open};
