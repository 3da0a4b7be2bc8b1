//! Where a file can be entered: restart marks and footers of our own files, sidecars of those of others.

mod footer;
mod mark;
mod tail;

pub use footer::{FOOTER_KEY, Footer, Point};
pub use mark::{Counters, MARK_KEY, Mark, Unreadable};
