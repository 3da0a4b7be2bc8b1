//! Sources that come in pieces: lines in blocks, and Jelly from one sync point to the next.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::SchemaRef;

use super::columns::internal;
use super::open::{ReadOptions, one_reader};
use super::piece::{BatchPieces, Read, read_piece};
use super::reader::{BatchReader, Mode, ReadBatches};
use super::settings::{BatchSettings, Batches};
use super::{PatchBatches, RdfBatches};
use crate::crew::{Pieces, ReadPiece};
use crate::error::{Error, Result};
use crate::format::{AnyFormat, RdfFormat};
use crate::open::{Input, LineBlocks, PartOf};
use crate::parts::{PartFile, Parts};
use crate::reader::Poll;
use crate::text::Block;

/// N-Triples and N-Quads.
pub(super) struct LinePieces {
    blocks: LineBlocks,
    options: ReadOptions,
}

impl LinePieces {
    pub(super) fn new(input: Input<'_>, format: RdfFormat, options: &ReadOptions) -> Self {
        LinePieces { blocks: input.into_lines(format), options: options.clone() }
    }
}

impl Pieces<Vec<Read>> for LinePieces {
    type Piece = Block;
    const EACH: usize = 2;

    fn next(&mut self, poll: Poll<'_>) -> Result<Option<Block>> {
        self.blocks.next(poll)
    }

    fn reader(&self) -> ReadPiece<Block, Vec<Read>> {
        let (lines, settings) = (self.blocks.lines(), self.options.batch_settings());
        Box::new(move |block| {
            let batches = RdfBatches::new(settings.clone()).ok()?;
            let rows = Box::new(lines.block(block));
            block.count();
            read_piece(&mut BatchReader::new(rows, batches, Mode::FailFast, &settings.limits))
        })
    }
}

impl BatchPieces for LinePieces {
    fn schema(&self) -> Result<SchemaRef> {
        Ok(RdfBatches::new(self.options.batch_settings())?.schema())
    }

    fn took(&mut self, block: Block, read: &mut [Read]) -> Result<()> {
        let before = self.blocks.rows();
        let rows = read.last().map_or(0, |last| last.at.progress.rows);
        for read in read {
            read.at.progress.rows += before;
            read.batch = read.batch.take().map(|batch| later(&batch, before)).transpose()?;
        }
        self.blocks.took(block, rows);
        Ok(())
    }

    fn rest(&mut self, unread: Vec<Block>) -> Result<Option<Box<dyn ReadBatches>>> {
        let Some(rows) = self.blocks.rest(&unread) else { return Ok(None) };
        let settings = self.options.batch_settings();
        let batches = RdfBatches::new(settings.clone())?;
        Ok(Some(Box::new(BatchReader::new(Box::new(rows), batches, self.options.mode, &settings.limits))))
    }

    fn close(&mut self) {
        self.blocks.close();
    }

    fn failed(&self, error: Error) -> Result<Box<dyn ReadBatches>> {
        let batches = RdfBatches::new(self.options.batch_settings())?;
        Ok(Box::new(BatchReader::failed(error, batches, self.options.mode)))
    }
}

/// A batch whose rows are counted from a later row on.
fn later(batch: &RecordBatch, rows: u64) -> Result<RecordBatch> {
    let Ok(column) = batch.schema_ref().index_of("seq") else { return Ok(batch.clone()) };
    let mut columns = batch.columns().to_vec();
    let seq: Int64Array = columns[column].as_primitive::<Int64Type>().unary(|row| row + rows as i64);
    columns[column] = Arc::new(seq);
    RecordBatch::try_new(batch.schema(), columns).map_err(internal)
}

/// Jelly with sync points.
pub(super) struct JellyParts {
    parts: Parts,
    options: ReadOptions,
}

impl JellyParts {
    pub(super) fn new(parts: Parts, options: &ReadOptions) -> Self {
        JellyParts { parts, options: options.clone() }
    }
}

/// Reads a part in one thread.
fn part_reader(
    file: &PartFile,
    part: PartOf,
    (batch, mode): (BatchSettings, Mode),
) -> Result<Box<dyn ReadBatches>> {
    let (source, open) = file.part(part)?;
    one_reader(source, file.format, &ReadOptions { open, batch, mode })
}

impl Pieces<Vec<Read>> for JellyParts {
    type Piece = PartOf;
    const EACH: usize = 1;

    fn next(&mut self, _: Poll<'_>) -> Result<Option<PartOf>> {
        Ok(self.parts.next())
    }

    fn reader(&self) -> ReadPiece<PartOf, Vec<Read>> {
        let (file, settings) = (self.parts.file().again(), self.options.batch_settings());
        Box::new(move |part| {
            let how = (settings.clone(), Mode::FailFast);
            read_piece(&mut *part_reader(file.as_ref()?, part.clone(), how).ok()?)
        })
    }
}

impl BatchPieces for JellyParts {
    fn schema(&self) -> Result<SchemaRef> {
        let settings = self.options.batch_settings();
        Ok(match self.parts.file().format {
            AnyFormat::Rdf(_) => RdfBatches::new(settings)?.schema(),
            AnyFormat::Patch(_) => PatchBatches::new(settings)?.schema(),
        })
    }

    fn took(&mut self, _: PartOf, _: &mut [Read]) -> Result<()> {
        Ok(())
    }

    fn rest(&mut self, unread: Vec<PartOf>) -> Result<Option<Box<dyn ReadBatches>>> {
        let Some(part) = self.parts.rest(unread) else { return Ok(None) };
        part_reader(self.parts.file(), part, (self.options.batch_settings(), self.options.mode)).map(Some)
    }

    fn close(&mut self) {
        self.parts.clear();
    }

    fn failed(&self, error: Error) -> Result<Box<dyn ReadBatches>> {
        let (settings, mode) = (self.options.batch_settings(), self.options.mode);
        Ok(match self.parts.file().format {
            AnyFormat::Rdf(_) => Box::new(BatchReader::failed(error, RdfBatches::new(settings)?, mode)),
            AnyFormat::Patch(_) => Box::new(BatchReader::failed(error, PatchBatches::new(settings)?, mode)),
        })
    }
}
