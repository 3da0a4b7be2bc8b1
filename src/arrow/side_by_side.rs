//! Pieces of a source that threads read side by side, as batches in the order of the source.
//!
//! Threads deliver only pieces that are right from end to end. At the first other one the source is read on by the
//! caller alone, from the start of that piece: rows, errors and positions are those of one thread.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::piece::{At, BatchPieces, Read};
use super::reader::{ReadBatches, bomb};
use crate::crew::{Crew, Done};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::namespaces::Namespaces;
use crate::options::StreamOptions;
use crate::push::{Progress, PushState};
use crate::reader::{Poll, SourceState};

/// Reads a source with several threads.
pub(super) struct SideBySide<P: BatchPieces> {
    pieces: P,
    limits: Limits,
    schema: SchemaRef,
    crew: Crew<P::Piece, Vec<Read>>,
    ready: VecDeque<Read>,
    rest: Rest,
    /// All pieces were delivered.
    in_rest: bool,
    failed: bool,
    at: At,
    text_bytes: u64,
    namespaces: Namespaces,
}

/// What comes behind the pieces that threads read.
enum Rest {
    /// Other pieces.
    Pieces,
    /// What the caller reads alone.
    Alone(Box<dyn ReadBatches>),
    Nothing,
}

impl<P: BatchPieces> SideBySide<P> {
    pub(super) fn new(pieces: P, threads: usize, limits: Limits) -> Result<Self> {
        Ok(SideBySide {
            schema: pieces.schema()?,
            pieces,
            limits,
            crew: Crew::new(threads, P::EACH),
            ready: VecDeque::new(),
            rest: Rest::Pieces,
            in_rest: false,
            failed: false,
            at: At {
                progress: Progress { frame: None, rows: 0, offset: 0 },
                consumed: 0,
                options: None,
                metadata: Vec::new(),
            },
            text_bytes: 0,
            namespaces: Namespaces::default(),
        })
    }

    /// Gives threads as many pieces as they may have; threads start with the first ones.
    fn send(&mut self, poll: Poll<'_>) -> Result<()> {
        if let Some(piece) = self.crew.fill(&mut self.pieces, poll)? {
            return self.read_on(vec![piece]);
        }
        if self.crew.is_done() && matches!(self.rest, Rest::Pieces) {
            self.read_on(Vec::new())?;
        }
        Ok(())
    }

    /// The rest is read by one thread.
    fn read_on(&mut self, unread: Vec<P::Piece>) -> Result<()> {
        self.crew.end();
        self.rest = match self.pieces.rest(unread)? {
            Some(mut rest) => {
                *rest.namespaces_mut() = std::mem::take(&mut self.namespaces);
                Rest::Alone(rest)
            }
            None => Rest::Nothing,
        };
        Ok(())
    }

    /// Waits for the next piece.
    fn receive(&mut self, poll: Poll<'_>) -> Result<()> {
        let Done { piece, mut read } = self.crew.take(poll)?;
        let declared = read.as_deref_mut().map(|read| self.declare(read));
        if let (Some(mut read), Some(Ok(()))) = (read, declared) {
            self.pieces.took(piece, &mut read)?;
            self.ready.extend(read);
            return Ok(());
        }
        let unread = self.crew.take_unread(piece, poll)?;
        self.read_on(unread)
    }

    fn declare(&mut self, read: &[Read]) -> Result<()> {
        read.iter().try_for_each(|read| self.namespaces.add(&read.namespaces, self.limits.lookup_bytes))
    }

    /// The batch of what was read next; `None`: there is only the end of a piece.
    fn deliver(&mut self, read: Read) -> Result<Option<RecordBatch>> {
        self.at = read.at;
        self.text_bytes += read.text_bytes;
        let bomb = bomb(self.limits.expansion, self.text_bytes, self);
        bomb.map_or(Ok(read.batch), Err)
    }

    /// An error that no decoder found is raised, or becomes a row.
    fn fail(&mut self, error: Error) -> Result<()> {
        ReadBatches::close(self);
        self.rest = Rest::Alone(self.pieces.failed(error)?);
        self.failed = true;
        Ok(())
    }
}

impl<P: BatchPieces> ReadBatches for SideBySide<P> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next_batch(&mut self, poll: Poll<'_>) -> Result<Option<RecordBatch>> {
        self.crew.check_process()?;
        loop {
            self.send(poll)?;
            if let Some(read) = self.ready.pop_front() {
                match self.deliver(read) {
                    Ok(None) => {}
                    Ok(batch) => return Ok(batch),
                    Err(error) => self.fail(error)?,
                }
                continue;
            }
            match &mut self.rest {
                Rest::Pieces => self.receive(poll)?,
                Rest::Nothing => return Ok(None),
                Rest::Alone(rest) => {
                    self.in_rest = true;
                    return rest.next_batch(poll);
                }
            }
        }
    }

    fn read_ahead(&mut self, poll: Poll<'_>) {
        if self.crew.received() == 0
            && self.crew.check_process().is_ok()
            && self.send(poll).is_ok()
            && self.crew.waiting() > 0
        {
            // an error comes again, where it is raised
            drop(self.receive(poll));
        }
        if let Rest::Alone(rest) = &mut self.rest
            && self.ready.is_empty()
        {
            rest.read_ahead(poll);
        }
    }

    fn has_waiting_rows(&self) -> bool {
        matches!(&self.rest, Rest::Alone(rest) if rest.has_waiting_rows())
    }

    fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    fn namespaces(&self) -> &Namespaces {
        match &self.rest {
            Rest::Alone(rest) => rest.namespaces(),
            _ => &self.namespaces,
        }
    }

    fn namespaces_mut(&mut self) -> &mut Namespaces {
        &mut self.namespaces
    }

    fn source(&self) -> &dyn SourceState {
        match &self.rest {
            Rest::Alone(rest) if self.in_rest && !self.failed => rest.source(),
            _ => self,
        }
    }

    fn close(&mut self) {
        self.crew.end();
        self.ready.clear();
        self.pieces.close();
        match &mut self.rest {
            Rest::Alone(rest) => rest.close(),
            rest => *rest = Rest::Nothing,
        }
    }
}

impl<P: BatchPieces> PushState for SideBySide<P> {
    fn consumed(&self) -> u64 {
        self.at.consumed
    }

    fn progress(&self) -> Progress {
        self.at.progress
    }

    fn stream_options(&self) -> Option<StreamOptions> {
        self.at.options.clone().or_else(|| self.ready.front()?.at.options.clone())
    }

    fn metadata(&self) -> &[(String, Vec<u8>)] {
        &self.at.metadata
    }

    fn snapshot(&self) -> Result<Vec<u8>> {
        let message = "a snapshot needs a source that one thread reads: open the source with threads=1";
        Err(Error::new(ErrorKind::Argument, message))
    }

    fn fail(&mut self, error: Error) -> Error {
        error.located(&self.position())
    }
}

impl<P: BatchPieces> SourceState for SideBySide<P> {
    fn decoder(&self) -> &dyn PushState {
        self
    }

    fn close(&mut self) {
        ReadBatches::close(self);
    }
}
