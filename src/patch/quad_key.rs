//! The 128-bit key by which quads are compared.
//!
//! The key of a quad is the SipHash-2-4-128, with a secret of 16 bytes, of its four terms as canonical
//! N-Triples (the default graph is the empty text), with language tags in lower case and a byte `FF` after
//! each term. Without the secret it is impossible to construct two quads that share a key, so each run draws
//! a secret; several processes that compare keys share one. The key consists of the two words of the hash,
//! the first one high.

use siphasher::sip128::SipHasher24;

use super::quad_text::{Nodes, QuadText, WholeQuad};
use crate::buffer::TextBuffer;
use crate::error::Result;
use crate::secret::random_secret;
use crate::sink::Statement;
use crate::term::{LiteralKind, Term};
use crate::text::fold_tags;
use crate::text::write::TermWriter;

/// The byte after each term, which does not occur in UTF-8.
pub(super) const END: u8 = 0xff;

/// The key of a quad, and whether its spelling matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuadKey {
    /// The key.
    pub key: u128,
    /// A language tag has capitals: quads with this key can have different spellings.
    pub folded: bool,
}

/// Computes keys with one secret.
pub struct Keys {
    hasher: SipHasher24,
    text: TextBuffer,
    quad: QuadText,
}

impl Keys {
    /// Uses this secret.
    pub fn new(secret: [u8; 16]) -> Self {
        Keys {
            hasher: SipHasher24::new_with_key(&secret),
            text: TextBuffer::default(),
            quad: QuadText::default(),
        }
    }

    /// Uses a random secret.
    pub fn random() -> Result<Self> {
        random_secret().map(Keys::new)
    }

    /// Computes the key of a quad.
    #[inline]
    pub fn of(&mut self, statement: &Statement<'_>) -> QuadKey {
        self.of_seen(statement, |_, _| {})
    }

    /// Like [`Self::of`], and calls `see` with each term's place and its canonical text, in which tags keep
    /// their spelling.
    #[inline]
    pub(crate) fn of_seen(
        &mut self,
        statement: &Statement<'_>,
        mut see: impl FnMut(usize, &[u8]),
    ) -> QuadKey {
        self.text.clear();
        self.quad.forget();
        let mut folded = false;
        for (place, term) in statement.terms.iter().enumerate() {
            let start = self.text.len();
            TermWriter::new(&mut self.text).term(term);
            see(place, self.text.tail_mut(start));
            if has_tag(term) {
                folded |= fold_tags(self.text.tail_mut(start));
            }
            self.text.push_byte(END);
        }
        self.hashed(folded)
    }

    /// Computes the key of a quad from canonical N-Triples terms: subject, predicate, object, graph.
    pub fn of_texts(&mut self, terms: [&str; 4]) -> QuadKey {
        self.text.clear();
        let mut folded = false;
        for term in terms {
            let start = self.text.len();
            self.text.push(term);
            if !term.starts_with('<') || term.starts_with("<<(") {
                folded |= fold_tags(self.text.tail_mut(start));
            }
            self.text.push_byte(END);
        }
        self.hashed(folded)
    }

    /// Forgets the previous quad: the next one comes after a whole statement, whose terms it may repeat.
    #[inline(always)]
    pub(crate) fn forget(&mut self) {
        self.quad.forget();
    }

    /// Returns the sink for the terms of the next quad, if it has only these blank nodes.
    #[inline(always)]
    pub(crate) fn begin(&mut self, nodes: Nodes) -> &mut QuadText {
        self.quad.begin(nodes)
    }

    /// The key of the quad whose terms were passed one by one; no tag has capitals.
    #[inline(always)]
    pub(crate) fn end(&mut self) -> u128 {
        self.quad.end(|text| hash(&self.hasher, text))
    }

    /// The quad whose terms were passed one by one.
    #[inline(always)]
    pub(crate) fn quad(&mut self) -> WholeQuad<'_> {
        self.quad.whole()
    }

    /// Another instance with the same secret.
    pub(crate) fn again(&self) -> Self {
        Keys { hasher: self.hasher, text: TextBuffer::default(), quad: QuadText::default() }
    }

    #[inline]
    fn hashed(&self, folded: bool) -> QuadKey {
        QuadKey { key: hash(&self.hasher, self.text.as_bytes()), folded }
    }
}

#[inline]
fn hash(hasher: &SipHasher24, text: &[u8]) -> u128 {
    let hash = hasher.hash(text);
    u128::from(hash.h1) << 64 | u128::from(hash.h2)
}

/// Whether a term may have a language tag.
fn has_tag(term: &Term<'_>) -> bool {
    match term {
        Term::Literal(literal) => matches!(literal.kind, LiteralKind::Language(_)),
        Term::Triple(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{TermBuf, Triple};

    fn triple(object: TermBuf) -> TermBuf {
        TermBuf::Triple(Box::new(Triple { terms: [TermBuf::iri("a:s"), TermBuf::iri("a:\"@P"), object] }))
    }

    fn objects() -> Vec<TermBuf> {
        let mut all = vec![
            TermBuf::iri("a:O@EN"),
            TermBuf::blank_node("B"),
            TermBuf::blank_node("not plain \"@X"),
            TermBuf::simple_literal("x\"@EN"),
            TermBuf::simple_literal("\\"),
            TermBuf::language_literal("X \" \\ @EN y", "en"),
            TermBuf::language_literal("x", "EN-Latn--LTR"),
            TermBuf::language_literal("", "de"),
            TermBuf::language_literal("x", "\u{1F600}F"),
            TermBuf::language_literal("x", "\u{1}f600f"),
            TermBuf::typed_literal("X", "a:T"),
        ];
        let nested: Vec<_> = all.iter().cloned().map(triple).collect();
        all.extend(nested.iter().cloned().map(triple));
        all.extend(nested);
        all
    }

    fn statement(object: &TermBuf) -> Statement<'_> {
        Statement::of([Term::BlankNode("s"), Term::BlankNode("p"), object.as_term(), Term::DefaultGraph])
    }

    #[test]
    fn terms_and_their_texts_have_the_same_key() {
        let (mut one, mut other) = (Keys::new([7; 16]), Keys::new([8; 16]));
        let mut seen = std::collections::HashMap::new();
        for object in objects() {
            let text = object.as_term().to_string();
            let key = one.of(&statement(&object));
            assert_eq!(one.of_texts(["_:s", "_:p", &text, ""]), key, "{text}");
            assert_ne!(other.of(&statement(&object)), key, "{text}");
            assert_eq!(seen.insert(key.key, text.clone()), None, "{text}");
        }
        assert_eq!(seen.len(), 33);
        assert_ne!(one.of_texts(["a", "b", "", ""]), one.of_texts(["a", "", "b", ""]));
    }

    #[test]
    fn only_the_case_of_tags_is_no_difference() {
        let mut keys = Keys::new([1; 16]);
        let mut key = |lex, tag| {
            let literal = TermBuf::language_literal(lex, tag);
            let nested = triple(triple(literal.clone()));
            (keys.of(&statement(&literal)), keys.of(&statement(&nested)))
        };
        let (lower, upper) = (key("A\"@B", "en-gb--ltr"), key("A\"@B", "en-GB--LTR"));
        assert_eq!((lower.0.key, lower.1.key), (upper.0.key, upper.1.key));
        assert!(upper.0.folded && upper.1.folded && !lower.0.folded && !lower.1.folded);
        assert_ne!(key("a\"@B", "en-gb--ltr"), lower);
    }

    /// Other processes and other versions of this library compute the same keys.
    #[test]
    fn the_key_is_as_the_words_above_say() {
        let secret = std::array::from_fn(|n| n as u8);
        let key = Keys::new(secret).of_texts(["<a:s>", "<a:p>", "\"x\"@EN", ""]).key;
        let bytes = b"<a:s>\xff<a:p>\xff\"x\"@en\xff\xff";
        let hash = SipHasher24::new_with_key(&secret).hash(bytes).as_u128();
        assert_eq!(key.rotate_left(64), hash);
    }
}
