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

/// A term in parts; its IRI lies in one piece.
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

    /// About how many bytes of text it has: its marks and escapes are not counted one by one.
    #[inline(always)]
    fn text_len(&self) -> usize {
        match self.kind {
            Kind::Unset | Kind::DefaultGraph => 0,
            Kind::Triple => self.triple.as_ref().map_or(0, triple_len),
            _ => self.text.as_bytes().len() + self.qualifier.as_bytes().len() + MARKS,
        }
    }
}

/// The brackets or quotes of a term, and the blank after it.
const MARKS: usize = 3;

#[cold]
fn triple_len(triple: &Triple) -> usize {
    let term_len = |term: &TermBuf| match term.as_term() {
        Term::Triple(inner) => triple_len(inner),
        other => {
            let (_, text, qualifier) = parts(&other);
            text.len() + qualifier.len() + MARKS
        }
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
    /// About how many bytes these terms have as a line of N-Quads, without escapes.
    line: usize,
}

impl Repeats {
    /// Whether the last term of this place is this one.
    #[inline(always)]
    pub(crate) fn is(&self, place: usize, term: &Term<'_>) -> bool {
        self.last[place].is(term)
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, term: &Term<'_>) {
        let last = &mut self.last[place];
        let before = last.text_len();
        last.set(term);
        self.line = self.line - before + last.text_len();
    }

    /// About how many bytes a statement of these terms has as a line of text.
    #[inline(always)]
    pub(crate) fn line_len(&self) -> u64 {
        self.line as u64
    }

    /// Forgets all terms.
    pub(crate) fn restart(&mut self) {
        *self = Repeats::default();
    }
}
