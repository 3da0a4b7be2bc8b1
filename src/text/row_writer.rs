//! Writes rows of terms, as statements or term by term.

use super::lex::is_language;
use super::out::Output;
use super::write::TermWriter;
use crate::default_graph::{begins_default_graph, is_default_graph};
use crate::encode::bytes::same;
use crate::scan::is_plain_label;
use crate::sink::TermSink;
use crate::term::{Iri, Literal, LiteralKind};

const PREDICATE: usize = 1;
const OBJECT: usize = 2;
const GRAPH: usize = 3;

/// Text that grows row by row.
///
/// As a [`TermSink`] it takes only terms that the format certainly supports. Other terms come with their
/// rows, so that they are checked and rejected in one place.
#[derive(Debug, Default)]
pub(crate) struct RowWriter {
    pub(super) out: Output,
    /// Whether rows may have a graph.
    pub(super) graphs: bool,
    /// Whether the rows are RDF Patch: blank nodes are written as `<_:label>`, with labels of any kind, and some IRIs
    /// are names of the default graph.
    angles: bool,
    /// The start of the row.
    start: usize,
    /// The places of the terms of this row and of the previous one, including the space after each.
    terms: [Option<Span>; 4],
    last: [Option<Span>; 4],
}

#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    length: usize,
}

impl RowWriter {
    pub(super) fn new(graphs: bool, angles: bool) -> Self {
        RowWriter { graphs, angles, ..RowWriter::default() }
    }

    /// The text that was written since the caller last cleared it.
    pub(super) fn bytes(&mut self) -> &mut Vec<u8> {
        self.forget();
        self.out.bytes()
    }

    /// Forgets the previous row.
    pub(super) fn forget(&mut self) {
        self.last = [None; 4];
    }

    /// Returns the writer of terms.
    #[inline(always)]
    pub(super) fn writer(&mut self) -> TermWriter<'_> {
        let text = &mut self.out.text;
        if self.angles { TermWriter::with_angles(text) } else { TermWriter::new(text) }
    }

    /// Begins a row whose terms are passed one by one.
    #[inline(always)]
    pub(super) fn begin(&mut self, before: &str) -> &mut Self {
        self.start = self.out.text.len();
        self.out.text.push(before);
        self
    }

    /// Ends a row whose terms were passed one by one; returns its text.
    #[inline(always)]
    pub(super) fn end(&mut self) -> &mut [u8] {
        self.out.text.push(".\n");
        self.last = self.terms;
        self.out.text.tail_mut(self.start)
    }

    /// Writes a term and a space.
    #[inline(always)]
    fn put(&mut self, place: usize, write: impl FnOnce(&mut Self)) -> bool {
        let start = self.out.text.len();
        write(self);
        self.out.text.push_byte(b' ');
        self.terms[place] = Some(Span { start, length: self.out.text.len() - start });
        true
    }

    /// Whether a row can have a graph, if this is the place of the graph.
    #[inline(always)]
    fn holds(&self, place: usize) -> bool {
        place != GRAPH || self.graphs
    }
}

impl<'t> TermSink<'t> for RowWriter {
    #[inline(always)]
    fn iri(&mut self, place: usize, iri: Iri<'t>) -> bool {
        let is_usual = self.holds(place) && !(place == GRAPH && self.angles && is_default_graph(&iri));
        is_usual && self.put(place, |row| row.writer().iri(&iri))
    }

    #[inline(always)]
    fn blank_node(&mut self, place: usize, label: &'t str) -> bool {
        let is_usual = self.holds(place) && place != PREDICATE && (self.angles || is_plain_label(label));
        is_usual && self.put(place, |row| row.writer().blank_node(label))
    }

    #[inline(always)]
    fn literal(&mut self, place: usize, literal: Literal<'t>) -> bool {
        let is_usual = match literal.kind {
            LiteralKind::Language(tag) => is_language(tag),
            LiteralKind::Simple | LiteralKind::Datatype(_) => true,
        };
        place == OBJECT && is_usual && self.put(place, |row| row.writer().literal(&literal))
    }

    #[inline(always)]
    fn default_graph(&mut self, place: usize) -> bool {
        self.terms[place] = None;
        place == GRAPH
    }

    #[inline(always)]
    fn repeat(&mut self, place: usize) -> bool {
        let Some(Span { start, length }) = self.last[place] else { return false };
        self.terms[place] = Some(Span { start: self.out.text.len(), length });
        self.out.text.repeat(start, length);
        true
    }

    #[inline(always)]
    fn text(&mut self, place: usize, text: &'t str, length: usize) -> bool {
        let is_usual = self.holds(place) && !(place == GRAPH && self.angles && begins_default_graph(text));
        is_usual && self.put(place, |row| row.out.text.push_start(text, length))
    }

    #[inline(always)]
    fn labelled(&mut self, place: usize, text: &'t str, length: usize) -> bool {
        if self.angles { self.blank_node(place, &text[2..length]) } else { self.text(place, text, length) }
    }

    #[inline(always)]
    fn repeats_in(&self, place: usize, text: &[u8]) -> Option<usize> {
        let Span { start, length } = self.last[place]?;
        let last = &self.out.text.as_bytes()[start..start + length];
        text.get(..length).is_some_and(|text| same(last, text)).then_some(length - 1)
    }

    #[cold]
    fn cut(&mut self) {
        self.out.text.truncate(self.start);
    }
}
