//! What is wrong with a log, where that is no error.

use std::sync::Arc;

/// What is wrong with a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind, as errors have it, or `patch.effect`.
    pub kind: &'static str,
    /// The name of the source.
    pub source: Option<Arc<str>>,
    /// 0-based patch in its source.
    pub patch: Option<u64>,
    /// Its id.
    pub id: Option<String>,
    /// What is wrong.
    pub message: String,
}
