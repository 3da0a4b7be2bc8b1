//! Turtle, `TriG`, RDF/XML and JSON-LD, read by the crate `oxrdfio`.
//!
//! What its terms cannot hold is lost or refused there: language tags come out in lower case, generalized RDF and
//! quoted triples as subjects are errors, and so are IRIs without a scheme, for there is no base but the one
//! that the document gives. Blank nodes keep their labels, which `<_:label>` is none of; those without a label
//! get `anon-0`, `anon-1`, ... in the order of their appearance, so that the same input gives the same rows.
//! Contexts of JSON-LD that lie elsewhere are errors: nothing is fetched.

use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oxrdfio::{RdfParseError, RdfParser, ReaderQuadParser};

use super::depth::Bounded;
use super::labels::{ENTRY, Labels, too_many};
use crate::decode::DecodeOptions;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::format::RdfFormat;
use crate::io::Stream;
use crate::push::{Progress, PushState};
use crate::reader::{Feed, Poll};
use crate::rows::check_kept;
use crate::sink::{RdfRow, RdfSink, Statement};
use crate::term::{Term, TermBuf};

/// Statements between two looks at the caller's interrupts.
const POLL: u64 = 1024;

/// Statements of a document in one of the formats that a library reads.
pub struct OtherRdf {
    parser: Option<ReaderQuadParser<Counted>>,
    taken: Arc<AtomicU64>,
    seq: u64,
    labels: Labels,
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
        let nested = matches!(format, RdfFormat::Turtle | RdfFormat::TriG);
        let bytes = stream.into_reader();
        let inner: Box<dyn Read + Send> =
            if nested { Box::new(Bounded::new(bytes, config.limits.nesting)) } else { bytes };
        let reader = Counted { inner, taken: Arc::clone(&taken) };
        let format = match format {
            RdfFormat::Turtle => oxrdfio::RdfFormat::Turtle,
            RdfFormat::RdfXml => oxrdfio::RdfFormat::RdfXml,
            RdfFormat::JsonLd => oxrdfio::RdfFormat::JsonLd { profile: oxrdfio::JsonLdProfileSet::empty() },
            _ => oxrdfio::RdfFormat::TriG,
        };
        OtherRdf {
            parser: Some(RdfParser::from_format(format).for_reader(reader)),
            taken,
            seq: 0,
            labels: Labels::new(config.limits.lookup_bytes),
            prefixes: HashSet::new(),
            prefix_bytes: 0,
            most: config.limits.lookup_bytes,
            most_kept: config.limits.kept_bytes(),
            source: config.source.clone(),
            failed: false,
        }
    }

    /// Closes the source.
    pub fn close(&mut self) {
        self.parser = None;
    }

    fn next<S: RdfSink>(&mut self, sink: &mut S) -> Result<bool> {
        let Some(parser) = &mut self.parser else { return Ok(false) };
        let Some(quad) = parser.next() else {
            self.declare(sink)?;
            self.parser = None;
            return Ok(false);
        };
        let terms = self.labels.terms(quad.map_err(parse_error)?)?;
        self.declare(sink)?;
        let statement = Statement::of(terms.each_ref().map(TermBuf::as_term));
        sink.statement(&RdfRow { frame: 0, seq: self.seq, statement })
            .map_err(|error| error.located(&Position { row: Some(self.seq), ..Position::default() }))?;
        self.seq += 1;
        check_kept(self.labels.bytes() + self.prefix_bytes + sink.kept_bytes(), self.most_kept)?;
        Ok(true)
    }

    /// Hands on prefixes that are new.
    fn declare<S: RdfSink>(&mut self, sink: &mut S) -> Result<()> {
        let Some(parser) = &self.parser else { return Ok(()) };
        let prefixes = parser.prefixes();
        if prefixes.size_hint().0 <= self.prefixes.len() {
            return Ok(());
        }
        let mut new: Vec<_> = prefixes.filter(|(name, _)| !self.prefixes.contains(*name)).collect();
        new.sort_unstable();
        for (name, iri) in new {
            // we keep the name, the library both
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

impl<S: RdfSink> Feed<S> for OtherRdf {
    fn advance(&mut self, sink: &mut S, poll: Poll<'_>) -> Result<bool> {
        if self.failed {
            let message = "this decoder failed before; nothing after its error can be trusted";
            return Err(Error::new(ErrorKind::Argument, message));
        }
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

/// Says how many bytes were read.
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

#[cold]
fn parse_error(error: RdfParseError) -> Error {
    let error = match error {
        RdfParseError::Io(error) => return error.into(),
        RdfParseError::Syntax(error) => error,
    };
    let mut position = Position::default();
    if let Some(at) = error.location() {
        position.line = Some(at.start.line + 1);
        position.column = Some(at.start.column + 1);
        position.offset = Some(at.start.offset);
    }
    let message = error.to_string();
    // the place stands in the error's own fields
    let message = match message.strip_prefix("Parser error at line ").and_then(|rest| rest.split_once(": ")) {
        Some((_, message)) => message.to_owned(),
        None => message,
    };
    Error::new(ErrorKind::TextSyntax, message).located(&position)
}
