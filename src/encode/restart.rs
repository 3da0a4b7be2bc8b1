//! Restart points of a stream: marks on frames that begin again, and a footer that lists them.
//!
//! Every delimited stream begins with a mark, so that a reader of files that were put end to end sees where the next
//! file begins. Only a seekable stream has more marks, and a footer.

use super::frame::metadata_entry;
use crate::restart::{Counters, FOOTER_KEY, Footer, MARK_KEY, Mark, Point};
use crate::wire::Buffer;

/// So many bytes of text count as one byte of Jelly: the work of readers is the rows, however well Jelly packs them.
const TEXT: u64 = 8;

/// The sync points so far.
#[derive(Debug)]
pub(crate) struct Restarts {
    /// Bytes between two, or [`TEXT`] times as many bytes of text; `None`: the start is the only one, and no footer
    /// comes.
    every: Option<u64>,
    points: Vec<Point>,
    /// Bytes of text before the last one.
    text: u64,
    /// The next frame is one.
    due: bool,
}

impl Restarts {
    /// The first frame is a sync point, and the first frame after each so many bytes, or [`TEXT`] times as many
    /// bytes of text.
    pub(crate) fn new(every: Option<u64>) -> Self {
        Restarts { every, points: Vec::new(), text: 0, due: true }
    }

    /// Marks the frame that begins at `offset`, after so many bytes of text, if it is to be marked.
    pub(crate) fn mark(&mut self, offset: u64, text: u64, counters: Counters, head: &mut Buffer) -> bool {
        if !self.due {
            return false;
        }
        self.due = false;
        let mark = Mark { ordinal: self.points.len() as u64, counters, footer: self.have_footer() };
        metadata_entry(head, MARK_KEY, &mark.encode());
        self.points.push(Point { offset, counters });
        self.text = text;
        true
    }

    /// Whether a frame that begins at `offset`, after so many bytes of text, is far enough from the last point.
    pub(crate) fn is_due(&self, offset: u64, text: u64) -> bool {
        let last = self.points.last().map_or(0, |last| last.offset);
        self.every.is_some_and(|every| {
            self.points.is_empty() || offset - last >= every || text - self.text >= every.saturating_mul(TEXT)
        })
    }

    /// A footer will list them.
    pub(crate) fn have_footer(&self) -> bool {
        self.every.is_some()
    }

    /// The next frame is a sync point.
    pub(crate) fn request(&mut self) {
        self.due = true;
    }

    /// Offsets of the points of a seekable stream.
    pub(crate) fn offsets(&self) -> impl Iterator<Item = u64> {
        self.points.iter().filter(|_| self.have_footer()).map(|point| point.offset)
    }

    /// The footer of a stream of so many bytes that holds so much, as the last field of its last frame.
    pub(crate) fn footer(&self, end: Counters, length: u64) -> Vec<u8> {
        let footer = Footer { points: self.points.clone(), end, length };
        let mut out = Buffer::default();
        metadata_entry(&mut out, FOOTER_KEY, &footer.encode());
        out.as_bytes().to_vec()
    }
}

/// The metadata of a frame of others that is kept in a frame written again.
pub(crate) fn kept_metadata(metadata: &[(String, Vec<u8>)]) -> Vec<(String, Vec<u8>)> {
    metadata.iter().filter(|(key, _)| !is_ours(key)).cloned().collect()
}

/// Whether this library writes metadata of this key itself.
pub(crate) fn is_ours(key: &str) -> bool {
    matches!(key, MARK_KEY | FOOTER_KEY)
}
