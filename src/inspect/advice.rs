//! What the specifications advise against, as far as a stream shows it.

use super::StreamOptions;
use super::count::RowCounter;
use crate::decode::{Decoder, DialectState, Framing, Repeated};
use crate::error::ErrorKind;
use crate::options::{Features, StatementType, TableSizes};
use crate::push::PushState;
use crate::sink::Statement;
use crate::term::Term;
use crate::text::is_generalized;

/// Frames should be smaller than this.
const LARGE_FRAME: u64 = 1_000_000;

/// Something that is allowed, but better avoided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Stable name of the cause; that of the error where `strict` makes it one.
    pub kind: &'static str,
    /// One line of text.
    pub message: String,
    /// How often.
    pub count: u64,
    /// Frame of the first time, where it is known.
    pub frame: Option<u64>,
    /// Row of the first time, as in the column `seq`, where it is known.
    pub seq: Option<u64>,
}

/// How often something was seen, and in which row first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    count: u64,
    first: Option<u64>,
}

impl Times {
    pub(super) fn add(&mut self, seq: u64) {
        self.count += 1;
        self.first = self.first.or(Some(seq));
    }
}

/// What a sink saw.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) unfinished: Times,
    pub(super) stray: Times,
    pub(super) unterminated: Times,
    pub(super) late_headers: Times,
    pub(super) names: Times,
    statements: u64,
    /// Options that began a stream.
    streams: u64,
    /// What the last stream declares.
    features: Features,
    /// Statements before it.
    begun: u64,
    /// What a stream declared and did not use.
    unused: Features,
    generalized: bool,
    quoted: bool,
}

impl Seen {
    /// A stream begins, and the one before is judged.
    pub(super) fn stream(&mut self, features: Features) {
        self.end_stream();
        self.streams += 1;
        (self.features, self.begun) = (features, self.statements);
        (self.generalized, self.quoted) = (false, false);
    }

    fn end_stream(&mut self) {
        if self.statements > self.begun {
            self.unused.generalized_statements |= self.features.generalized_statements && !self.generalized;
            self.unused.rdf_star |= self.features.rdf_star && !self.quoted;
        }
    }

    pub(super) fn statement(&mut self, statement: &Statement<'_>) {
        let [subject, predicate, object, graph] = &statement.terms;
        self.statements += 1;
        self.generalized |= matches!(subject, Term::Literal(_)) || !matches!(predicate, Term::Iri(_));
        self.graph(graph);
        for term in [subject, predicate, object] {
            self.header_value(term);
        }
    }

    pub(super) fn graph(&mut self, graph: &Term<'_>) {
        self.generalized |= matches!(graph, Term::Literal(_));
    }

    /// A term in a place where only quoted triples are special.
    pub(super) fn header_value(&mut self, term: &Term<'_>) {
        if let Term::Triple(triple) = term {
            self.quoted = true;
            self.generalized |= is_generalized(triple);
        }
    }
}

/// All advice on a stream; what only its end shows needs `complete`.
pub(super) fn advise<D: DialectState>(
    decoder: &Decoder<D>,
    counter: &RowCounter,
    mut seen: Seen,
    complete: bool,
) -> Vec<Advice> {
    let (options, framing) = (decoder.stream_options(), decoder.framing());
    let mut all = Vec::new();
    if let Some(Repeated { count, frame }) = decoder.repeated_options() {
        all.push(Advice {
            kind: "options.repeated",
            message: "the options are repeated; if several files were joined, read the result with \
                      framing=\"concatenated\", or rows may be wrong"
                .to_owned(),
            count,
            frame: Some(frame),
            seq: None,
        });
    }
    let mut say = |kind, times: Times, message: &str| {
        if times.count > 0 {
            all.push(Advice {
                kind,
                message: message.to_owned(),
                count: times.count,
                frame: None,
                seq: times.first,
            });
        }
    };
    say(ErrorKind::PatchUnfinished.slug(), seen.unfinished, "a transaction is neither committed nor aborted");
    say(ErrorKind::PatchStray.slug(), seen.stray, "a transaction ends that did not begin");
    say(ErrorKind::PatchUnterminated.slug(), seen.unterminated, "the last patch has no punctuation mark");
    say(ErrorKind::PatchName.slug(), seen.names, "a prefix has a name that Turtle does not allow");
    say("patch.late_header", seen.late_headers, "a header after rows of other kinds");
    let once = Times { count: 1, first: None };
    if counter.largest_frame >= LARGE_FRAME {
        let message = format!("a frame of {} bytes; frames should stay below 1 MB", counter.largest_frame);
        say("frame.large", once, &message);
    }
    if framing == Framing::Single && counter.frames() > 0 {
        say("frame.single", once, "one frame without its length; files should be delimited");
    }
    let Some(options) = options else { return all };
    if let StreamOptions::Rdf(options) = &options
        && !options.logical_type.fits(options.physical_type)
    {
        let message = format!(
            "logical type {} does not fit physical type {}",
            options.logical_type.name().unwrap_or("unknown"),
            options.physical_type.name()
        );
        say("options.logical_type", once, &message);
    }
    if complete && seen.statements > 0 {
        seen.end_stream();
        for (unused, message) in unused(&options, counter, seen) {
            if unused {
                say("options.unused", once, message);
            }
        }
    }
    if let StreamOptions::Patch(options) = &options
        && options.statement_type == StatementType::Triples
        && let Some(frame) = counter.first_graph
    {
        all.push(Advice {
            kind: ErrorKind::PatchGraph.slug(),
            message: "a graph in a stream of TRIPLES".to_owned(),
            count: counter.graphs,
            frame: Some(frame),
            seq: None,
        });
    }
    all
}

/// What the options declare and no row uses.
fn unused(options: &StreamOptions, counter: &RowCounter, seen: Seen) -> [(bool, &'static str); 4] {
    let tables: TableSizes = match options {
        StreamOptions::Rdf(options) => options.tables,
        StreamOptions::Patch(options) => options.tables,
    };
    // the counts are not those of one of several streams
    let none = |size: u32, kind| seen.streams <= 1 && size > 0 && counter.of(kind) == 0;
    [
        (seen.unused.generalized_statements, "generalized_statements is declared and not used"),
        (seen.unused.rdf_star, "rdf_star is declared and not used"),
        (none(tables.prefixes, "prefix"), "a prefix table is declared and not used"),
        (none(tables.datatypes, "datatype"), "a datatype table is declared and not used"),
    ]
}
