//! Numbers the rows of patches, and ends patches that have no end of their own.
//!
//! In RDF Patch text and Thrift, whose streams have no type, a patch ends at `Z`, before an `H` row outside a
//! transaction that follows any row other than `H`, and at the end of the input.

use super::open::refuse;
use crate::error::Result;
use crate::restart::Counters;
use crate::scan::check_prefix_name;
use crate::sink::{PatchEnd, PatchOp, PatchRow, PatchSink, RowNumbers};

/// Counts patches, transactions and rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbering {
    strict: bool,
    at: Counters,
    /// Whether the patch has rows other than `H`.
    has_changes: bool,
}

impl Numbering {
    /// `strict` rejects unfinished and stray transactions, and prefix names that Turtle does not allow.
    pub(crate) fn new(strict: bool) -> Self {
        Numbering { strict, ..Numbering::default() }
    }

    /// Continues after these counters; `has_changes`: the patch has rows other than `H`.
    pub(crate) fn go_on(&mut self, at: Counters, has_changes: bool) {
        (self.at, self.has_changes) = (at, has_changes);
    }

    /// The state with which [`Self::go_on`] continues from here; it has no frames.
    pub(crate) fn counters(&self) -> (Counters, bool) {
        (self.at, self.has_changes)
    }

    /// Counts an `A` or `D` row that is delivered elsewhere, or not at all.
    #[inline(always)]
    pub(crate) fn pass_change(&mut self) {
        self.at.count_row();
        self.has_changes = true;
    }

    /// The numbers of the next row.
    #[inline(always)]
    pub(crate) fn numbers(&self) -> RowNumbers {
        RowNumbers { patch: self.at.patch, txn: self.at.open(), seq: self.at.seq }
    }

    /// Adds the current numbers to a row.
    #[inline(always)]
    pub(crate) fn numbered<'r>(&self, op: PatchOp<'r>) -> PatchRow<'r> {
        PatchRow { patch: self.at.patch, txn: self.at.open(), seq: self.at.seq, op }
    }

    /// Number of rows so far, including implied rows.
    pub(crate) fn rows(&self) -> u64 {
        self.at.seq
    }

    /// Whether a transaction is open.
    pub(crate) fn in_transaction(&self) -> bool {
        self.at.in_transaction
    }

    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    /// Whether the patch has rows.
    pub(crate) fn has_rows(&self) -> bool {
        self.at.has_rows
    }

    /// Ends the patch before an `H` row, if there is one; returns whether it did.
    pub(crate) fn end_before_header<S: PatchSink>(&mut self, sink: &mut S) -> Result<bool> {
        let ends = self.has_changes && !self.at.in_transaction;
        if ends {
            self.row(PatchOp::End(PatchEnd::Header), sink)?;
        }
        Ok(ends)
    }

    /// Ends the patch at the end of the input, if one is open; returns whether it did.
    pub(crate) fn end_of_input<S: PatchSink>(&mut self, sink: &mut S) -> Result<bool> {
        let ends = self.at.has_rows;
        if ends {
            self.row(PatchOp::End(PatchEnd::Eof), sink)?;
        }
        Ok(ends)
    }

    /// Numbers a row and delivers it.
    #[inline]
    pub(crate) fn row<S: PatchSink>(&mut self, op: PatchOp<'_>, sink: &mut S) -> Result<()> {
        let mut row = self.numbered(op);
        match op {
            PatchOp::Begin => {
                refuse(self.strict, self.at.begin())?;
                row.txn = self.at.open();
            }
            PatchOp::Commit | PatchOp::Abort => drop(refuse(self.strict, self.at.close())?),
            PatchOp::End(_) => {
                refuse(self.strict, self.at.end_patch())?;
                row.txn = None;
                self.has_changes = false;
                return sink.row(&row);
            }
            PatchOp::AddPrefix { name, .. } | PatchOp::DeletePrefix { name, .. } if self.strict => {
                check_prefix_name(name)?;
            }
            _ => {}
        }
        self.at.count_row();
        self.has_changes |= !matches!(op, PatchOp::Header { .. });
        sink.row(&row)
    }
}
