//! Repeated terms: the last subject, predicate, object and graph, by value.

use super::bytes::same;
use crate::term::{PlainKind, PlainTerm, Triple, XSD_STRING};
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

/// The last term of a place, copied.
#[derive(Debug, Default)]
struct Last {
    kind: Kind,
    /// IRI, label or lexical form.
    text: Buffer,
    /// Language tag or datatype.
    qualifier: Buffer,
    triple: Option<Triple>,
}

/// A term in parts.
#[inline(always)]
fn parts<'a>(term: &PlainTerm<'a>) -> (Kind, &'a str, &'a str) {
    match *term {
        PlainTerm::Iri(iri) => (Kind::Iri, iri, ""),
        PlainTerm::BlankNode(label) => (Kind::BlankNode, label, ""),
        PlainTerm::Literal(lex, PlainKind::Simple | PlainKind::Datatype(XSD_STRING)) => {
            (Kind::Simple, lex, "")
        }
        PlainTerm::Literal(lex, PlainKind::Language(tag)) => (Kind::Language, lex, tag),
        PlainTerm::Literal(lex, PlainKind::Datatype(iri)) => (Kind::Datatype, lex, iri),
        PlainTerm::Triple(_) => (Kind::Triple, "", ""),
        PlainTerm::DefaultGraph => (Kind::DefaultGraph, "", ""),
    }
}

impl Last {
    #[inline(always)]
    fn is(&self, term: &PlainTerm<'_>) -> bool {
        let (kind, text, qualifier) = parts(term);
        self.kind == kind
            && same(self.text.as_bytes(), text.as_bytes())
            && same(self.qualifier.as_bytes(), qualifier.as_bytes())
            && match term {
                PlainTerm::Triple(triple) => self.triple.as_ref() == Some(*triple),
                _ => true,
            }
    }

    #[inline(always)]
    fn set(&mut self, term: &PlainTerm<'_>) {
        let (kind, text, qualifier) = parts(term);
        self.kind = kind;
        replace(&mut self.text, text);
        if !same(self.qualifier.as_bytes(), qualifier.as_bytes()) {
            replace(&mut self.qualifier, qualifier);
        }
        if let PlainTerm::Triple(triple) = term {
            self.triple = Some((*triple).clone());
        }
    }
}

#[inline(always)]
fn replace(held: &mut Buffer, text: &str) {
    held.clear();
    held.raw(text.as_bytes());
}

/// The last terms of a stream.
#[derive(Debug, Default)]
pub(crate) struct Repeats([Last; 4]);

impl Repeats {
    /// Whether the last term of this place is this one.
    #[inline(always)]
    pub(crate) fn is(&self, place: usize, term: &PlainTerm<'_>) -> bool {
        self.0[place].is(term)
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, term: &PlainTerm<'_>) {
        self.0[place].set(term);
    }

    /// Forgets all terms.
    pub(crate) fn restart(&mut self) {
        *self = Repeats::default();
    }
}
