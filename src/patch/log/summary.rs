//! What one patch says and does, as the index of a log keeps it, and the digest by which retries are known.

use sha2::{Digest, Sha256};

use super::LogOptions;
use super::facts::{Facts, SourceFacts};
use crate::blank::refuse_position;
use crate::buffer::TextBuffer;
use crate::error::{Error, Result};
use crate::open::open_patch;
use crate::patch::again::Again;
use crate::patch::work::{Watch, Work};
use crate::sink::{PatchOp, PatchRow, PatchSink, Sink};
use crate::term::{Term, TermBuf};
use crate::text::write::TermWriter;

/// Stands behind each term, and in no UTF-8.
const END: u8 = 0xff;
/// Bytes that are hashed at once.
const BLOCK: usize = 64 << 10;

/// What one patch says and does.
#[derive(Clone, Debug, Default)]
pub struct PatchSummary {
    /// Patches in the source; the counts and the digest are of all of them.
    pub patches: u64,
    /// Headers of the first patch, in order, keys as they are written.
    pub headers: Vec<(String, TermBuf)>,
    /// The term behind `H id` of the first patch.
    pub id: Option<TermBuf>,
    /// The term behind `H prev` of the first patch.
    pub prev: Option<TermBuf>,
    /// `A` rows that count: of committed transactions, and outside of any.
    pub added: u64,
    /// `D` rows that count.
    pub deleted: u64,
    /// `PA` and `PD` rows that count.
    pub prefixes: u64,
    /// SHA-256 of the rows without `H` and `Z`: op, terms, prefixes and transaction marks, in order and as spelled. It
    /// depends on neither format nor frames nor options.
    pub digest: [u8; 32],
}

/// Reads a source of patches to its end; refuses transactions without a meaning, two ids in one patch, and rows that
/// count and name blank nodes by their positions. `takes_positions` lets the last ones through.
pub fn summarize(source: &Again, takes_positions: bool, watch: Watch<'_>) -> Result<PatchSummary> {
    let options = LogOptions { fixed: true, ..LogOptions::default() };
    let mut sink = Summarizing {
        facts: SourceFacts::new(options, false),
        takes_positions,
        open: None,
        summary: PatchSummary::default(),
        hash: Sha256::new(),
        text: TextBuffer::default(),
    };
    let mut work = Work::new(watch);
    work.phase("reading the patch");
    let mut rows = open_patch(source.source(), &source.options)?;
    work.feed(&mut *rows, &mut sink, |_| Ok(true))?;
    drop(rows);
    sink.flush(0);
    let Summarizing { facts, mut summary, hash, .. } = sink;
    summary.patches = facts.patches.len() as u64;
    if let Some(Facts { id, prev, .. }) = facts.patches.into_iter().next() {
        (summary.id, summary.prev) = (id, prev);
    }
    summary.digest = hash.finalize().into();
    Ok(summary)
}

/// Counts of an open transaction, which do not count before its end.
#[derive(Default)]
struct Open {
    added: u64,
    deleted: u64,
    prefixes: u64,
    /// What is wrong with a row, if it will count.
    error: Option<Error>,
}

struct Summarizing {
    facts: SourceFacts,
    takes_positions: bool,
    open: Option<Open>,
    summary: PatchSummary,
    hash: Sha256,
    /// Canonical text that is not hashed yet.
    text: TextBuffer,
}

impl Sink for Summarizing {}

impl PatchSink for Summarizing {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        self.facts.row(row)?;
        match &row.op {
            PatchOp::Header { key, value } => {
                if self.facts.patches.is_empty() {
                    self.summary.headers.push(((*key).to_owned(), (*value).into()));
                }
                return Ok(());
            }
            PatchOp::End(_) => return Ok(()),
            PatchOp::Begin => self.open = Some(Open::default()),
            PatchOp::Commit => self.commit()?,
            PatchOp::Abort => self.open = None,
            op => self.count(op)?,
        }
        self.digest(&row.op);
        Ok(())
    }
}

impl Summarizing {
    fn commit(&mut self) -> Result<()> {
        let Open { added, deleted, prefixes, error } = self.open.take().unwrap_or_default();
        self.summary.added += added;
        self.summary.deleted += deleted;
        self.summary.prefixes += prefixes;
        error.map_or(Ok(()), Err)
    }

    fn count(&mut self, op: &PatchOp<'_>) -> Result<()> {
        let refused = if self.takes_positions { Ok(()) } else { refuse_position(op) };
        let PatchSummary { added, deleted, prefixes, .. } = &mut self.summary;
        let (added, deleted, prefixes) = match &mut self.open {
            None => {
                refused?;
                (added, deleted, prefixes)
            }
            Some(open) => {
                open.error = open.error.take().or(refused.err());
                (&mut open.added, &mut open.deleted, &mut open.prefixes)
            }
        };
        *match op {
            PatchOp::Add(_) => added,
            PatchOp::Delete(_) => deleted,
            _ => prefixes,
        } += 1;
        Ok(())
    }

    fn digest(&mut self, op: &PatchOp<'_>) {
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
            // not every format keeps the namespace of a `PD`
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
