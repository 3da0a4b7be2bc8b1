//! Datasets whose pieces several threads read; the threads also compute the keys.
//!
//! Threads deliver only pieces that are valid from end to end. From the first other piece on, the caller's
//! thread reads the source alone. Rows, errors and positions are therefore the same as with one thread.

use super::keyed::KeyedSink;
use super::quad_block::{Delivered, QuadBlock};
use crate::crew::{Crew, Done, Pieces};
use crate::error::{Error, ErrorKind, Result};
use crate::options::RdfOptions;
use crate::push::{Progress, PushState};
use crate::reader::{Poll, RowSource, SourceState};
use crate::sink::{RdfRow, RdfSink, Sink};
use crate::term::{Iri, Term};

/// A piece, and its quads once they are read.
pub(super) struct Piece<T> {
    pub(super) of: T,
    pub(super) quads: QuadBlock,
}

/// A dataset in pieces. A thread returns the progress of its decoder at the end of a piece.
pub(super) trait QuadPieces: Pieces<Progress, Piece = Piece<Self::Of>> + Send {
    /// What a piece consists of.
    type Of: Send + 'static;
    /// Reads the source in one thread.
    type Rows: RowSource<Refuse>;

    /// The progress behind the pieces that were taken back.
    fn progress(&self) -> Progress;

    /// Takes back a piece that was read, the next one in order.
    fn took(&mut self, piece: Piece<Self::Of>, read: Progress);

    /// The rows of the next piece in order, counted from the start of the source.
    fn rows_of(&self, of: &Self::Of) -> Result<Self::Rows>;

    /// The rows from the first of these pieces on, the next ones in order; `None`: nothing is left.
    fn rest(&mut self, unread: Vec<Self::Of>) -> Result<Option<Self::Rows>>;

    /// Closes the source; no other piece is requested.
    fn close(&mut self);
}

/// Reads pieces with several threads.
pub(super) struct KeyedPieces<P: QuadPieces> {
    pieces: P,
    crew: Crew<Piece<P::Of>, Progress>,
    /// The piece that is being delivered, and how much of it was delivered.
    now: Option<(Piece<P::Of>, Progress)>,
    at: Delivered,
    /// The reader for the part that one thread reads.
    rest: Option<P::Rows>,
}

impl<P: QuadPieces> KeyedPieces<P> {
    pub(super) fn new(pieces: P, threads: usize) -> Self {
        let crew = Crew::new(threads, P::EACH);
        KeyedPieces { pieces, crew, now: None, at: Delivered::default(), rest: None }
    }

    /// Gets the next piece, or continues with one thread; `false`: nothing is left.
    fn next(&mut self, poll: Poll<'_>) -> Result<bool> {
        self.crew.check_process()?;
        if let Some(piece) = self.crew.fill(&mut self.pieces, poll)? {
            return self.read_on(vec![piece]);
        }
        if self.crew.is_done() {
            return self.read_on(Vec::new());
        }
        let Done { piece, read } = self.crew.take(poll)?;
        let Some(read) = read else {
            let unread = self.crew.take_unread(piece, poll)?;
            return self.read_on(unread);
        };
        (self.now, self.at) = (Some((piece, read)), Delivered::default());
        Ok(true)
    }

    /// Reads the rest with one thread; `false`: nothing is left.
    fn read_on(&mut self, unread: Vec<Piece<P::Of>>) -> Result<bool> {
        self.crew.end();
        self.rest = self.pieces.rest(unread.into_iter().map(|piece| piece.of).collect())?;
        Ok(self.rest.is_some())
    }

    /// Delivers rows until the sink is full (`false`) or all rows are delivered.
    fn hand_over(&mut self, sink: &mut impl KeyedSink) -> Result<bool> {
        let Some((Piece { of, quads }, _)) = &mut self.now else { return Ok(true) };
        let before = self.pieces.progress().rows;
        if self.at.rows + self.at.events == 0 {
            sink.block(quads);
        }
        loop {
            if sink.is_full() {
                return Ok(false);
            }
            match quads.hand_over(&mut self.at, before, sink) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Err(located(self.pieces.rows_of(of), self.at, error)),
            }
        }
        if let Some((piece, read)) = self.now.take() {
            self.pieces.took(piece, read);
        }
        Ok(true)
    }
}

impl<P, S> RowSource<S> for KeyedPieces<P>
where
    P: QuadPieces,
    P::Rows: RowSource<S>,
    S: KeyedSink,
{
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

impl<P: QuadPieces> PushState for KeyedPieces<P> {
    fn consumed(&self) -> u64 {
        self.pieces.progress().offset
    }

    fn progress(&self) -> Progress {
        let in_piece = if self.now.is_some() { self.at.rows as u64 } else { 0 };
        let progress = self.pieces.progress();
        Progress { rows: progress.rows + in_piece, ..progress }
    }

    fn fail(&mut self, error: Error) -> Error {
        error.located(&self.position())
    }
}

impl<P: QuadPieces> SourceState for KeyedPieces<P> {
    fn decoder(&self) -> &dyn PushState {
        match &self.rest {
            Some(rest) => rest.decoder(),
            None => self,
        }
    }

    fn close(&mut self) {
        self.crew.end();
        self.now = None;
        self.rest = None;
        self.pieces.close();
    }
}

/// The error of a sink at a row or event, with the same position as with one thread.
#[cold]
fn located(rows: Result<impl RowSource<Refuse>>, at: Delivered, error: Error) -> Error {
    let mut refuse = Refuse { left: at.rows + at.events, error: Some(error) };
    let found = rows.and_then(|mut rows| rows.advance(&mut refuse, &mut || Ok(()))).err();
    refuse.error.or(found).unwrap_or_else(|| Error::new(ErrorKind::Internal, "a row is missing"))
}

/// Rejects a row or an event with this error.
pub(super) struct Refuse {
    left: usize,
    error: Option<Error>,
}

impl Refuse {
    fn next(&mut self) -> Result<()> {
        if self.left == 0 {
            return self.error.take().map_or(Ok(()), Err);
        }
        self.left -= 1;
        Ok(())
    }
}

impl Sink for Refuse {
    fn frame_end(&mut self, _: &[(String, Vec<u8>)]) -> Result<()> {
        self.next()
    }
}

impl RdfSink for Refuse {
    fn options(&mut self, _: &RdfOptions) -> Result<()> {
        self.next()
    }

    fn statement(&mut self, _: &RdfRow<'_>) -> Result<()> {
        self.next()
    }

    fn namespace(&mut self, _: &str, _: Iri<'_>) -> Result<()> {
        self.next()
    }

    fn graph_start(&mut self, _: Term<'_>) -> Result<()> {
        self.next()
    }

    fn graph_end(&mut self) -> Result<()> {
        self.next()
    }
}
