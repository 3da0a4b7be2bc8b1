//! Decompresses in a separate thread, a few buffers ahead of the reader.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::error::{Error, ErrorKind, Result, catch_panic};

/// Bytes in a buffer.
const BUFFER: usize = 256 << 10;
/// Buffers that wait to be read.
const WAITING: usize = 3;

/// A reader whose bytes come from a thread, which starts with the first call.
///
/// For files and memory only: a buffer is delivered when it is full, which may take forever with a live
/// source.
pub(super) struct Ahead {
    state: State,
    /// The buffer that is being read.
    buffer: Vec<u8>,
    at: usize,
}

enum State {
    Waiting(Box<dyn Read + Send>),
    Running(Worker),
    /// The end or an error was delivered.
    Over,
}

/// Only the process that started the thread touches the data shared with it. The child of a fork has no such
/// thread: a lock or a place in a queue that the thread held during the fork stays held in the child forever.
struct Worker {
    /// Full buffers; an empty buffer is the end.
    filled: Receiver<Result<Vec<u8>>>,
    /// Buffers that can be used again.
    used: SyncSender<Vec<u8>>,
    thread: JoinHandle<()>,
    process: u32,
}

impl Ahead {
    pub(super) fn new(inner: Box<dyn Read + Send>) -> Self {
        Ahead { state: State::Waiting(inner), buffer: Vec::new(), at: 0 }
    }

    /// Gets the next buffer; it is empty at the end.
    fn next(&mut self) -> Result<()> {
        let worker = match std::mem::replace(&mut self.state, State::Over) {
            State::Waiting(inner) => Worker::start(inner)?,
            State::Running(worker) => worker,
            State::Over => return Ok(()),
        };
        self.at = 0;
        let used = std::mem::take(&mut self.buffer);
        match worker.next(used) {
            Ok(buffer) if !buffer.is_empty() => {
                self.buffer = buffer;
                self.state = State::Running(worker);
                Ok(())
            }
            over => {
                worker.end();
                over.map(drop)
            }
        }
    }
}

/// Stops the thread, so that it closes the source before the reader is dropped.
impl Drop for Ahead {
    fn drop(&mut self) {
        if let State::Running(worker) = std::mem::replace(&mut self.state, State::Over) {
            worker.end();
        }
    }
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.buffer.len() && !buffer.is_empty() {
            self.next().map_err(io::Error::other)?;
        }
        let n = (&self.buffer[self.at..]).read(buffer)?;
        self.at += n;
        Ok(n)
    }
}

impl Worker {
    fn start(mut inner: Box<dyn Read + Send>) -> io::Result<Self> {
        let (full, filled) = sync_channel(WAITING);
        let (used, to_fill) = sync_channel(WAITING + 2);
        let work = move || {
            let last = catch_panic(|| fill(&mut inner, &to_fill, &full)).map(|()| Vec::new());
            drop(full.send(last)); // there may be no reader left
        };
        let thread = std::thread::Builder::new().name("jelly-decompress".to_owned()).spawn(work)?;
        Ok(Worker { filled, used, thread, process: std::process::id() })
    }

    /// Gets the next buffer in exchange for one that was read.
    fn next(&self, used: Vec<u8>) -> Result<Vec<u8>> {
        if self.process != std::process::id() {
            let message = "the process was forked while a thread decompressed the source; open the source in the child, or with threads=1 in the parent";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        drop(self.used.try_send(used)); // if the queue is full, a new buffer is allocated
        let ended = |_| {
            Err(Error::new(
                ErrorKind::Internal,
                "the thread that decompresses the source has ended unexpectedly",
            ))
        };
        self.filled.recv().unwrap_or_else(ended)
    }

    /// Stops the thread and waits for it.
    fn end(self) {
        if self.process != std::process::id() {
            return std::mem::forget(self);
        }
        drop(self.filled); // so that the thread no longer waits for room
        drop(self.thread.join());
    }
}

/// Reads to the end, or until no reader takes the buffers.
fn fill(inner: &mut dyn Read, to_fill: &Receiver<Vec<u8>>, full: &SyncSender<Result<Vec<u8>>>) -> Result<()> {
    loop {
        let mut buffer = to_fill.try_recv().unwrap_or_default();
        buffer.clear();
        buffer.reserve_exact(BUFFER);
        let read = (&mut *inner).take(BUFFER as u64).read_to_end(&mut buffer);
        let is_last = buffer.len() < BUFFER;
        // the bytes before an error are delivered first
        if !buffer.is_empty() && full.send(Ok(buffer)).is_err() {
            return Ok(());
        }
        read?;
        if is_last {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes, then the result of `end`.
    struct Failing<F>(io::Take<io::Repeat>, F);

    impl<F: Fn() -> io::Result<usize>> Read for Failing<F> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => (self.1)(),
                n => Ok(n),
            }
        }
    }

    fn read_all(length: u64, end: fn() -> io::Result<usize>) -> (Vec<u8>, io::Result<()>) {
        let mut all = Vec::new();
        let mut ahead = Ahead::new(Box::new(Failing(io::repeat(7).take(length), end)));
        let read = ahead.read_to_end(&mut all).map(drop);
        // the end stays the end
        assert_eq!(ahead.read(&mut [0; 8]).unwrap(), 0);
        (all, read)
    }

    #[test]
    fn all_bytes_come_and_then_the_end_or_the_error() {
        let most = (BUFFER * (WAITING + 3)) as u64;
        for length in [0, 1, BUFFER as u64 - 1, BUFFER as u64, BUFFER as u64 + 1, most] {
            let (all, read) = read_all(length, || Ok(0));
            assert!(read.is_ok() && all.len() as u64 == length && all.iter().all(|byte| *byte == 7));
            let (all, read) = read_all(length, || Err(io::ErrorKind::PermissionDenied.into()));
            assert_eq!(all.len() as u64, length);
            let error = Error::from(read.unwrap_err());
            assert_eq!(error.io_error().map(io::Error::kind), Some(io::ErrorKind::PermissionDenied));
            let (all, read) = read_all(length, || panic!("boom"));
            assert!(all.len() as u64 <= length);
            assert_eq!(Error::from(read.unwrap_err()).kind(), ErrorKind::Internal);
        }
    }

    #[test]
    fn a_reader_that_is_dropped_closes_its_source() {
        let held = std::sync::Arc::new(());
        let inside = std::sync::Arc::clone(&held);
        let endless = Failing(io::repeat(7).take(u64::MAX), move || {
            Ok(usize::from(std::sync::Arc::strong_count(&inside) > 9))
        });
        let mut ahead = Ahead::new(Box::new(endless));
        ahead.read_exact(&mut [0; 100]).unwrap();
        drop(ahead);
        assert_eq!(std::sync::Arc::strong_count(&held), 1);
    }
}
