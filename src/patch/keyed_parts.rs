//! Jelly as parts that several threads read.

use super::keyed_pieces::{Piece, QuadPieces};
use super::quad_block::QuadBlock;
use super::quad_recorder::Recorder;
use crate::crew::{Pieces, ReadPiece};
use crate::error::Result;
use crate::open::{Input, JellyReader, PartOf};
use crate::parts::{PartFile, Parts};
use crate::push::Progress;
use crate::reader::Poll;

/// Parts of a file, from one sync point to the next.
pub(super) struct KeyedParts {
    parts: Parts,
    recorder: Recorder,
    /// At the end of the parts that were delivered.
    progress: Progress,
    /// The memory of quads that were delivered.
    idle: Vec<QuadBlock>,
}

/// Maximum size of a part in bytes of Jelly. One thread reads a file with larger parts, because threads would need too
/// much memory for their quads. This library writes parts of 8 MiB.
const LARGEST: u64 = 16 << 20;

impl KeyedParts {
    /// Whether threads can hold the quads of these parts.
    pub(super) fn can_hold(parts: &Parts) -> bool {
        parts.largest() <= LARGEST
    }

    pub(super) fn new(parts: Parts, recorder: Recorder) -> Self {
        let progress = Progress { frame: None, rows: 0, offset: 0 };
        KeyedParts { parts, recorder, progress, idle: Vec::new() }
    }
}

fn rows(file: &PartFile, part: PartOf) -> Result<JellyReader> {
    let (source, options) = file.part(part)?;
    Input::open(source, &options)?.jelly()
}

impl Pieces<Progress> for KeyedParts {
    type Piece = Piece<PartOf>;
    const EACH: usize = 1;

    fn next(&mut self, _: Poll<'_>) -> Result<Option<Piece<PartOf>>> {
        let part = self.parts.next();
        Ok(part.map(|of| Piece { of, quads: self.idle.pop().unwrap_or_default() }))
    }

    fn reader(&self) -> ReadPiece<Piece<PartOf>, Progress> {
        let (file, mut recorder) = (self.parts.file().again(), self.recorder.again());
        Box::new(move |Piece { of, quads }| {
            recorder.record(quads, &mut rows(file.as_ref()?, of.clone()).ok()?)
        })
    }
}

impl QuadPieces for KeyedParts {
    type Of = PartOf;
    type Rows = JellyReader;

    fn progress(&self) -> Progress {
        self.progress
    }

    fn took(&mut self, Piece { mut quads, .. }: Piece<PartOf>, read: Progress) {
        self.progress = read;
        quads.clear();
        self.idle.push(quads);
    }

    fn rows_of(&self, of: &PartOf) -> Result<JellyReader> {
        rows(self.parts.file(), of.clone())
    }

    fn rest(&mut self, unread: Vec<PartOf>) -> Result<Option<JellyReader>> {
        self.parts.rest(unread).map(|part| rows(self.parts.file(), part)).transpose()
    }

    fn close(&mut self) {
        self.parts.clear();
    }
}
