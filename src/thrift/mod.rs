//! RDF Patch Thrift: rows in Thrift's compact protocol, one after the other, without frames or lengths.
//!
//! As Jena's `BinaryRDF.thrift` has it. What Jena writes is read and written byte by byte the same; what its
//! grammar has beyond that is read where it has a meaning. A stream that is cut inside a row is an error.

mod compact;
mod quick;
mod read;
mod row;
mod term;
mod value;
mod write;

pub use read::ThriftPatch;
pub use write::ThriftWriter;
