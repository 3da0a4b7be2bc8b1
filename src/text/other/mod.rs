//! Turtle, `TriG`, RDF/XML and JSON-LD, through libraries.

mod blocks;
mod contexts;
mod entities;
mod guarded;
mod iris;
mod json;
mod labels;
mod line_ends;
mod literals;
mod markup;
mod pieces;
mod read;
mod tags;
mod turtle;
mod work;
mod write;
mod written;
mod xml;
mod xml_names;
mod xml_text;

pub use read::OtherRdf;
pub use write::TurtleWriter;
pub(crate) use write::holds_prefix;
