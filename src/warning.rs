//! Warnings: something that a caller should know although nothing failed.

use std::fmt;
use std::sync::Arc;

/// Something that was found and ignored, such as an unused index or sync points in the wrong place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// One line of text.
    pub message: String,
    /// The path or name of the stream.
    pub source: Option<Arc<str>>,
}

impl Warning {
    /// Creates a warning about `source`.
    pub fn new(message: impl Into<String>, source: Option<Arc<str>>) -> Self {
        Warning { message: message.into(), source }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => write!(f, "{} ({source})", self.message),
            None => f.write_str(&self.message),
        }
    }
}
