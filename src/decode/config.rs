//! Options of decoders.

use std::sync::Arc;

use super::Framing;
use crate::limits::Limits;
use crate::options::values::Values;
use crate::with::With;

/// The options for reading a stream of either format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DecodeOptions {
    /// How frames are delimited.
    pub framing: Framing,
    /// Reject what the specifications only discourage.
    pub strict: bool,
    /// Accept quoted triples and generalized terms that the options do not declare.
    pub lenient_flags: bool,
    /// Reject a graph start inside a graph.
    pub strict_graphs: bool,
    /// Limits.
    pub limits: Limits,
    /// Name of the stream, used in errors.
    pub source: Option<Arc<str>>,
}

impl With for DecodeOptions {}

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

impl DecodeOptions {
    /// Creates the options from option values; `own_name` is the name of the source if no option names it.
    pub fn of(values: &Values, own_name: Option<String>) -> Self {
        let framings = [Framing::Auto, Framing::Delimited, Framing::Single, Framing::Concatenated];
        let mut limits = values.limits();
        limits.batch_rows = values.number("batch_rows").unwrap_or(limits.batch_rows);
        limits.batch_bytes = values.number("batch_bytes").unwrap_or(limits.batch_bytes);
        let name = values.text("source_name").map(str::to_owned).or(own_name);
        DecodeOptions {
            framing: values.choice("framing", framings),
            strict: values.is_on("strict"),
            lenient_flags: values.is_on("lenient_flags"),
            strict_graphs: values.flag("strict_graphs").unwrap_or(true),
            limits,
            source: name.map(Into::into),
        }
    }
}
