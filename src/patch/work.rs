//! Reads sources to their ends and reports the progress.

use super::keyed::KeyedSink;
use super::quad_block::QuadBlock;
use super::quad_text::WholeQuad;
use crate::error::Result;
use crate::options::{PatchOptions, RdfOptions};
use crate::reader::RowSource;
use crate::sink::{PatchRow, PatchSink, RdfRow, RdfSink, RowNumbers, Sink, TermSink};
use crate::term::{Iri, Term};

/// Rows between two checks of the output and two progress reports.
const ROWS: usize = 8192;

/// The progress of a long operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The name of the current phase.
    pub phase: &'static str,
    /// Rows that this phase has read or written.
    pub rows: u64,
    /// Bytes that this phase has read, without compression.
    pub bytes: u64,
}

/// A callback that receives the progress; an error stops the operation.
pub type Watch<'w> = &'w mut dyn FnMut(Progress) -> Result<()>;

/// An operation and the callback for its progress.
pub(crate) struct Work<'w> {
    watch: Watch<'w>,
    now: Progress,
}

impl<'w> Work<'w> {
    pub(crate) fn new(watch: Watch<'w>) -> Self {
        Work { watch, now: Progress::default() }
    }

    /// Begins another phase, and reports this.
    pub(crate) fn phase(&mut self, phase: &'static str) -> Result<()> {
        self.now = Progress { phase, ..Progress::default() };
        (self.watch)(self.now)
    }

    /// Reports rows that were written without `feed`.
    pub(crate) fn wrote(&mut self, rows: u64) -> Result<()> {
        self.now.rows = rows;
        (self.watch)(self.now)
    }

    /// Feeds all rows to `sink`. `look` inspects the sink regularly and returns whether to continue.
    pub(crate) fn feed<S: Sink>(
        &mut self,
        source: &mut dyn RowSource<Paced<S>>,
        sink: S,
        mut look: impl FnMut(&mut S) -> Result<bool>,
    ) -> Result<S> {
        let mut paced = Paced { sink, rows: 0 };
        let before = self.now;
        loop {
            let Work { watch, now } = self;
            let ended = source.advance(&mut paced, &mut || watch(*now))?;
            paced.rows = 0;
            let decoder = source.decoder();
            self.now.rows = before.rows + decoder.progress().rows;
            self.now.bytes = before.bytes + decoder.consumed();
            let goes_on = look(&mut paced.sink)?;
            (self.watch)(self.now)?;
            if ended || !goes_on {
                return Ok(paced.sink);
            }
        }
    }
}

/// Stops the decoder regularly after a number of rows.
pub(crate) struct Paced<S> {
    sink: S,
    rows: usize,
}

impl<S: Sink> Sink for Paced<S> {
    #[inline]
    fn is_full(&self) -> bool {
        self.rows >= ROWS || self.sink.is_full()
    }

    fn kept_bytes(&self) -> usize {
        self.sink.kept_bytes()
    }

    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        self.sink.frame_end(metadata)
    }
}

impl<S: RdfSink> RdfSink for Paced<S> {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        self.sink.options(options)
    }

    #[inline]
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.rows += 1;
        self.sink.statement(row)
    }

    #[inline(always)]
    fn terms(&mut self, frame: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        self.sink.terms(frame)
    }

    #[inline(always)]
    fn end_statement(&mut self, frame: u64, seq: u64) -> Result<()> {
        self.rows += 1;
        self.sink.end_statement(frame, seq)
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        self.sink.namespace(name, iri)
    }

    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        self.sink.graph_start(graph)
    }

    fn graph_end(&mut self) -> Result<()> {
        self.sink.graph_end()
    }
}

impl<S: KeyedSink> KeyedSink for Paced<S> {
    #[inline(always)]
    fn quad(&mut self, frame: u64, seq: u64, key: u128, quad: WholeQuad<'_>) -> Result<()> {
        self.rows += 1;
        self.sink.quad(frame, seq, key, quad)
    }

    fn block(&mut self, block: &QuadBlock) {
        self.sink.block(block);
    }

    #[inline(always)]
    fn lines(&mut self, block: &QuadBlock, row: usize) -> Result<usize> {
        let taken = self.sink.lines(block, row)?;
        self.rows += taken;
        Ok(taken)
    }
}

impl<S: PatchSink> PatchSink for Paced<S> {
    fn options(&mut self, options: &PatchOptions) -> Result<()> {
        self.sink.options(options)
    }

    #[inline]
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        self.rows += 1;
        self.sink.row(row)
    }

    #[inline(always)]
    fn terms(&mut self, row: RowNumbers) -> Option<&mut impl for<'t> TermSink<'t>> {
        self.sink.terms(row)
    }

    #[inline(always)]
    fn end_change(&mut self, adds: bool, row: RowNumbers) -> Result<()> {
        self.rows += 1;
        self.sink.end_change(adds, row)
    }
}
