//! A document in blocks, as far as somebody takes what was read.

use std::io::{self, Read};

/// Bytes that are read at once.
pub(super) const BLOCK: usize = 64 << 10;

/// What was read of a document and not taken yet.
pub(super) struct Blocks {
    inner: Box<dyn Read + Send>,
    raw: Vec<u8>,
    /// Bytes that were taken.
    at: usize,
    ended: bool,
}

impl Blocks {
    pub(super) fn new(inner: Box<dyn Read + Send>) -> Self {
        Blocks { inner, raw: Vec::new(), at: 0, ended: false }
    }

    /// What was not taken.
    pub(super) fn rest(&self) -> &[u8] {
        &self.raw[self.at..]
    }

    /// Takes the first bytes.
    pub(super) fn take(&mut self, bytes: usize) -> &[u8] {
        self.at += bytes;
        &self.raw[self.at - bytes..self.at]
    }

    /// Whether no more will come.
    pub(super) fn is_ended(&self) -> bool {
        self.ended
    }

    /// Reads more behind what was not taken.
    pub(super) fn fill(&mut self) -> io::Result<()> {
        self.raw.drain(..self.at);
        self.at = 0;
        let old = self.raw.len();
        // twice as much each time, or a long token would be looked at too often
        self.raw.resize(old + old.max(BLOCK), 0);
        let read = loop {
            match self.inner.read(&mut self.raw[old..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.raw.truncate(old + *read.as_ref().unwrap_or(&0));
        self.ended = read? == 0;
        Ok(())
    }
}
