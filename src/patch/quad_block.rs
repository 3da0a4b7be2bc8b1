//! The quads of a piece of a dataset with their keys, as a thread prepares them.

use super::key_filter::KeyFilter;
use super::keyed::KeyedSink;
use super::quad_text::WholeQuad;
use crate::buffer::TextBuffer;
use crate::encode::text_len;
use crate::error::Result;
use crate::options::RdfOptions;
use crate::owned::StatementBuf;
use crate::sink::{RdfRow, Statement};
use crate::term::{Term, TermBuf};
use crate::text::lex::Scratch;

/// Maximum number of rows that are delivered together.
const MOST: usize = 1024;

/// Quads, and what comes between them, in their order.
#[derive(Default)]
pub(super) struct QuadBlock {
    /// Lines of N-Quads.
    text: TextBuffer,
    rows: Vec<Row>,
    /// What comes before the row of this number.
    events: Vec<(u32, Event)>,
    /// The frame of the first row or event.
    frame: Option<u64>,
    /// Bytes of statements and events.
    other_bytes: usize,
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

/// What a Jelly stream has between its statements.
pub(super) enum Event {
    Options(Box<RdfOptions>),
    Namespace { name: String, iri: TermBuf },
    GraphStart(TermBuf),
    GraphEnd,
    FrameEnd(Vec<(String, Vec<u8>)>),
}

/// Which rows and events of a block were delivered.
#[derive(Clone, Copy, Default)]
pub(super) struct Delivered {
    pub(super) rows: usize,
    pub(super) events: usize,
    frames: u64,
}

impl QuadBlock {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.rows.clear();
        self.events.clear();
        self.frame = None;
        self.other_bytes = 0;
        self.has_graphs = false;
        self.maybe_changed.clear();
    }

    /// Approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.other_bytes + self.rows.len() * size_of::<Row>()
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

    /// The number and the lines of the rows, from this row on, that the log certainly does not change and
    /// that follow one another.
    #[inline(always)]
    pub(super) fn unchanged(&self, row: usize) -> (usize, &[u8]) {
        let next = self.maybe_changed.partition_point(|&changed| (changed as usize) < row);
        let end = self.maybe_changed.get(next).map_or(self.rows.len(), |&changed| changed as usize);
        let event = self.events.partition_point(|&(before, _)| before as usize <= row);
        let event = self.events.get(event).map_or(self.rows.len(), |&(before, _)| before as usize);
        let end = end.min(event).min(row + MOST);
        match (self.rows.get(row), self.rows[..end].last()) {
            (Some(Row::Quad { start, .. }), Some(Row::Quad { end: text_end, .. })) if end > row => {
                (end - row, &self.text.as_bytes()[*start as usize..*text_end as usize])
            }
            _ => (0, &[]),
        }
    }

    /// Adds a row with its statement.
    pub(super) fn push_statement(&mut self, statement: &Statement<'_>) {
        self.other_bytes += statement.terms.iter().map(held_bytes).sum::<usize>();
        self.rows.push(Row::Statement(Box::new(StatementBuf::from(statement))));
    }

    /// Adds a quad; its statement, if a line of N-Quads cannot have it.
    #[inline(always)]
    pub(super) fn push_quad(&mut self, key: u128, quad: WholeQuad<'_>) -> Result<()> {
        let (is_rdf, has_graph) = quad.shape();
        if !is_rdf {
            self.push_statement(&quad.statement()?);
            return Ok(());
        }
        let (line, ends) = quad.line();
        let start = self.text.len();
        self.text.push_bytes(line);
        let [start, end] = [start, self.text.len()].map(|place| place as u32);
        self.rows.push(Row::Quad { key, start, ends: ends.map(|end| end as u32), end });
        self.has_graphs |= has_graph;
        Ok(())
    }

    /// Adds what comes between rows.
    pub(super) fn push_event(&mut self, event: Event) {
        self.other_bytes += size_of::<(u32, Event)>() + event.bytes();
        self.events.push((self.rows.len() as u32, event));
    }

    /// Sets the frame of the next row, unless it follows from an earlier row.
    #[inline(always)]
    pub(super) fn set_frame(&mut self, frame: u64) {
        if self.frame.is_none() {
            let ended = self.events.iter().filter(|(_, event)| matches!(event, Event::FrameEnd(_))).count();
            self.frame = Some(frame - ended as u64);
        }
    }

    /// Passes the next row or event to a sink; `false`: nothing is left. `before` is the number of rows before the
    /// block.
    #[inline(always)]
    pub(super) fn hand_over(
        &mut self,
        at: &mut Delivered,
        before: u64,
        sink: &mut impl KeyedSink,
    ) -> Result<bool> {
        if let Some((row, event)) = self.events.get(at.events)
            && *row as usize == at.rows
        {
            event.hand_over(sink)?;
            at.frames += u64::from(matches!(event, Event::FrameEnd(_)));
            at.events += 1;
            return Ok(true);
        }
        if at.rows == self.rows.len() {
            return Ok(false);
        }
        let taken = sink.lines(self, at.rows)?;
        if taken > 0 {
            at.rows += taken;
            return Ok(true);
        }
        let frame = self.frame.unwrap_or(0) + at.frames;
        let seq = before + at.rows as u64;
        match &self.rows[at.rows] {
            &Row::Quad { key, start, ends, end } => {
                let line = &self.text.as_bytes()[start as usize..end as usize];
                let quad = WholeQuad::new(line, ends.map(|end| end as usize), &mut self.scratch);
                sink.quad(frame, seq, key, quad)?;
            }
            Row::Statement(statement) => {
                sink.statement(&RdfRow { frame, seq, statement: statement.as_statement() })?;
            }
        }
        at.rows += 1;
        Ok(true)
    }
}

/// Approximate size of an owned term in bytes: a quoted triple owns three others.
fn held_bytes(term: &Term<'_>) -> usize {
    let own = size_of::<TermBuf>() + ALLOCATION;
    match term {
        Term::Triple(triple) => {
            own + triple.terms.iter().map(|term| held_bytes(&term.as_term())).sum::<usize>()
        }
        _ => own + text_len(term),
    }
}

/// What an allocation costs in addition to its bytes.
const ALLOCATION: usize = 16;

impl Event {
    /// Bytes outside the event itself.
    fn bytes(&self) -> usize {
        match self {
            Event::Options(_) => size_of::<RdfOptions>(),
            Event::Namespace { name, iri } => name.len() + text_len(&iri.as_term()),
            Event::GraphStart(graph) => text_len(&graph.as_term()),
            Event::GraphEnd => 0,
            Event::FrameEnd(metadata) => {
                metadata.iter().map(|(key, value)| 64 + key.len() + value.len()).sum()
            }
        }
    }

    fn hand_over(&self, sink: &mut impl KeyedSink) -> Result<()> {
        match self {
            Event::Options(options) => sink.options(options),
            Event::Namespace { name, iri } => match iri.as_iri() {
                Some(iri) => sink.namespace(name, iri),
                None => Ok(()),
            },
            Event::GraphStart(graph) => sink.graph_start(graph.as_term()),
            Event::GraphEnd => sink.graph_end(),
            Event::FrameEnd(metadata) => sink.frame_end(metadata),
        }
    }
}
