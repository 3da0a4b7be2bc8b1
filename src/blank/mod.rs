//! Blank nodes: what their labels are worth outside of the file that has them, how nodes of two datasets are matched, and
//! names that depend on the graph alone.

mod canonical;
mod colour;
mod components;
mod hash;
mod label;
mod lcs;
mod lists;
mod matched;
mod nodes;
mod pairing;
mod position;
mod refine;
mod renamed;
mod scope;
mod spread;
mod template;

pub(crate) use label::{CONTENT, ContentLabels};
pub(crate) use matched::{Matched, matched};
pub(crate) use nodes::{Gathered, NONE, Nodes};
pub(crate) use pairing::Side;
#[cfg(feature = "arrow")]
pub(crate) use position::has_bare_position;
pub use position::is_position;
pub(crate) use position::{ANONYMOUS, refuse_position, refuse_positions, refuse_term};
pub(crate) use renamed::{Renamed, renamed};
pub(crate) use scope::Scope;
pub use scope::refuse_scopes;
pub(crate) use template::{Templates, has_nodes};
