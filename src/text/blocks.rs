//! Divides N-Triples and N-Quads into blocks of whole lines.

use std::io::{self, Read};
use std::sync::Arc;

use memchr::{memchr_iter, memrchr};

use crate::error::Result;
use crate::io::rest;
use crate::reader::Poll;

/// Size of a block in bytes, and of the longest line in a block.
const LEAST: usize = 1 << 20;
const MOST: usize = 8 << 20;
/// Bytes read at a time.
const CHUNK: usize = 256 << 10;

/// A block of whole lines.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) bytes: Arc<Vec<u8>>,
    /// The offset of its first byte in the source.
    pub(crate) offset: u64,
    /// Its number of line ends, once they are counted.
    pub(crate) lines: u64,
}

/// Divides a text into blocks.
pub(crate) struct Blocks {
    reader: Box<dyn Read + Send>,
    /// The bytes that were read and are not in a block.
    held: Vec<u8>,
    /// The memory of blocks that were read.
    idle: Vec<Vec<u8>>,
    /// The error after these bytes.
    failed: Option<io::Error>,
    ended: bool,
    offset: u64,
}

impl Block {
    /// Counts the lines of the block.
    pub(crate) fn count(&mut self) {
        self.lines = memchr_iter(b'\n', &self.bytes).count() as u64;
    }
}

impl Blocks {
    /// Creates the blocks of a text at its start.
    pub(crate) fn new(reader: Box<dyn Read + Send>) -> Self {
        Blocks { reader, held: Vec::new(), idle: Vec::new(), failed: None, ended: false, offset: 0 }
    }

    /// The next block; in the last block, the last line may lack its end. `None`: there is no more block, a
    /// line is too long, or an error occurred.
    pub(crate) fn next(&mut self, poll: Poll<'_>) -> Result<Option<Block>> {
        // the last line ends after this place
        let mut from = 0;
        loop {
            let end = memrchr(b'\n', &self.held[from..]).map(|at| from + at + 1);
            match end {
                Some(end) if self.held.len() >= LEAST => return Ok(Some(self.cut(end))),
                Some(_) => {}
                None => from = self.held.len(),
            }
            if self.held.len() >= MOST {
                return Ok(None);
            }
            if !self.fill(poll)? {
                let all = self.held.len();
                return Ok((self.ended && all > 0).then(|| self.cut(all)));
            }
        }
    }

    fn cut(&mut self, at: usize) -> Block {
        let mut held = self.idle.pop().unwrap_or_default();
        held.extend_from_slice(&self.held[at..]);
        let mut bytes = std::mem::replace(&mut self.held, held);
        bytes.truncate(at);
        let offset = self.offset;
        self.offset += at as u64;
        Block { bytes: Arc::new(bytes), offset, lines: 0 }
    }

    /// Takes back the memory of a block that was read.
    pub(crate) fn recycle(&mut self, block: Block) {
        if let Some(mut bytes) = Arc::into_inner(block.bytes) {
            bytes.clear();
            self.idle.push(bytes);
        }
    }

    /// Reads more; `false`: the source has ended, or an error occurred.
    fn fill(&mut self, poll: Poll<'_>) -> Result<bool> {
        poll()?;
        if self.ended || self.failed.is_some() {
            return Ok(false);
        }
        self.held.reserve(CHUNK);
        match (&mut self.reader).take(CHUNK as u64).read_to_end(&mut self.held) {
            Ok(0) => self.ended = true,
            Ok(_) => {}
            Err(error) => self.failed = Some(error),
        }
        Ok(!self.ended)
    }

    /// Closes the source.
    pub(crate) fn close(&mut self) {
        self.reader = Box::new(io::empty());
        self.held = Vec::new();
    }

    /// The text from the first of these blocks on, which must be the last ones returned; `None`: nothing is
    /// left.
    pub(crate) fn rest(&mut self, unread: &[Block]) -> Option<Box<dyn Read + Send>> {
        let mut bytes: Vec<u8> = unread.iter().flat_map(|block| &**block.bytes).copied().collect();
        bytes.append(&mut self.held);
        let failed = self.failed.take();
        if self.ended && bytes.is_empty() && failed.is_none() {
            return None;
        }
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        Some(rest(bytes, failed, reader))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> String {
        let row = |row: usize| format!("<u:{row:060}> <u:p> _:b .{}\n", ["", "\r", " # x"][row % 3]);
        let rows: String = (0..60_000).map(row).collect();
        ["\u{feff}# a comment\n\r\n", &rows].concat()
    }

    #[test]
    fn blocks_and_the_rest_are_the_text() {
        for (end, most) in [("", 5), ("<u:s> <u:p> <u:o> .", 6), (&*"x".repeat(9 << 20), 5)] {
            let text = text() + end;
            let mut blocks = Blocks::new(Box::new(io::Cursor::new(text.clone())));
            let (mut found, mut lines, mut count) = (Vec::new(), 0, 0);
            while let Some(mut block) = blocks.next(&mut || Ok(())).unwrap() {
                block.count();
                assert_eq!(block.offset, found.len() as u64);
                found.extend_from_slice(&block.bytes);
                lines += block.lines;
                count += 1;
                blocks.recycle(block);
            }
            assert!((4..=most).contains(&count), "{count}");
            assert_eq!(lines, 60_002);
            let rest = blocks.rest(&[]);
            assert_eq!(rest.is_some(), end.len() > 1 << 20);
            rest.map(|mut rest| rest.read_to_end(&mut found).unwrap());
            assert!(found == text.as_bytes());
        }
    }

    #[test]
    fn blocks_that_nobody_read_are_in_the_rest() {
        let text = text();
        let mut blocks = Blocks::new(Box::new(io::Cursor::new(text.clone())));
        let mut next = || blocks.next(&mut || Ok(())).unwrap().unwrap();
        let (first, unread) = (next(), [next(), next()]);
        let mut found = first.bytes.to_vec();
        blocks.rest(&unread).unwrap().read_to_end(&mut found).unwrap();
        assert!(found == text.as_bytes());
    }

    #[test]
    fn blocks_lie_where_others_did_that_were_read() {
        let text = "<u:s> <u:p> <u:o> .\n".repeat(1 << 19);
        let mut blocks = Blocks::new(Box::new(io::Cursor::new(text)));
        let mut held = std::collections::VecDeque::new();
        let (mut count, mut places) = (0, std::collections::HashSet::new());
        while let Some(block) = blocks.next(&mut || Ok(())).unwrap() {
            count += 1;
            places.insert(block.bytes.as_ptr());
            held.push_back(block);
            if held.len() == 3 {
                blocks.recycle(held.pop_front().unwrap());
            }
        }
        assert!(count >= 9 && places.len() <= 5, "{count} blocks at {} places", places.len());
    }
}
