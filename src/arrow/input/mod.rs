//! Rows out of Arrow columns, whichever library made them: the way back from [`super::RdfBatches`] and
//! [`super::PatchBatches`].
//!
//! Columns are found by name and may be of any string type. Terms are canonical text or structs, as the
//! readers give them. A column that is missing is all null.

mod digest;
mod key_filter;
mod keys;
mod patch;
mod rdf;
mod strings;
mod terms;
mod writer;

pub use digest::BatchDigest;
pub use key_filter::KeyFilter;
pub use keys::{KeyColumn, Labels, Required};
pub use patch::PatchRows;
pub use rdf::RdfRows;
pub use writer::BatchWriter;

use crate::error::{Error, ErrorKind};

/// A cell that cannot be what its column says.
#[cold]
fn bad_cell(column: &str, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::EncodeRow, message).with_field(column.to_owned())
}
