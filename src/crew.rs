//! Threads that read the pieces of a source and return them in the order of the source.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result, catch_panic};
use crate::reader::Poll;

/// Maximum time between two checks for interrupts.
const PATIENCE: Duration = Duration::from_millis(50);

/// Reads a piece in a thread; returns `None` if a single thread has to read the piece.
pub(crate) type ReadPiece<P, R> = Box<dyn FnMut(&mut P) -> Option<R> + Send>;

/// A source that comes in pieces, for threads that read them.
pub(crate) trait Pieces<R> {
    /// What a thread reads at a time.
    type Piece: Send + 'static;
    /// Pieces per thread: the one that it reads, and those that wait.
    const EACH: usize;

    /// Returns the next piece; `None`: there is none, or a single thread has to read the rest.
    fn next(&mut self, poll: Poll<'_>) -> Result<Option<Self::Piece>>;

    /// Returns what reads pieces in a thread.
    fn reader(&self) -> ReadPiece<Self::Piece, R>;
}

/// A piece that a thread returned.
pub(crate) struct Done<P, R> {
    pub(crate) piece: P,
    pub(crate) read: Option<R>,
}

/// The threads and their pieces.
pub(crate) struct Crew<P, R> {
    threads: Vec<Worker<P, R>>,
    /// Maximum number of threads.
    most: usize,
    /// Pieces per thread.
    each: usize,
    /// Number of pieces given to threads, and number of pieces returned.
    sent: usize,
    received: usize,
    /// No more pieces are given to threads.
    all_sent: bool,
    process: u32,
}

/// Only the process that started a thread touches the data shared with that thread, as in `io::ahead`.
struct Worker<P, R> {
    pieces: Sender<P>,
    done: Receiver<Done<P, R>>,
    thread: JoinHandle<()>,
}

impl<P: Send + 'static, R: Send + 'static> Crew<P, R> {
    /// Creates a crew without threads.
    pub(crate) fn new(threads: usize, each: usize) -> Self {
        let process = std::process::id();
        Crew { threads: Vec::new(), most: threads, each, sent: 0, received: 0, all_sent: false, process }
    }

    /// Gives threads as many pieces as they can have. Returns a piece that no thread can take, because the
    /// system cannot start any.
    pub(crate) fn fill(
        &mut self,
        pieces: &mut impl Pieces<R, Piece = P>,
        poll: Poll<'_>,
    ) -> Result<Option<P>> {
        while !self.all_sent && self.waiting() < self.each * self.most {
            let Some(piece) = pieces.next(poll)? else {
                self.all_sent = true;
                break;
            };
            let unread = self.give(piece, || pieces.reader())?;
            if unread.is_some() {
                return Ok(unread);
            }
        }
        Ok(None)
    }

    /// Whether threads have returned all pieces, and get no more.
    pub(crate) fn is_done(&self) -> bool {
        self.all_sent && self.waiting() == 0
    }

    /// Number of pieces that threads have not returned yet.
    pub(crate) fn waiting(&self) -> usize {
        self.sent - self.received
    }

    /// Number of pieces that threads returned.
    #[cfg(feature = "arrow")]
    pub(crate) fn received(&self) -> usize {
        self.received
    }

    /// Gives a piece to a thread, which starts to read it. Returns the piece if the system cannot start any
    /// thread.
    fn give(&mut self, piece: P, reader: impl FnOnce() -> ReadPiece<P, R>) -> Result<Option<P>> {
        if self.threads.len() < self.most {
            if self.threads.is_empty() {
                self.process = std::process::id();
            }
            match Worker::start(reader()) {
                Ok(worker) => self.threads.push(worker),
                // the system cannot start another thread: the existing ones continue
                Err(_) if self.sent > 0 => self.most = self.threads.len(),
                Err(_) => return Ok(Some(piece)),
            }
        }
        let worker = &self.threads[self.sent % self.most];
        worker.pieces.send(piece).map_err(|_| gone())?;
        self.sent += 1;
        Ok(None)
    }

    /// Waits for the next piece.
    pub(crate) fn take(&mut self, poll: Poll<'_>) -> Result<Done<P, R>> {
        let worker = &self.threads[self.received % self.most];
        let done = loop {
            match worker.done.recv_timeout(PATIENCE) {
                Ok(done) => break done,
                Err(RecvTimeoutError::Timeout) => {
                    poll()?;
                    self.check_process()?; // `poll` may have forked
                }
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
            }
        };
        self.received += 1;
        Ok(done)
    }

    /// Waits for all pieces, for a single thread to read.
    pub(crate) fn take_unread(&mut self, first: P, poll: Poll<'_>) -> Result<Vec<P>> {
        let mut unread = vec![first];
        while self.waiting() > 0 {
            unread.push(self.take(poll)?.piece);
        }
        Ok(unread)
    }

    /// Fails in the child process of a fork, because the threads of the parent have the pieces.
    pub(crate) fn check_process(&self) -> Result<()> {
        if self.is_forked() {
            let message = "the process was forked while threads read the source; open the source in the child, or with threads=1 in the parent";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        Ok(())
    }
}

impl<P, R> Crew<P, R> {
    fn is_forked(&self) -> bool {
        !self.threads.is_empty() && self.process != std::process::id()
    }

    /// Stops all threads and waits for them.
    pub(crate) fn end(&mut self) {
        self.all_sent = true;
        self.received = self.sent;
        if self.is_forked() {
            return std::mem::forget(std::mem::take(&mut self.threads));
        }
        // stop all of them before waiting for one
        let (pieces, threads): (Vec<_>, Vec<_>) =
            self.threads.drain(..).map(|worker| ((worker.pieces, worker.done), worker.thread)).unzip();
        drop(pieces);
        for thread in threads {
            drop(thread.join());
        }
    }
}

/// Threads close nothing and hold only their pieces, but no thread outlives its reader.
impl<P, R> Drop for Crew<P, R> {
    fn drop(&mut self) {
        self.end();
    }
}

impl<P: Send + 'static, R: Send + 'static> Worker<P, R> {
    fn start(mut read: ReadPiece<P, R>) -> std::io::Result<Self> {
        let (pieces, waiting) = channel::<P>();
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
    Error::new(ErrorKind::Internal, "a thread that reads the source has ended unexpectedly")
}
