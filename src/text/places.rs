//! Finds the places where text can be entered: the starts of lines at which a row can begin, with the
//! counters there.
//!
//! This takes one pass over the bytes. In N-Triples and N-Quads a row is a line, so only line ends and first
//! bytes are checked. Rows of RDF Patch consist of tokens: a line that is clearly one `A` or `D` is skipped
//! by the ends of its terms, and the reader itself reads every other row, so that only one place defines what
//! a row is.

use std::io::{ErrorKind as IoKind, Read};

use memchr::{memchr, memchr2};

use super::rdf_patch::{PatchDialect, RdfPatch};
use super::rows::{MARK, TextRows};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::limits::Limits;
use crate::reader::Poll;
use crate::restart::Counters;
use crate::rows::{RowFormat, Step};
use crate::scan::is_tag_byte;
use crate::sink::{PatchRow, PatchSink, Sink};

/// Number of bytes at the start of a part of text that must still be the same.
pub(crate) const HEAD: usize = 64;

/// The start of a line between two rows, and the counters before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    /// 1-based line.
    pub(crate) line: u64,
    pub(crate) counters: Counters,
    /// Whether the patch has rows other than `H`.
    pub(crate) has_changes: bool,
}

impl Place {
    /// The start of a stream.
    pub(crate) const START: Place = Place {
        offset: 0,
        line: 1,
        counters: Counters { seq: 0, frame: 0, patch: 0, txns: 0, in_transaction: false, has_rows: false },
        has_changes: false,
    };
}

/// The kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// N-Triples or N-Quads.
    Lines,
    /// RDF Patch, except v1, where a row may need the previous one.
    Patch,
}

/// Bytes read at a time.
const CHUNK: usize = 256 << 10;
/// Bytes that a row may have beyond its limit while it is read.
const PIECE: usize = 4 << 10;

/// A pass over a text from its start.
pub(crate) struct Places {
    reader: Box<dyn Read + Send>,
    rows: Rows,
    buffer: Vec<u8>,
    /// The current index in the buffer, and the end of the data in the buffer.
    at: usize,
    filled: usize,
    /// Offset in the stream of the first byte in the buffer.
    base: u64,
    ended: bool,
    /// Whether the current place starts a line, and the bytes before it decide all rows before it.
    is_place: bool,
    /// Number of bytes from the current place on that do not end the row there.
    look: usize,
    most: usize,
}

enum Rows {
    Lines { line: u64, seq: u64 },
    Patch(Box<TextRows<RdfPatch>>),
}

impl Places {
    /// Creates a pass over a stream from its start.
    pub(crate) fn new(reader: Box<dyn Read + Send>, kind: TextKind, limits: &Limits) -> Self {
        let rows = match kind {
            TextKind::Lines => Rows::Lines { line: 1, seq: 0 },
            // only the reader rejects rows that other options forbid
            TextKind::Patch => Rows::Patch(Box::new(TextRows::patch(PatchDialect::Any, false, limits))),
        };
        let most = limits.row_bytes.saturating_add(PIECE);
        Places {
            reader,
            rows,
            buffer: Vec::new(),
            at: 0,
            filled: 0,
            base: 0,
            ended: false,
            is_place: true,
            look: 0,
            most,
        }
    }

    /// The first place at or after byte `least`, and not before the places already returned.
    ///
    /// `None`: there is none before the end of the input, which is not a place. `whole_patches`: only places
    /// at which a patch begins. Returns an error if rows cannot be separated from there on; a reader reports
    /// the same error.
    pub(crate) fn next(&mut self, least: u64, whole_patches: bool, poll: Poll<'_>) -> Result<Option<Place>> {
        loop {
            if self.at == self.filled && !self.fill(poll)? {
                return Ok(None);
            }
            if self.is_place && self.base + self.at as u64 >= least {
                // needs the whole word at the start of the line
                while whole_patches && self.filled - self.at < 2 && self.fill(poll)? {}
                if !whole_patches || self.begins_patch() {
                    return Ok(Some(self.place()));
                }
            }
            let walked = match self.rows {
                Rows::Lines { .. } => self.pass_line(),
                Rows::Patch(_) => self.pass_rows()?,
            };
            if !walked && !self.fill(poll)? {
                return Ok(None);
            }
        }
    }

    /// The checksum of the bytes at the last place returned, or at the start.
    pub(crate) fn checksum(&mut self, poll: Poll<'_>) -> Result<u32> {
        while self.filled - self.at < HEAD && self.fill(poll)? {}
        let head = &self.rest()[..HEAD.min(self.filled - self.at)];
        Ok(crc32c::crc32c(head))
    }

    fn place(&self) -> Place {
        let (line, (counters, has_changes)) = match &self.rows {
            Rows::Lines { line, seq } => (*line, (Counters { seq: *seq, ..Counters::default() }, false)),
            Rows::Patch(rows) => (rows.line(), rows.grammar().numbering().counters()),
        };
        Place { offset: self.base + self.at as u64, line, counters, has_changes }
    }

    /// Whether the rows before this place are complete patches.
    fn begins_patch(&self) -> bool {
        let Place { counters, has_changes, .. } = self.place();
        let is_header = || matches!(self.rest(), [b'H', b' ' | b'\t', ..]);
        !counters.in_transaction && (!counters.has_rows || has_changes && is_header())
    }

    fn rest(&self) -> &[u8] {
        &self.buffer[self.at..self.filled]
    }

    /// Reads more bytes; `false`: the source has ended.
    fn fill(&mut self, poll: Poll<'_>) -> Result<bool> {
        poll()?;
        if self.ended {
            return Ok(false);
        }
        if self.at > 0 {
            self.buffer.copy_within(self.at..self.filled, 0);
            self.base += self.at as u64;
            (self.at, self.filled) = (0, self.filled - self.at);
        }
        if self.filled > self.most {
            let message = "a row or a line is longer than its limit";
            let error = Error::limit(ErrorKind::LimitRow, "row_bytes", message);
            return Err(error.located(&Position { offset: Some(self.base), ..Position::default() }));
        }
        if self.filled == self.buffer.len() {
            self.buffer.resize((self.filled * 2).max(CHUNK), 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Err(error) if error.kind() == IoKind::Interrupted => poll()?,
                Err(error) => return Err(error.into()),
                Ok(0) => {
                    self.ended = true;
                    return Ok(false);
                }
                Ok(read) => {
                    self.filled += read;
                    return Ok(true);
                }
            }
        }
    }

    /// Skips a line of N-Triples or N-Quads; `false`: it is incomplete.
    fn pass_line(&mut self) -> bool {
        let bytes = &self.buffer[self.at..self.filled];
        let is_start = self.base + self.at as u64 == 0;
        let Rows::Lines { line, seq } = &mut self.rows else { return false };
        let Some((length, rows)) = line_end(bytes, is_start) else { return false };
        self.at += length;
        *line += 1;
        *seq += rows;
        true
    }

    /// Skips a line of RDF Patch, or several that rows share; `false`: more bytes are needed.
    fn pass_rows(&mut self) -> Result<bool> {
        let bytes = &self.buffer[self.at..self.filled];
        let Rows::Patch(rows) = &mut self.rows else { return Ok(false) };
        let Some(length) = bytes.get(self.look..).and_then(|bytes| memchr(b'\n', bytes)) else {
            return Ok(false);
        };
        let end = self.look + length + 1;
        if self.is_place && is_plain_change(&bytes[..end - 1]) {
            rows.pass_line().pass_change();
            self.at += end;
            return Ok(true);
        }
        let offset = self.base + self.at as u64;
        let mut done = 0;
        while done < end {
            match rows.row(&bytes[done..end], offset + done as u64, false, &mut Nothing)? {
                Step::Taken(taken) => done += taken,
                Step::Short => break,
            }
        }
        // a row can continue over any number of lines: more are read each time, or long rows would take
        // forever
        let left = end - done;
        self.look = left + left / 8;
        if left == 0 {
            self.look = 0;
        }
        self.is_place = left == 0;
        self.at += done;
        Ok(true)
    }
}

/// Size of the line of N-Triples or N-Quads that begins here, including its end, and its number of rows;
/// `None`: it is incomplete.
#[inline]
pub(super) fn line_end(bytes: &[u8], is_start: bool) -> Option<(usize, u64)> {
    let (mut from, mut rows) = (if is_start && bytes.starts_with(MARK) { MARK.len() } else { 0 }, 0);
    loop {
        let end = from + memchr2(b'\n', b'\r', &bytes[from..])?;
        rows += u64::from(has_row(&bytes[from..end]));
        from = end + 1;
        if bytes[end] == b'\n' {
            return Some((from, rows));
        }
    }
}

/// Whether a line of N-Triples or N-Quads has a statement, or an invalid one.
#[inline(always)]
fn has_row(line: &[u8]) -> bool {
    match line.first() {
        // no term begins with V, but a VERSION does
        None | Some(b'#' | b'V') => false,
        Some(b' ' | b'\t') => line.trim_ascii_start().first().is_some_and(|byte| !b"#V".contains(byte)),
        Some(_) => true,
    }
}

/// Whether a line is one `A` or `D` row, judged by the ends of its terms; if it is not, reading it fails.
///
/// Returns false for rare forms.
#[inline]
fn is_plain_change(line: &[u8]) -> bool {
    let [b'A' | b'D', b' ' | b'<', ..] = line else { return false };
    let mut at = 1;
    for place in 0..5 {
        while let Some(b' ') = line.get(at) {
            at += 1;
        }
        let rest = line.get(at..).unwrap_or_default();
        let length = match rest {
            [b'.', end @ ..] => return place >= 3 && end.iter().all(|byte| matches!(byte, b' ' | b'\r')),
            [b'<', next, ..] if *next != b'<' => match memchr(b'>', rest) {
                Some(end) => end + 1,
                None => return false,
            },
            [b'_', b':', label @ ..] => {
                let is_label = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte == b'-';
                2 + label.iter().take_while(is_label).count()
            }
            [b'"', ..] => match literal(rest) {
                Some(length) => length,
                None => return false,
            },
            _ => return false,
        };
        if place == 4 {
            return false;
        }
        at += length;
    }
    false
}

/// Size of the literal that begins here, if it is on one line.
#[inline]
fn literal(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr2(b'"', b'\\', &text[at..])?;
        if text[at] == b'"' {
            break;
        }
        at += 2;
        if at > text.len() {
            return None;
        }
    }
    at += 1;
    match text.get(at..)? {
        [b'"', ..] => None, // a long string
        [b'@', tag @ ..] => Some(at + 1 + tag.iter().take_while(|&&byte| is_tag_byte(byte)).count()),
        [b'^', b'^', b'<', iri @ ..] => Some(at + 3 + memchr(b'>', iri)? + 1),
        _ => Some(at),
    }
}

/// A sink that ignores all rows.
struct Nothing;

impl Sink for Nothing {}

impl PatchSink for Nothing {
    fn row(&mut self, _: &PatchRow<'_>) -> Result<()> {
        Ok(())
    }
}
