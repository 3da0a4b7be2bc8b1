//! Stores a term in one piece, in the pieces of a [`Term`].

use crate::buffer::{Padded, PaddedBuf};
use crate::scan::is_plain_literal;
use crate::term::{
    DATATYPE_OPEN, Datatype, DatatypeText, Iri, Literal, LiteralKind, Term, TermBuf, is_named_plainly,
};

/// The last term at one place. Its memory is reused for the next term.
#[derive(Debug, Default)]
pub(crate) struct TermSlot {
    kind: Kind,
    /// An IRI and `>`, or a datatype in the form of [`Datatype`].
    iri: PaddedBuf,
    iri_plain: bool,
    /// A lexical form or label.
    text: String,
    text_plain: bool,
    tag: String,
    /// Size of an owned term in bytes.
    owned: usize,
}

#[derive(Debug, Default)]
enum Kind {
    #[default]
    Unset,
    Iri,
    BlankNode,
    Simple,
    Language,
    Datatype,
    Owned(TermBuf),
}

/// Memory that is kept even if the next term is short.
const KEPT: usize = 64 << 10;

impl TermSlot {
    /// Whether no term was stored yet.
    pub(crate) fn is_unset(&self) -> bool {
        matches!(self.kind, Kind::Unset)
    }

    /// Replaces the term by one whose IRI is in one piece; returns whether it is the same as before.
    #[inline]
    pub(crate) fn set(&mut self, term: &Term<'_>) -> bool {
        if self.holds(term) {
            return true;
        }
        self.owned = 0;
        match *term {
            Term::Iri(iri) => {
                debug_assert!(iri.prefix().is_empty(), "readers of text find whole IRIs");
                self.kind = Kind::Iri;
                self.iri.set("", iri.name(), ">");
                self.iri_plain = is_named_plainly(iri.name());
            }
            Term::BlankNode(label) => {
                self.kind = Kind::BlankNode;
                set(&mut self.text, label);
            }
            Term::Literal(Literal { lex, plain, kind }) => {
                set(&mut self.text, lex);
                self.text_plain = plain || is_plain_literal(lex);
                self.kind = match kind {
                    LiteralKind::Simple => Kind::Simple,
                    LiteralKind::Language(tag) => {
                        set(&mut self.tag, tag);
                        Kind::Language
                    }
                    LiteralKind::Datatype(datatype) => {
                        self.iri.set(DATATYPE_OPEN, datatype.iri(), ">");
                        self.iri_plain = is_named_plainly(datatype.iri());
                        Kind::Datatype
                    }
                };
            }
            Term::Triple(triple) => self.own(TermBuf::Triple(Box::new(triple.clone()))),
            Term::DefaultGraph => self.kind = Kind::Owned(TermBuf::DefaultGraph),
        }
        self.release();
        false
    }

    fn own(&mut self, term: TermBuf) {
        self.owned = term.size();
        self.kind = Kind::Owned(term);
    }

    /// Frees large memory that the term does not use.
    #[inline]
    fn release(&mut self) {
        if self.iri.capacity().max(self.text.capacity()).max(self.tag.capacity()) > KEPT {
            self.release_unused();
        }
    }

    #[cold]
    fn release_unused(&mut self) {
        let (iri, text, tag) = match self.kind {
            Kind::Iri => (true, false, false),
            Kind::BlankNode | Kind::Simple => (false, true, false),
            Kind::Language => (false, true, true),
            Kind::Datatype => (true, true, false),
            Kind::Owned(_) | Kind::Unset => (false, false, false),
        };
        if !iri {
            self.iri = PaddedBuf::default();
        }
        if !text {
            self.text = String::new();
        }
        if !tag {
            self.tag = String::new();
        }
    }

    /// Bytes of memory in addition to its own size.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.iri.capacity() + self.text.capacity() + self.tag.capacity() + self.owned
    }

    /// Replaces the term by an owned one; returns whether it is the same as before.
    pub(crate) fn put(&mut self, term: TermBuf) -> bool {
        if matches!(&self.kind, Kind::Owned(own) if *own == term) {
            return true;
        }
        self.own(term);
        self.release();
        false
    }

    #[inline(always)]
    fn holds(&self, term: &Term<'_>) -> bool {
        match (&self.kind, *term) {
            (Kind::Iri, Term::Iri(iri)) => self.close() == iri.name(),
            (Kind::BlankNode, Term::BlankNode(label)) => self.text == label,
            (_, Term::Literal(Literal { lex, kind, .. })) => match (&self.kind, kind) {
                (Kind::Simple, LiteralKind::Simple) => self.text == lex,
                (Kind::Language, LiteralKind::Language(tag)) => self.text == lex && self.tag == tag,
                (Kind::Datatype, LiteralKind::Datatype(datatype)) => {
                    self.text == lex && self.close()[DATATYPE_OPEN.len()..] == *datatype.iri()
                }
                _ => false,
            },
            (Kind::Owned(TermBuf::Triple(own)), Term::Triple(triple)) => **own == *triple,
            (Kind::Owned(TermBuf::DefaultGraph), Term::DefaultGraph) => true,
            _ => false,
        }
    }

    /// `iri` without its last bracket.
    fn close(&self) -> &str {
        let text = self.iri.as_padded().text();
        &text[..text.len() - 1]
    }

    /// The term; the default graph if no term was stored.
    #[inline(always)]
    pub(crate) fn term(&self) -> Term<'_> {
        let literal = |kind| Term::Literal(Literal { lex: &self.text, plain: self.text_plain, kind });
        match &self.kind {
            Kind::Iri => Term::Iri(self.iri()),
            Kind::BlankNode => Term::BlankNode(&self.text),
            Kind::Simple => literal(LiteralKind::Simple),
            Kind::Language => literal(LiteralKind::Language(&self.tag)),
            Kind::Datatype => {
                let (suffix, plain) = (self.iri.as_padded(), self.iri_plain);
                literal(LiteralKind::Datatype(Datatype(DatatypeText::Suffix { suffix, plain })))
            }
            Kind::Owned(term) => term.as_term(),
            Kind::Unset => Term::DefaultGraph,
        }
    }

    /// Replaces the term by an IRI.
    pub(crate) fn set_iri(&mut self, iri: &str) -> Iri<'_> {
        self.set(&Term::iri(iri));
        self.iri()
    }

    fn iri(&self) -> Iri<'_> {
        Iri::in_pieces(Padded::ANGLE, self.iri.as_padded(), self.iri_plain)
    }
}

#[inline]
fn set(text: &mut String, value: &str) {
    if text.capacity() > KEPT.max(4 * value.len()) || text.capacity() < value.len() {
        *text = String::with_capacity(value.len().next_multiple_of(32));
    }
    text.clear();
    text.push_str(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_comes_back_and_repeats() {
        let triple = crate::term::Triple { terms: ["a:s", "a:p", "a:o"].map(TermBuf::iri) };
        let terms = [
            (Term::iri("a:b"), "<a:b>"),
            (Term::iri("_:b c"), "<\\u005F:b\\u0020c>"),
            (Term::BlankNode("b"), "_:b"),
            (Term::simple_literal("b"), "\"b\""),
            (Term::simple_literal("\n"), "\"\\n\""),
            (Term::language_literal("b", "en"), "\"b\"@en"),
            (Term::language_literal("b", "de--ltr"), "\"b\"@de--ltr"),
            (Term::typed_literal("b", "a:b"), "\"b\"^^<a:b>"),
            (Term::typed_literal("b", "a:>"), "\"b\"^^<a:\\u003E>"),
            (Term::Triple(&triple), "<<( <a:s> <a:p> <a:o> )>>"),
            (Term::DefaultGraph, ""),
        ];
        for (first, before) in &terms {
            for (second, text) in &terms {
                let mut slot = TermSlot::default();
                assert!(slot.is_unset() && !slot.set(first) && !slot.is_unset());
                assert_eq!(slot.set(second), before == text, "{first:?} {second:?}");
                assert_eq!(slot.term().to_string(), *text);
                assert!(slot.set(second));
            }
        }
        let mut slot = TermSlot::default();
        assert_eq!(slot.set_iri("a:b").to_string(), "a:b");
        assert!(!slot.put(TermBuf::simple_literal("x")) && slot.put(TermBuf::simple_literal("x")));
    }

    #[test]
    fn a_long_term_does_not_keep_its_memory() {
        let mut slot = TermSlot::default();
        slot.set(&Term::BlankNode(&"b".repeat(1 << 20)));
        slot.set(&Term::BlankNode("b"));
        assert!(slot.text.capacity() <= KEPT);
        let long = "b".repeat(1 << 20);
        let terms = [
            Term::language_literal(&long, &long),
            Term::typed_literal(&long, &long),
            Term::simple_literal(&long),
            Term::iri(&long),
        ];
        for (term, size) in terms.iter().zip([2, 2, 1, 1]) {
            slot.set(term);
            assert_eq!(slot.bytes() >> 20, size, "{size}");
        }
        slot.put(TermBuf::blank_node(&long));
        assert_eq!(slot.bytes(), 1 << 20);
        slot.set(&Term::DefaultGraph);
        assert_eq!(slot.bytes(), 0);
    }
}
