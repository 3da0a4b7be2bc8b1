//! Sinks that receive the terms of a row one by one.

use super::Statement;
use crate::term::{Iri, Literal, Term};

/// Receives the terms of a statement one by one, as they are read, without a [`Term`] for each. Columns
/// implement this trait.
///
/// Every place is passed once, subject first; then the row ends ([`RdfSink::end_statement`],
/// [`PatchSink::end_change`]). A method returns `false` if it cannot take a term in this form. The caller
/// then [`cut`](Self::cut)s the row off and passes it as a whole.
#[doc(hidden)]
pub trait TermSink<'t> {
    /// Receives a term of any kind: by default with the method for its kind, and no quoted triple. A sink implements
    /// this method or those four.
    #[inline(always)]
    fn term(&mut self, place: usize, term: Term<'t>) -> bool {
        match term {
            Term::Iri(iri) => self.iri(place, iri),
            Term::BlankNode(label) => self.blank_node(place, label),
            Term::Literal(literal) => self.literal(place, literal),
            Term::DefaultGraph => self.default_graph(place),
            Term::Triple(_) => false,
        }
    }

    /// Receives an IRI.
    #[inline(always)]
    fn iri(&mut self, place: usize, iri: Iri<'t>) -> bool {
        self.term(place, Term::Iri(iri))
    }

    /// Receives a blank node.
    #[inline(always)]
    fn blank_node(&mut self, place: usize, label: &'t str) -> bool {
        self.term(place, Term::BlankNode(label))
    }

    /// Receives a literal.
    #[inline(always)]
    fn literal(&mut self, place: usize, literal: Literal<'t>) -> bool {
        self.term(place, Term::Literal(literal))
    }

    /// Receives the default graph.
    #[inline(always)]
    fn default_graph(&mut self, place: usize) -> bool {
        self.term(place, Term::DefaultGraph)
    }

    /// Repeats the term of the previous statement; `false`: the term must be passed.
    #[inline(always)]
    fn repeat(&mut self, place: usize) -> bool {
        let _ = place;
        false
    }

    /// Receives the text of a term in a column, which is unchecked but usually canonical.
    #[inline(always)]
    fn cell(&mut self, place: usize, text: &'t [u8]) -> bool {
        let _ = (place, text);
        false
    }

    /// Receives a term other than a blank node as canonical text: the first `length` bytes of `text`.
    #[inline(always)]
    fn text(&mut self, place: usize, text: &'t str, length: usize) -> bool {
        let _ = (place, text, length);
        false
    }

    /// Receives a blank node as canonical text: the first `length` bytes of `text`.
    #[inline(always)]
    fn labelled(&mut self, place: usize, text: &'t str, length: usize) -> bool {
        self.blank_node(place, &text[2..length])
    }

    /// The length of the previous statement's term as canonical text, if `text` begins with it and a space.
    #[inline(always)]
    fn repeats_in(&self, place: usize, text: &[u8]) -> Option<usize> {
        let _ = (place, text);
        None
    }

    /// Removes the terms of an unfinished row.
    fn cut(&mut self) {}
}

/// A statement takes the terms, for callers that need terms.
impl<'t> TermSink<'t> for Statement<'t> {
    #[inline(always)]
    fn term(&mut self, place: usize, term: Term<'t>) -> bool {
        self.terms[place] = term;
        true
    }

    #[inline(always)]
    fn repeat(&mut self, place: usize) -> bool {
        self.same.set(place);
        false
    }
}

/// Takes terms and keeps none of them, for callers that only count rows.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Ignored;

impl<'t> TermSink<'t> for Ignored {
    #[inline(always)]
    fn term(&mut self, _: usize, _: Term<'t>) -> bool {
        true
    }

    #[inline(always)]
    fn repeat(&mut self, _: usize) -> bool {
        true
    }

    #[inline(always)]
    fn text(&mut self, _: usize, _: &'t str, _: usize) -> bool {
        true
    }
}
