//! Jelly-Patch and Jelly-RDF at native speed.
#![warn(missing_docs, unreachable_pub)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#[cfg(feature = "arrow")]
pub mod arrow;
pub mod decode;
pub mod error;
pub mod inspect;
pub mod io;
mod limits;
mod namespaces;
pub mod options;
pub mod patch;
#[cfg(feature = "python")]
mod python;
pub mod reader;
pub mod sink;
pub mod term;
mod text;
mod wire;

pub use error::{Error, ErrorClass, ErrorKind, Position, Result};
pub use limits::Limits;
pub use namespaces::Namespaces;
