//! The digest of rows of patches, of record batches.

use arrow_array::RecordBatch;

use super::PatchRows;
use crate::error::Result;
use crate::patch::RowsDigest;
use crate::sink::{PatchRow, PatchSink, Sink};

/// Takes rows batch by batch; where their batches end does not matter.
#[derive(Default)]
pub struct BatchDigest {
    rows: PatchRows,
    sink: Digesting,
}

#[derive(Default)]
struct Digesting(RowsDigest);

impl BatchDigest {
    /// Adds the rows of a batch with the columns of `PATCH_SCHEMA`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        self.rows.write(batch, &mut self.sink)
    }

    /// The digest of all rows.
    pub fn finish(self) -> [u8; 32] {
        self.sink.0.finish()
    }
}

impl Sink for Digesting {}

impl PatchSink for Digesting {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        self.0.add(&row.op);
        Ok(())
    }
}
