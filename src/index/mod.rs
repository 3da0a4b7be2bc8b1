//! What makes a file of Jelly seekable: the bytes of marks and footers.
//!
//! Both are values of a frame's map of metadata (field 15), which every reader knows or passes over.

mod footer;
mod mark;

pub use footer::{FOOTER_KEY, Footer, TRAILER};
pub use mark::{Counters, MARK_KEY, Mark};
