//! Checks the input of the libraries' parsers before they read it, because they have no limits of their own.

use std::io::{self, Read};

use super::blocks::{BLOCK, Blocks};
use crate::error::{Error, ErrorKind, Result};

/// Checks a document before the parser reads it.
pub(super) trait Guard {
    /// Passes on the part of `input` that the parser may have, and returns the length of that part.
    ///
    /// The rest is passed again, with more bytes after it. `last` means that no more will come. An error is
    /// returned after everything before its place was passed on.
    fn pass(&mut self, input: &[u8], last: bool, out: &mut Vec<u8>) -> Result<usize>;
}

/// A reader of the bytes that a guard passes on.
pub(super) struct Guarded<G> {
    input: Blocks,
    guard: G,
    out: Vec<u8>,
    at: usize,
    /// Maximum size of a piece that the guard may request at once.
    most: usize,
    failed: Option<io::Error>,
}

/// The error for a token longer than `most` bytes.
pub(super) fn token_too_long(most: usize) -> Error {
    Error::limit(ErrorKind::LimitTerm, "term_bytes", format!("a token of more than {most} bytes"))
}

impl<G: Guard> Guarded<G> {
    pub(super) fn new(inner: Box<dyn Read + Send>, guard: G, most: usize) -> Self {
        let most = most.max(BLOCK);
        Guarded { input: Blocks::new(inner), guard, out: Vec::new(), at: 0, most, failed: None }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.out.clear();
        self.at = 0;
        self.input.fill()?;
        let taken = self.guard.pass(self.input.rest(), self.input.is_ended(), &mut self.out);
        self.input.take(taken.map_err(io::Error::other)?);
        if self.input.rest().len() > self.most {
            return Err(io::Error::other(token_too_long(self.most)));
        }
        Ok(())
    }
}

impl<G: Guard> Read for Guarded<G> {
    /// Fills a large buffer completely, because the parsers read a long token again whenever more of it
    /// arrives.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut done = 0;
        while done < buffer.len() {
            let ready = &self.out[self.at..];
            if !ready.is_empty() {
                let n = ready.len().min(buffer.len() - done);
                buffer[done..done + n].copy_from_slice(&ready[..n]);
                self.at += n;
                done += n;
            } else if done > 0 && (buffer.len() <= BLOCK || self.failed.is_some()) {
                break;
            } else if let Some(error) = self.failed.take() {
                return Err(error);
            } else if self.input.is_ended() {
                break;
            } else {
                self.failed = self.fill().err();
            }
        }
        Ok(done)
    }
}
