//! Writes Jelly-RDF: TRIPLES, QUADS and GRAPHS.

use super::EncodeOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::options::RdfOptions;
use crate::sink::{RdfRow, RdfSink, Same, Sink};
use crate::term::{Iri, PlainTerm, Term};

/// Encodes Jelly-RDF.
#[derive(Debug)]
pub struct RdfEncoder {
    output: Vec<u8>,
}

impl RdfEncoder {
    /// An encoder at the start of a stream. The version in `options` is ignored: it follows from what is written.
    pub fn new(options: RdfOptions, encode: EncodeOptions) -> Result<Self> {
        let _ = (options, encode);
        Ok(RdfEncoder { output: Vec::new() })
    }

    /// Adds a statement: subject, predicate, object, graph; in GRAPHS, runs of equal graphs become graphs.
    ///
    /// `same` says which terms are those of the statement before, where the caller knows ([`Same::NONE`] is always right).
    pub fn plain_statement(&mut self, terms: &[PlainTerm<'_>; 4], same: Same) -> Result<()> {
        let _ = (terms, same);
        Err(unfinished())
    }

    /// Declares a namespace: label without colon, IRI.
    pub fn plain_namespace(&mut self, name: &str, iri: &str) -> Result<()> {
        let _ = (name, iri);
        Err(unfinished())
    }

    /// Starts a graph of a GRAPHS stream; one that is open ends.
    pub fn plain_graph_start(&mut self, graph: PlainTerm<'_>) -> Result<()> {
        let _ = graph;
        Err(unfinished())
    }

    /// Ends the frame, empty or not.
    pub fn end_frame(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        let _ = metadata;
        Err(unfinished())
    }

    /// Ends the stream: its last frame, and the footer if it has one.
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

impl Sink for RdfEncoder {}

impl RdfSink for RdfEncoder {
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        let _ = row;
        Err(unfinished())
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        let _ = (name, iri);
        Err(unfinished())
    }

    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        let _ = graph;
        Err(unfinished())
    }

    fn graph_end(&mut self) -> Result<()> {
        Err(unfinished())
    }
}
