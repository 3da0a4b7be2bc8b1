//! Where rows go: every reader drives these traits, every output implements them.

mod terms;

use crate::error::Result;
use crate::options::{PatchOptions, RdfOptions};
use crate::term::{Iri, Term};
pub use terms::{Ignored, TermSink};

/// A subject, predicate, object and graph, all of them readable.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// Subject, predicate, object, graph; the graph of a triple is [`Term::DefaultGraph`].
    pub terms: [Term<'a>; 4],
    /// Which terms are those of the last statement.
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
    /// Of these terms; nothing is known to repeat.
    pub fn of(terms: [Term<'_>; 4]) -> Statement<'_> {
        Statement { terms, same: Same::NONE }
    }

    /// To be filled.
    #[inline(always)]
    pub(crate) fn empty() -> Self {
        // not a constant, which would be copied with the bytes between
        Statement { terms: std::array::from_fn(|_| Term::DefaultGraph), same: Same::NONE }
    }
}

/// Four bits, subject first: the term equals the one in this place of the last statement handed to this sink.
///
/// A hint: ignoring it is always right. A sink that drops or reorders rows must clear it. Four more bits say that
/// the next statement's hint will be exact; only a sink that [asks](Sink::asks_what_repeats) gets them.
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

    /// The places of which the next statement will say whether they repeat.
    #[inline]
    pub(crate) fn exact_next(self) -> u8 {
        self.0 >> 4
    }

    /// The next statement will say exactly which of these places repeat.
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
        /// The label, without colon.
        name: &'a str,
        /// The namespace.
        iri: Iri<'a>,
        /// The graph it belongs to.
        graph: Term<'a>,
    },
    /// `PD`.
    DeletePrefix {
        /// The label, without colon.
        name: &'a str,
        /// The namespace, where the patch says it.
        iri: Option<Iri<'a>>,
        /// The graph it belongs to.
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
    /// A row of its own.
    Mark,
    /// The end of its frame.
    Frame,
    /// The header of the next patch.
    Header,
    /// The end of the stream.
    Eof,
}

/// What sinks of both formats have.
pub trait Sink {
    /// Asks the decoder to stop after this row; it goes on where it stopped.
    #[inline]
    fn is_full(&self) -> bool {
        false
    }

    /// Whether it keeps a copy of each term to compare the next with, unless the caller says what will repeat.
    #[doc(hidden)]
    #[inline]
    fn asks_what_repeats(&self) -> bool {
        false
    }

    /// Bytes that it keeps beside rows; they count together with what the decoder keeps.
    #[inline]
    fn kept_bytes(&self) -> usize {
        0
    }

    /// A frame of the stream ended; its metadata in the order of the wire.
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

/// Takes the rows of a Jelly-RDF stream.
pub trait RdfSink: Sink {
    /// The options of the stream; comes first, once for each stream.
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        let _ = options;
        Ok(())
    }

    /// A statement.
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()>;

    /// Where the terms of the next statement, of this frame, can go one by one; `None`: it must come as a whole.
    ///
    /// A term that [repeats](TermSink::repeat) is that of the row before, however this row came: a sink that kept the
    /// terms of the last row that came one by one must forget them in [`Self::statement`], also where it ignores the row.
    #[doc(hidden)]
    #[inline(always)]
    fn terms(&mut self, frame: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        let _ = frame;
        None::<&mut Ignored>
    }

    /// The statement whose terms came one by one is complete.
    #[doc(hidden)]
    fn end_statement(&mut self, frame: u64, seq: u64) -> Result<()> {
        let _ = (frame, seq);
        Ok(())
    }

    /// A namespace declaration.
    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        let _ = (name, iri);
        Ok(())
    }

    /// A graph of a GRAPHS stream starts; its triples come as statements.
    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        let _ = graph;
        Ok(())
    }

    /// The graph of a GRAPHS stream ends.
    fn graph_end(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Takes the rows of patches.
pub trait PatchSink: Sink {
    /// The options of the stream; comes first, once for each stream.
    fn options(&mut self, options: &PatchOptions) -> Result<()> {
        let _ = options;
        Ok(())
    }

    /// A row.
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()>;

    /// Where the terms of the next `A` or `D` row, which has these numbers, can go one by one; `None`: it must come as
    /// a whole. What [`RdfSink::terms`] says of terms that repeat holds here too.
    #[doc(hidden)]
    #[inline(always)]
    fn terms(&mut self, row: RowNumbers) -> Option<&mut impl for<'t> TermSink<'t>> {
        let _ = row;
        None::<&mut Ignored>
    }

    /// The row whose terms came one by one is complete: an `A` row, or a `D` row.
    #[doc(hidden)]
    fn end_change(&mut self, adds: bool, row: RowNumbers) -> Result<()> {
        let _ = (adds, row);
        Ok(())
    }
}

/// Sinks that are used again after they were fed.
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
