//! Lines that threads read side by side, as batches in the order of the source.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::RdfBatches;
use super::reader::{BatchReader, Mode, ReadBatches, bomb};
use super::settings::{BatchSettings, Batches};
use crate::error::{Error, ErrorKind, Result, catch_panic};
use crate::namespaces::Namespaces;
use crate::open::Lines;
use crate::push::{Progress, PushState};
use crate::reader::{Poll, RowSource, SourceState};
use crate::text::{Block, Blocks};

/// Blocks that a thread has: one that it reads, and one that waits.
const BLOCKS: usize = 2;
/// How long nobody asks for interrupts.
const PATIENCE: Duration = Duration::from_millis(50);

/// Reads lines with several threads; what ends the source, and what is no line, is read by the caller.
pub(super) struct SideBySide {
    lines: Arc<Lines>,
    settings: BatchSettings,
    mode: Mode,
    /// `None` once all are read.
    blocks: Option<Blocks>,
    threads: Vec<Worker>,
    /// So many at most.
    most: usize,
    /// Blocks that were given to threads, and those that came back.
    sent: usize,
    received: usize,
    ready: VecDeque<Read>,
    failed: bool,
    /// What comes behind the blocks.
    rest: Option<BatchReader<RdfBatches>>,
    /// All blocks were delivered.
    in_rest: bool,
    at: At,
    text_bytes: u64,
    schema: SchemaRef,
    namespaces: Namespaces,
    process: u32,
}

/// Where a decoder stands.
#[derive(Clone, Copy)]
struct At {
    progress: Progress,
    consumed: u64,
}

/// A batch, or the error behind the last one, and where the decoder stood.
struct Read {
    result: Result<RecordBatch>,
    at: At,
    text_bytes: u64,
}

/// Only the process that started a thread touches what both share, as in `io::ahead`.
struct Worker {
    blocks: Sender<Block>,
    read: Receiver<Vec<Read>>,
    thread: JoinHandle<()>,
}

impl SideBySide {
    pub(super) fn new(lines: Lines, blocks: Blocks, settings: BatchSettings, mode: Mode) -> Result<Self> {
        let batches = RdfBatches::new(settings.clone())?;
        Ok(SideBySide {
            most: lines.threads,
            lines: Arc::new(lines),
            schema: batches.schema(),
            settings,
            mode,
            blocks: Some(blocks),
            threads: Vec::new(),
            sent: 0,
            received: 0,
            ready: VecDeque::new(),
            failed: false,
            rest: None,
            in_rest: false,
            at: At { progress: Progress { frame: None, rows: 0, offset: 0 }, consumed: 0 },
            text_bytes: 0,
            namespaces: Namespaces::default(),
            process: std::process::id(),
        })
    }

    /// Gives threads as many blocks as they may have; threads start with the first ones.
    fn send(&mut self, poll: Poll<'_>) -> Result<()> {
        while self.sent - self.received < BLOCKS * self.most
            && let Some(blocks) = &mut self.blocks
        {
            let Some(block) = blocks.next(poll)? else {
                return self.end();
            };
            if self.threads.len() < self.most {
                self.process = std::process::id();
                let batches = RdfBatches::new(self.settings.clone())?;
                match Worker::start(Arc::clone(&self.lines), batches) {
                    Ok(worker) => self.threads.push(worker),
                    // the system gives no other: those that are there go on
                    Err(_) if self.sent > 0 => self.most = self.threads.len(),
                    Err(_) => {
                        blocks.put_back(block);
                        return self.end();
                    }
                }
            }
            let worker = &self.threads[self.sent % self.most];
            worker.blocks.send(block).map_err(|_| gone())?;
            self.sent += 1;
        }
        Ok(())
    }

    /// There is no other block.
    fn end(&mut self) -> Result<()> {
        if let Some(blocks) = self.blocks.take() {
            let (stream, place) = blocks.into_rest();
            let rows = Box::new(self.lines.rest(stream, &place));
            let batches = RdfBatches::new(self.settings.clone())?;
            self.rest = Some(BatchReader::new(rows, batches, self.mode, &self.settings.limits));
        }
        Ok(())
    }

    /// Waits for the next block.
    fn receive(&mut self, poll: Poll<'_>) -> Result<()> {
        let worker = &self.threads[self.received % self.most];
        let read = loop {
            match worker.read.recv_timeout(PATIENCE) {
                Ok(read) => break read,
                Err(RecvTimeoutError::Timeout) => poll()?,
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
            }
        };
        self.received += 1;
        self.ready.extend(read);
        Ok(())
    }

    /// The batch of what was read next, or the error that is there.
    fn deliver(&mut self, read: Read) -> Result<RecordBatch> {
        self.at = read.at;
        self.text_bytes += read.text_bytes;
        let result = read.result.and_then(|batch| {
            let bomb = bomb(self.settings.limits.expansion, self.text_bytes, self);
            bomb.map_or(Ok(batch), Err)
        });
        self.failed |= result.is_err();
        result
    }

    /// Whether this is the child of a fork, and threads of its parent have the blocks.
    fn is_forked(&self) -> bool {
        !self.threads.is_empty() && self.process != std::process::id()
    }

    fn end_threads(&mut self) {
        if self.is_forked() {
            return std::mem::forget(std::mem::take(&mut self.threads));
        }
        // all of them, before one is waited for
        let (blocks, threads): (Vec<_>, Vec<_>) =
            self.threads.drain(..).map(|worker| (worker.blocks, worker.thread)).unzip();
        drop(blocks);
        for thread in threads {
            drop(thread.join());
        }
    }
}

/// Threads close nothing and hold only their blocks; still none outlives its reader.
impl Drop for SideBySide {
    fn drop(&mut self) {
        self.end_threads();
    }
}

impl ReadBatches for SideBySide {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next_batch(&mut self, poll: Poll<'_>) -> Result<Option<RecordBatch>> {
        if self.is_forked() {
            let message = "the process was forked while threads read the source; open the source in the child, or with threads=1 in the parent";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        loop {
            if let Some(read) = self.ready.pop_front() {
                match self.deliver(read) {
                    Ok(batch) => return Ok(Some(batch)),
                    Err(error) => {
                        // it is raised, or becomes a row
                        self.blocks = None;
                        self.end_threads();
                        (self.sent, self.received) = (0, 0);
                        self.ready.clear();
                        let batches = RdfBatches::new(self.settings.clone())?;
                        self.rest = Some(BatchReader::failed(error, batches, self.mode));
                    }
                }
            }
            if !self.failed {
                self.send(poll)?;
            }
            if self.rest.is_some() && self.received == self.sent {
                self.end_threads();
            }
            match &mut self.rest {
                _ if self.received < self.sent => self.receive(poll)?,
                Some(rest) => {
                    self.in_rest = true;
                    return rest.next_batch(poll);
                }
                None => return Ok(None),
            }
        }
    }

    fn read_ahead(&mut self, _: Poll<'_>) {}

    fn has_waiting_rows(&self) -> bool {
        self.rest.as_ref().is_some_and(ReadBatches::has_waiting_rows)
    }

    fn namespaces(&self) -> &Namespaces {
        &self.namespaces
    }

    fn source(&self) -> &dyn SourceState {
        match &self.rest {
            Some(rest) if self.in_rest && !self.failed => rest.source(),
            _ => self,
        }
    }

    fn close(&mut self) {
        self.end_threads();
        self.ready.clear();
        (self.sent, self.received) = (0, 0);
        self.blocks = None;
        if let Some(rest) = &mut self.rest {
            rest.close();
        }
    }
}

impl PushState for SideBySide {
    fn consumed(&self) -> u64 {
        self.at.consumed
    }

    fn progress(&self) -> Progress {
        self.at.progress
    }

    fn fail(&mut self, error: Error) -> Error {
        error.located(&self.position())
    }
}

impl SourceState for SideBySide {
    fn decoder(&self) -> &dyn PushState {
        self
    }

    fn close(&mut self) {
        ReadBatches::close(self);
    }
}

impl Worker {
    fn start(lines: Arc<Lines>, mut batches: RdfBatches) -> std::io::Result<Self> {
        let (blocks, waiting) = channel::<Block>();
        let (done, read) = channel();
        let work = move || {
            for block in waiting {
                if done.send(read_block(&lines, &mut batches, block)).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("jelly-read".to_owned()).spawn(work)?;
        Ok(Worker { blocks, read, thread })
    }
}

/// All rows of a block; what comes behind an error is not read.
fn read_block(lines: &Lines, batches: &mut RdfBatches, block: Block) -> Vec<Read> {
    let mut rows = lines.block::<RdfBatches>(block);
    let mut all = Vec::new();
    loop {
        let before = batches.text_bytes();
        let advanced = catch_panic(|| rows.advance(batches, &mut || Ok(())));
        let decoder = rows.decoder();
        let at = At { progress: decoder.progress(), consumed: decoder.consumed() };
        let text_bytes = batches.text_bytes() - before;
        if batches.rows() > 0 {
            all.push(Read { result: batches.take(), at, text_bytes });
        }
        match advanced {
            Ok(false) => {}
            Ok(true) => return all,
            Err(error) => {
                all.push(Read { result: Err(error), at, text_bytes: 0 });
                return all;
            }
        }
    }
}

#[cold]
fn gone() -> Error {
    Error::new(ErrorKind::Internal, "a thread that reads is gone")
}
