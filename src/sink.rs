//! The interface between readers and outputs: every reader calls these traits, and every output implements
//! them.

mod terms;

use crate::error::Result;
use crate::options::{PatchOptions, RdfOptions};
use crate::term::{Iri, Term};
pub use terms::{Ignored, TermSink};

/// A subject, predicate, object and graph.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// Subject, predicate, object, graph; the graph of a triple is [`Term::DefaultGraph`].
    pub terms: [Term<'a>; 4],
    /// The terms that are equal to those of the last statement.
    pub same: Same,
}

impl std::fmt::Display for Statement<'_> {
    /// The terms as canonical N-Triples, without a dot.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [subject, predicate, object, graph] = &self.terms;
        write!(f, "{subject} {predicate} {object}")?;
        if let Term::DefaultGraph = graph { Ok(()) } else { write!(f, " {graph}") }
    }
}

impl Statement<'_> {
    /// Creates a statement of these terms, without repetitions.
    pub fn of(terms: [Term<'_>; 4]) -> Statement<'_> {
        Statement { terms, same: Same::NONE }
    }

    /// Creates a statement to be filled.
    #[inline(always)]
    pub(crate) fn empty() -> Self {
        // not a constant, which would be copied together with its padding
        Statement { terms: std::array::from_fn(|_| Term::DefaultGraph), same: Same::NONE }
    }
}

/// Four bits, subject first: the term equals the one in the same place of the last statement passed to this
/// sink.
///
/// The bits are a hint, and a sink can ignore them. A sink that drops or reorders rows must clear them. Four
/// more bits announce that the hint of the next statement will be exact; only a sink that
/// [requests](Sink::asks_what_repeats) them gets them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Same(pub u8);

impl Same {
    /// No term is known to repeat.
    pub const NONE: Same = Same(0);

    /// Whether the term at `place` (0 to 3) repeats.
    #[inline]
    pub fn at(self, place: usize) -> bool {
        self.0 >> place & 1 != 0
    }

    /// The places for which the next statement will say exactly whether the term repeats.
    #[inline]
    pub(crate) fn exact_next(self) -> u8 {
        self.0 >> 4
    }

    /// Announces that the next statement will say exactly which of these places repeat.
    #[cfg(feature = "arrow")]
    #[inline]
    pub(crate) fn announce(&mut self, places: u8) {
        self.0 |= places << 4;
    }

    /// Marks the term at `place` as a repetition.
    #[inline]
    pub(crate) fn set(&mut self, place: usize) {
        self.0 |= 1 << place;
    }
}

/// A statement of a Jelly-RDF stream.
#[derive(Clone, Copy, Debug)]
pub struct RdfRow<'a> {
    /// 0-based frame in the stream.
    pub frame: u64,
    /// 0-based statement in the stream.
    pub seq: u64,
    /// The statement.
    pub statement: Statement<'a>,
}

/// A row of a patch.
#[derive(Clone, Copy, Debug)]
pub struct PatchRow<'a> {
    /// 0-based patch in the stream.
    pub patch: u64,
    /// 0-based transaction in the stream, on TX, TC, TA and the rows between.
    pub txn: Option<u64>,
    /// 0-based row in the stream.
    pub seq: u64,
    /// What the row does.
    pub op: PatchOp<'a>,
}

/// What a row of a patch does.
#[derive(Clone, Copy, Debug)]
pub enum PatchOp<'a> {
    /// `H`.
    Header {
        /// The key, as written.
        key: &'a str,
        /// The value.
        value: Term<'a>,
    },
    /// `PA`.
    AddPrefix {
        /// The prefix label, without colon.
        name: &'a str,
        /// The namespace IRI.
        iri: Iri<'a>,
        /// The graph that the prefix belongs to.
        graph: Term<'a>,
    },
    /// `PD`.
    DeletePrefix {
        /// The prefix label, without colon.
        name: &'a str,
        /// The namespace IRI, if the patch states it.
        iri: Option<Iri<'a>>,
        /// The graph that the prefix belongs to.
        graph: Term<'a>,
    },
    /// `A`.
    Add(Statement<'a>),
    /// `D`.
    Delete(Statement<'a>),
    /// `TX`.
    Begin,
    /// `TC`.
    Commit,
    /// `TA`.
    Abort,
    /// `Z`: the patch ends here.
    End(PatchEnd),
}

/// What ends a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchEnd {
    /// A `Z` row.
    Mark,
    /// The end of its frame.
    Frame,
    /// The header of the next patch.
    Header,
    /// The end of the stream.
    Eof,
}

/// The methods of sinks of both formats.
pub trait Sink {
    /// Asks the decoder to stop after this row; the next call continues there.
    #[inline]
    fn is_full(&self) -> bool {
        false
    }

    /// Whether the sink keeps a copy of each term to compare the next one with, unless the caller announces
    /// what will repeat.
    #[doc(hidden)]
    #[inline]
    fn asks_what_repeats(&self) -> bool {
        false
    }

    /// Bytes that the sink keeps in addition to rows; they count towards the limit of the decoder.
    #[inline]
    fn kept_bytes(&self) -> usize {
        0
    }

    /// A frame of the stream ended; `metadata` is in the order of the wire.
    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        let _ = metadata;
        Ok(())
    }
}

/// The numbers of a row of a patch; see [`PatchRow`].
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct RowNumbers {
    /// The patch.
    pub patch: u64,
    /// The transaction, if one is open.
    pub txn: Option<u64>,
    /// The row.
    pub seq: u64,
}

/// Receives the rows of a Jelly-RDF stream.
pub trait RdfSink: Sink {
    /// Receives the options of the stream: once for each stream, before its rows.
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        let _ = options;
        Ok(())
    }

    /// Receives a statement.
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()>;

    /// Returns the sink for the terms of the next statement, in this frame; `None`: pass the statement as a
    /// whole.
    ///
    /// A term that [repeats](TermSink::repeat) is the term of the previous row, whether that row came term by term or as
    /// a whole. A sink that keeps the terms of the previous row must forget them in [`Self::statement`], also if it
    /// ignores the row.
    #[doc(hidden)]
    #[inline(always)]
    fn terms(&mut self, frame: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        let _ = frame;
        None::<&mut Ignored>
    }

    /// Completes the statement whose terms were passed one by one.
    #[doc(hidden)]
    fn end_statement(&mut self, frame: u64, seq: u64) -> Result<()> {
        let _ = (frame, seq);
        Ok(())
    }

    /// Receives a namespace declaration.
    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        let _ = (name, iri);
        Ok(())
    }

    /// Starts a graph of a GRAPHS stream; its triples follow as statements.
    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        let _ = graph;
        Ok(())
    }

    /// Ends the graph of a GRAPHS stream.
    fn graph_end(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Receives the rows of patches.
pub trait PatchSink: Sink {
    /// Receives the options of the stream: once for each stream, before its rows.
    fn options(&mut self, options: &PatchOptions) -> Result<()> {
        let _ = options;
        Ok(())
    }

    /// Receives a row.
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()>;

    /// Returns the sink for the terms of the next `A` or `D` row, which has these numbers; `None`: pass the
    /// row as a whole.
    /// [`RdfSink::terms`] says what holds for terms that repeat.
    #[doc(hidden)]
    #[inline(always)]
    fn terms(&mut self, row: RowNumbers) -> Option<&mut impl for<'t> TermSink<'t>> {
        let _ = row;
        None::<&mut Ignored>
    }

    /// Completes the `A` row (`adds`) or `D` row whose terms were passed one by one.
    #[doc(hidden)]
    fn end_change(&mut self, adds: bool, row: RowNumbers) -> Result<()> {
        let _ = (adds, row);
        Ok(())
    }
}

/// Lets a caller use a sink again after it was fed.
impl<S: Sink> Sink for &mut S {
    #[inline]
    fn is_full(&self) -> bool {
        (**self).is_full()
    }

    fn kept_bytes(&self) -> usize {
        (**self).kept_bytes()
    }

    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        (**self).frame_end(metadata)
    }
}

impl<S: RdfSink> RdfSink for &mut S {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        (**self).options(options)
    }

    #[inline]
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        (**self).statement(row)
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        (**self).namespace(name, iri)
    }

    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        (**self).graph_start(graph)
    }

    fn graph_end(&mut self) -> Result<()> {
        (**self).graph_end()
    }
}

impl<S: PatchSink> PatchSink for &mut S {
    fn options(&mut self, options: &PatchOptions) -> Result<()> {
        (**self).options(options)
    }

    #[inline]
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        (**self).row(row)
    }
}
