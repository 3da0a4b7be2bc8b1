//! Quads of a piece of a dataset with their keys, as a thread leaves them.

use super::key_filter::KeyFilter;
use super::keyed::KeyedSink;
use super::quad_key::Keys;
use super::quad_text::{Nodes, WholeQuad};
use crate::buffer::TextBuffer;
use crate::error::Result;
use crate::owned::StatementBuf;
use crate::sink::{RdfRow, RdfSink, Sink, Statement, TermSink};
use crate::text::lex::Scratch;

/// Rows that are handed over together, at most.
const MOST: usize = 1024;

/// Quads in their order.
#[derive(Default)]
pub(super) struct QuadBlock {
    /// Lines of N-Quads.
    text: TextBuffer,
    rows: Vec<Row>,
    /// A row has a graph.
    has_graphs: bool,
    /// Rows that may be changed, in order.
    maybe_changed: Vec<u32>,
    scratch: [Scratch; 4],
}

enum Row {
    /// A quad, where its line begins and ends in the text, and where its terms end in the line.
    Quad { key: u128, start: u32, ends: [u32; 4], end: u32 },
    /// One that comes with its statement.
    Statement(Box<StatementBuf>),
}

impl QuadBlock {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.rows.clear();
        self.has_graphs = false;
        self.maybe_changed.clear();
    }

    /// A row has a graph.
    pub(super) fn has_graphs(&self) -> bool {
        self.has_graphs
    }

    /// The lines of the rows from this one on that surely are not changed, and how many they are.
    #[inline(always)]
    pub(super) fn unchanged(&self, row: usize) -> (usize, &[u8]) {
        let next = self.maybe_changed.partition_point(|&changed| (changed as usize) < row);
        let end = self.maybe_changed.get(next).map_or(self.rows.len(), |&changed| changed as usize);
        let end = end.min(row + MOST);
        match (self.rows.get(row), self.rows[..end].last()) {
            (Some(Row::Quad { start, .. }), Some(Row::Quad { end: text_end, .. })) if end > row => {
                (end - row, &self.text.as_bytes()[*start as usize..*text_end as usize])
            }
            _ => (0, &[]),
        }
    }

    fn push_statement(&mut self, statement: &Statement<'_>) {
        self.maybe_changed.push(self.rows.len() as u32);
        self.rows.push(Row::Statement(Box::new(StatementBuf::from(statement))));
    }

    /// Hands a row to a sink.
    #[inline(always)]
    pub(super) fn hand_over(&mut self, row: usize, seq: u64, sink: &mut impl KeyedSink) -> Result<()> {
        match &self.rows[row] {
            &Row::Quad { key, start, ends, end } => {
                let line = &self.text.as_bytes()[start as usize..end as usize];
                sink.quad(seq, key, WholeQuad::new(line, ends.map(|end| end as usize), &mut self.scratch))
            }
            Row::Statement(statement) => {
                sink.statement(&RdfRow { frame: 0, seq, statement: statement.as_statement() })
            }
        }
    }
}

/// Makes a block of what is read.
pub(super) struct Recorder<'b> {
    pub(super) block: &'b mut QuadBlock,
    pub(super) keys: &'b mut Keys,
    pub(super) nodes: Nodes,
    /// The keys of what is changed.
    pub(super) changed: &'b KeyFilter,
}

impl Sink for Recorder<'_> {}

impl RdfSink for Recorder<'_> {
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.block.push_statement(&row.statement);
        Ok(())
    }

    #[inline(always)]
    fn terms(&mut self, _: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        Some(self.keys.begin(self.nodes))
    }

    #[inline(always)]
    fn end_statement(&mut self, _: u64, _: u64) -> Result<()> {
        let key = self.keys.end();
        let quad = self.keys.quad();
        let (is_rdf, has_graph) = quad.shape();
        let QuadBlock { text, rows, has_graphs, maybe_changed, .. } = &mut *self.block;
        if !is_rdf {
            let statement = quad.statement()?;
            self.block.push_statement(&statement);
            return Ok(());
        }
        if self.changed.may_have(key) {
            maybe_changed.push(rows.len() as u32);
        }
        let (line, ends) = quad.line();
        let start = text.len();
        text.push_bytes(line);
        let [start, end] = [start, text.len()].map(|place| place as u32);
        rows.push(Row::Quad { key, start, ends: ends.map(|end| end as u32), end });
        *has_graphs |= has_graph;
        Ok(())
    }
}
