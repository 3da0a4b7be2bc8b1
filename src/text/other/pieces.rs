//! JSON-LD in pieces: the parser of the library holds all statements of what it is given.
//!
//! The nodes of a document that is an array, or an object of `@context`, `@id` and `@graph` in which `@graph`
//! comes last, are given to it some at a time; any other document whole, if that is small enough.

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

/// A place in the document or in a piece, from 0.
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

/// What all pieces begin and end with, each of its own line.
struct Frame {
    head: Vec<u8>,
    tail: &'static [u8],
    shifts: Shifts,
    cost: Cost,
    /// Where the nodes begin in a piece, and how deep they are.
    place: Place,
    depth: usize,
    closed: bool,
}

/// A piece on its way to the parser.
struct Piece {
    text: Vec<u8>,
    shifts: Shifts,
    /// Where its nodes begin in the document.
    start: Place,
    /// Bytes up to the end of its last node that was seen whole.
    whole: usize,
    /// Bytes of the document in it.
    read: usize,
}

/// A document in JSON-LD.
pub(super) struct Pieces {
    input: Blocks,
    scan: JsonScan,
    place: Place,
    frame: Option<Frame>,
    /// Nothing was seen yet that keeps the nodes from coming in pieces.
    fits: bool,
    piece: Piece,
    /// The nodes were cut here: no other token came.
    cut: bool,
    /// Pieces that were parsed; whether there is no other.
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

    /// The parser of the piece that is being parsed.
    pub(super) fn parser(&self) -> Option<&Parser> {
        self.parser.as_ref()
    }

    /// The next statement; an error of ours is the outer one.
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
                // the nodes before it first
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

    /// The place in the document of a place in the piece.
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

    /// Reads to the end of a piece, and begins to parse it.
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

    /// Adds a token to the piece; says whether the piece ends before it, which is a comma then.
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
                        // a comma before a bracket, which the parser is to refuse
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

    /// Looks whether the nodes begin behind this token.
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

    /// Parses the piece, and begins the next one.
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
