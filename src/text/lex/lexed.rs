//! A term as found by the lexer.

use crate::buffer::{Padded, PaddedBuf};
use crate::term::{
    DATATYPE_OPEN, Datatype, DatatypeText, Iri, Literal, LiteralKind, Term, TermBuf, Triple, XSD_STRING,
    is_named_plainly,
};

/// The parts of a term that are not in the text unchanged: unescaped strings and quoted triples.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// An IRI, a label or a lexical form.
    pub(super) text: String,
    /// The datatype of a literal.
    pub(super) datatype: String,
    pub(super) triple: Option<Box<Triple>>,
    padded: PaddedBuf,
}

impl Scratch {
    /// Replaces the result by a whole IRI.
    pub(crate) fn set_iri(&mut self, pieces: [&str; 2]) {
        self.text.clear();
        for piece in pieces {
            self.text.push_str(piece);
        }
    }

    /// The datatype of the last number or boolean.
    pub(crate) fn datatype(&self) -> &str {
        &self.datatype
    }

    /// The last quoted triple.
    pub(crate) fn triple(&self) -> Option<&Triple> {
        self.triple.as_deref()
    }

    /// Frees memory after a long term.
    #[inline]
    pub(crate) fn shrink(&mut self) {
        const MOST: usize = 64 << 10;
        self.triple = None;
        if self.text.capacity() | self.datatype.capacity() | self.padded.capacity() > MOST {
            *self = Scratch::default();
        }
    }
}

/// The kinds of terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Iri,
    BlankNode,
    Simple,
    Language,
    Datatype,
    Triple,
    DefaultGraph,
}

/// The place of a string of a term.
#[derive(Clone, Copy, Debug)]
enum Part {
    Text(usize, usize),
    Scratch,
}

/// A term as places in the text. It must be read with the text and scratch with which it was lexed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexed {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The IRI, label or lexical form.
    text: Part,
    /// The language tag or datatype.
    tail: Part,
    /// Whether `text` needs no escapes in canonical text.
    pub(super) plain: bool,
    /// Whether `tail` needs no escapes in canonical text.
    pub(super) tail_plain: bool,
}

impl Lexed {
    /// The default graph, for a missing term.
    pub(crate) const NONE: Lexed = Lexed::at(Kind::DefaultGraph, 0, 0);

    #[inline(always)]
    pub(super) const fn at(kind: Kind, start: usize, end: usize) -> Self {
        let none = Part::Text(0, 0);
        Lexed { kind, start, end, text: none, tail: none, plain: true, tail_plain: true }
    }

    #[inline(always)]
    pub(super) fn with_text(mut self, start: usize, end: usize) -> Self {
        self.text = Part::Text(start, end);
        self
    }

    #[inline(always)]
    pub(super) fn with_tail(mut self, start: usize, end: usize) -> Self {
        self.tail = Part::Text(start, end);
        self
    }

    /// Sets that the text is in the scratch.
    pub(super) fn unescaped(mut self) -> Self {
        self.text = Part::Scratch;
        self
    }

    /// Sets that the datatype is in the scratch.
    pub(super) fn tail_unescaped(mut self) -> Self {
        self.tail = Part::Scratch;
        self
    }

    /// An IRI in the scratch.
    pub(crate) fn iri_in_scratch(start: usize, end: usize, scratch: &Scratch) -> Self {
        let mut lexed = Lexed::at(Kind::Iri, start, end).unescaped();
        lexed.plain = is_named_plainly(&scratch.text);
        lexed
    }

    /// A literal with a datatype, which ends at `end` and is stored in the scratch.
    pub(crate) fn with_datatype(mut self, end: usize, datatype: String, scratch: &mut Scratch) -> Self {
        self.end = end;
        if datatype == XSD_STRING {
            return self;
        }
        self.kind = Kind::Datatype;
        self.tail_plain = is_named_plainly(&datatype);
        scratch.datatype = datatype;
        self.tail_unescaped()
    }

    /// A word.
    pub(crate) fn name(start: usize, end: usize) -> Self {
        Lexed::at(Kind::Simple, start, end).with_text(start, end)
    }

    /// The IRI, label or lexical form.
    pub(crate) fn string<'a>(&self, text: &'a str, scratch: &'a Scratch) -> &'a str {
        self.text(text, scratch)
    }

    /// The place of the string of an IRI or label, if it is not in the scratch.
    pub(super) fn is_in_text(&self) -> Option<(usize, usize)> {
        match self.text {
            Part::Text(start, end) => Some((start, end)),
            Part::Scratch => None,
        }
    }

    /// Whether the text at a place of `bytes` is certainly this term again.
    #[inline(always)]
    pub(crate) fn repeats_at(&self, at: usize, bytes: &[u8]) -> bool {
        let end = at + (self.end - self.start);
        if self.end == self.start || bytes.get(end) != Some(&b' ') {
            return false;
        }
        // after white space, a tag may follow a string
        let ends = self.kind != Kind::Simple || matches!(bytes.get(end + 1), Some(b'.' | b'<' | b'_' | b'"'));
        let lies_here = matches!((self.text, self.tail), (Part::Text(..), Part::Text(..)));
        ends && lies_here && self.kind != Kind::Triple && bytes[self.start..self.end] == bytes[at..end]
    }

    /// The same term at another place.
    #[inline(always)]
    pub(crate) fn moved_to(mut self, start: usize) -> Lexed {
        let moved = |part| match part {
            Part::Text(from, to) if to > 0 => Part::Text(from - self.start + start, to - self.start + start),
            part => part,
        };
        (self.text, self.tail) = (moved(self.text), moved(self.tail));
        (self.start, self.end) = (start, self.end - self.start + start);
        self
    }

    /// Whether both have the same text.
    #[inline(always)]
    pub(crate) fn is_same(&self, other: &Lexed, text: &str) -> bool {
        let (own, others) = (self.start..self.end, other.start..other.end);
        own.len() == others.len() && text.as_bytes()[own] == text.as_bytes()[others]
    }

    pub(crate) fn is_literal(&self) -> bool {
        matches!(self.kind, Kind::Simple | Kind::Language | Kind::Datatype)
    }

    #[inline(always)]
    fn text<'a>(&self, text: &'a str, scratch: &'a Scratch) -> &'a str {
        match self.text {
            Part::Text(start, end) => &text[start..end],
            Part::Scratch => &scratch.text,
        }
    }

    #[inline(always)]
    fn tail<'a>(&self, text: &'a str, scratch: &'a Scratch) -> &'a str {
        match self.tail {
            Part::Text(start, end) => &text[start..end],
            Part::Scratch => &scratch.datatype,
        }
    }

    /// The term, with its IRI in one piece and without copies.
    #[inline]
    pub(crate) fn whole<'a>(&self, text: &'a str, scratch: &'a Scratch) -> Term<'a> {
        let own = self.text(text, scratch);
        match self.kind {
            Kind::Iri => Term::iri(own),
            Kind::BlankNode => Term::BlankNode(own),
            Kind::Simple => self.literal(own, LiteralKind::Simple),
            Kind::Language => self.literal(own, LiteralKind::Language(self.tail(text, scratch))),
            Kind::Datatype => {
                self.literal(own, LiteralKind::Datatype(Datatype::new(self.tail(text, scratch))))
            }
            Kind::Triple => scratch.triple.as_deref().map_or(Term::DefaultGraph, Term::Triple),
            Kind::DefaultGraph => Term::DefaultGraph,
        }
    }

    /// The term in the form for sinks.
    #[inline(always)]
    pub(crate) fn term<'a>(&self, text: &'a str, scratch: &'a mut Scratch) -> Term<'a> {
        match self.kind {
            Kind::Iri => {
                let close = match self.text {
                    Part::Text(start, end) => Padded::within(text, start, end + 1),
                    Part::Scratch => None,
                };
                let close = close.unwrap_or_else(|| self.copied(text, scratch));
                Term::Iri(Iri::in_pieces(Padded::ANGLE, close, self.plain))
            }
            Kind::BlankNode => Term::BlankNode(self.text(text, scratch)),
            Kind::Simple => self.literal(self.text(text, scratch), LiteralKind::Simple),
            Kind::Language => {
                let tag = self.tail(text, scratch);
                self.literal(self.text(text, scratch), LiteralKind::Language(tag))
            }
            Kind::Datatype => self.typed(text, scratch),
            Kind::Triple => scratch.triple.as_deref().map_or(Term::DefaultGraph, Term::Triple),
            Kind::DefaultGraph => Term::DefaultGraph,
        }
    }

    /// The IRI and its bracket, with spare bytes.
    #[cold]
    fn copied<'a>(&self, text: &'a str, scratch: &'a mut Scratch) -> Padded<'a> {
        let Scratch { text: unescaped, padded, .. } = scratch;
        let own = match self.text {
            Part::Text(start, end) => &text[start..end],
            Part::Scratch => unescaped,
        };
        padded.set("", own, ">");
        padded.as_padded()
    }

    #[inline(always)]
    fn literal<'a>(&self, lex: &'a str, kind: LiteralKind<'a>) -> Term<'a> {
        Term::Literal(Literal { lex, plain: self.plain, kind })
    }

    #[inline(always)]
    fn typed<'a>(&self, text: &'a str, scratch: &'a mut Scratch) -> Term<'a> {
        let found = match self.tail {
            // not if the string has other quotes, or white space separates the parts
            Part::Text(start, end) if text[..start].ends_with(DATATYPE_OPEN) => {
                Padded::within(text, start - DATATYPE_OPEN.len(), end + 1)
            }
            _ => None,
        };
        let suffix = match found {
            Some(suffix) => suffix,
            None => {
                let tail = match self.tail {
                    Part::Text(start, end) => &text[start..end],
                    Part::Scratch => &scratch.datatype,
                };
                scratch.padded.set(DATATYPE_OPEN, tail, ">");
                scratch.padded.as_padded()
            }
        };
        let lex = match self.text {
            Part::Text(start, end) => &text[start..end],
            Part::Scratch => &scratch.text,
        };
        let datatype = Datatype(DatatypeText::Suffix { suffix, plain: self.tail_plain });
        self.literal(lex, LiteralKind::Datatype(datatype))
    }

    /// The term as an owned term.
    pub(crate) fn owned(&self, text: &str, scratch: &Scratch) -> TermBuf {
        self.whole(text, scratch).into()
    }
}
