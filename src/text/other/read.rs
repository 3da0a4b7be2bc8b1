//! Turtle, `TriG`, RDF/XML and JSON-LD, read by the crate `oxrdfio`.
//!
//! Input that terms cannot hold is rejected: generalized RDF and quoted triples as subjects are errors. IRIs
//! without a scheme are errors too, because the only base is the one that the document declares. The library
//! has no limits and drops the case of language tags; a guard checks each byte before the library and adds
//! both. Blank nodes keep the labels in the document (`<_:label>` is not a label). Blank nodes without a
//! label get `anon-0`, `anon-1`, ... in the order of their appearance, so that the same input gives the same
//! rows. External contexts of JSON-LD are errors: nothing is fetched.

use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oxrdf::Quad;
use oxrdfio::{RdfParseError, RdfParser, ReaderQuadParser};

use super::guarded::{Guarded, token_too_long};
use super::iris::without_base;
use super::labels::{ENTRY, Labels, too_many};
use super::literals::declare_once;
use super::pieces::{Pieces, Place};
use super::tags::{Shifts, Tags};
use super::turtle::TurtleGuard;
use super::written::Written;
use super::xml::XmlGuard;
use crate::decode::DecodeOptions;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::format::RdfFormat;
use crate::io::Stream;
use crate::push::{Progress, PushState, refuse_failed};
use crate::reader::{Poll, RowSource, SourceState};
use crate::rows::check_kept;
use crate::sink::{RdfRow, RdfSink, Statement};
use crate::term::{Term, TermBuf};

/// Statements between two checks for the caller's interrupts.
const POLL: u64 = 1024;

/// The parser of the format.
enum Parser {
    Whole(Box<ReaderQuadParser<Box<dyn Read + Send>>>, Shifts),
    Pieces(Box<Pieces>),
}

impl Parser {
    fn next(&mut self, written: &Written, seq: u64) -> Result<Option<Quad>> {
        let quad = match self {
            Parser::Whole(parser, _) => parser.next(),
            Parser::Pieces(pieces) => pieces.next()?,
        };
        quad.transpose().map_err(|error| parse_error(error, self, written, seq))
    }

    /// Converts a place reported by the parser to a place in the document.
    fn undo(&self, place: Place) -> Place {
        match self {
            Parser::Whole(_, shifts) => {
                let (offset, column) = shifts.undo(place.offset, place.line, place.column);
                Place { offset, column, ..place }
            }
            Parser::Pieces(pieces) => pieces.undo(place),
        }
    }

    /// The declared prefixes, if there may be more than `known`.
    fn prefixes(&self, known: usize) -> Option<Vec<(&str, &str)>> {
        let prefixes = match self {
            Parser::Whole(parser, _) => parser.prefixes(),
            Parser::Pieces(pieces) => pieces.parser()?.prefixes(),
        };
        (prefixes.size_hint().0 > known).then(|| prefixes.collect())
    }
}

/// Reads the statements of a document in one of the formats that a library parses.
pub struct OtherRdf {
    parser: Option<Parser>,
    taken: Arc<AtomicU64>,
    seq: u64,
    is_xml: bool,
    labels: Labels,
    written: Written,
    prefixes: HashSet<String>,
    prefix_bytes: usize,
    most: usize,
    /// Bytes that may be kept from row to row.
    most_kept: usize,
    source: Option<Arc<str>>,
    failed: bool,
}

impl OtherRdf {
    /// Reads a stream from its start.
    pub fn new(format: RdfFormat, stream: Stream, config: &DecodeOptions) -> Self {
        let taken = Arc::new(AtomicU64::new(0));
        let limits = &config.limits;
        let (tags, shifts) = (Tags::new(limits.lookup_bytes), Shifts::default());
        let written = Written::new();
        let counted = Box::new(Counted { inner: stream.into_reader(), taken: Arc::clone(&taken) });
        let most = limits.term_bytes;
        let whole = |parser: RdfParser, reader: Box<dyn Read + Send>| {
            Parser::Whole(Box::new(parser.for_reader(reader)), shifts.clone())
        };
        let parser = match format {
            RdfFormat::RdfXml => {
                let guard = XmlGuard::new(limits, tags.clone(), written.clone());
                whole(
                    RdfParser::from_format(oxrdfio::RdfFormat::RdfXml),
                    Box::new(Guarded::new(counted, guard, most)),
                )
            }
            RdfFormat::JsonLd => {
                Parser::Pieces(Box::new(Pieces::new(counted, limits, tags.clone(), written.clone())))
            }
            format => {
                let guard = TurtleGuard::new(limits, tags.clone(), written.clone(), shifts.clone());
                let turtle = matches!(format, RdfFormat::Turtle);
                let format = if turtle { oxrdfio::RdfFormat::Turtle } else { oxrdfio::RdfFormat::TriG };
                // IRIs follow the rules of N-Triples, which the guard checks
                let parser = RdfParser::from_format(format).lenient();
                whole(parser, Box::new(Guarded::new(counted, guard, most)))
            }
        };
        OtherRdf {
            parser: Some(parser),
            taken,
            seq: 0,
            is_xml: format == RdfFormat::RdfXml,
            labels: Labels::new(config.limits.lookup_bytes, tags, written.clone()),
            written,
            prefixes: HashSet::new(),
            prefix_bytes: 0,
            most: config.limits.lookup_bytes,
            most_kept: config.limits.kept_bytes(),
            source: config.source.clone(),
            failed: false,
        }
    }

    fn next<S: RdfSink>(&mut self, sink: &mut S) -> Result<bool> {
        let Some(parser) = &mut self.parser else { return Ok(false) };
        let Some(mut quad) = parser.next(&self.written, self.seq)? else {
            self.declare(sink)?;
            self.parser = None;
            return Ok(false);
        };
        if self.is_xml {
            declare_once(&mut quad);
        }
        let terms = self
            .labels
            .terms(quad)
            .map_err(|error| error.located(&Position { row: Some(self.seq), ..Position::default() }))?;
        self.declare(sink)?;
        let statement = Statement::of(terms.each_ref().map(TermBuf::as_term));
        sink.statement(&RdfRow { frame: 0, seq: self.seq, statement })
            .map_err(|error| error.located(&Position { row: Some(self.seq), ..Position::default() }))?;
        self.seq += 1;
        check_kept(self.labels.bytes() + self.prefix_bytes + sink.kept_bytes(), self.most_kept)?;
        Ok(true)
    }

    /// Delivers new prefixes.
    fn declare<S: RdfSink>(&mut self, sink: &mut S) -> Result<()> {
        let Some(parser) = &self.parser else { return Ok(()) };
        let Some(mut new) = parser.prefixes(self.prefixes.len()) else { return Ok(()) };
        new.retain(|(name, _)| !self.prefixes.contains(*name));
        new.sort_unstable();
        for (name, iri) in new {
            // this crate keeps the name, the library keeps name and IRI
            self.prefix_bytes += 2 * name.len() + iri.len() + ENTRY;
            if self.prefix_bytes > self.most {
                return Err(too_many("prefixes", self.most));
            }
            self.prefixes.insert(name.to_owned());
            if let Term::Iri(iri) = TermBuf::iri(iri).as_term() {
                sink.namespace(name, iri)?;
            }
        }
        Ok(())
    }
}

impl<S: RdfSink> RowSource<S> for OtherRdf {
    fn advance(&mut self, sink: &mut S, poll: Poll<'_>) -> Result<bool> {
        refuse_failed(self.failed)?;
        let mut left = POLL;
        while !sink.is_full() {
            match self.next(sink) {
                Ok(true) => left -= 1,
                Ok(false) => return Ok(true),
                Err(error) => return Err(self.fail(error)),
            }
            if left == 0 {
                poll()?;
                left = POLL;
            }
        }
        Ok(false)
    }
}

impl SourceState for OtherRdf {
    fn decoder(&self) -> &dyn PushState {
        self
    }

    fn close(&mut self) {
        self.parser = None;
    }
}

impl PushState for OtherRdf {
    fn consumed(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    fn progress(&self) -> Progress {
        Progress { frame: None, rows: self.seq, offset: self.consumed() }
    }

    fn fail(&mut self, error: Error) -> Error {
        self.failed = true;
        error.located(&Position { source: self.source.clone(), ..Position::default() })
    }
}

/// Counts the bytes that were read.
struct Counted {
    inner: Box<dyn Read + Send>,
    taken: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.taken.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Maximum size of a token in the parsers of Turtle, `TriG` and JSON, under any limits.
const TOKEN: usize = 16 << 20;
/// Maximum number of characters of a message, because some messages repeat the document.
const MESSAGE: usize = 1 << 10;

#[cold]
fn parse_error(error: RdfParseError, parser: &Parser, written: &Written, seq: u64) -> Error {
    let error = match error {
        RdfParseError::Io(error) if error.kind() == io::ErrorKind::OutOfMemory => {
            return token_too_long(TOKEN);
        }
        RdfParseError::Io(error) => return error.into(),
        RdfParseError::Syntax(error) => error,
    };
    let position = match error.location() {
        Some(at) => {
            let at = &at.start;
            let place = parser.undo(Place { offset: at.offset, line: at.line, column: at.column });
            let (line, column) = (Some(place.line + 1), Some(place.column + 1));
            Position { line, column, offset: Some(place.offset), ..Position::default() }
        }
        // the parser of RDF/XML reports no place
        None => Position { row: Some(seq), ..Position::default() },
    };
    let message = error.to_string();
    // the place is in the fields of the error
    let message = match message.strip_prefix("Parser error at line ").and_then(|rest| rest.split_once(": ")) {
        Some((_, message)) => message,
        None => &message,
    };
    let relative = message.strip_prefix("error while parsing IRI '");
    if let Some(iri) = relative.and_then(|rest| rest.strip_suffix("': No scheme found in an absolute IRI")) {
        return without_base(iri, "add xml:base to its root element").located(&position);
    }
    let message = message.replace(written.mark(), "");
    let message: String = message.chars().take(MESSAGE).collect();
    Error::new(ErrorKind::TextSyntax, message).located(&position)
}
