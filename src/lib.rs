//! Jelly-Patch and Jelly-RDF at native speed.
//!
//! The crate has three interfaces, each for both formats:
//!
//! - [`decode`]: push. [`decode::PatchDecoder`] and [`decode::RdfDecoder`] take bytes in pieces of any size
//!   and pass rows to a [`sink`]. They do no I/O and keep no row after its sink has returned.
//! - [`open`](mod@open): pull. [`open::open_patch`] and [`open::open_rdf`] read a [source](io::Source) of any
//!   format, compressed or not: row by row, patch by patch, or into a [`sink`]. With the feature `arrow`,
//!   `arrow::read_patch` and `arrow::read_rdf` return record batches of the same sources.
//! - [`encode`]: [`encode::RdfEncoder`] and [`encode::PatchEncoder`] are sinks that write frames. [`index`]
//!   finds the sync points of their files.
//!
//! [`patch`] has the operations on patches: apply, compare, undo, merge, and versions of a log.
//! [`patch::files`] has the same operations on files.
//!
//! All rows take one path: bytes -> delimiter -> frame -> row -> lookup, iri, repeat -> rdf | patch -> sink.
//! Arrow columns, Python rows, counters and filters are all sinks. Each [`Error`] has a stable kind and a
//! position. [`Limits`] are the limits of readers.
//!
//! Features: `arrow` (default) and `python` (the native module of the package `jelly`); the core needs neither.
#![warn(missing_docs, unreachable_pub)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#[cfg(feature = "arrow")]
pub mod arrow;
pub mod blank;
#[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "columns use all of it"))]
mod buffer;
mod compression;
pub mod conversion;
pub mod convert;
pub mod create;
mod crew;
pub mod decode;
mod default_graph;
pub mod encode;
pub mod error;
pub mod format;
pub mod index;
pub mod inspect;
pub mod io;
mod limits;
mod matching;
mod namespaces;
pub mod open;
pub mod options;
mod owned;
mod parts;
pub mod patch;
pub mod push;
#[cfg(feature = "python")]
mod python;
pub mod reader;
pub mod relay;
mod restart;
pub mod rows;
mod scan;
mod secret;
pub mod show;
pub mod sink;
pub mod split;
pub mod term;
pub mod text;
pub mod thrift;
mod transaction;
mod warning;
mod wire;
mod with;

pub use error::{Error, ErrorClass, ErrorKind, Position, Result};
pub use format::{AnyFormat, PatchFormat, RdfFormat};
pub use limits::{LIMITS, LimitRow, Limits};
pub use namespaces::Namespaces;
pub use owned::{PatchOpBuf, PatchRowBuf, StatementBuf};
pub use warning::Warning;
pub use with::With;
