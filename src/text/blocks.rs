//! N-Triples and N-Quads in blocks of whole lines, each with what is counted before it.

use std::io::{self, Read};

use super::places::{Place, line_end};
use crate::error::Result;
use crate::io::rest;
use crate::reader::Poll;

/// Bytes of a block, and at most as many.
const LEAST: usize = 1 << 20;
const MOST: usize = 8 << 20;
/// Bytes read at a time.
const CHUNK: usize = 256 << 10;

/// Whole lines.
pub(crate) struct Block {
    pub(crate) bytes: Vec<u8>,
    /// Where they begin.
    pub(crate) start: Place,
    /// Where they end.
    pub(crate) end: Place,
}

/// Cuts a text into blocks.
pub(crate) struct Blocks {
    reader: Box<dyn Read + Send>,
    /// What was read and is in no block.
    held: Vec<u8>,
    /// What came behind that.
    failed: Option<io::Error>,
    ended: bool,
    start: Place,
    /// Blocks end behind a multiple of as many rows, if they find one.
    rows: u64,
}

impl Blocks {
    /// Of a text at its start.
    pub(crate) fn new(reader: Box<dyn Read + Send>, rows: usize) -> Self {
        let (held, start, rows) = (Vec::new(), Place::START, rows.max(1) as u64);
        Blocks { reader, held, failed: None, ended: false, start, rows }
    }

    /// The next block; `None`: what is left is read as it comes.
    pub(crate) fn next(&mut self, poll: Poll<'_>) -> Result<Option<Block>> {
        let (mut at, mut end) = (0, self.start);
        loop {
            while let Some((length, rows)) = line_end(&self.held[at..], end.offset == 0) {
                at += length;
                end.offset += length as u64;
                end.line += 1;
                end.counters.seq += rows;
                if at >= MOST || (at >= LEAST && rows > 0 && end.counters.seq.is_multiple_of(self.rows)) {
                    return Ok(Some(self.cut(at, end)));
                }
            }
            if self.held.len() >= MOST && at > 0 {
                return Ok(Some(self.cut(at, end)));
            }
            // no end of a line in so many bytes, or the end of all
            if self.held.len() >= MOST || !self.fill(poll)? {
                return Ok(None);
            }
        }
    }

    fn cut(&mut self, at: usize, end: Place) -> Block {
        let held = self.held[at..].to_vec();
        let mut bytes = std::mem::replace(&mut self.held, held);
        bytes.truncate(at);
        Block { bytes, start: std::mem::replace(&mut self.start, end), end }
    }

    /// Takes the block back that was given last.
    pub(crate) fn put_back(&mut self, block: Block) {
        self.start = block.start;
        self.held.splice(..0, block.bytes);
    }

    /// Reads more; `false`: there is no more, or an error.
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

    /// What is in no block, and where it begins.
    pub(crate) fn into_rest(self) -> (Box<dyn Read + Send>, Place) {
        (rest(self.held, self.failed, self.reader), self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_the_text_and_count_its_rows() {
        let row = |row: usize| format!("<u:{row:060}> <u:p> _:b .{}\n", ["", "\r", " # x"][row % 3]);
        let rows: String = (0..60_000).map(row).collect();
        let text = ["\u{feff}# a comment\n\r\n", &rows, &"x".repeat(9 << 20)].concat();
        let mut blocks = Blocks::new(Box::new(io::Cursor::new(text.clone())), 1000);
        let (mut found, mut places) = (Vec::new(), vec![Place::START]);
        while let Some(block) = blocks.next(&mut || Ok(())).unwrap() {
            assert_eq!(Some(&block.start), places.last());
            let (bytes, end) = (block.bytes.clone(), block.end);
            blocks.put_back(block);
            let block = blocks.next(&mut || Ok(())).unwrap().unwrap();
            assert!(block.bytes == bytes && block.end == end);
            found.extend_from_slice(&block.bytes);
            places.push(block.end);
        }
        let (mut rest, start) = blocks.into_rest();
        assert_eq!(Some(&start), places.last());
        assert_eq!(start.offset, found.len() as u64);
        rest.read_to_end(&mut found).unwrap();
        assert!(found == text.as_bytes());
        let counted: Vec<_> = places.iter().map(|place| (place.counters.seq, place.line)).collect();
        assert_eq!(counted[..3], [(0, 1), (14_000, 14_003), (28_000, 28_003)]);
        assert_eq!(*counted.last().unwrap(), (60_000, 60_003));
    }
}
