//! Sources and outputs of bytes: paths, memory, readers and writers; compressed or not.

mod ahead;
mod aside;
mod compress;
mod decompress;
mod detect;
mod identity;
mod local;
mod output;
mod seek;
mod seek_table;
mod shared;
mod source;
mod whole_file;

pub use crate::compression::Compression;
pub use aside::Aside;
pub use detect::{Content, is_patch, patch_format, rdf_format, sniff};
pub(crate) use identity::{Checked, Identity, Stamp};
pub use local::local_path;
pub(crate) use output::by_extension;
pub use output::{Output, OutputOptions, Target};
pub use seek::open_at;
pub(crate) use seek::seekable_length;
pub use shared::{ReadSeek, SharedFile};
pub(crate) use source::ByRef;
pub(crate) use source::rest;
pub use source::{Opened, SharedBytes, Source, Stream, open};
pub(crate) use whole_file::WholeFile;
