//! Pieces of a source that threads read side by side, as batches in the order of the source.
//!
//! Threads deliver only pieces that are right from end to end. At the first other one the source is read on by the
//! caller alone, from the start of that piece: rows, errors and positions are those of one thread.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::piece::{At, Pieces, Read, ReadPiece};
use super::reader::{ReadBatches, bomb};
use crate::error::{Error, ErrorKind, Result, catch_panic};
use crate::limits::Limits;
use crate::namespaces::Namespaces;
use crate::options::StreamOptions;
use crate::push::{Progress, PushState};
use crate::reader::{Poll, SourceState};

/// How long nobody asks for interrupts.
const PATIENCE: Duration = Duration::from_millis(50);

/// Reads a source with several threads.
pub(super) struct SideBySide<P: Pieces> {
    pieces: P,
    limits: Limits,
    schema: SchemaRef,
    threads: Vec<Worker<P::Piece>>,
    /// So many at most.
    most: usize,
    /// Pieces that were given to threads, and those that came back.
    sent: usize,
    received: usize,
    /// No other piece is given to threads.
    all_sent: bool,
    ready: VecDeque<Read>,
    rest: Rest,
    /// All pieces were delivered.
    in_rest: bool,
    failed: bool,
    at: At,
    text_bytes: u64,
    namespaces: Namespaces,
    process: u32,
}

/// What comes behind the pieces that threads read.
enum Rest {
    /// Other pieces.
    Pieces,
    /// What the caller reads alone.
    Alone(Box<dyn ReadBatches>),
    Nothing,
}

/// A piece that comes back.
struct Done<T> {
    piece: T,
    read: Option<Vec<Read>>,
}

/// Only the process that started a thread touches what both share, as in `io::ahead`.
struct Worker<T> {
    pieces: Sender<T>,
    done: Receiver<Done<T>>,
    thread: JoinHandle<()>,
}

impl<P: Pieces> SideBySide<P> {
    pub(super) fn new(pieces: P, threads: usize, limits: Limits) -> Result<Self> {
        Ok(SideBySide {
            schema: pieces.schema()?,
            pieces,
            limits,
            threads: Vec::new(),
            most: threads,
            sent: 0,
            received: 0,
            all_sent: false,
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
            process: std::process::id(),
        })
    }

    /// Gives threads as many pieces as they may have; threads start with the first ones.
    fn send(&mut self, poll: Poll<'_>) -> Result<()> {
        while !self.all_sent && self.sent - self.received < P::EACH * self.most {
            let Some(piece) = self.pieces.next(poll)? else {
                self.all_sent = true;
                break;
            };
            if self.threads.len() < self.most {
                self.process = std::process::id();
                match Worker::start(self.pieces.reader()) {
                    Ok(worker) => self.threads.push(worker),
                    // the system gives no other: those that are there go on
                    Err(_) if self.sent > 0 => self.most = self.threads.len(),
                    Err(_) => return self.read_on(vec![piece]),
                }
            }
            let worker = &self.threads[self.sent % self.most];
            worker.pieces.send(piece).map_err(|_| gone())?;
            self.sent += 1;
        }
        if self.all_sent && self.received == self.sent && matches!(self.rest, Rest::Pieces) {
            self.read_on(Vec::new())?;
        }
        Ok(())
    }

    /// The rest is read by one thread.
    fn read_on(&mut self, unread: Vec<P::Piece>) -> Result<()> {
        self.all_sent = true;
        self.rest = match self.pieces.rest(unread)? {
            Some(mut rest) => {
                *rest.namespaces_mut() = std::mem::take(&mut self.namespaces);
                Rest::Alone(rest)
            }
            None => Rest::Nothing,
        };
        self.end_threads();
        Ok(())
    }

    /// Waits for the next piece.
    fn receive(&mut self, poll: Poll<'_>) -> Result<()> {
        let mut done = self.wait(poll)?;
        let declared = done.read.as_deref_mut().map(|read| self.declare(read));
        if let (Some(mut read), Some(Ok(()))) = (done.read, declared) {
            self.pieces.took(done.piece, &mut read)?;
            self.ready.extend(read);
            return Ok(());
        }
        let mut unread = vec![done.piece];
        while self.received < self.sent {
            unread.push(self.wait(poll)?.piece);
        }
        self.read_on(unread)
    }

    fn wait(&mut self, poll: Poll<'_>) -> Result<Done<P::Piece>> {
        let worker = &self.threads[self.received % self.most];
        let done = loop {
            match worker.done.recv_timeout(PATIENCE) {
                Ok(done) => break done,
                Err(RecvTimeoutError::Timeout) => poll()?,
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
            }
        };
        self.received += 1;
        Ok(done)
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

    /// Whether this is the child of a fork, and threads of its parent have the pieces.
    fn is_forked(&self) -> bool {
        !self.threads.is_empty() && self.process != std::process::id()
    }

    fn end_threads(&mut self) {
        self.received = self.sent;
        if self.is_forked() {
            return std::mem::forget(std::mem::take(&mut self.threads));
        }
        // all of them, before one is waited for
        let (pieces, threads): (Vec<_>, Vec<_>) =
            self.threads.drain(..).map(|worker| ((worker.pieces, worker.done), worker.thread)).unzip();
        drop(pieces);
        for thread in threads {
            drop(thread.join());
        }
    }
}

/// Threads close nothing and hold only their pieces; still none outlives its reader.
impl<P: Pieces> Drop for SideBySide<P> {
    fn drop(&mut self) {
        self.end_threads();
    }
}

impl<P: Pieces> ReadBatches for SideBySide<P> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next_batch(&mut self, poll: Poll<'_>) -> Result<Option<RecordBatch>> {
        if self.is_forked() {
            let message = "the process was forked while threads read the source; open the source in the child, or with threads=1 in the parent";
            return Err(Error::new(ErrorKind::Argument, message));
        }
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
        if self.received == 0 && !self.is_forked() && self.send(poll).is_ok() && self.received < self.sent {
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
        self.end_threads();
        self.ready.clear();
        self.pieces.close();
        match &mut self.rest {
            Rest::Alone(rest) => rest.close(),
            rest => *rest = Rest::Nothing,
        }
        self.all_sent = true;
    }
}

impl<P: Pieces> PushState for SideBySide<P> {
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
        let message = "a snapshot is of a source that one thread reads: open the source with threads=1";
        Err(Error::new(ErrorKind::Argument, message))
    }

    fn fail(&mut self, error: Error) -> Error {
        error.located(&self.position())
    }
}

impl<P: Pieces> SourceState for SideBySide<P> {
    fn decoder(&self) -> &dyn PushState {
        self
    }

    fn close(&mut self) {
        ReadBatches::close(self);
    }
}

impl<T: Send + 'static> Worker<T> {
    fn start(mut read: ReadPiece<T>) -> std::io::Result<Self> {
        let (pieces, waiting) = channel::<T>();
        let (back, done) = channel();
        let work = move || {
            for mut piece in waiting {
                let read = catch_panic(|| Ok::<_, Error>(read(&mut piece))).ok().flatten();
                if back.send(Done { piece, read }).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("jelly-read".to_owned()).spawn(work)?;
        Ok(Worker { pieces, done, thread })
    }
}

#[cold]
fn gone() -> Error {
    Error::new(ErrorKind::Internal, "a thread that reads is gone")
}
