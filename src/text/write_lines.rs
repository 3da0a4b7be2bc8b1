//! Writes canonical N-Triples and N-Quads, one statement per line.

use super::nquads::is_generalized_statement;
use super::out::{at_row, check};
use super::row_writer::RowWriter;
use crate::error::{Error, ErrorKind, Result};
use crate::sink::{RdfRow, RdfSink, Sink, Statement, TermSink};
use crate::term::Term;

/// Lines of at least this size are copied only once.
const MUCH: usize = 1024;

/// Writes statements as lines.
#[derive(Debug)]
pub struct LinesWriter {
    rows: RowWriter,
}

impl LinesWriter {
    /// Creates a writer of N-Triples, for which a graph is an error.
    pub fn triples() -> Self {
        LinesWriter { rows: RowWriter::new(false, false) }
    }

    /// Creates a writer of N-Quads.
    pub fn quads() -> Self {
        LinesWriter { rows: RowWriter::new(true, false) }
    }

    /// The text that was written; the caller takes it away.
    pub fn output(&mut self) -> &mut Vec<u8> {
        self.rows.bytes()
    }

    /// Returns the sink for the terms of a row.
    #[inline(always)]
    pub(crate) fn row_terms(&mut self) -> &mut RowWriter {
        &mut self.rows
    }

    /// Like [`TermSink::repeats_in`].
    #[inline(always)]
    pub(crate) fn repeats_in(&self, place: usize, text: &[u8]) -> Option<usize> {
        self.rows.repeats_in(place, text)
    }

    /// Writes lines of canonical N-Quads unchanged, if the format supports their graphs.
    #[inline]
    pub(crate) fn lines(&mut self, lines: &[u8], has_graphs: bool) -> bool {
        let holds = self.rows.graphs || !has_graphs;
        if holds {
            self.rows.forget();
            if lines.len() < MUCH {
                self.rows.out.text.push_bytes(lines);
            } else {
                self.rows.out.push_much(lines);
            }
        }
        holds
    }

    /// Ends the output after all statements.
    pub fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn check(&self, statement: &Statement<'_>) -> Result<()> {
        if !self.rows.graphs && !matches!(statement.terms[3], Term::DefaultGraph) {
            return Err(Error::new(ErrorKind::EncodeGraph, "N-Triples has no graphs; N-Quads has"));
        }
        if is_generalized_statement(&statement.terms) {
            let format = if self.rows.graphs { "N-Quads" } else { "N-Triples" };
            let message = format!("{format} cannot hold generalized RDF");
            return Err(Error::new(ErrorKind::EncodeGeneralized, message));
        }
        statement.terms.iter().try_for_each(|term| check(term, false))
    }
}

impl Sink for LinesWriter {
    fn is_full(&self) -> bool {
        self.rows.out.is_full()
    }
}

impl RdfSink for LinesWriter {
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.check(&row.statement).map_err(|error| at_row(error, row.seq))?;
        self.rows.forget();
        for term in &row.statement.terms {
            if !matches!(term, Term::DefaultGraph) {
                self.rows.writer().term(term);
                self.rows.out.text.push_byte(b' ');
            }
        }
        self.rows.out.text.push(".\n");
        Ok(())
    }

    #[inline(always)]
    fn terms(&mut self, _: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        Some(self.rows.begin(""))
    }

    #[inline(always)]
    fn end_statement(&mut self, _: u64, _: u64) -> Result<()> {
        self.rows.end();
        Ok(())
    }
}
