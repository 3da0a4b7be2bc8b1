//! Lines that several threads may read.

use std::sync::Arc;

use super::{Input, OpenOptions, lines_options};
use crate::decode::DecodeOptions;
use crate::error::Result;
use crate::format::RdfFormat;
use crate::io::{SharedBytes, Source, Stream};
use crate::reader::{Poll, Reader};
use crate::restart::Counters;
use crate::rows::RowDecoder;
use crate::text::{self, Block, Blocks, LinesOptions, Place, TextRows};

/// Reads lines in one thread.
pub(crate) type LinesReader = Reader<RowDecoder<TextRows<text::Lines>>>;

/// How lines are read.
#[derive(Clone)]
pub(crate) struct Lines {
    options: LinesOptions,
    config: DecodeOptions,
}

/// The lines of a source in blocks, which are read in any order and taken back in theirs.
pub(crate) struct LineBlocks {
    lines: Lines,
    blocks: Blocks,
    /// Behind the blocks that were taken back.
    place: Place,
}

impl Input<'_> {
    /// The source, if several threads may read it from its start: a file, or memory.
    pub(crate) fn for_threads(&self) -> Option<&Source> {
        // bytes of others may come late, or from Python
        let again = self.opened.again.as_ref();
        let is_whole = !self.options.is_part() && self.options.resume.is_none();
        again.filter(|again| {
            is_whole && self.options.readers() > 1 && matches!(again, Source::Path(_) | Source::Bytes(_))
        })
    }

    /// How the source is read.
    pub(crate) fn options(&self) -> &OpenOptions {
        self.options
    }

    /// Threads that may read it.
    pub(crate) fn readers(&self) -> usize {
        self.options.readers()
    }

    /// Its lines in blocks.
    pub(crate) fn into_lines(self, format: RdfFormat) -> LineBlocks {
        let config = &self.options.decode;
        let lines = Lines { options: lines_options(format, config), config: config.clone() };
        LineBlocks { lines, blocks: Blocks::new(self.opened.stream.into_reader()), place: Place::START }
    }
}

impl LineBlocks {
    /// The next block; `None`: there is none, or one thread reads what comes.
    pub(crate) fn next(&mut self, poll: Poll<'_>) -> Result<Option<Block>> {
        self.blocks.next(poll)
    }

    /// How a block is read.
    pub(crate) fn lines(&self) -> Lines {
        self.lines.clone()
    }

    /// Rows of the blocks that were taken back.
    pub(crate) fn rows(&self) -> u64 {
        self.place.counters.seq
    }

    /// Bytes of the blocks that were taken back.
    pub(crate) fn bytes(&self) -> u64 {
        self.place.offset
    }

    /// Takes back a block that was read and has so many rows, the next one in order.
    pub(crate) fn took(&mut self, block: Block, rows: u64) {
        let counters = Counters { seq: self.rows() + rows, ..self.place.counters };
        let offset = block.offset + block.bytes.len() as u64;
        self.place = Place { offset, line: self.place.line + block.lines, counters, ..self.place };
        self.blocks.recycle(block);
    }

    /// The rows of the next block in order, counted from the start of the source.
    pub(crate) fn rows_of(&self, block: &Block) -> LinesReader {
        self.lines.from(&self.place, Stream::Bytes(Arc::clone(&block.bytes) as SharedBytes))
    }

    /// The rows from the first of these blocks on, the next ones in order; `None`: nothing is left.
    pub(crate) fn rest(&mut self, unread: &[Block]) -> Option<LinesReader> {
        let stream = self.blocks.rest(unread)?;
        Some(self.lines.from(&self.place, Stream::Reader(stream)))
    }

    /// Closes the source; no other block is requested.
    pub(crate) fn close(&mut self) {
        self.blocks.close();
    }
}

impl Lines {
    /// The rows from a place on.
    fn from(&self, place: &Place, stream: Stream) -> LinesReader {
        let DecodeOptions { limits, source, .. } = &self.config;
        let rows = TextRows::enter_lines(self.options, place, limits);
        Reader::new(RowDecoder::enter(rows, place.offset, limits, source.clone()), stream)
    }

    /// The rows of a block, counted from its start.
    pub(crate) fn block(&self, block: &Block) -> LinesReader {
        let place = Place { offset: block.offset, ..Place::START };
        self.from(&place, Stream::Bytes(Arc::clone(&block.bytes) as SharedBytes))
    }
}
