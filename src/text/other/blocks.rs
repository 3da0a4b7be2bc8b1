//! Reads a document in blocks, as its bytes are consumed.

use std::io::{self, Read};

/// Bytes that are read at once.
pub(super) const BLOCK: usize = 64 << 10;

/// The bytes of a document that were read but not consumed.
pub(super) struct Blocks {
    inner: Box<dyn Read + Send>,
    raw: Vec<u8>,
    /// Number of bytes that were consumed.
    at: usize,
    ended: bool,
}

impl Blocks {
    pub(super) fn new(inner: Box<dyn Read + Send>) -> Self {
        Blocks { inner, raw: Vec::new(), at: 0, ended: false }
    }

    /// The bytes that were not consumed.
    pub(super) fn rest(&self) -> &[u8] {
        &self.raw[self.at..]
    }

    /// Consumes the first bytes.
    pub(super) fn take(&mut self, bytes: usize) -> &[u8] {
        self.at += bytes;
        &self.raw[self.at - bytes..self.at]
    }

    /// Whether the document has ended.
    pub(super) fn is_ended(&self) -> bool {
        self.ended
    }

    /// Reads more bytes after those that were not consumed.
    pub(super) fn fill(&mut self) -> io::Result<()> {
        self.raw.drain(..self.at);
        self.at = 0;
        let old = self.raw.len();
        // twice as many each time, or a long token would be read too often
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
