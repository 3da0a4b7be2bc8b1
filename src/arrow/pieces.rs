//! Sources that come in pieces: lines in blocks, and Jelly from one sync point to the next.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::SchemaRef;

use super::columns::internal;
use super::open::{ReadOptions, one_reader};
use super::piece::{Pieces, Read, read_piece};
use super::reader::{BatchReader, Mode, ReadBatches};
use super::settings::Batches;
use super::{PatchBatches, RdfBatches};
use crate::crew::ReadPiece;
use crate::error::{Error, ErrorKind, Result};
use crate::format::{AnyFormat, RdfFormat};
use crate::io::Source;
use crate::open::{Input, LineBlocks, OpenOptions, PartOf};
use crate::reader::Poll;
use crate::split::{SplitOptions, splits};
use crate::text::Block;
use crate::with::With;

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

impl Pieces for LinePieces {
    type Piece = Block;
    const EACH: usize = 2;

    fn schema(&self) -> Result<SchemaRef> {
        Ok(RdfBatches::new(self.options.batch_settings())?.schema())
    }

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
pub(super) struct Parts {
    source: Source,
    format: AnyFormat,
    options: ReadOptions,
    left: VecDeque<PartOf>,
}

/// A part has about as many bytes of Jelly, or more where sync points are farther from each other.
const PART: u64 = 1 << 20;

impl Parts {
    /// Of a source that has several; whoever reads it says what is wrong with it.
    pub(super) fn of(source: &Source, format: AnyFormat, options: &ReadOptions) -> Result<Option<Self>> {
        let again = || source.again().filter(|_| format.is_jelly());
        let (Some(source), Some(look)) = (again(), again()) else { return Ok(None) };
        let asked = SplitOptions::default().with(|asked| {
            asked.open = options.open.clone();
            asked.split_bytes = PART;
            asked.whole_patches = options.open.committed;
        });
        let Ok(found) = splits(look, &asked, &mut || Ok(())) else { return Ok(None) };
        if found.splits.len() < 2 || found.format != format {
            return Ok(None);
        }
        let left = found.splits.iter().map(|split| PartOf::decode(&split.state)).collect::<Result<_>>()?;
        Ok(Some(Parts { source, format, options: options.clone(), left }))
    }

    /// How a part is read.
    fn options(&self, part: Option<PartOf>, mode: Mode) -> ReadOptions {
        let open = OpenOptions { split: part, threads: Some(1), ..self.options.open.clone() };
        ReadOptions { open, batch: self.options.batch_settings(), mode }
    }
}

/// Reads a part of a source that can be opened again.
fn part_reader(source: &Source, format: AnyFormat, options: &ReadOptions) -> Result<Box<dyn ReadBatches>> {
    let again = source.again().ok_or_else(|| Error::new(ErrorKind::Io, "the file no longer exists"))?;
    one_reader(again, format, options)
}

impl Pieces for Parts {
    type Piece = PartOf;
    const EACH: usize = 1;

    fn schema(&self) -> Result<SchemaRef> {
        let settings = self.options.batch_settings();
        Ok(match self.format {
            AnyFormat::Rdf(_) => RdfBatches::new(settings)?.schema(),
            AnyFormat::Patch(_) => PatchBatches::new(settings)?.schema(),
        })
    }

    fn next(&mut self, _: Poll<'_>) -> Result<Option<PartOf>> {
        Ok(self.left.pop_front())
    }

    fn reader(&self) -> ReadPiece<PartOf, Vec<Read>> {
        let Some(source) = self.source.again() else { return Box::new(|_| None) };
        let (format, mut options) = (self.format, self.options(None, Mode::FailFast));
        Box::new(move |part| {
            options.open.split = Some(part.clone());
            read_piece(&mut *part_reader(&source, format, &options).ok()?)
        })
    }

    fn took(&mut self, _: PartOf, _: &mut [Read]) -> Result<()> {
        Ok(())
    }

    fn rest(&mut self, unread: Vec<PartOf>) -> Result<Option<Box<dyn ReadBatches>>> {
        let next = unread.into_iter().next().or_else(|| self.left.pop_front());
        let Some(part) = next else { return Ok(None) };
        let options = self.options(Some(PartOf { end: None, text: None, ..part }), self.options.mode);
        part_reader(&self.source, self.format, &options).map(Some)
    }

    fn close(&mut self) {
        self.left.clear();
    }

    fn failed(&self, error: Error) -> Result<Box<dyn ReadBatches>> {
        let (settings, mode) = (self.options.batch_settings(), self.options.mode);
        Ok(match self.format {
            AnyFormat::Rdf(_) => Box::new(BatchReader::failed(error, RdfBatches::new(settings)?, mode)),
            AnyFormat::Patch(_) => Box::new(BatchReader::failed(error, PatchBatches::new(settings)?, mode)),
        })
    }
}
