//! What a thread does with a piece of a dataset: it reads the quads and computes their keys.

use std::sync::Arc;

use super::key_filter::KeyFilter;
use super::quad_block::{Event, QuadBlock};
use super::quad_key::Keys;
use super::quad_text::Nodes;
use crate::error::{Error, ErrorKind, Result};
use crate::options::RdfOptions;
use crate::push::Progress;
use crate::reader::RowSource;
use crate::sink::{RdfRow, RdfSink, Sink, TermSink};
use crate::term::{Iri, Term, TermBuf};

/// Maximum size of a block in bytes. If a piece needs more, a single thread reads it and all later ones. The parts of
/// Jelly that this library writes have at most 64 MiB of text.
const MOST: usize = 256 << 20;

/// Creates blocks from the rows that are read.
pub(super) struct Recorder {
    block: QuadBlock,
    keys: Keys,
    nodes: Nodes,
    changed: Arc<KeyFilter>,
}

impl Recorder {
    /// Computes keys under the secret of `keys`, of quads that have only these blank nodes.
    pub(super) fn new(keys: &Keys, nodes: Nodes, changed: KeyFilter) -> Self {
        Recorder { block: QuadBlock::default(), keys: keys.again(), nodes, changed: Arc::new(changed) }
    }

    /// The same, for another thread.
    pub(super) fn again(&self) -> Self {
        Recorder {
            block: QuadBlock::default(),
            keys: self.keys.again(),
            nodes: self.nodes,
            changed: Arc::clone(&self.changed),
        }
    }

    /// Reads all rows into a block and returns the progress of their decoder; `None`: a single thread has to read
    /// them.
    pub(super) fn record(
        &mut self,
        block: &mut QuadBlock,
        rows: &mut dyn RowSource<Recorder>,
    ) -> Option<Progress> {
        self.block = std::mem::take(block);
        let read = self.read(rows);
        *block = std::mem::take(&mut self.block);
        read
    }

    fn read(&mut self, rows: &mut dyn RowSource<Recorder>) -> Option<Progress> {
        while !rows.advance(self, &mut || Ok(())).ok()? {}
        self.block.find_changed(&self.changed);
        rows.warnings().is_empty().then(|| rows.decoder().progress())
    }

    fn event(&mut self, event: Event) -> Result<()> {
        self.block.push_event(event);
        self.check_size()
    }

    #[inline(always)]
    fn check_size(&self) -> Result<()> {
        if self.block.bytes() > MOST { Err(too_large()) } else { Ok(()) }
    }
}

/// Never reported: a single thread reads the piece.
#[cold]
fn too_large() -> Error {
    Error::new(ErrorKind::Internal, "the piece is too large for a thread")
}

impl Sink for Recorder {
    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        self.event(Event::FrameEnd(metadata.to_vec()))
    }
}

impl RdfSink for Recorder {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        self.event(Event::Options(Box::new(options.clone())))
    }

    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.keys.forget();
        self.block.set_frame(row.frame);
        self.block.push_statement(&row.statement);
        self.check_size()
    }

    #[inline(always)]
    fn terms(&mut self, _: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        Some(self.keys.begin(self.nodes))
    }

    #[inline(always)]
    fn end_statement(&mut self, frame: u64, _: u64) -> Result<()> {
        let key = self.keys.end();
        self.block.set_frame(frame);
        self.block.push_quad(key, self.keys.quad())?;
        self.check_size()
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        let iri = TermBuf::from(Term::Iri(iri));
        self.event(Event::Namespace { name: name.to_owned(), iri })
    }

    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        self.event(Event::GraphStart(graph.into()))
    }

    fn graph_end(&mut self) -> Result<()> {
        self.event(Event::GraphEnd)
    }
}
