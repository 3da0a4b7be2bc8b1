//! The quads of a piece of a dataset with their keys, as a thread prepares them.

use super::key_filter::KeyFilter;
use super::keyed::KeyedSink;
use super::quad_key::Keys;
use super::quad_text::{Nodes, WholeQuad};
use crate::buffer::TextBuffer;
use crate::error::Result;
use crate::owned::StatementBuf;
use crate::sink::{RdfRow, RdfSink, Sink, Statement, TermSink};
use crate::text::lex::Scratch;

/// Maximum number of rows that are delivered together.
const MOST: usize = 1024;

/// Quads, in their order.
#[derive(Default)]
pub(super) struct QuadBlock {
    /// Lines of N-Quads.
    text: TextBuffer,
    rows: Vec<Row>,
    /// Whether a row has a graph.
    has_graphs: bool,
    /// The rows that the log may change, in order.
    maybe_changed: Vec<u32>,
    scratch: [Scratch; 4],
}

enum Row {
    /// A quad: its key, the start and end of its line in the text, and the end of each term in the line.
    Quad { key: u128, start: u32, ends: [u32; 4], end: u32 },
    /// A row with its statement.
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

    /// Whether a row has a graph.
    pub(super) fn has_graphs(&self) -> bool {
        self.has_graphs
    }

    /// Looks up all rows at once, so that the single lookups do not wait for memory.
    pub(super) fn find_changed(&mut self, changed: &KeyFilter) {
        let may_be_changed = |row: &Row| match row {
            Row::Quad { key, .. } => changed.may_have(*key),
            Row::Statement(_) => true,
        };
        let rows = (0..).zip(&self.rows).filter(|(_, row)| may_be_changed(row));
        self.maybe_changed.extend(rows.map(|(number, _): (u32, _)| number));
    }

    /// The keys of the rows that the log may change.
    pub(super) fn changed_keys(&self) -> impl Iterator<Item = u128> {
        self.maybe_changed.iter().filter_map(|&row| match self.rows[row as usize] {
            Row::Quad { key, .. } => Some(key),
            Row::Statement(_) => None,
        })
    }

    /// The number and the lines of the rows, from this row on, that the log certainly does not change.
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
        self.rows.push(Row::Statement(Box::new(StatementBuf::from(statement))));
    }

    /// Passes a row to a sink.
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

/// Creates a block from the rows that are read.
pub(super) struct Recorder<'b> {
    pub(super) block: &'b mut QuadBlock,
    pub(super) keys: &'b mut Keys,
    pub(super) nodes: Nodes,
}

impl Sink for Recorder<'_> {}

impl RdfSink for Recorder<'_> {
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.keys.forget();
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
        let QuadBlock { text, rows, has_graphs, .. } = &mut *self.block;
        if !is_rdf {
            let statement = quad.statement()?;
            self.block.push_statement(&statement);
            return Ok(());
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
