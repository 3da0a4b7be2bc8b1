//! Writes RDF Patch, one row per line, in a form that Jena reads.
//!
//! The end of a patch is written as `Z .` only if a reader would not detect it otherwise. Text cannot hold
//! the namespace of a `PD`; Jena would read it as a graph.

use super::lex::{Lexer, Rules, Scratch};
use super::out::{at_row, check};
use super::row_writer::RowWriter;
use super::write::TermWriter;
use crate::default_graph::refuse_default_graph;
use crate::error::{Error, ErrorKind, Result};
use crate::sink::{PatchOp, PatchRow, PatchSink, RowNumbers, Sink, Statement, TermSink};
use crate::term::{LiteralKind, Term};
use crate::transaction::EndMarks;

/// Writes rows of patches as text.
#[derive(Debug)]
pub struct PatchTextWriter {
    abbreviate: bool,
    rows: RowWriter,
    marks: EndMarks,
}

impl PatchTextWriter {
    /// Creates a writer; `abbreviate` writes numbers and booleans without quotes, as Jena does.
    pub fn new(abbreviate: bool) -> Self {
        PatchTextWriter { abbreviate, rows: RowWriter::new(true, true), marks: EndMarks::default() }
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

    /// Ends the output after all rows; the end of the text ends its last patch, if this has rows.
    pub fn finish(&mut self) -> Result<()> {
        if self.marks.at_end() {
            self.end_mark();
        }
        Ok(())
    }

    fn end_mark(&mut self) {
        self.rows.out.text.push("Z .\n");
    }

    fn write(&mut self, op: &PatchOp<'_>) -> Result<()> {
        match op {
            PatchOp::Header { key, value } => {
                check(value, true)?;
                self.rows.out.text.push("H ");
                if is_word(key) {
                    self.rows.out.text.push(key);
                } else {
                    self.terms().string(&[key]);
                }
                self.rows.out.text.push(" ");
                self.term(value);
            }
            PatchOp::AddPrefix { name, iri, graph } => {
                check_graph(graph)?;
                self.rows.out.text.push("PA ");
                self.terms().string(&[name]);
                self.rows.out.text.push(" ");
                self.terms().string(&[iri.prefix(), iri.name()]);
                self.rows.out.text.push(" ");
                self.term(graph);
            }
            PatchOp::DeletePrefix { name, graph, .. } => {
                check_graph(graph)?;
                self.rows.out.text.push("PD ");
                self.terms().string(&[name]);
                self.rows.out.text.push(" ");
                self.term(graph);
            }
            PatchOp::Add(statement) => self.statement("A ", statement)?,
            PatchOp::Delete(statement) => self.statement("D ", statement)?,
            PatchOp::Begin => self.rows.out.text.push("TX "),
            PatchOp::Commit => self.rows.out.text.push("TC "),
            PatchOp::Abort => self.rows.out.text.push("TA "),
            PatchOp::End(_) => return Ok(()),
        }
        self.rows.out.text.push(".\n");
        Ok(())
    }

    fn statement(&mut self, op: &str, statement: &Statement<'_>) -> Result<()> {
        statement.terms.iter().try_for_each(|term| check(term, true))?;
        if let Term::Triple(_) = statement.terms[3] {
            return Err(no_graph());
        }
        refuse_default_graph(&statement.terms[3])?;
        self.rows.out.text.push(op);
        statement.terms.iter().for_each(|term| self.term(term));
        Ok(())
    }

    /// Appends a term and a space; the default graph is empty.
    fn term(&mut self, term: &Term<'_>) {
        match term {
            Term::DefaultGraph => return,
            Term::Literal(literal) if self.abbreviate => match literal.kind {
                LiteralKind::Datatype(datatype) if is_bare(literal.lex, datatype.iri()) => {
                    self.rows.out.text.push(literal.lex);
                }
                _ => self.terms().term(term),
            },
            _ => self.terms().term(term),
        }
        self.rows.out.text.push_byte(b' ');
    }

    fn terms(&mut self) -> TermWriter<'_> {
        self.rows.writer()
    }
}

impl Sink for PatchTextWriter {
    fn is_full(&self) -> bool {
        self.rows.out.is_full()
    }
}

impl PatchSink for PatchTextWriter {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        if self.marks.before(row)? {
            self.end_mark();
        }
        self.rows.forget();
        self.write(&row.op).map_err(|error| at_row(error, row.seq))
    }

    #[inline(always)]
    fn terms(&mut self, row: RowNumbers) -> Option<&mut impl for<'t> TermSink<'t>> {
        if self.abbreviate {
            return None;
        }
        if self.marks.before_change(row.patch) {
            self.end_mark();
        }
        Some(self.rows.begin("A "))
    }

    #[inline(always)]
    fn end_change(&mut self, adds: bool, _: RowNumbers) -> Result<()> {
        let row = self.rows.end();
        if !adds {
            row[0] = b'D';
        }
        Ok(())
    }
}

/// Checks the graph of a prefix: a string would be read as its namespace.
fn check_graph(graph: &Term<'_>) -> Result<()> {
    match graph {
        Term::Literal(_) | Term::Triple(_) => Err(no_graph()),
        graph => check(graph, true).and_then(|()| refuse_default_graph(graph)),
    }
}

#[cold]
fn no_graph() -> Error {
    Error::new(ErrorKind::EncodeGeneralized, "RDF Patch text does not allow this term as the graph")
}

/// Whether a key needs no quotes.
fn is_word(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// Whether a literal without quotes is read as the same literal, even before the dot of the row.
fn is_bare(lex: &str, datatype: &str) -> bool {
    if !lex.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | 't' | 'f')) {
        return false;
    }
    let rules = Rules { bare: true, row_bytes: usize::MAX, ..Rules::default() };
    let (text, mut scratch) = ([lex, " "].concat(), Scratch::default());
    let mut lexer = Lexer::new(&text, 0, rules);
    match lexer.term(&mut scratch) {
        Ok(lexed) => lexed.end == lex.len() && scratch.datatype() == datatype,
        Err(_) => false,
    }
}
