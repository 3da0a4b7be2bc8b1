//! The canonical text of a quad, from which its key is computed, assembled from single terms.

use super::quad_key::END;
use crate::blank::is_position;
use crate::buffer::TextBuffer;
use crate::encode::bytes::same;
use crate::error::Result;
use crate::scan::is_plain_label;
use crate::sink::{Statement, TermSink};
use crate::term::{Iri, Literal, LiteralKind};
use crate::text::lex::{Scratch, is_language, term_of};
use crate::text::write::TermWriter;

/// Quads with these blank nodes come as single terms; other quads come as statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Nodes {
    /// Any.
    #[default]
    Any,
    /// Blank nodes whose labels are not positions.
    Named,
    /// No blank nodes.
    No,
}

/// The terms of a quad, and those of the previous quad.
///
/// [`END`] follows each term; once the quad has ended, the text is a line of N-Quads. Language tags with
/// capitals, quoted triples and other unusual terms come with their statements.
#[derive(Default)]
pub(crate) struct QuadText {
    now: Terms,
    last: Terms,
    /// Whether all terms of the quad are present, and those of the previous quad.
    is_whole: bool,
    follows: bool,
    nodes: Nodes,
    scratch: [Scratch; 4],
}

#[derive(Default)]
struct Terms {
    text: TextBuffer,
    /// The end of each term.
    ends: [usize; 4],
}

/// A complete quad, as a line of N-Quads.
pub(crate) struct WholeQuad<'q> {
    text: &'q [u8],
    ends: [usize; 4],
    scratch: &'q mut [Scratch; 4],
}

/// A term in the text of a quad.
#[inline(always)]
fn term<'t>(text: &'t [u8], ends: &[usize; 4], place: usize) -> &'t [u8] {
    let start = if place == 0 { 0 } else { ends[place - 1] + 1 };
    &text[start..ends[place]]
}

impl Terms {
    #[inline(always)]
    fn of(&self, place: usize) -> &[u8] {
        term(self.text.as_bytes(), &self.ends, place)
    }

    /// Turns the terms into a line.
    #[inline(always)]
    fn end_line(&mut self) {
        let text = self.text.tail_mut(0);
        for end in self.ends {
            text[end] = b' ';
        }
        if self.of(3).is_empty() {
            self.text.truncate(self.ends[3]);
        }
        self.text.push(".\n");
    }
}

impl<'q> WholeQuad<'q> {
    /// Creates a quad from a line and the end of each of its four terms.
    #[inline(always)]
    pub(super) fn new(text: &'q [u8], ends: [usize; 4], scratch: &'q mut [Scratch; 4]) -> Self {
        WholeQuad { text, ends, scratch }
    }

    /// The line, and the end of each term.
    pub(super) fn line(&self) -> (&'q [u8], [usize; 4]) {
        (self.text, self.ends)
    }

    /// Whether the quad is standard RDF (not generalized), and whether it has a graph.
    #[inline(always)]
    pub(super) fn shape(&self) -> (bool, bool) {
        let [subject, predicate, object, graph] =
            [0, 1, 2, 3].map(|place| term(self.text, &self.ends, place));
        let is_rdf = matches!(subject, [b'<' | b'_', ..])
            && matches!(predicate, [b'<', ..])
            && !object.is_empty()
            && !matches!(graph, [b'"', ..]);
        (is_rdf, !graph.is_empty())
    }

    /// Passes the terms to a sink; `false`: the sink does not take them in this form.
    #[inline]
    pub(crate) fn hand_over(&self, out: &mut impl for<'t> TermSink<'t>) -> bool {
        (0..4).all(|place| {
            let bytes = term(self.text, &self.ends, place);
            let Ok(text) = str::from_utf8(bytes) else { return false };
            match bytes {
                [] => out.default_graph(place),
                [b'_', ..] => out.labelled(place, text, text.len()),
                _ => out.text(place, text, text.len()),
            }
        })
    }

    /// The quad as a statement.
    pub(crate) fn statement(self) -> Result<Statement<'q>> {
        let mut statement = Statement::empty();
        for (place, scratch) in self.scratch.iter_mut().enumerate() {
            let text = str::from_utf8(term(self.text, &self.ends, place)).unwrap_or_default();
            statement.terms[place] = term_of(text, scratch)?;
        }
        Ok(statement)
    }
}

impl QuadText {
    /// Begins a quad.
    #[inline(always)]
    pub(super) fn begin(&mut self, nodes: Nodes) -> &mut Self {
        std::mem::swap(&mut self.now, &mut self.last);
        self.now.text.clear();
        self.follows = std::mem::take(&mut self.is_whole) && self.nodes == nodes;
        self.nodes = nodes;
        self
    }

    /// Ends a quad; returns the result of `hash` for its text.
    #[inline(always)]
    pub(super) fn end<K>(&mut self, hash: impl FnOnce(&[u8]) -> K) -> K {
        self.is_whole = true;
        let key = hash(self.now.text.as_bytes());
        self.now.end_line();
        key
    }

    /// Forgets the previous quad, because a quad came in another form.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        self.is_whole = false;
    }

    /// The quad, after it has ended.
    #[inline(always)]
    pub(super) fn whole(&mut self) -> WholeQuad<'_> {
        WholeQuad::new(self.now.text.as_bytes(), self.now.ends, &mut self.scratch)
    }

    #[inline(always)]
    fn put(&mut self, place: usize, write: impl FnOnce(&mut TextBuffer)) -> bool {
        write(&mut self.now.text);
        self.now.ends[place] = self.now.text.len();
        self.now.text.push_byte(END);
        true
    }
}

impl<'t> TermSink<'t> for QuadText {
    #[inline(always)]
    fn iri(&mut self, place: usize, iri: Iri<'t>) -> bool {
        self.put(place, |text| TermWriter::new(text).iri(&iri))
    }

    #[inline(always)]
    fn blank_node(&mut self, place: usize, label: &'t str) -> bool {
        let is_usual = match self.nodes {
            Nodes::Any => true,
            Nodes::Named => !is_position(label),
            Nodes::No => false,
        };
        is_usual && is_plain_label(label) && self.put(place, |text| TermWriter::new(text).blank_node(label))
    }

    #[inline(always)]
    fn literal(&mut self, place: usize, literal: Literal<'t>) -> bool {
        let is_odd = match literal.kind {
            LiteralKind::Language(tag) => !(tag.bytes().all(is_small) && is_language(tag)),
            LiteralKind::Simple | LiteralKind::Datatype(_) => false,
        };
        !is_odd && self.put(place, |text| TermWriter::new(text).literal(&literal))
    }

    #[inline(always)]
    fn default_graph(&mut self, place: usize) -> bool {
        self.put(place, |_| {})
    }

    #[inline(always)]
    fn repeat(&mut self, place: usize) -> bool {
        self.follows && {
            self.now.text.push_bytes(self.last.of(place));
            self.put(place, |_| {})
        }
    }

    #[inline(always)]
    fn text(&mut self, place: usize, text: &'t str, length: usize) -> bool {
        if has_capitals(&text.as_bytes()[..length]) {
            return false;
        }
        self.put(place, |now| now.push_start(text, length))
    }

    #[inline(always)]
    fn repeats_in(&self, place: usize, text: &[u8]) -> Option<usize> {
        if !self.follows {
            return None;
        }
        let last = self.last.of(place);
        let may_repeat = !last.is_empty() && text.get(last.len()) == Some(&b' ');
        (may_repeat && same(last, &text[..last.len()])).then_some(last.len())
    }
}

/// Whether a canonical term is a literal with capitals in its language tag.
#[inline(always)]
fn has_capitals(text: &[u8]) -> bool {
    match text {
        [b'"', .., b'"' | b'>'] => false,
        [b'"', ..] => text.iter().rev().take_while(|&&byte| byte != b'@').any(|&byte| !is_small(byte)),
        _ => false,
    }
}

/// Whether a byte of a language tag is neither a capital nor unusual.
#[inline(always)]
fn is_small(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')
}

#[cfg(test)]
mod tests {
    use super::super::quad_key::Keys;
    use super::*;
    use crate::term::{TermBuf, Triple};

    fn terms() -> Vec<TermBuf> {
        let triple = [TermBuf::iri("a:s"), TermBuf::iri("a:p"), TermBuf::blank_node("b")];
        vec![
            TermBuf::iri("a:s"),
            TermBuf::iri("a:\u{e9} <>"),
            TermBuf::iri("_:b"),
            TermBuf::blank_node("b"),
            TermBuf::blank_node("anon-1"),
            TermBuf::blank_node("not plain"),
            TermBuf::simple_literal("x"),
            TermBuf::simple_literal("\"x\"\n\\"),
            TermBuf::language_literal("x", "en"),
            TermBuf::language_literal("x", "en-GB"),
            TermBuf::language_literal("x", "no tag"),
            TermBuf::typed_literal("1", "a:t"),
            TermBuf::Triple(Box::new(Triple { terms: triple })),
            TermBuf::DefaultGraph,
        ]
    }

    /// Passes terms as a parser does, which reports repeated terms.
    fn hand_over<'t>(
        quad: &mut QuadText,
        terms: [&'t TermBuf; 4],
        texts: &'t [String; 4],
        repeats: [bool; 4],
    ) -> bool {
        (0..4).all(|place| {
            let (term, text) = (terms[place], &texts[place]);
            if repeats[place] && quad.repeat(place) {
                return true;
            }
            match quad.repeats_in(place, text.as_bytes()) {
                Some(length) => text.len() == length + 1 && quad.repeat(place),
                None if text.starts_with('"') => quad.text(place, text, text.len() - 1),
                None => quad.term(place, term.as_term()),
            }
        })
    }

    #[test]
    fn terms_one_by_one_have_the_key_of_their_statement() {
        let all = terms();
        let (mut keys, mut other) = (Keys::new([7; 16]), Keys::new([7; 16]));
        let (mut state, mut last, mut taken, mut left) = (1u64, [0; 4], 0, 0);
        for row in 0..20_000 {
            let mut pick = |count: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % count
            };
            let nodes = [Nodes::Any, Nodes::Named, Nodes::No][row / 100 % 3];
            let mut ids = last;
            ids[pick(4)] = pick(all.len());
            let terms = ids.map(|id| &all[id]);
            let statement = Statement::of(terms.map(TermBuf::as_term));
            let wanted = other.of(&statement);
            let texts = terms.map(|term| format!("{} ", term.as_term()));
            let repeats = std::array::from_fn(|place| ids[place] == last[place] && pick(2) == 0);
            let labels = || {
                terms
                    .iter()
                    .filter_map(|term| if let TermBuf::BlankNode(label) = term { Some(label) } else { None })
            };
            if hand_over(keys.begin(nodes), terms, &texts, repeats) {
                assert_eq!((keys.end(), false), (wanted.key, wanted.folded), "{statement}");
                assert_eq!(keys.quad().statement().unwrap().to_string(), statement.to_string());
                assert!(nodes != Nodes::No || labels().next().is_none());
                assert!(nodes == Nodes::Any || !labels().any(|label| is_position(label)));
                taken += 1;
            } else {
                assert_eq!(keys.of(&statement), wanted);
                left += 1;
            }
            last = ids;
        }
        assert!(taken > 2000 && left > 2000, "{taken} {left}");
    }
}
