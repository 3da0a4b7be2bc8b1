//! N-Triples and N-Quads that several threads read; the threads also compute the keys.
//!
//! Threads deliver only blocks that are valid from end to end. From the first other block on, the caller's
//! thread reads the source alone. Rows, errors and positions are therefore the same as with one thread.

use std::sync::Arc;

use super::key_filter::KeyFilter;
use super::keyed::KeyedSink;
use super::quad_block::{QuadBlock, Recorder};
use super::quad_key::Keys;
use super::quad_text::Nodes;
use crate::crew::{Crew, Done, ReadPiece};
use crate::error::{Error, ErrorKind, Result};
use crate::format::RdfFormat;
use crate::open::{Input, LineBlocks, LinesReader};
use crate::push::{Progress, PushState};
use crate::reader::{Poll, RowSource, SourceState};
use crate::sink::{RdfRow, RdfSink, Sink};
use crate::text::Block;

/// Blocks per thread: one that it reads, and one that waits.
const EACH: usize = 2;

/// A block of lines, and its quads once they are read.
struct Piece {
    lines: Block,
    quads: QuadBlock,
}

/// Reads lines with several threads.
pub(super) struct KeyedLines {
    blocks: LineBlocks,
    crew: Crew<Piece, ()>,
    keys: Keys,
    nodes: Nodes,
    changed: Arc<KeyFilter>,
    /// No more pieces are given to threads.
    all_sent: bool,
    /// The piece that is being delivered, and the number of its rows that were delivered.
    now: Option<Piece>,
    row: usize,
    /// The memory of quads that were delivered.
    idle: Vec<QuadBlock>,
    /// The reader for the part that one thread reads.
    rest: Option<LinesReader>,
}

impl KeyedLines {
    pub(super) fn new(
        input: Input<'_>,
        format: RdfFormat,
        keys: &Keys,
        nodes: Nodes,
        changed: KeyFilter,
    ) -> Self {
        KeyedLines {
            crew: Crew::new(input.readers(), EACH),
            blocks: input.into_lines(format),
            keys: keys.again(),
            nodes,
            changed: Arc::new(changed),
            all_sent: false,
            now: None,
            row: 0,
            idle: Vec::new(),
            rest: None,
        }
    }

    /// The function that a thread runs for each block.
    fn reader(&self) -> ReadPiece<Piece, ()> {
        let (lines, mut keys, nodes) = (self.blocks.lines(), self.keys.again(), self.nodes);
        let changed = Arc::clone(&self.changed);
        Box::new(move |Piece { lines: block, quads }| {
            let mut rows = lines.block(block);
            let mut recorder = Recorder { block: quads, keys: &mut keys, nodes };
            while !rows.advance(&mut recorder, &mut || Ok(())).ok()? {}
            if !rows.warnings().is_empty() {
                return None;
            }
            recorder.block.find_changed(&changed);
            block.count();
            Some(())
        })
    }

    /// Gets the next block, or continues with one thread; `false`: nothing is left.
    fn next(&mut self, poll: Poll<'_>) -> Result<bool> {
        self.crew.check_process()?;
        while !self.all_sent && self.crew.has_room() {
            let Some(lines) = self.blocks.next(poll)? else {
                self.all_sent = true;
                break;
            };
            let piece = Piece { lines, quads: self.idle.pop().unwrap_or_default() };
            let reader = self.reader();
            if let Some(piece) = self.crew.give(piece, || reader)? {
                return Ok(self.read_on(vec![piece]));
            }
        }
        if self.crew.waiting() == 0 {
            return Ok(self.read_on(Vec::new()));
        }
        let Done { piece, read } = self.crew.take(poll)?;
        if read.is_none() {
            let unread = self.crew.take_unread(piece, poll)?;
            return Ok(self.read_on(unread));
        }
        (self.now, self.row) = (Some(piece), 0);
        Ok(true)
    }

    /// Reads the rest with one thread; `false`: nothing is left.
    fn read_on(&mut self, unread: Vec<Piece>) -> bool {
        self.all_sent = true;
        self.crew.end();
        let unread: Vec<Block> = unread.into_iter().map(|piece| piece.lines).collect();
        self.rest = self.blocks.rest(&unread);
        self.rest.is_some()
    }

    /// Delivers rows until the sink is full (`false`) or all rows are delivered.
    fn hand_over(&mut self, sink: &mut impl KeyedSink) -> Result<bool> {
        let Some(Piece { lines, quads }) = &mut self.now else { return Ok(true) };
        let before = self.blocks.rows();
        if self.row == 0 {
            sink.block(quads);
        }
        while self.row < quads.len() {
            if sink.is_full() {
                return Ok(false);
            }
            let taken = sink.lines(quads, self.row)?;
            if taken > 0 {
                self.row += taken;
                continue;
            }
            if let Err(error) = quads.hand_over(self.row, before + self.row as u64, sink) {
                return Err(located(&mut self.blocks.rows_of(lines), self.row, error));
            }
            self.row += 1;
        }
        if let Some(Piece { lines, mut quads }) = self.now.take() {
            self.blocks.took(lines, quads.len() as u64);
            quads.clear();
            self.idle.push(quads);
        }
        Ok(true)
    }
}

impl<S: KeyedSink> RowSource<S> for KeyedLines {
    fn advance(&mut self, sink: &mut S, poll: Poll<'_>) -> Result<bool> {
        loop {
            if !self.hand_over(sink)? {
                return Ok(false);
            }
            if let Some(rest) = &mut self.rest {
                return rest.advance(sink, poll);
            }
            poll()?;
            if !self.next(poll)? {
                return Ok(true);
            }
        }
    }
}

impl PushState for KeyedLines {
    fn consumed(&self) -> u64 {
        self.blocks.bytes()
    }

    fn progress(&self) -> Progress {
        let in_block = if self.now.is_some() { self.row as u64 } else { 0 };
        Progress { frame: None, rows: self.blocks.rows() + in_block, offset: self.consumed() }
    }

    fn fail(&mut self, error: Error) -> Error {
        error.located(&self.position())
    }
}

impl SourceState for KeyedLines {
    fn decoder(&self) -> &dyn PushState {
        match &self.rest {
            Some(rest) => rest.decoder(),
            None => self,
        }
    }

    fn close(&mut self) {
        self.crew.end();
        self.all_sent = true;
        self.now = None;
        self.rest = None;
        self.blocks.close();
    }
}

/// The error of a sink at a row, with the same position as with one thread.
#[cold]
fn located(rows: &mut impl RowSource<Refuse>, row: usize, error: Error) -> Error {
    let mut refuse = Refuse { left: row, error: Some(error) };
    let found = rows.advance(&mut refuse, &mut || Ok(())).err();
    found.or(refuse.error).unwrap_or_else(|| Error::new(ErrorKind::Internal, "a row is missing"))
}

/// Rejects a row with this error.
struct Refuse {
    left: usize,
    error: Option<Error>,
}

impl Sink for Refuse {}

impl RdfSink for Refuse {
    fn statement(&mut self, _: &RdfRow<'_>) -> Result<()> {
        if self.left == 0 {
            return self.error.take().map_or(Ok(()), Err);
        }
        self.left -= 1;
        Ok(())
    }
}
