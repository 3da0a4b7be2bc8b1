//! Sync points of a stream: marks on frames at which reading can begin, and a footer that lists them.
//!
//! Every delimited stream begins with a mark, so that a reader of concatenated files detects where the next
//! file begins. Only a seekable stream has more marks and a footer.

use super::frame::metadata_entry;
use crate::restart::{Counters, FOOTER_KEY, Footer, MARK_KEY, Mark, Point};
use crate::wire::Buffer;

/// This many bytes of text count as one byte of Jelly: readers work per row, however well Jelly compresses
/// the rows.
const TEXT: u64 = 8;

/// The sync points so far.
#[derive(Debug)]
pub(crate) struct Restarts {
    /// Bytes between two sync points, or [`TEXT`] times as many bytes of text; `None`: the start is the only
    /// one, and there is no footer.
    every: Option<u64>,
    points: Vec<Point>,
    /// Bytes of text before the last sync point.
    text: u64,
    /// Whether the next frame is a sync point.
    due: bool,
}

impl Restarts {
    /// Makes the first frame a sync point, and the first frame after each `every` bytes, or [`TEXT`] times as
    /// many bytes of text.
    pub(crate) fn new(every: Option<u64>) -> Self {
        Restarts { every, points: Vec::new(), text: 0, due: true }
    }

    /// Marks the frame that begins at `offset`, after `text` bytes of text, if a sync point is due.
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

    /// Whether a frame that begins at `offset`, after `text` bytes of text, is far enough from the last sync
    /// point.
    pub(crate) fn is_due(&self, offset: u64, text: u64) -> bool {
        let last = self.points.last().map_or(0, |last| last.offset);
        self.every.is_some_and(|every| {
            self.points.is_empty() || offset - last >= every || text - self.text >= every.saturating_mul(TEXT)
        })
    }

    /// Whether the stream gets a footer that lists them.
    pub(crate) fn have_footer(&self) -> bool {
        self.every.is_some()
    }

    /// Makes the next frame a sync point.
    pub(crate) fn request(&mut self) {
        self.due = true;
    }

    /// Offsets of the sync points of a seekable stream.
    pub(crate) fn offsets(&self) -> impl Iterator<Item = u64> {
        self.points.iter().filter(|_| self.have_footer()).map(|point| point.offset)
    }

    /// The footer of a stream with this length and these counters, as the last field of its last frame.
    pub(crate) fn footer(&self, end: Counters, length: u64) -> Vec<u8> {
        let footer = Footer { points: self.points.clone(), end, length };
        let mut out = Buffer::default();
        metadata_entry(&mut out, FOOTER_KEY, &footer.encode());
        out.as_bytes().to_vec()
    }
}

/// The metadata of a decoded frame that is kept when the frame is written again.
pub(crate) fn kept_metadata(metadata: &[(String, Vec<u8>)]) -> Vec<(String, Vec<u8>)> {
    metadata.iter().filter(|(key, _)| !is_ours(key)).cloned().collect()
}

/// Whether this library writes metadata with this key itself.
pub(crate) fn is_ours(key: &str) -> bool {
    matches!(key, MARK_KEY | FOOTER_KEY)
}
