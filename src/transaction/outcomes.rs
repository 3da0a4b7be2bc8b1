//! The committed transactions of a patch.

use super::{Committed, Open};
use crate::error::Result;
use crate::sink::{Ignored, PatchOp, PatchRow, PatchSink, RowNumbers, Sink, TermSink};

/// Collects the outcomes of one patch after the other; rejects patches with unfinished or stray transactions.
///
/// Rows outside transactions are committed with their patch.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    committed: Committed,
    open: Open,
    /// Whether the patch has ended.
    complete: bool,
    terms: Ignored,
}

impl Outcomes {
    /// Removes the outcomes of the patch.
    pub(crate) fn next_patch(&mut self) {
        self.committed.clear();
        self.complete = false;
    }

    /// Whether a transaction is committed.
    pub(crate) fn is_committed(&self, txn: u64) -> bool {
        self.committed.contains(txn)
    }
}

impl Sink for Outcomes {
    /// Stops the decoder at the end of each patch.
    #[inline]
    fn is_full(&self) -> bool {
        self.complete
    }
}

impl PatchSink for Outcomes {
    #[inline]
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        match row.op {
            PatchOp::Begin => {
                self.open.begin(row.txn)?;
                self.committed.begin(row.txn);
            }
            PatchOp::Commit => self.committed.insert(self.open.close()?),
            PatchOp::Abort => drop(self.open.close()?),
            PatchOp::End(_) => {
                self.open.end_patch()?;
                self.complete = true;
            }
            _ => {}
        }
        Ok(())
    }

    #[inline]
    fn terms(&mut self, _: RowNumbers) -> Option<&mut impl for<'t> TermSink<'t>> {
        Some(&mut self.terms)
    }
}
