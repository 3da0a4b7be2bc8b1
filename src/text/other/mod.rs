//! Turtle, `TriG`, RDF/XML and JSON-LD, through libraries.

mod depth;
mod labels;
mod read;
mod write;

pub use read::OtherRdf;
pub use write::TurtleWriter;
