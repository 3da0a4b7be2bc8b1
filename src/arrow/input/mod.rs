//! Rows out of Arrow columns, whichever library made them: the way back from [`super::RdfBatches`] and
//! [`super::PatchBatches`].
//!
//! Columns are found by name and may be of any string type. Terms are canonical text or structs, as the
//! readers give them. A column that is missing is all null.

mod digest;
mod gathered;
mod key_filter;
mod keys;
mod log_places;
mod misspelled;
mod nodes;
mod patch;
mod rdf;
mod source;
mod strings;
mod terms;
mod writer;

pub use digest::BatchDigest;
pub use gathered::GatheredPatches;
pub use key_filter::KeyFilter;
pub use keys::{KeyColumn, Labels, Required};
pub use log_places::LogPlaces;
pub use nodes::{each_statement, lasting_labels};
pub use patch::PatchRows;
pub use rdf::RdfRows;
pub use source::{BatchIter, BatchSource};
pub use writer::BatchWriter;

use crate::error::{Error, ErrorKind};

/// A cell that cannot be what its column says.
#[cold]
fn bad_cell(column: &str, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::EncodeRow, message).with_field(column.to_owned())
}
