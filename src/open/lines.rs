//! Lines that several threads may read.

use std::io::Read;
use std::sync::Arc;

use super::{Input, lines_options};
use crate::decode::DecodeOptions;
use crate::format::RdfFormat;
use crate::io::{SharedBytes, Source, Stream};
use crate::reader::Reader;
use crate::rows::RowDecoder;
use crate::text::{self, Block, Blocks, LinesOptions, Place, TextRows};

/// How lines are read.
#[derive(Clone)]
pub(crate) struct Lines {
    options: LinesOptions,
    config: DecodeOptions,
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

    /// Its lines in blocks.
    pub(crate) fn into_lines(self, format: RdfFormat) -> (Lines, Blocks) {
        let config = &self.options.decode;
        let lines = Lines { options: lines_options(format, config), config: config.clone() };
        (lines, Blocks::new(self.opened.stream.into_reader()))
    }
}

impl Lines {
    /// The rows from a place on.
    fn from(&self, place: &Place, stream: Stream) -> Reader<RowDecoder<TextRows<text::Lines>>> {
        let DecodeOptions { limits, source, .. } = &self.config;
        let rows = TextRows::enter_lines(self.options, place, limits);
        Reader::new(RowDecoder::enter(rows, place.offset, limits, source.clone()), stream)
    }

    /// The rows of a block, counted from its start.
    pub(crate) fn block(&self, block: &Block) -> Reader<RowDecoder<TextRows<text::Lines>>> {
        let place = Place { offset: block.offset, ..Place::START };
        self.from(&place, Stream::Bytes(Arc::clone(&block.bytes) as SharedBytes))
    }

    /// The rows from a place to the end of the source.
    pub(crate) fn rest(
        &self,
        stream: Box<dyn Read + Send>,
        place: &Place,
    ) -> Reader<RowDecoder<TextRows<text::Lines>>> {
        self.from(place, Stream::Reader(stream))
    }
}
