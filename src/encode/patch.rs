//! Writes Jelly-Patch: FRAME, FLAT and PUNCTUATED, of TRIPLES and QUADS.

use super::EncodeOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::options::PatchOptions;
use crate::sink::{PatchRow, PatchSink, Same, Sink};
use crate::term::PlainTerm;

/// What a row of a patch does, its terms in one piece.
#[derive(Clone, Copy, Debug)]
pub enum PlainOp<'a> {
    /// `H`.
    Header {
        /// The key.
        key: &'a str,
        /// The value.
        value: PlainTerm<'a>,
    },
    /// `PA`.
    AddPrefix {
        /// The label, without colon.
        name: &'a str,
        /// The namespace.
        iri: &'a str,
        /// The graph it belongs to.
        graph: PlainTerm<'a>,
    },
    /// `PD`.
    DeletePrefix {
        /// The label, without colon.
        name: &'a str,
        /// The namespace, where it is known.
        iri: Option<&'a str>,
        /// The graph it belongs to.
        graph: PlainTerm<'a>,
    },
    /// `A`, with what is known to repeat.
    Add([PlainTerm<'a>; 4], Same),
    /// `D`, likewise.
    Delete([PlainTerm<'a>; 4], Same),
    /// `TX`.
    Begin,
    /// `TC`.
    Commit,
    /// `TA`.
    Abort,
    /// `Z`: the patch ends here.
    End,
}

/// Encodes Jelly-Patch.
#[derive(Debug)]
pub struct PatchEncoder {
    output: Vec<u8>,
}

impl PatchEncoder {
    /// An encoder at the start of a stream. The version in `options` is ignored: it is 1.
    pub fn new(options: PatchOptions, encode: EncodeOptions) -> Result<Self> {
        let _ = (options, encode);
        Ok(PatchEncoder { output: Vec::new() })
    }

    /// Adds a row.
    pub fn plain_row(&mut self, op: &PlainOp<'_>) -> Result<()> {
        let _ = op;
        Err(unfinished())
    }

    /// Ends the frame; in FRAME streams that is a patch.
    pub fn end_frame(&mut self) -> Result<()> {
        Err(unfinished())
    }

    /// Ends the stream: an open patch, its last frame, and the footer if it has one.
    pub fn finish(&mut self) -> Result<()> {
        Err(unfinished())
    }

    /// The whole frames that the caller has not taken yet.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }
}

fn unfinished() -> Error {
    Error::new(ErrorKind::Internal, "not written yet")
}

impl Sink for PatchEncoder {}

impl PatchSink for PatchEncoder {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        let _ = row;
        Err(unfinished())
    }
}
