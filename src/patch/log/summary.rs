//! The summary of a patch for the index of a log, and the digest that identifies retries.

use super::LogOptions;
use super::digest::RowsDigest;
use super::facts::{Facts, SourceFacts};
use crate::blank::refuse_position;
use crate::error::{Error, Result};
use crate::open::open_patch;
use crate::patch::again::Again;
use crate::patch::work::{Watch, Work};
use crate::sink::{PatchOp, PatchRow, PatchSink, Sink};
use crate::term::TermBuf;

/// The headers and counts of a patch.
#[derive(Clone, Debug, Default)]
pub struct PatchSummary {
    /// Number of patches in the source; the counts and the digest cover all of them.
    pub patches: u64,
    /// Headers of the first patch, in order; the keys keep their spelling.
    pub headers: Vec<(String, TermBuf)>,
    /// The term of `H id` of the first patch.
    pub id: Option<TermBuf>,
    /// The term of `H prev` of the first patch.
    pub prev: Option<TermBuf>,
    /// Number of committed `A` rows: in committed transactions, or outside transactions.
    pub added: u64,
    /// Number of committed `D` rows.
    pub deleted: u64,
    /// Number of committed `PA` and `PD` rows.
    pub prefixes: u64,
    /// [`RowsDigest`] of all rows.
    pub digest: [u8; 32],
}

/// Reads a source of patches to its end. Rejects invalid transactions, two ids in one patch, and committed
/// rows that name blank nodes by their positions. `takes_positions` is for patches of an existing log: it
/// accepts such rows, and the remainder of a patch after compaction.
pub fn summarize(source: &Again, takes_positions: bool, watch: Watch<'_>) -> Result<PatchSummary> {
    let mut work = Work::new(watch);
    work.phase("reading the patch")?;
    summary_of(source, takes_positions, &mut work)
}

/// Like [`summarize`], as a part of other work.
pub(super) fn summary_of(source: &Again, takes_positions: bool, work: &mut Work<'_>) -> Result<PatchSummary> {
    let mut rows = open_patch(source.source(), &source.options)?;
    Ok(work.feed(&mut *rows, Summarizing::new(takes_positions), |_| Ok(true))?.finish())
}

/// Counts of an open transaction, which are added when it commits.
#[derive(Default)]
struct Open {
    added: u64,
    deleted: u64,
    prefixes: u64,
    /// The fault of a row, raised if the row is committed.
    error: Option<Error>,
}

/// Checks and counts the rows of patches.
pub(super) struct Summarizing {
    facts: SourceFacts,
    takes_positions: bool,
    open: Option<Open>,
    summary: PatchSummary,
    digest: RowsDigest,
}

impl Sink for Summarizing {}

impl PatchSink for Summarizing {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        self.facts.row(row)?;
        match &row.op {
            PatchOp::Header { key, value } => {
                if self.is_in_first() {
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
        self.digest.add(&row.op);
        Ok(())
    }
}

impl Summarizing {
    pub(super) fn new(takes_positions: bool) -> Self {
        let options = LogOptions { fixed: true, ..LogOptions::default() };
        let mut facts = SourceFacts::new(options, false);
        facts.takes_stubs = takes_positions;
        Summarizing {
            facts,
            takes_positions,
            open: None,
            summary: PatchSummary::default(),
            digest: RowsDigest::default(),
        }
    }

    /// The summary, after the source was read to its end.
    pub(super) fn finish(self) -> PatchSummary {
        let Summarizing { facts, mut summary, digest, .. } = self;
        summary.patches = facts.patches.len() as u64;
        if let Some(Facts { id, prev, .. }) = facts.patches.into_iter().next() {
            (summary.id, summary.prev) = (id, prev);
        }
        summary.digest = digest.finish();
        summary
    }

    /// Whether the first patch has not ended.
    pub(super) fn is_in_first(&self) -> bool {
        self.facts.patches.is_empty()
    }

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
}
