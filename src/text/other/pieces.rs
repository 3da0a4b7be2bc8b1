//! Reads JSON-LD in pieces, because the library's parser holds all statements of its input in memory.
//!
//! If a document is an array, or an object of `@context`, `@id` and `@graph` in which `@graph` comes last,
//! the parser gets its nodes in pieces. It gets any other document as a whole, if the document is small
//! enough.

use std::io::{Cursor, Read};

use oxrdf::Quad;
use oxrdfio::{JsonLdProfileSet, RdfFormat, RdfParseError, RdfParser, ReaderQuadParser};

use super::blocks::Blocks;
use super::json::{Cost, Found, JsonScan, Token};
use super::labels::too_many;
use super::tags::{Shifts, Tags};
use super::work::Work;
use super::written::Written;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// A parser of one piece.
pub(super) type Parser = ReaderQuadParser<Cursor<Vec<u8>>>;

/// A 0-based place in the document or in a piece.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) line: u64,
    pub(super) column: u64,
}

impl Place {
    pub(super) fn step(&mut self, text: &[u8]) {
        self.offset += text.len() as u64;
        let mut rest = text;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            rest = &rest[end + 1..];
            self.line += 1;
            self.column = 0;
        }
        self.column += rest.iter().filter(|b| **b & 0xC0 != 0x80).count() as u64;
    }
}

/// The text at the start and end of all pieces, on separate lines.
struct Frame {
    head: Vec<u8>,
    tail: &'static [u8],
    shifts: Shifts,
    cost: Cost,
    /// The place of the nodes in a piece, and their depth.
    place: Place,
    depth: usize,
    closed: bool,
}

/// A piece that is prepared for the parser.
struct Piece {
    text: Vec<u8>,
    shifts: Shifts,
    /// The place of its nodes in the document.
    start: Place,
    /// Number of bytes up to the end of the last complete node.
    whole: usize,
    /// Number of bytes of the document in the piece.
    read: usize,
}

/// A document in JSON-LD.
pub(super) struct Pieces {
    input: Blocks,
    scan: JsonScan,
    place: Place,
    frame: Option<Frame>,
    /// Whether the nodes can still be read in pieces.
    fits: bool,
    piece: Piece,
    /// Whether the last piece ended here, without another token.
    cut: bool,
    /// Number of pieces that were parsed, and whether there are no more.
    parses: usize,
    last: bool,
    parser: Option<Parser>,
    parsed: (Shifts, Place),
    failed: Option<Error>,
    work: Work,
    most: usize,
    written: Written,
}

impl Pieces {
    pub(super) fn new(input: Box<dyn Read + Send>, limits: &Limits, tags: Tags, written: Written) -> Self {
        let piece =
            Piece { text: Vec::new(), shifts: Shifts::default(), start: Place::default(), whole: 0, read: 0 };
        Pieces {
            input: Blocks::new(input),
            scan: JsonScan::new(limits, tags, written.clone()),
            place: Place::default(),
            frame: None,
            fits: true,
            piece,
            cut: false,
            parses: 0,
            last: false,
            parser: None,
            parsed: (Shifts::default(), Place::default()),
            failed: None,
            work: Work::new(limits),
            most: limits.lookup_bytes.saturating_mul(3),
            written,
        }
    }

    /// The parser of the current piece.
    pub(super) fn parser(&self) -> Option<&Parser> {
        self.parser.as_ref()
    }

    /// The next statement; the outer error is from this crate.
    pub(super) fn next(&mut self) -> Result<Option<Result<Quad, RdfParseError>>> {
        loop {
            if let Some(quad) = self.parser.as_mut().and_then(Iterator::next) {
                return Ok(Some(quad));
            }
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            if self.last {
                return Ok(None);
            }
            if let Err(error) = self.read_piece() {
                // the nodes before it come first
                self.last = true;
                self.piece.text.truncate(self.piece.whole);
                if self.piece.whole == 0 {
                    return Err(error);
                }
                self.failed = Some(error);
                self.parse(true)?;
            }
        }
    }

    /// Converts a place in the piece to a place in the document.
    pub(super) fn undo(&self, place: Place) -> Place {
        let (shifts, start) = &self.parsed;
        let (offset, column) = shifts.undo(place.offset, place.line, place.column);
        let Some(frame) = self.frame.as_ref().filter(|frame| offset >= frame.place.offset) else {
            return Place { offset, column, ..place };
        };
        Place {
            offset: offset - frame.place.offset + start.offset,
            line: place.line - frame.place.line.min(place.line) + start.line,
            column: column + if place.line == frame.place.line { start.column } else { 0 },
        }
    }

    /// Reads to the end of a piece and begins to parse it.
    fn read_piece(&mut self) -> Result<()> {
        loop {
            let (rest, ended) = (self.input.rest(), self.input.is_ended());
            let found = if rest.is_empty() { None } else { self.scan.token(rest, ended)? };
            let Some(found) = found else {
                if ended {
                    self.last = true;
                    return self.parse(false);
                }
                self.input.fill()?;
                continue;
            };
            if self.take(found)? {
                return self.parse(true);
            }
            if self.scan.cost.bytes > self.most {
                return Err(too_many("statements of JSON-LD that come together,", self.most));
            }
        }
    }

    /// Adds a token to the piece; returns whether the piece ends before the token, which is then a comma.
    fn take(&mut self, found: Found) -> Result<bool> {
        let text = self.input.take(found.length);
        self.piece.read += found.length;
        let depth = self.scan.depth();
        let mut ends = false;
        if let Some(frame) = &mut self.frame {
            match found.token {
                Token::Comma if depth == frame.depth => {
                    self.piece.whole = self.piece.text.len();
                    let enough = (self.most / 12).max(8 * frame.cost.bytes).min(self.most / 2);
                    ends = self.scan.cost.bytes >= enough;
                }
                Token::Close if depth + 1 == frame.depth => {
                    frame.closed = true;
                    if self.cut {
                        // a comma before a bracket, which the parser must reject
                        self.piece.text.push(b',');
                    }
                }
                Token::Comma if frame.closed && self.parses > 0 => {
                    let message = format!(
                        "@graph must be the last key if a JSON-LD document makes more than {} bytes of statements",
                        self.most / 12
                    );
                    return Err(Error::limit(ErrorKind::LimitLookup, "lookup_bytes", message));
                }
                _ => {}
            }
        }
        if ends {
            self.place.step(text);
            return Ok(true);
        }
        self.cut &= found.token == Token::Space;
        match &found.stand_in {
            Some(tag) => {
                self.piece.text.push(b'"');
                self.piece.text.extend_from_slice(tag.as_bytes());
                let end = self.piece.text.len() as u64;
                let longer = tag.len() as i64 + 2 - found.length as i64;
                let nodes = self.frame.as_ref().map_or(0, |frame| frame.place.line);
                self.piece.shifts.add(end, self.place.line - self.piece.start.line + nodes, longer);
                self.piece.text.push(b'"');
            }
            None => self.piece.text.extend_from_slice(text),
        }
        self.place.step(text);
        let is_array = text == b"[";
        if self.fits && self.frame.is_none() {
            self.frame(found.token, depth, is_array);
        }
        Ok(false)
    }

    /// Checks whether the nodes begin after this token.
    fn frame(&mut self, token: Token, depth: usize, is_array: bool) {
        let tail: &'static [u8] = match (token, depth) {
            (Token::Open, 1) if is_array => b"]",
            (Token::Open, 2) if is_array && self.scan.key() == b"@graph" => b"]}",
            (Token::Key, 1) => {
                self.fits = matches!(self.scan.key(), b"@context" | b"@id" | b"@graph");
                return;
            }
            _ => return,
        };
        self.piece.text.push(b'\n');
        self.piece.start = self.place;
        let mut place = self.place;
        place.step(b"\n");
        self.frame = Some(Frame {
            head: self.piece.text.clone(),
            tail,
            shifts: self.piece.shifts.fork(),
            cost: self.scan.cost.clone(),
            place,
            depth,
            closed: false,
        });
    }

    /// Parses the piece and begins the next one.
    fn parse(&mut self, cut: bool) -> Result<()> {
        self.work.add(self.scan.cost.bytes, self.piece.read)?;
        self.parsed = (self.piece.shifts.clone(), self.piece.start);
        let mut text = std::mem::take(&mut self.piece.text);
        if let Some(frame) = self.frame.as_ref().filter(|_| cut) {
            text.extend_from_slice(frame.tail);
            self.scan.cost = frame.cost.clone();
            self.piece = Piece {
                text: frame.head.clone(),
                shifts: frame.shifts.fork(),
                start: self.place,
                whole: 0,
                read: 0,
            };
        }
        self.cut = cut;
        self.parses += 1;
        let format = RdfFormat::JsonLd { profile: JsonLdProfileSet::empty() };
        let parser = RdfParser::from_format(format)
            .with_base_iri(self.written.base())
            .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
        self.parser = Some(parser.for_reader(Cursor::new(text)));
        Ok(())
    }
}
