//! Quads of a piece of a dataset with their keys, as a thread leaves them.

use super::keyed::KeyedSink;
use super::quad_key::Keys;
use super::quad_text::{Nodes, WholeQuad};
use crate::buffer::TextBuffer;
use crate::error::Result;
use crate::owned::StatementBuf;
use crate::sink::{RdfRow, RdfSink, Sink, TermSink};
use crate::text::lex::Scratch;

/// Quads in their order.
#[derive(Default)]
pub(super) struct QuadBlock {
    text: TextBuffer,
    rows: Vec<Row>,
    scratch: [Scratch; 4],
}

enum Row {
    /// A quad, and where its terms end in the text.
    Quad { key: u128, start: u32, ends: [u32; 4] },
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
    }

    /// Hands a row to a sink.
    #[inline(always)]
    pub(super) fn hand_over(&mut self, row: usize, seq: u64, sink: &mut impl KeyedSink) -> Result<()> {
        match &self.rows[row] {
            Row::Quad { key, start, ends } => {
                let text = &self.text.as_bytes()[*start as usize..];
                sink.quad(seq, *key, WholeQuad::new(text, ends.map(|end| end as usize), &mut self.scratch))
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
}

impl Sink for Recorder<'_> {}

impl RdfSink for Recorder<'_> {
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.block.rows.push(Row::Statement(Box::new(StatementBuf::from(&row.statement))));
        Ok(())
    }

    #[inline(always)]
    fn terms(&mut self, _: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        Some(self.keys.begin(self.nodes))
    }

    #[inline(always)]
    fn end_statement(&mut self, _: u64, _: u64) -> Result<()> {
        let key = self.keys.end();
        let QuadBlock { text, rows, .. } = &mut *self.block;
        let (quad, ends) = self.keys.quad().text();
        rows.push(Row::Quad { key, start: text.len() as u32, ends: ends.map(|end| end as u32) });
        text.push_bytes(quad);
        Ok(())
    }
}
