//! Turtle, `TriG`, RDF/XML and JSON-LD, through libraries.

mod depth;
mod labels;
mod read;

pub use read::OtherRdf;
