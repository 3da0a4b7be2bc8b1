//! What patches mean.

mod again;
mod apply;
mod boundary;
mod committed;
mod key_set;
mod log;
mod net;
mod numbering;
mod outcomes;
mod prefixes;
mod quad_key;
mod spool;
mod stored;
mod work;

pub use again::Again;
pub use apply::{Applied, ApplyOptions, ApplyTarget, Needs, apply};
pub(crate) use boundary::EndMarks;
pub use committed::Committed;
pub use log::{Log, LogOptions, Problem, Version};
pub(crate) use numbering::Numbering;
pub use quad_key::{Keys, QuadKey, random_secret};
pub use work::{Progress, Watch};
