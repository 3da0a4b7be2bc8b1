//! The digest of the rows of a patch, which detects retries and rewritten logs.

use sha2::{Digest, Sha256};

use crate::buffer::TextBuffer;
use crate::sink::PatchOp;
use crate::term::Term;
use crate::text::write::TermWriter;

/// The byte after each term, which does not occur in UTF-8.
const END: u8 = 0xff;
/// Bytes that are hashed at once.
const BLOCK: usize = 64 << 10;

/// SHA-256 of the rows of a patch, without `H` and `Z`: op, terms, prefixes and transaction marks, in order
/// and in their spelling. It does not depend on format, frames or options.
#[derive(Debug, Default)]
pub struct RowsDigest {
    hash: Sha256,
    /// Canonical text that is not hashed yet.
    text: TextBuffer,
}

impl RowsDigest {
    /// Adds a row.
    pub(crate) fn add(&mut self, op: &PatchOp<'_>) {
        let (name, terms): (&str, &[Term<'_>]) = match op {
            PatchOp::Begin => ("TX", &[]),
            PatchOp::Commit => ("TC", &[]),
            PatchOp::Abort => ("TA", &[]),
            PatchOp::Add(statement) => ("A", &statement.terms),
            PatchOp::Delete(statement) => ("D", &statement.terms),
            PatchOp::AddPrefix { name, iri, graph } => {
                self.word("PA");
                self.word(name);
                TermWriter::new(&mut self.text).iri(iri);
                self.text.push_byte(END);
                ("", std::slice::from_ref(graph))
            }
            // not every format stores the namespace of a `PD`
            PatchOp::DeletePrefix { name, graph, .. } => {
                self.word("PD");
                self.word(name);
                ("", std::slice::from_ref(graph))
            }
            PatchOp::Header { .. } | PatchOp::End(_) => return,
        };
        if !name.is_empty() {
            self.word(name);
        }
        for term in terms {
            TermWriter::new(&mut self.text).term(term);
            self.text.push_byte(END);
        }
        self.flush(BLOCK);
    }

    /// The digest of all rows.
    pub fn finish(mut self) -> [u8; 32] {
        self.flush(0);
        self.hash.finalize().into()
    }

    /// The hash of the rows so far.
    pub(crate) fn state(&mut self) -> Sha256 {
        self.flush(0);
        self.hash.clone()
    }

    /// Discards the rows after a state.
    pub(crate) fn go_back(&mut self, state: Sha256) {
        self.text.clear();
        self.hash = state;
    }

    fn word(&mut self, word: &str) {
        self.text.push(word);
        self.text.push_byte(END);
    }

    fn flush(&mut self, least: usize) {
        if self.text.len() > least {
            self.hash.update(self.text.as_bytes());
            self.text.clear();
        }
    }
}
