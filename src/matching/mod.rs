//! How blank nodes of two datasets are matched, and names of blank nodes that depend on the graph alone.

mod canonical;
mod colour;
mod components;
mod equal;
mod hash;
mod label;
mod lcs;
mod lists;
mod matched;
mod names;
mod nodes;
mod pairing;
mod parts;
mod rdfc10;
mod refine;
mod renamed;
mod spread;
mod template;

pub(crate) use components::find;
pub(crate) use equal::{Left, unequal};
pub(crate) use label::{CONTENT, ContentLabels, is_content_label};
pub(crate) use lcs::{Run, runs};
pub(crate) use matched::matched;
pub(crate) use nodes::{Gathered, NONE, Nodes};
pub(crate) use pairing::Side;
pub(crate) use parts::{Part, Parts};
pub(crate) use rdfc10::rdfc10_work;
pub(crate) use renamed::{Renamed, renamed, replaced};
pub(crate) use template::{Templates, has_nodes};
