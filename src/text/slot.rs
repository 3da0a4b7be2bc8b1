//! A term that lies in one piece, kept in the pieces that [`Term`] has.

use crate::buffer::{Padded, PaddedBuf};
use crate::scan::{is_plain_iri, is_plain_literal};
use crate::term::{DATATYPE_OPEN, Datatype, Iri, Literal, LiteralKind, PlainKind, PlainTerm, Term, TermBuf};

/// The last term of one place. Its memory is used again for the next.
#[derive(Debug, Default)]
pub(crate) struct TermSlot {
    kind: Kind,
    /// An IRI and `>`, or a datatype as [`Datatype`] has it.
    iri: PaddedBuf,
    iri_plain: bool,
    /// A lexical form or label.
    text: String,
    text_plain: bool,
    tag: String,
    /// Bytes of an owned term.
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

/// Memory that is kept although the next term may be short.
const KEPT: usize = 64 << 10;

impl TermSlot {
    /// No term was here yet.
    pub(crate) fn is_unset(&self) -> bool {
        matches!(self.kind, Kind::Unset)
    }

    /// Replaces the term; whether it is the same as before.
    #[inline]
    pub(crate) fn set(&mut self, term: &PlainTerm<'_>) -> bool {
        if self.holds(term) {
            return true;
        }
        self.owned = 0;
        match *term {
            PlainTerm::Iri(iri) => {
                self.kind = Kind::Iri;
                self.iri.set("", iri, ">");
                self.iri_plain = is_named_plainly(iri);
            }
            PlainTerm::BlankNode(label) => {
                self.kind = Kind::BlankNode;
                set(&mut self.text, label);
            }
            PlainTerm::Literal(lex, kind) => {
                set(&mut self.text, lex);
                self.text_plain = is_plain_literal(lex);
                self.kind = match kind {
                    PlainKind::Simple => Kind::Simple,
                    PlainKind::Language(tag) => {
                        set(&mut self.tag, tag);
                        Kind::Language
                    }
                    PlainKind::Datatype(iri) => {
                        self.iri.set(DATATYPE_OPEN, iri, ">");
                        self.iri_plain = is_named_plainly(iri);
                        Kind::Datatype
                    }
                };
            }
            PlainTerm::Triple(triple) => self.own(TermBuf::Triple(Box::new(triple.clone()))),
            PlainTerm::DefaultGraph => self.kind = Kind::Owned(TermBuf::DefaultGraph),
        }
        self.release();
        false
    }

    fn own(&mut self, term: TermBuf) {
        self.owned = term.size();
        self.kind = Kind::Owned(term);
    }

    /// Gives long memory back that the term does not use.
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

    /// Bytes of memory beside its own.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.iri.capacity() + self.text.capacity() + self.tag.capacity() + self.owned
    }

    /// Replaces the term by an owned one; whether it is the same as before.
    pub(crate) fn put(&mut self, term: TermBuf) -> bool {
        if matches!(&self.kind, Kind::Owned(own) if *own == term) {
            return true;
        }
        self.own(term);
        self.release();
        false
    }

    #[inline(always)]
    fn holds(&self, term: &PlainTerm<'_>) -> bool {
        match (&self.kind, *term) {
            (Kind::Iri, PlainTerm::Iri(iri)) => self.close() == iri,
            (Kind::BlankNode, PlainTerm::BlankNode(label)) => self.text == label,
            (Kind::Simple, PlainTerm::Literal(lex, PlainKind::Simple)) => self.text == lex,
            (Kind::Language, PlainTerm::Literal(lex, PlainKind::Language(tag))) => {
                self.text == lex && self.tag == tag
            }
            (Kind::Datatype, PlainTerm::Literal(lex, PlainKind::Datatype(iri))) => {
                self.text == lex && self.close()[DATATYPE_OPEN.len()..] == *iri
            }
            (Kind::Owned(TermBuf::Triple(own)), PlainTerm::Triple(triple)) => **own == *triple,
            (Kind::Owned(TermBuf::DefaultGraph), PlainTerm::DefaultGraph) => true,
            _ => false,
        }
    }

    /// `iri` without its last bracket.
    fn close(&self) -> &str {
        let text = self.iri.as_padded().text();
        &text[..text.len() - 1]
    }

    /// The term; the default graph if there was none.
    #[inline(always)]
    pub(crate) fn term(&self) -> Term<'_> {
        let literal = |kind| Term::Literal(Literal { lex: &self.text, plain: self.text_plain, kind });
        match &self.kind {
            Kind::Iri => Term::Iri(self.iri()),
            Kind::BlankNode => Term::BlankNode(&self.text),
            Kind::Simple => literal(LiteralKind::Simple),
            Kind::Language => literal(LiteralKind::Language(&self.tag)),
            Kind::Datatype => literal(LiteralKind::Datatype(Datatype {
                suffix: self.iri.as_padded(),
                plain: self.iri_plain,
            })),
            Kind::Owned(term) => term.as_term(),
            Kind::Unset => Term::DefaultGraph,
        }
    }

    /// Replaces the term by an IRI.
    pub(crate) fn set_iri(&mut self, iri: &str) -> Iri<'_> {
        self.set(&PlainTerm::Iri(iri));
        self.iri()
    }

    fn iri(&self) -> Iri<'_> {
        Iri { open: Padded::ANGLE, close: self.iri.as_padded(), plain: self.iri_plain }
    }
}

/// `<_:` would be a blank node.
#[inline]
fn is_named_plainly(iri: &str) -> bool {
    is_plain_iri(iri) && !iri.starts_with("_:")
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
            (PlainTerm::Iri("a:b"), "<a:b>"),
            (PlainTerm::Iri("_:b c"), "<\\u005F:b\\u0020c>"),
            (PlainTerm::BlankNode("b"), "_:b"),
            (PlainTerm::Literal("b", PlainKind::Simple), "\"b\""),
            (PlainTerm::Literal("\n", PlainKind::Simple), "\"\\n\""),
            (PlainTerm::Literal("b", PlainKind::Language("en")), "\"b\"@en"),
            (PlainTerm::Literal("b", PlainKind::Language("de--ltr")), "\"b\"@de--ltr"),
            (PlainTerm::Literal("b", PlainKind::Datatype("a:b")), "\"b\"^^<a:b>"),
            (PlainTerm::Literal("b", PlainKind::Datatype("a:>")), "\"b\"^^<a:\\u003E>"),
            (PlainTerm::Triple(&triple), "<<( <a:s> <a:p> <a:o> )>>"),
            (PlainTerm::DefaultGraph, ""),
        ];
        for (first, _) in &terms {
            for (second, text) in &terms {
                let mut slot = TermSlot::default();
                assert!(slot.is_unset() && !slot.set(first) && !slot.is_unset());
                assert_eq!(slot.set(second), first == second, "{first:?} {second:?}");
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
        slot.set(&PlainTerm::BlankNode(&"b".repeat(1 << 20)));
        slot.set(&PlainTerm::BlankNode("b"));
        assert!(slot.text.capacity() <= KEPT);
        let long = "b".repeat(1 << 20);
        let terms = [
            PlainTerm::Literal(&long, PlainKind::Language(&long)),
            PlainTerm::Literal(&long, PlainKind::Datatype(&long)),
            PlainTerm::Literal(&long, PlainKind::Simple),
            PlainTerm::Iri(&long),
        ];
        for (term, size) in terms.iter().zip([2, 2, 1, 1]) {
            slot.set(term);
            assert_eq!(slot.bytes() >> 20, size, "{size}");
        }
        slot.put(TermBuf::blank_node(&long));
        assert_eq!(slot.bytes(), 1 << 20);
        slot.set(&PlainTerm::DefaultGraph);
        assert_eq!(slot.bytes(), 0);
    }
}
