//! The error for a term that is not allowed at its place.

use crate::decode::Place;
use crate::error::{Error, ErrorKind, excerpt};
use crate::term::Term;

#[cold]
pub(super) fn misplaced(term: &Term<'_>, place: Place) -> Error {
    Error::new(ErrorKind::EncodeTerm, format!("{} cannot be {}", describe(term), name(place)))
}

pub(super) fn describe(term: &Term<'_>) -> String {
    match term {
        Term::Iri(iri) => format!("the IRI {}", excerpt(iri.name())),
        Term::BlankNode(label) => format!("the blank node {}", excerpt(label)),
        Term::Literal(literal) => format!("the literal {}", excerpt(literal.lex)),
        Term::Triple(_) => "a quoted triple".to_owned(),
        Term::DefaultGraph => "the default graph".to_owned(),
    }
}

pub(super) fn name(place: Place) -> &'static str {
    match place {
        Place::Subject => "a subject",
        Place::Predicate => "a predicate",
        Place::Object => "an object",
        Place::Graph => "a graph",
        Place::Header => "the value of a header",
    }
}
