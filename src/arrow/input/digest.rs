//! The digest of rows of patches, of record batches.

use arrow_array::RecordBatch;

use super::PatchRows;
use crate::create::{PlainPatchSink, Slots};
use crate::encode::PlainOp;
use crate::error::Result;
use crate::patch::RowsDigest;

/// Takes rows batch by batch; where their batches end does not matter.
#[derive(Default)]
pub struct BatchDigest {
    rows: PatchRows,
    sink: Digesting,
}

#[derive(Default)]
struct Digesting {
    slots: Slots,
    digest: RowsDigest,
}

impl BatchDigest {
    /// Adds the rows of a batch with the columns of `PATCH_SCHEMA`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        self.rows.write(batch, &mut self.sink)
    }

    /// The digest of all rows.
    pub fn finish(self) -> [u8; 32] {
        self.sink.digest.finish()
    }
}

impl PlainPatchSink for Digesting {
    fn plain_row(&mut self, op: &PlainOp<'_>) -> Result<()> {
        self.digest.add(&self.slots.op(op));
        Ok(())
    }
}
