//! The rows of a log in the order of its versions.

use std::ops::Range;

use super::{Log, SourceFacts, is_of_the_data};
use crate::blank::refuse_position;
use crate::error::{Error, ErrorClass, ErrorKind, Position, Result};
use crate::open::open_patch;
use crate::patch::again::Again;
use crate::patch::content::InBaseLabels;
use crate::patch::work::Work;
use crate::sink::{PatchOp, PatchRow, PatchSink, Same, Sink, Statement};

/// A row of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'a> {
    /// The version that its patch makes.
    pub(crate) version: u64,
    /// Whether the row is committed or outside transactions, so that it changes the dataset if it is A, D, PA
    /// or PD.
    pub(crate) counts: bool,
    /// The operation, without marked repetitions.
    pub(crate) op: PatchOp<'a>,
}

/// Receives the rows of a log.
pub(crate) trait LogSink {
    /// Receives a row.
    fn change(&mut self, change: &Change<'_>) -> Result<()>;

    /// Whether the sink has the state before each patch, so that nodes can be named by the content of that
    /// state.
    fn knows_base(&self) -> bool {
        false
    }

    /// Called regularly, to pass on collected output.
    fn look(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Log {
    /// Passes the rows of some versions to `sink`.
    pub(crate) fn replay(
        &self,
        versions: Range<u64>,
        phase: &'static str,
        sink: &mut dyn LogSink,
        work: &mut Work<'_>,
    ) -> Result<()> {
        work.phase(phase)?;
        if !sink.knows_base() {
            self.refuse_content(versions.clone())?;
        }
        let mut version = versions.start;
        while version < versions.end {
            let (source, first) = self.order[version as usize - 1];
            // the number of patches that are adjacent in their source
            let follows = |&ahead: &u64| {
                let place = (source, first + (ahead - version) as usize);
                self.order[ahead as usize - 1] == place
            };
            let count = (version..versions.end).take_while(follows).count();
            self.run(source, first..first + count, version, sink, work)?;
            version += count as u64;
        }
        Ok(())
    }

    /// Like [`Log::replay`], but rows that name blank nodes by the content of the state before them get the
    /// labels of the base.
    pub(crate) fn replay_on(
        &self,
        base: Option<&Again>,
        versions: Range<u64>,
        phase: &'static str,
        sink: &mut dyn LogSink,
        work: &mut Work<'_>,
    ) -> Result<()> {
        match base {
            Some(base) if self.speaks_content(versions.clone()) => {
                let mut labels = InBaseLabels::new(base, work)?;
                self.replay(versions, phase, &mut labels.to(sink), work)
            }
            _ => self.replay(versions, phase, sink, work),
        }
    }

    /// Rejects patches that name blank nodes by the content of the state before them.
    pub(crate) fn refuse_content(&self, mut versions: Range<u64>) -> Result<()> {
        let Some(version) = versions.find(|&version| self.speaks_content(version..version + 1)) else {
            return Ok(());
        };
        let (source, _) = self.place(version);
        let place = Position { source, ..Position::default() };
        Err(refused_content().located(&place))
    }

    fn run(
        &self,
        source: usize,
        patches: Range<usize>,
        version: u64,
        sink: &mut dyn LogSink,
        work: &mut Work<'_>,
    ) -> Result<()> {
        let (source, facts) = &self.sources[source];
        let mut rows = open_patch(source.source(), &source.options)?;
        let is_last = patches.end == facts.patches.len();
        let takes_positions = self.takes_positions;
        let mut run = Run { sink, facts, takes_positions, patches, version, at: 0, rows: 0, done: false };
        let read = work.feed(&mut *rows, &mut run, |run| run.sink.look().map(|()| !run.done)).map(drop);
        drop(rows); // would borrow the sink
        match read {
            Ok(()) => {}
            Err(error) if run.done && is_of_the_data(&error) => {} // later rows were not requested
            Err(error) if error.kind().class() == ErrorClass::Truncated && facts.cut && is_last => {}
            Err(error) => return Err(error),
        }
        if !(run.done || facts.cut && is_last) {
            return Err(changed());
        }
        Ok(())
    }
}

/// The error for a patch that names blank nodes by the content of the state before it.
#[cold]
pub(crate) fn refused_content() -> Error {
    let message = "the patch names blank nodes by the content of the dataset that it was made from (header blank-nodes)";
    let hint = "apply it to that dataset with `jelly apply`; to undo it, use `jelly diff NEW OLD`; for a patch with \
                stable labels, store the dataset with `jelly convert --blank-nodes content`, then use `jelly diff`";
    Error::new(ErrorKind::PatchBase, message).with_hint(hint)
}

#[cold]
fn changed() -> Error {
    Error::new(ErrorKind::PatchChanged, "this file was changed while it was read")
}

/// Consecutive patches of one source.
struct Run<'a> {
    sink: &'a mut dyn LogSink,
    facts: &'a SourceFacts,
    /// Whether committed rows may name nodes by positions.
    takes_positions: bool,
    patches: Range<usize>,
    /// The version of the first patch.
    version: u64,
    /// The patch of the next row.
    at: usize,
    /// Its rows so far.
    rows: u64,
    done: bool,
}

impl Sink for Run<'_> {
    #[inline]
    fn is_full(&self) -> bool {
        self.done
    }
}

impl PatchSink for Run<'_> {
    #[inline]
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        if self.done {
            return Ok(());
        }
        self.rows += 1;
        if self.at >= self.patches.start {
            let counts = row.txn.is_none_or(|txn| self.facts.is_committed(txn));
            if counts && !self.takes_positions {
                refuse_position(&row.op)?;
            }
            let op = match row.op {
                PatchOp::Add(statement) => PatchOp::Add(Statement { same: Same::NONE, ..statement }),
                PatchOp::Delete(statement) => PatchOp::Delete(Statement { same: Same::NONE, ..statement }),
                other => other,
            };
            let version = self.version + (self.at - self.patches.start) as u64;
            self.sink.change(&Change { version, counts, op })?;
        }
        if let PatchOp::End(_) = row.op {
            if self.facts.patches.get(self.at).is_none_or(|patch| patch.rows != self.rows) {
                return Err(changed());
            }
            self.at += 1;
            self.rows = 0;
            self.done = self.at == self.patches.end;
        }
        Ok(())
    }
}
