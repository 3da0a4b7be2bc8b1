//! Which transactions of a patch are committed.

use crate::error::{Error, ErrorKind, Result};
use crate::sink::{PatchOp, PatchRow, PatchSink, Sink};

/// Learns the outcomes of one patch after the other; refuses patches with unfinished or stray transactions.
///
/// Rows that are in no transaction are committed with their patch.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    /// Number of the first transaction of this patch.
    first: Option<u64>,
    /// One bit a transaction.
    committed: Vec<u64>,
    open: Option<u64>,
    /// The patch has ended.
    complete: bool,
}

impl Outcomes {
    /// Forgets the patch.
    pub(crate) fn next_patch(&mut self) {
        self.first = None;
        self.committed.clear();
        self.complete = false;
    }

    /// Whether the rows of a transaction count.
    pub(crate) fn is_committed(&self, txn: u64) -> bool {
        let (word, bit) = self.place(txn);
        self.committed.get(word).is_some_and(|word| word >> bit & 1 != 0)
    }

    fn place(&self, txn: u64) -> (usize, u32) {
        let index = txn - self.first.unwrap_or(txn);
        ((index / 64) as usize, (index % 64) as u32)
    }

    fn commit(&mut self, txn: u64) {
        let (word, bit) = self.place(txn);
        if self.committed.len() <= word {
            self.committed.resize(word + 1, 0);
        }
        self.committed[word] |= 1 << bit;
    }

    fn refuse_open(&self) -> Result<()> {
        self.open.map_or(Ok(()), |txn| {
            let message = format!("transaction {txn} is neither committed nor aborted");
            Err(Error::new(ErrorKind::PatchUnfinished, message))
        })
    }

    /// Ends the open transaction and gives its number.
    fn close(&mut self) -> Result<u64> {
        self.open
            .take()
            .ok_or_else(|| Error::new(ErrorKind::PatchStray, "a transaction ends that did not begin"))
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
                self.refuse_open()?;
                self.open = row.txn;
                self.first = self.first.or(row.txn);
            }
            PatchOp::Commit => {
                let txn = self.close()?;
                self.commit(txn);
            }
            PatchOp::Abort => drop(self.close()?),
            PatchOp::End(_) => {
                self.refuse_open()?;
                self.complete = true;
            }
            _ => {}
        }
        Ok(())
    }
}
