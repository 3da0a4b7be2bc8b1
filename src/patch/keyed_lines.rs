//! N-Triples and N-Quads as blocks of lines that several threads read.

use super::keyed_pieces::{Piece, QuadPieces};
use super::quad_block::QuadBlock;
use super::quad_recorder::Recorder;
use crate::crew::{Pieces, ReadPiece};
use crate::error::Result;
use crate::format::RdfFormat;
use crate::open::{Input, LineBlocks, LinesReader};
use crate::push::Progress;
use crate::reader::Poll;
use crate::text::Block;

/// Lines in blocks.
pub(super) struct KeyedLines {
    blocks: LineBlocks,
    recorder: Recorder,
    /// The memory of quads that were delivered.
    idle: Vec<QuadBlock>,
}

impl KeyedLines {
    pub(super) fn new(input: Input<'_>, format: RdfFormat, recorder: Recorder) -> Self {
        KeyedLines { blocks: input.into_lines(format), recorder, idle: Vec::new() }
    }
}

impl Pieces<Progress> for KeyedLines {
    type Piece = Piece<Block>;
    const EACH: usize = 2;

    fn next(&mut self, poll: Poll<'_>) -> Result<Option<Piece<Block>>> {
        let block = self.blocks.next(poll)?;
        Ok(block.map(|of| Piece { of, quads: self.idle.pop().unwrap_or_default() }))
    }

    fn reader(&self) -> ReadPiece<Piece<Block>, Progress> {
        let (lines, mut recorder) = (self.blocks.lines(), self.recorder.again());
        Box::new(move |Piece { of, quads }| {
            let read = recorder.record(quads, &mut lines.block(of))?;
            of.count();
            Some(read)
        })
    }
}

impl QuadPieces for KeyedLines {
    type Of = Block;
    type Rows = LinesReader;

    fn progress(&self) -> Progress {
        Progress { frame: None, rows: self.blocks.rows(), offset: self.blocks.bytes() }
    }

    fn took(&mut self, Piece { of, mut quads }: Piece<Block>, _: Progress) {
        self.blocks.took(of, quads.len() as u64);
        quads.clear();
        self.idle.push(quads);
    }

    fn rows_of(&self, of: &Block) -> Result<LinesReader> {
        Ok(self.blocks.rows_of(of))
    }

    fn rest(&mut self, unread: Vec<Block>) -> Result<Option<LinesReader>> {
        Ok(self.blocks.rest(&unread))
    }

    fn close(&mut self) {
        self.blocks.close();
    }
}
