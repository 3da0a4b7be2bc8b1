//! Sinks that take the terms of a row one by one.

use super::Statement;
use crate::term::{Iri, Literal, Term};

/// Takes the terms of a statement one by one, as they are read, and needs no [`Term`] of them: columns.
///
/// Every place is given once, subject first; then the row ends ([`RdfSink::end_statement`], [`PatchSink::end_change`]).
/// `false`: this term cannot be taken so. Then the row is [`cut`](Self::cut) off and comes as a whole.
#[doc(hidden)]
pub trait TermSink<'t> {
    /// A term of any kind.
    fn term(&mut self, place: usize, term: Term<'t>) -> bool;

    /// An IRI.
    #[inline(always)]
    fn iri(&mut self, place: usize, iri: Iri<'t>) -> bool {
        self.term(place, Term::Iri(iri))
    }

    /// A blank node.
    #[inline(always)]
    fn blank_node(&mut self, place: usize, label: &'t str) -> bool {
        self.term(place, Term::BlankNode(label))
    }

    /// A literal.
    #[inline(always)]
    fn literal(&mut self, place: usize, literal: Literal<'t>) -> bool {
        self.term(place, Term::Literal(literal))
    }

    /// The default graph.
    #[inline(always)]
    fn default_graph(&mut self, place: usize) -> bool {
        self.term(place, Term::DefaultGraph)
    }

    /// The term of the statement before; `false`: it must be given all the same.
    #[inline(always)]
    fn repeat(&mut self, place: usize) -> bool {
        let _ = place;
        false
    }

    /// A term as a column holds it, text that nobody looked at; mostly canonical.
    #[inline(always)]
    fn cell(&mut self, place: usize, text: &'t [u8]) -> bool {
        let _ = (place, text);
        false
    }

    /// A term as canonical text, but no blank node: the first `length` bytes of a text.
    #[inline(always)]
    fn text(&mut self, place: usize, text: &'t str, length: usize) -> bool {
        let _ = (place, text, length);
        false
    }

    /// A blank node as canonical text: the first `length` bytes of a text.
    #[inline(always)]
    fn labelled(&mut self, place: usize, text: &'t str, length: usize) -> bool {
        self.blank_node(place, &text[2..length])
    }

    /// How long the term of the statement before is as canonical text, where `text` begins with it and a space.
    #[inline(always)]
    fn repeats_in(&self, place: usize, text: &[u8]) -> Option<usize> {
        let _ = (place, text);
        None
    }

    /// Takes back the terms of a row that has not ended.
    fn cut(&mut self) {}
}

/// Whoever wants terms gets a statement.
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

/// Takes terms and keeps none of them, where rows are only counted.
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
