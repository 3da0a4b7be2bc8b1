//! How to read.

use std::sync::Arc;

use super::Framing;
use crate::limits::Limits;

/// How to read a stream of either format.
#[derive(Clone, Debug)]
pub struct DecodeOptions {
    /// How frames lie in the bytes.
    pub framing: Framing,
    /// Refuse what the specifications only advise against.
    pub strict: bool,
    /// Accept quoted triples and generalized terms that the options do not declare.
    pub lenient_flags: bool,
    /// Refuse a graph start inside a graph.
    pub strict_graphs: bool,
    /// Bounds.
    pub limits: Limits,
    /// Name of the stream, for errors.
    pub source: Option<Arc<str>>,
}

impl Default for DecodeOptions {
    fn default() -> Self {
        DecodeOptions {
            framing: Framing::Auto,
            strict: false,
            lenient_flags: false,
            strict_graphs: true,
            limits: Limits::default(),
            source: None,
        }
    }
}
