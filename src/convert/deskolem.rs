//! IRIs of blank nodes as blank nodes again: the way back from [`super::Skolem`].

use std::collections::HashMap;

use super::skolem::{begins_with, refuse_start, skolem_iri};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::matching::{Renamed, replaced};
use crate::sink::Statement;
use crate::term::{Iri, Term, TermBuf};

/// What a label takes in memory beside its text.
const LABEL_BYTES: usize = 64;

/// Makes blank nodes of the IRIs that begin as those of blank nodes do.
pub struct Deskolem {
    renamed: Renamed,
    labels: Labels,
}

/// The labels of a dataset, so that no two nodes become one.
struct Labels {
    start: String,
    /// Whether the node with a label was an IRI.
    were_iris: HashMap<Box<str>, bool>,
    bytes: usize,
    most: usize,
}

impl Deskolem {
    /// `start` is what the IRIs of blank nodes begin with; other IRIs stay.
    ///
    /// # Errors
    /// `argument`: no absolute IRI begins so.
    pub fn new(start: String, limits: &Limits) -> Result<Self> {
        refuse_start(&start)?;
        let most = limits.blank_bytes.saturating_mul(4);
        let labels = Labels { start, were_iris: HashMap::new(), bytes: 0, most };
        Ok(Deskolem { renamed: Renamed::new(), labels })
    }

    /// The statement with blank nodes.
    ///
    /// # Errors
    /// `encode.skolem`: an IRI begins so and is none that a label becomes, stands as a predicate, or would become a node
    /// that is there already. `limit.blank_bytes`: there are too many labels.
    pub fn statement<'s>(&'s mut self, statement: &Statement<'s>) -> Result<Statement<'s>> {
        let labels = &mut self.labels;
        if let Term::Iri(iri) = &statement.terms[1]
            && labels.rest(iri).is_some()
        {
            return Err(refused(iri, "it is a predicate, and a blank node cannot be a predicate"));
        }
        self.renamed.replace(statement, |term| labels.node(term))
    }

    /// The term with blank nodes, if it has some.
    pub(super) fn term(&mut self, term: &Term<'_>) -> Result<Option<TermBuf>> {
        replaced(term, &mut |term: &Term<'_>| self.labels.node(term))
    }
}

impl Labels {
    /// What follows the start in an IRI that begins so.
    #[inline]
    fn rest(&self, iri: &Iri<'_>) -> Option<String> {
        begins_with(iri, &self.start).then(|| iri.to_string()[self.start.len()..].to_owned())
    }

    #[inline]
    fn node(&mut self, term: &Term<'_>) -> Result<Option<TermBuf>> {
        match term {
            Term::BlankNode(label) => self.note(label, false).map(|()| None),
            Term::Iri(iri) => match self.rest(iri) {
                None => Ok(None),
                Some(rest) => {
                    let label = decoded(&rest).filter(|label| {
                        let made = skolem_iri(&self.start, label);
                        !label.is_empty()
                            && made.as_iri().is_some_and(|made| made.to_string() == iri.to_string())
                    });
                    let Some(label) = label else {
                        return Err(refused(iri, "it was not made from the label of a blank node"));
                    };
                    self.note(&label, true)?;
                    Ok(Some(TermBuf::blank_node(&label)))
                }
            },
            _ => Ok(None),
        }
    }

    fn note(&mut self, label: &str, was_iri: bool) -> Result<()> {
        match self.were_iris.get(label) {
            Some(known) if *known == was_iri => Ok(()),
            Some(_) => {
                let message = format!(
                    "{} would become the blank node _:{label}, but the data has another node with this label",
                    skolem_iri(&self.start, label).as_term()
                );
                Err(Error::new(ErrorKind::EncodeSkolem, message))
            }
            None => {
                self.bytes += LABEL_BYTES + label.len();
                if self.bytes > self.most {
                    let message = format!(
                        "the labels of blank nodes need more than {} bytes, four times limits.blank_bytes",
                        self.most
                    );
                    return Err(Error::limit(ErrorKind::LimitBlankBytes, "blank_bytes", message));
                }
                self.were_iris.insert(label.into(), was_iri);
                Ok(())
            }
        }
    }
}

#[cold]
fn refused(iri: &Iri<'_>, why: &str) -> Error {
    Error::new(ErrorKind::EncodeSkolem, format!("<{iri}> begins like the IRIs of blank nodes, but {why}"))
}

/// The text without percent-encoding, if it is one.
fn decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut label = parts.next()?.to_owned();
    for part in parts {
        let byte = u8::from_str_radix(part.get(..2)?, 16).ok().filter(u8::is_ascii)?;
        label.push(char::from(byte));
        label.push_str(&part[2..]);
    }
    Some(label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::Skolem;
    use crate::term::Triple;

    fn deskolem() -> Deskolem {
        Deskolem::new("a:/".to_owned(), &Limits::default()).unwrap()
    }

    fn back(deskolem: &mut Deskolem, term: &TermBuf) -> Result<String> {
        let terms = [TermBuf::iri("b:s"), TermBuf::iri("b:p"), term.clone(), TermBuf::DefaultGraph];
        let statement = Statement::of(terms.each_ref().map(TermBuf::as_term));
        deskolem.statement(&statement).map(|found| found.terms[2].to_string())
    }

    #[test]
    fn every_label_comes_back() {
        let (mut skolem, mut deskolem) = (Skolem::new("a:/".to_owned()).unwrap(), deskolem());
        let labels = ["b", "B", "b c", "b%20c", "b/c", "é", "b.", "\u{0}", "%", "%41"];
        for label in labels {
            let node = TermBuf::blank_node(label);
            let inner = [TermBuf::iri("a:s"), TermBuf::iri("a:p"), node.clone()];
            for term in [node, TermBuf::Triple(Box::new(Triple { terms: inner }))] {
                let statement = Statement::of([
                    Term::DefaultGraph,
                    Term::DefaultGraph,
                    term.as_term(),
                    Term::DefaultGraph,
                ]);
                let named: TermBuf = skolem.statement(&statement).unwrap().terms[2].into();
                assert!(named.as_term().to_string().contains("<a:/"), "{label}");
                assert_eq!(back(&mut deskolem, &named).unwrap(), term.as_term().to_string());
            }
        }
    }

    #[test]
    fn only_what_labels_become_is_taken_back() {
        for (iri, is_node) in [("a:/b", true), ("a:b", false), ("a:", false), ("b:/b", false)] {
            let found = back(&mut deskolem(), &TermBuf::iri(iri)).unwrap();
            assert_eq!(found, if is_node { "_:b".to_owned() } else { format!("<{iri}>") });
        }
        for iri in ["a:/", "a:/b/c", "a:/%62", "a:/%2f", "a:/%", "a:/%zz", "a:/%C3%A9", "a:/b#c"] {
            let error = back(&mut deskolem(), &TermBuf::iri(iri)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::EncodeSkolem, "{iri}");
        }
        let statement = Statement::of([
            Term::BlankNode("s"),
            Term::DefaultGraph,
            Term::BlankNode("o"),
            Term::DefaultGraph,
        ]);
        let predicate = TermBuf::iri("a:/p");
        let statement =
            Statement::of([statement.terms[0], predicate.as_term(), statement.terms[2], Term::DefaultGraph]);
        assert_eq!(deskolem().statement(&statement).unwrap_err().kind(), ErrorKind::EncodeSkolem);
    }

    #[test]
    fn two_nodes_never_become_one() {
        for terms in [["a:/b", "_:b"], ["_:b", "a:/b"]] {
            let mut deskolem = deskolem();
            let [one, other] = terms.map(|term| match term.strip_prefix("_:") {
                Some(label) => TermBuf::blank_node(label),
                None => TermBuf::iri(term),
            });
            assert!(back(&mut deskolem, &one).is_ok() && back(&mut deskolem, &one).is_ok());
            assert_eq!(back(&mut deskolem, &other).unwrap_err().kind(), ErrorKind::EncodeSkolem);
        }
    }

    #[test]
    fn labels_are_bounded() {
        let limits = Limits { blank_bytes: 100, ..Limits::default() };
        let mut deskolem = Deskolem::new("a:/".to_owned(), &limits).unwrap();
        let mut refused =
            (0..100).map(|n| back(&mut deskolem, &TermBuf::iri(&format!("a:/b{n}")))).filter_map(Result::err);
        assert_eq!(refused.next().map(|error| error.kind()), Some(ErrorKind::LimitBlankBytes));
    }
}
