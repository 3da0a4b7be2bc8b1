//! Blank nodes: what their labels are worth outside of the file that has them.

mod position;
mod scope;

pub use position::is_position;
pub(crate) use position::{ANONYMOUS, refuse_position, refuse_positions, refuse_term};
#[cfg(feature = "arrow")]
pub(crate) use position::{has_bare_position, is_bare_position};
pub(crate) use scope::Scope;
pub use scope::{labels_last, refuse_scopes};
