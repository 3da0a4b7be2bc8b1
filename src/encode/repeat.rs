//! Repeated terms: the last subject, predicate, object and graph, by value.

use super::bytes::same;
use crate::term::{LiteralKind, Term, TermBuf, Triple, XSD_STRING};
use crate::wire::Buffer;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Unset,
    Iri,
    BlankNode,
    Simple,
    Language,
    Datatype,
    Triple,
    DefaultGraph,
}

/// A copy of the last term at a place.
#[derive(Debug, Default)]
struct Last {
    kind: Kind,
    /// The IRI, label or lexical form.
    text: Buffer,
    /// The language tag or datatype.
    qualifier: Buffer,
    triple: Option<Triple>,
}

/// Splits a term into parts; its IRI must be in one piece.
#[inline(always)]
fn parts<'a>(term: &Term<'a>) -> (Kind, &'a str, &'a str) {
    match *term {
        Term::Iri(iri) => (Kind::Iri, iri.name(), ""),
        Term::BlankNode(label) => (Kind::BlankNode, label, ""),
        Term::Literal(literal) => match literal.kind {
            LiteralKind::Datatype(datatype) if datatype.iri() != XSD_STRING => {
                (Kind::Datatype, literal.lex, datatype.iri())
            }
            LiteralKind::Simple | LiteralKind::Datatype(_) => (Kind::Simple, literal.lex, ""),
            LiteralKind::Language(tag) => (Kind::Language, literal.lex, tag),
        },
        Term::Triple(_) => (Kind::Triple, "", ""),
        Term::DefaultGraph => (Kind::DefaultGraph, "", ""),
    }
}

/// Whether two terms, whose IRIs are in one piece, are equal.
#[cfg(feature = "arrow")]
pub(crate) fn is_same_term(one: &Term<'_>, other: &Term<'_>) -> bool {
    parts(one) == parts(other)
        && match (one, other) {
            (Term::Triple(one), Term::Triple(other)) => one == other,
            _ => true,
        }
}

impl Last {
    #[inline(always)]
    fn is(&self, term: &Term<'_>) -> bool {
        let (kind, text, qualifier) = parts(term);
        self.kind == kind
            && same(self.text.as_bytes(), text.as_bytes())
            && same(self.qualifier.as_bytes(), qualifier.as_bytes())
            && match term {
                Term::Triple(triple) => self.triple.as_ref() == Some(*triple),
                _ => true,
            }
    }

    #[inline(always)]
    fn set(&mut self, term: &Term<'_>) {
        let (kind, text, qualifier) = parts(term);
        self.kind = kind;
        replace(&mut self.text, text);
        if !same(self.qualifier.as_bytes(), qualifier.as_bytes()) {
            replace(&mut self.qualifier, qualifier);
        }
        if let Term::Triple(triple) = term {
            self.triple = Some((*triple).clone());
        }
    }
}

/// Approximate size of a term as text: marks and escapes are not counted one by one.
pub(crate) fn text_len(term: &Term<'_>) -> usize {
    match term {
        Term::DefaultGraph => 0,
        Term::Triple(triple) => triple_len(triple),
        Term::Iri(iri) => iri.bracketed_len() - 2 + MARKS,
        _ => {
            let (_, text, qualifier) = parts(term);
            text.len() + qualifier.len() + MARKS
        }
    }
}

/// The brackets or quotes of a term, and the space after it.
const MARKS: usize = 3;

#[cold]
fn triple_len(triple: &Triple) -> usize {
    let term_len = |term: &TermBuf| match term.as_term() {
        Term::DefaultGraph => MARKS,
        other => text_len(&other),
    };
    triple.terms.iter().map(term_len).sum()
}

#[inline(always)]
fn replace(held: &mut Buffer, text: &str) {
    held.clear();
    held.raw(text.as_bytes());
}

/// The last terms of a stream.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    last: [Last; 4],
    /// Places whose last term was not copied.
    passed: u8,
}

impl Repeats {
    /// Whether the last term at this place is equal to this one.
    #[inline(always)]
    pub(crate) fn is(&self, place: usize, term: &Term<'_>) -> bool {
        self.last[place].is(term)
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, term: &Term<'_>) {
        self.last[place].set(term);
        self.passed &= !(1 << place);
    }

    /// Records a term without a copy: the caller will state whether the next term is the same.
    #[inline(always)]
    pub(crate) fn pass(&mut self, place: usize) {
        self.last[place].kind = Kind::Unset;
        self.passed |= 1 << place;
    }

    /// The places of terms that were not copied.
    #[inline(always)]
    pub(crate) fn passed(&self) -> u8 {
        self.passed
    }

    /// Removes all terms.
    pub(crate) fn restart(&mut self) {
        *self = Repeats::default();
    }
}
