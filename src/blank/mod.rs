//! Blank nodes: which labels are valid outside their file.

mod position;
mod scope;
mod stream;

#[cfg(feature = "arrow")]
pub(crate) use position::has_bare_position;
pub use position::is_position;
pub(crate) use position::{ANONYMOUS, label_of, refuse_position, refuse_positions, refuse_term};
pub(crate) use scope::{Scope, SourceScope};
pub use scope::{labels_last, refuse_scopes};
pub(crate) use stream::StreamNumber;
#[cfg(feature = "arrow")]
pub(crate) use stream::is_bare_position;
