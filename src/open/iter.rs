//! Rows one by one: iterators over a source.

use std::collections::VecDeque;
use std::iter::FusedIterator;

use super::{PatchReader, RdfReader};
use crate::error::{Error, Result};
use crate::owned::{PatchOpBuf, PatchRowBuf, StatementBuf};
use crate::reader::{RowSource, SourceState};
use crate::sink::{PatchRow, PatchSink, RdfRow, RdfSink, Sink};

/// Rows that are decoded at a time.
const BLOCK: usize = 256;

/// Rows that were decoded, but not taken yet.
#[derive(Debug)]
pub struct RowQueue<R> {
    rows: VecDeque<R>,
}

impl<R> Default for RowQueue<R> {
    fn default() -> Self {
        RowQueue { rows: VecDeque::new() }
    }
}

impl<R> Sink for RowQueue<R> {
    fn is_full(&self) -> bool {
        self.rows.len() >= BLOCK
    }
}

impl RdfSink for RowQueue<StatementBuf> {
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.rows.push_back((&row.statement).into());
        Ok(())
    }
}

impl PatchSink for RowQueue<PatchRowBuf> {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        self.rows.push_back(row.into());
        Ok(())
    }
}

/// The rows of a source, each owned; an error is the last item.
pub struct Rows<R> {
    source: Box<dyn RowSource<RowQueue<R>>>,
    queue: RowQueue<R>,
    failed: Option<Error>,
    ended: bool,
}

impl<R> Rows<R> {
    fn new(source: Box<dyn RowSource<RowQueue<R>>>) -> Self {
        Rows { source, queue: RowQueue::default(), failed: None, ended: false }
    }

    /// Where the rows come from, for options, metadata and warnings; it is up to a block of rows ahead.
    pub fn source(&self) -> &dyn SourceState {
        &*self.source
    }
}

impl<R> Iterator for Rows<R> {
    type Item = Result<R>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.queue.rows.pop_front() {
                return Some(Ok(row));
            }
            if self.ended {
                return self.failed.take().map(Err);
            }
            match self.source.advance(&mut self.queue, &mut || Ok(())) {
                Ok(ended) => self.ended = ended,
                Err(error) => (self.failed, self.ended) = (Some(error), true),
            }
        }
    }
}

impl<R> FusedIterator for Rows<R> {}

impl RdfReader<RowQueue<StatementBuf>> {
    /// The statements, one by one.
    pub fn rows(self) -> Rows<StatementBuf> {
        Rows::new(self.rows)
    }
}

impl PatchReader<RowQueue<PatchRowBuf>> {
    /// The rows, one by one.
    pub fn rows(self) -> Rows<PatchRowBuf> {
        Rows::new(self.rows)
    }

    /// The rows of one patch after the other. A whole patch is in memory at a time; [`Self::rows`] needs less.
    pub fn patches(self) -> Patches {
        Patches { rows: self.rows(), ahead: None }
    }
}

/// The patches of a source: the rows of each, including its end unless only committed rows are read. An error
/// is the last item; an incomplete patch before it is not returned.
pub struct Patches {
    rows: Rows<PatchRowBuf>,
    /// What comes after the patch that was given last.
    ahead: Option<Result<PatchRowBuf>>,
}

impl Iterator for Patches {
    type Item = Result<Vec<PatchRowBuf>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut patch = match self.ahead.take().or_else(|| self.rows.next())? {
            Ok(row) => vec![row],
            Err(error) => return Some(Err(error)),
        };
        let number = patch[0].patch;
        while !patch.last().is_some_and(|row| matches!(row.op, PatchOpBuf::End(_))) {
            match self.rows.next() {
                Some(Ok(row)) if row.patch == number => patch.push(row),
                Some(Err(error)) if !self.rows.source.refused_a_patch() => return Some(Err(error)),
                next => {
                    self.ahead = next;
                    break;
                }
            }
        }
        Some(Ok(patch))
    }
}

impl FusedIterator for Patches {}
