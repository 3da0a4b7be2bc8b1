//! What an encoder is asked for, and the options row that says so.

use super::Framing;
use crate::limits::Limits;

/// How to write a stream of either format.
#[derive(Clone, Debug)]
pub struct EncodeOptions {
    /// Rows, lookup entries among them, at which a frame ends; not where a frame has a meaning
    /// (FRAME patches, grouped RDF streams) and not in single frames.
    pub frame_rows: usize,
    /// How frames lie in the bytes.
    pub framing: Framing,
    /// Write namespace declarations of Jelly-RDF, which makes it version 2; without, they are dropped.
    pub namespaces: bool,
    /// Bytes between restart points of a seekable file, which has a footer too; `None`: neither.
    pub restart_bytes: Option<u64>,
    /// Bounds: `nesting` and the table sizes are used.
    pub limits: Limits,
}

impl EncodeOptions {
    /// What Jelly-JVM does for Jelly-RDF: frames of 256 rows, delimited.
    pub fn rdf() -> Self {
        EncodeOptions {
            frame_rows: 256,
            framing: Framing::Delimited,
            namespaces: false,
            restart_bytes: None,
            limits: Limits::default(),
        }
    }

    /// What Jelly-JVM does for Jelly-Patch: frames of 512 rows, delimited.
    pub fn patch() -> Self {
        EncodeOptions { frame_rows: 512, ..EncodeOptions::rdf() }
    }
}
