//! Writes RDF Patch Thrift.

use super::compact::kind;
use super::row::{member as row, transaction};
use super::term::member;
use crate::default_graph::refuse_default_graph;
use crate::error::{Error, ErrorKind, Result};
use crate::sink::{PatchOp, PatchRow, PatchSink, Sink, Statement};
use crate::term::{Iri, Literal, LiteralKind, Term};
use crate::transaction::EndMarks;

/// Writes rows in the form of Jena. A base direction, which Jena drops, is written as its grammar specifies.
#[derive(Debug, Default)]
pub struct ThriftWriter {
    out: Vec<u8>,
    marks: EndMarks,
}

/// Size of the output at which the writer asks for a pause.
const HIGH_WATER: usize = 1 << 20;
/// Thrift's lengths are signed.
const MOST: usize = i32::MAX as usize;

impl ThriftWriter {
    /// Creates a writer at the start of a stream.
    pub fn new() -> Self {
        ThriftWriter::default()
    }

    /// The output that was not taken yet; the caller takes it when the writer asks for a pause.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Ends the output.
    pub fn finish(&mut self) -> Result<()> {
        if self.marks.at_end() {
            self.transaction(transaction::SEGMENT);
        }
        Ok(())
    }

    /// Writes the head of field `id` of a struct whose last field was `last`.
    #[inline]
    fn field(&mut self, last: i32, id: i32, kind: u8) {
        self.out.push(((id - last) as u8) << 4 | kind);
    }

    fn stop(&mut self) {
        self.out.push(0);
    }

    /// Writes a string from pieces.
    #[inline]
    fn text(&mut self, pieces: [&str; 2]) -> Result<()> {
        let mut length = pieces[0].len() + pieces[1].len();
        if length > MOST {
            let message = format!("a string of {length} bytes is too long for Thrift");
            return Err(Error::new(ErrorKind::EncodeTerm, message));
        }
        while length >= 0x80 {
            self.out.push(length as u8 | 0x80);
            length >>= 7;
        }
        self.out.push(length as u8);
        self.out.extend_from_slice(pieces[0].as_bytes());
        self.out.extend_from_slice(pieces[1].as_bytes());
        Ok(())
    }

    fn iri(&mut self, iri: &Iri<'_>) -> Result<()> {
        self.text([iri.prefix(), iri.name()])
    }

    fn transaction(&mut self, number: i32) {
        self.field(0, row::TRANSACTION, kind::I32);
        self.out.push((number << 1) as u8);
        self.stop();
    }

    fn header(&mut self, key: &str, value: &Term<'_>) -> Result<()> {
        self.field(0, row::HEADER, kind::STRUCT);
        self.field(0, 1, kind::BINARY);
        self.text([key, ""])?;
        self.term(1, 2, value)?;
        self.stop();
        self.stop();
        Ok(())
    }

    fn statement(&mut self, member: i32, statement: &Statement<'_>) -> Result<()> {
        refuse_default_graph(&statement.terms[3])?;
        self.field(0, member, kind::STRUCT);
        for (place, term) in statement.terms.iter().enumerate() {
            let place = place as i32;
            if place == 3 && matches!(term, Term::DefaultGraph) {
                break;
            }
            self.term(place, place + 1, term)?;
        }
        self.stop();
        self.stop();
        Ok(())
    }

    fn prefix(&mut self, member: i32, graph: &Term<'_>, name: &str, iri: Option<&Iri<'_>>) -> Result<()> {
        refuse_default_graph(graph)?;
        self.field(0, member, kind::STRUCT);
        let mut last = 0;
        if !matches!(graph, Term::DefaultGraph) {
            self.term(0, 1, graph)?;
            last = 1;
        }
        self.field(last, 2, kind::BINARY);
        self.text([name, ""])?;
        if let Some(iri) = iri {
            self.field(2, 3, kind::BINARY);
            self.iri(iri)?;
        }
        self.stop();
        self.stop();
        Ok(())
    }

    /// Writes a field that is a term.
    #[inline]
    fn term(&mut self, last: i32, id: i32, term: &Term<'_>) -> Result<()> {
        self.field(last, id, kind::STRUCT);
        match term {
            Term::Iri(iri) => {
                self.field(0, member::IRI, kind::STRUCT);
                self.field(0, 1, kind::BINARY);
                self.iri(iri)?;
            }
            Term::BlankNode(label) => {
                self.field(0, member::BLANK_NODE, kind::STRUCT);
                self.field(0, 1, kind::BINARY);
                self.text([label, ""])?;
            }
            Term::Literal(literal) => self.literal(literal)?,
            Term::Triple(triple) => {
                self.field(0, member::TRIPLE, kind::STRUCT);
                for (place, term) in (0..).zip(&triple.terms) {
                    self.nested(place, &term.as_term())?;
                }
            }
            Term::DefaultGraph => {
                let message = "expected a term, found the default graph";
                return Err(Error::new(ErrorKind::EncodeTerm, message));
            }
        }
        self.stop();
        self.stop();
        Ok(())
    }

    /// Writes a term of a quoted triple; the reader has limited its depth.
    #[inline(never)]
    fn nested(&mut self, place: i32, term: &Term<'_>) -> Result<()> {
        self.term(place, place + 1, term)
    }

    fn literal(&mut self, literal: &Literal<'_>) -> Result<()> {
        self.field(0, member::LITERAL, kind::STRUCT);
        self.field(0, 1, kind::BINARY);
        self.text([literal.lex, ""])?;
        match literal.kind {
            LiteralKind::Simple => {}
            LiteralKind::Language("") => {
                let message = "the language tag is empty, and readers would ignore it";
                return Err(Error::new(ErrorKind::EncodeTerm, message));
            }
            LiteralKind::Language(tag) => {
                let directed = ["--ltr", "--rtl"].into_iter().find_map(|end| {
                    let tag = tag.strip_suffix(end).filter(|tag| !tag.is_empty())?;
                    Some((tag, &end[2..]))
                });
                self.field(1, 2, kind::BINARY);
                self.text([directed.map_or(tag, |(tag, _)| tag), ""])?;
                if let Some((_, direction)) = directed {
                    self.field(2, 5, kind::BINARY);
                    self.text([direction, ""])?;
                }
            }
            LiteralKind::Datatype(datatype) => {
                self.field(1, 3, kind::BINARY);
                self.text([datatype.iri(), ""])?;
            }
        }
        Ok(())
    }
}

impl Sink for ThriftWriter {
    fn is_full(&self) -> bool {
        self.out.len() >= HIGH_WATER
    }
}

impl PatchSink for ThriftWriter {
    /// After an error, the output ends with the previous row.
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        if self.marks.before(row)? {
            self.transaction(transaction::SEGMENT);
        }
        let start = self.out.len();
        let written = match &row.op {
            PatchOp::Add(statement) => self.statement(row::ADD, statement),
            PatchOp::Delete(statement) => self.statement(row::DELETE, statement),
            PatchOp::Header { key, value } => self.header(key, value),
            PatchOp::AddPrefix { name, iri, graph } => self.prefix(row::ADD_PREFIX, graph, name, Some(iri)),
            // Thrift cannot hold the namespace
            PatchOp::DeletePrefix { name, graph, .. } => self.prefix(row::DELETE_PREFIX, graph, name, None),
            PatchOp::Begin => {
                self.transaction(transaction::BEGIN);
                Ok(())
            }
            PatchOp::Commit => {
                self.transaction(transaction::COMMIT);
                Ok(())
            }
            PatchOp::Abort => {
                self.transaction(transaction::ABORT);
                Ok(())
            }
            PatchOp::End(_) => Ok(()),
        };
        if written.is_err() {
            self.out.truncate(start);
        }
        written
    }
}
