//! RDF Patch Thrift: a sequence of rows in Thrift's compact protocol, without frames or lengths.
//!
//! The format is that of Jena's `BinaryRDF.thrift`. Output of Jena is read, and written again byte for byte.
//! Other forms that the grammar allows are read if they have a meaning. A stream that ends inside a row is an
//! error.

mod compact;
mod quick;
mod read;
mod row;
mod term;
mod value;
mod write;

pub use read::ThriftPatch;
pub use write::ThriftWriter;
