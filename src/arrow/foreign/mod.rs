//! Arrow data of others, through C structs. Our safety rests on what these say, so it is looked at.
#![expect(unsafe_code, reason = "the C data interface is structs of C callbacks")]

mod check;
mod ends;
mod stream;

pub use check::check;
pub use ends::rows;
pub use stream::ForeignStream;
