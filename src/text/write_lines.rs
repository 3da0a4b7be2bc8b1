//! Writes N-Triples and N-Quads: canonical, a statement a line.

use super::nquads::is_generalized_statement;
use super::out::{Output, at_row, check};
use super::write::TermWriter;
use crate::error::{Error, ErrorKind, Result};
use crate::sink::{RdfRow, RdfSink, Sink, Statement};
use crate::term::Term;

/// Writes statements as lines.
#[derive(Debug)]
pub struct LinesWriter {
    triples: bool,
    out: Output,
}

impl LinesWriter {
    /// Writes N-Triples, where a graph is an error.
    pub fn triples() -> Self {
        LinesWriter { triples: true, out: Output::default() }
    }

    /// Writes N-Quads.
    pub fn quads() -> Self {
        LinesWriter { triples: false, out: Output::default() }
    }

    /// What was written; the caller takes it away.
    pub fn output(&mut self) -> &mut Vec<u8> {
        self.out.bytes()
    }

    /// All statements were written.
    pub fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn check(&self, statement: &Statement<'_>) -> Result<()> {
        if self.triples && !matches!(statement.terms[3], Term::DefaultGraph) {
            return Err(Error::new(ErrorKind::EncodeGraph, "N-Triples has no graphs; N-Quads has"));
        }
        if is_generalized_statement(&statement.terms) {
            let format = if self.triples { "N-Triples" } else { "N-Quads" };
            let message = format!("{format} cannot hold generalized RDF");
            return Err(Error::new(ErrorKind::EncodeGeneralized, message));
        }
        statement.terms.iter().try_for_each(|term| check(term, false))
    }
}

impl Sink for LinesWriter {
    fn is_full(&self) -> bool {
        self.out.is_full()
    }
}

impl RdfSink for LinesWriter {
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.check(&row.statement).map_err(|error| at_row(error, row.seq))?;
        let text = &mut self.out.text;
        for term in &row.statement.terms {
            if !matches!(term, Term::DefaultGraph) {
                TermWriter::new(text).term(term);
                text.push_byte(b' ');
            }
        }
        text.push(".\n");
        Ok(())
    }
}
