//! A piece of a source that one thread reads, and what it found in it.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::reader::ReadBatches;
use crate::crew::Pieces;
use crate::error::{Error, Result};
use crate::namespaces::Namespaces;
use crate::options::StreamOptions;
use crate::push::Progress;

/// A source whose pieces become batches.
pub(super) trait BatchPieces: Pieces<Vec<Read>> + Send {
    /// The schema of every batch.
    fn schema(&self) -> Result<SchemaRef>;

    /// Takes back a piece that was read, the next one in order, and puts numbers right that count from the start.
    fn took(&mut self, piece: Self::Piece, read: &mut [Read]) -> Result<()>;

    /// What reads on behind the pieces that were taken back, first those that are given; `None`: nothing is left.
    fn rest(&mut self, unread: Vec<Self::Piece>) -> Result<Option<Box<dyn ReadBatches>>>;

    /// Closes the source; no other piece is requested.
    fn close(&mut self);

    /// What raises an error, or has it as its only row.
    fn failed(&self, error: Error) -> Result<Box<dyn ReadBatches>>;
}

/// Where a decoder stands, and what it knows there.
#[derive(Clone)]
pub(super) struct At {
    pub(super) progress: Progress,
    pub(super) consumed: u64,
    pub(super) options: Option<StreamOptions>,
    pub(super) metadata: Vec<(String, Vec<u8>)>,
}

/// A batch, or the end of a piece, and what was found so far.
pub(super) struct Read {
    pub(super) batch: Option<RecordBatch>,
    pub(super) at: At,
    pub(super) text_bytes: u64,
    /// Of the whole piece, with its first batch.
    pub(super) namespaces: Namespaces,
}

/// All batches of a piece and its end; `None`: it is not right from end to end, or changes what came before it.
pub(super) fn read_piece(reader: &mut dyn ReadBatches) -> Option<Vec<Read>> {
    let mut all = Vec::new();
    loop {
        let before = reader.text_bytes();
        let batch = reader.next_batch(&mut || Ok(())).ok()?;
        let is_end = batch.is_none();
        let decoder = reader.source().decoder();
        if !decoder.warnings().is_empty() {
            return None;
        }
        let at = At {
            progress: decoder.progress(),
            consumed: decoder.consumed(),
            options: reader.source().stream_options(),
            metadata: decoder.metadata().to_vec(),
        };
        let text_bytes = reader.text_bytes() - before;
        all.push(Read { batch, at, text_bytes, namespaces: Namespaces::default() });
        if is_end {
            let namespaces = std::mem::take(reader.namespaces_mut());
            if namespaces.removed_others() {
                return None;
            }
            all[0].namespaces = namespaces;
            return Some(all);
        }
    }
}
