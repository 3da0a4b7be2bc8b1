//! Sync points in streams: marks at which a reader can begin, and the footer that lists them.
//!
//! Encoders write them, decoders skip them, and indexes search for them.

mod footer;
mod mark;
pub(crate) mod tail;

pub use footer::{FOOTER_KEY, Footer, Point};
pub(crate) use footer::{read_added, write_added};
pub use mark::{Counters, MARK_KEY, Mark, Unreadable};
pub(crate) use mark::{number, version};
