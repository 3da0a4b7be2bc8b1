//! Numbers rows of patches in formats whose streams have no type: RDF Patch text and Thrift.
//!
//! A patch ends at `Z`, and before an `H` row outside a transaction that follows any row other than `H`.

use crate::error::{Error, ErrorKind, Result};
use crate::index::Counters;
use crate::sink::{PatchEnd, PatchOp, PatchRow, PatchSink};
use crate::text::scan::check_prefix_name;

/// Patches, transactions and rows so far.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    strict: bool,
    patch: u64,
    seq: u64,
    /// The transaction that is open.
    txn: Option<u64>,
    /// Transactions that began.
    txns: u64,
    /// The patch has rows.
    has_rows: bool,
    /// The patch has rows other than `H`.
    has_changes: bool,
}

impl Numbering {
    /// `strict` refuses unfinished and stray transactions, and names that no prefix of Turtle can have.
    pub(crate) fn new(strict: bool) -> Self {
        Numbering { strict, ..Numbering::default() }
    }

    /// Goes on behind so much; `has_changes`: the patch has rows other than `H`.
    pub(crate) fn at(strict: bool, counters: Counters, has_changes: bool) -> Self {
        let Counters { seq, patch, txns, in_transaction, has_rows, .. } = counters;
        let txn = if in_transaction { txns.checked_sub(1) } else { None };
        Numbering { strict, patch, seq, txn, txns, has_rows, has_changes }
    }

    /// What [`Self::at`] needs to go on from here.
    pub(crate) fn counters(&self) -> (Counters, bool) {
        let &Numbering { patch, seq, txn, txns, has_rows, has_changes, .. } = self;
        (Counters { seq, frame: 0, patch, txns, in_transaction: txn.is_some(), has_rows }, has_changes)
    }

    /// An `A` or `D` row that nobody wants to see.
    #[inline]
    pub(crate) fn pass_change(&mut self) {
        self.seq += 1;
        (self.has_rows, self.has_changes) = (true, true);
    }

    /// Rows so far, implied ones included.
    pub(crate) fn rows(&self) -> u64 {
        self.seq
    }

    /// A transaction is open.
    pub(crate) fn in_transaction(&self) -> bool {
        self.txn.is_some()
    }

    /// An `H` row comes: ends the patch before it, if there is one, and says whether it did.
    pub(crate) fn end_before_header<S: PatchSink>(&mut self, sink: &mut S) -> Result<bool> {
        let ends = self.has_changes && self.txn.is_none();
        if ends {
            self.row(PatchOp::End(PatchEnd::Header), sink)?;
        }
        Ok(ends)
    }

    /// The input ended: ends the patch, if one is open, and says whether it did.
    pub(crate) fn end_of_input<S: PatchSink>(&mut self, sink: &mut S) -> Result<bool> {
        let ends = self.has_rows;
        if ends {
            self.row(PatchOp::End(PatchEnd::Eof), sink)?;
        }
        Ok(ends)
    }

    /// Numbers a row and hands it on.
    #[inline]
    pub(crate) fn row<S: PatchSink>(&mut self, op: PatchOp<'_>, sink: &mut S) -> Result<()> {
        let mut txn = self.txn;
        match op {
            PatchOp::Add(_) | PatchOp::Delete(_) => self.has_changes = true,
            PatchOp::Begin => {
                self.refuse_unfinished()?;
                txn = Some(self.txns);
                self.txns += 1;
                self.txn = txn;
            }
            PatchOp::Commit | PatchOp::Abort => {
                self.txn = None;
                if self.strict && txn.is_none() {
                    let message = "a transaction ends that did not begin";
                    return Err(Error::new(ErrorKind::PatchStray, message));
                }
            }
            PatchOp::End(_) => {
                self.refuse_unfinished()?;
                txn = None;
                self.txn = None;
            }
            PatchOp::AddPrefix { name, .. } | PatchOp::DeletePrefix { name, .. } => {
                if self.strict {
                    check_prefix_name(name)?;
                }
            }
            PatchOp::Header { .. } => {}
        }
        sink.row(&PatchRow { patch: self.patch, txn, seq: self.seq, op })?;
        self.seq += 1;
        if let PatchOp::End(_) = op {
            self.patch += 1;
            (self.has_rows, self.has_changes) = (false, false);
        } else {
            self.has_rows = true;
            self.has_changes |= !matches!(op, PatchOp::Header { .. });
        }
        Ok(())
    }

    fn refuse_unfinished(&self) -> Result<()> {
        match self.txn {
            Some(txn) if self.strict => {
                let message = format!("transaction {txn} is neither committed nor aborted");
                Err(Error::new(ErrorKind::PatchUnfinished, message))
            }
            _ => Ok(()),
        }
    }
}
