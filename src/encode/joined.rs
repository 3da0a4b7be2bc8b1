//! Terms in pieces to terms in one piece.

use crate::term::{Iri, PlainTerm, Term};

/// The text of IRIs that came in two pieces.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    text: String,
}

impl Joined {
    /// The terms in one piece, but those of which `skip` says that nobody looks at them.
    pub(crate) fn terms<'s, const N: usize>(
        &'s mut self,
        terms: &[Term<'s>; N],
        skip: impl Fn(usize) -> bool,
    ) -> [PlainTerm<'s>; N] {
        self.text.clear();
        let mut ends = [0; N];
        for (place, term) in terms.iter().enumerate() {
            if let Term::Iri(iri) = term
                && !skip(place)
                && !iri.prefix().is_empty()
            {
                self.text.push_str(iri.prefix());
                self.text.push_str(iri.name());
            }
            ends[place] = self.text.len();
        }
        let mut start = 0;
        std::array::from_fn(|place| {
            let joined = &self.text[start..ends[place]];
            start = ends[place];
            match terms[place] {
                Term::Iri(iri) if joined.is_empty() => PlainTerm::Iri(iri.name()),
                Term::Iri(_) => PlainTerm::Iri(joined),
                Term::BlankNode(label) => PlainTerm::BlankNode(label),
                Term::Literal(literal) => PlainTerm::from(literal),
                Term::Triple(triple) => PlainTerm::Triple(triple),
                Term::DefaultGraph => PlainTerm::DefaultGraph,
            }
        })
    }
}

/// An IRI as a term.
pub(crate) fn iri_text(iri: Iri<'_>) -> String {
    [iri.prefix(), iri.name()].concat()
}
