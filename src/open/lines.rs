//! Sources of lines that several threads may read.

use super::{Input, OpenOptions, lines_options};
use crate::decode::DecodeOptions;
use crate::format::RdfFormat;
use crate::io::{Source, Stream};
use crate::reader::{End, Part, Reader, RowSource};
use crate::rows::RowDecoder;
use crate::sink::RdfSink;
use crate::text::{self, Block, Blocks, LinesOptions, Place, TextRows};

/// How lines are read.
pub(crate) struct Lines {
    options: LinesOptions,
    config: DecodeOptions,
    /// So many may read.
    pub(crate) threads: usize,
}

impl Input<'_> {
    /// Whether several threads may read it: lines of a file or of memory, whole.
    pub(crate) fn is_for_threads(&self, format: RdfFormat) -> bool {
        let OpenOptions { resume, .. } = self.options;
        // bytes of others may come late, or from Python
        matches!(self.opened.again, Some(Source::Path(_) | Source::Bytes(_)))
            && matches!(format, RdfFormat::NTriples | RdfFormat::NQuads)
            && self.options.threads() > 1
            && !self.options.is_part()
            && resume.is_none()
    }

    /// Its lines in blocks, which end behind a multiple of `rows` rows if they can.
    pub(crate) fn into_lines(self, format: RdfFormat, rows: usize) -> (Lines, Blocks) {
        let config = &self.options.decode;
        let options = lines_options(format, config);
        let lines = Lines { options, config: config.clone(), threads: self.options.threads() };
        (lines, Blocks::new(self.opened.stream.into_reader(), rows))
    }
}

impl Lines {
    fn decoder(&self, place: &Place) -> RowDecoder<TextRows<text::Lines>> {
        let rows = TextRows::enter_lines(self.options, place, &self.config.limits);
        RowDecoder::enter(rows, place.offset, &self.config.limits, self.config.source.clone())
    }

    /// The rows of a block.
    pub(crate) fn block<S: RdfSink>(&self, block: Block) -> impl RowSource<S> + use<S> {
        let Block { bytes, start, end } = block;
        let end = End { offset: end.offset, rows: end.counters.seq, ends_stream: false };
        Reader::of_part(Part {
            decoder: self.decoder(&start),
            stream: Stream::Bytes(std::sync::Arc::new(bytes)),
            start: 0,
            end: Some(end),
            warnings: Vec::new(),
        })
    }

    /// The rows from a place to the end of the source.
    pub(crate) fn rest(
        &self,
        stream: Box<dyn std::io::Read + Send>,
        place: &Place,
    ) -> Reader<RowDecoder<TextRows<text::Lines>>> {
        Reader::new(self.decoder(place), Stream::Reader(stream))
    }
}
