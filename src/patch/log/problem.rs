//! Problems of a log that are not errors.

use std::sync::Arc;

/// A problem of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind of the error, or `patch.effect`.
    pub kind: &'static str,
    /// The name of the source.
    pub source: Option<Arc<str>>,
    /// 0-based patch in its source.
    pub patch: Option<u64>,
    /// The id of the patch.
    pub id: Option<String>,
    /// The message.
    pub message: String,
}
