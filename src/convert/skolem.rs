//! Blank nodes as IRIs, so that they have a name outside of their source.

use std::collections::HashMap;
use std::fmt::Write;

use crate::blank::refuse_term;
use crate::error::{Error, ErrorKind, Result};
use crate::matching::{Renamed, renamed};
use crate::scan::{has_scheme, is_plain_iri};
use crate::sink::Statement;
use crate::term::{Iri, Term, TermBuf};

/// Gives blank nodes other names: labels, or IRIs.
pub struct Skolem {
    naming: Naming,
    renamed: Renamed,
    /// An IRI of the dataset that begins as those of blank nodes do.
    taken: Option<String>,
    /// The dataset has a blank node.
    has_nodes: bool,
}

struct Naming {
    /// What all IRIs begin with; the label comes behind, percent-encoded where an IRI could not have it.
    start: Option<String>,
    /// Other labels.
    labels: Option<HashMap<Box<str>, String>>,
}

impl Naming {
    fn of(&self, label: &str) -> Result<TermBuf> {
        let other = self.labels.as_ref().and_then(|labels| labels.get(label));
        let label = other.map_or(label, String::as_str);
        match &self.start {
            None => Ok(TermBuf::blank_node(label)),
            Some(start) => {
                refuse_term(&Term::BlankNode(label))?;
                Ok(skolem_iri(start, label))
            }
        }
    }
}

impl Skolem {
    /// `start` is what the IRIs begin with, such as `https://example.org/.well-known/genid/`.
    ///
    /// # Errors
    /// `argument`: no absolute IRI begins so.
    pub fn new(start: String) -> Result<Self> {
        Skolem::of(None, Some(start))
    }

    /// With these labels for others, which become IRIs if `start` is what those begin with.
    ///
    /// # Errors
    /// `argument`: no absolute IRI begins with `start`.
    pub fn with_labels(labels: HashMap<Box<str>, String>, start: Option<String>) -> Result<Self> {
        Skolem::of(Some(labels), start)
    }

    fn of(labels: Option<HashMap<Box<str>, String>>, start: Option<String>) -> Result<Self> {
        start.as_deref().map_or(Ok(()), refuse_start)?;
        Ok(Skolem {
            naming: Naming { start, labels },
            renamed: Renamed::new(),
            taken: None,
            has_nodes: false,
        })
    }

    /// The statement without blank nodes; one that has a position for a label is rejected.
    ///
    /// # Errors
    /// `encode.skolem`: the dataset has blank nodes, and an IRI that begins as theirs shall, and so could be one of theirs.
    pub fn statement<'s>(&'s mut self, statement: &Statement<'s>) -> Result<Statement<'s>> {
        if self.naming.start.is_some() {
            statement.terms.iter().for_each(|term| self.look_at(term));
            self.refuse_taken()?;
        }
        let naming = &self.naming;
        self.renamed.statement(statement, |label| naming.of(label))
    }

    /// The term without blank nodes, if it has some.
    pub(super) fn term(&mut self, term: &Term<'_>) -> Result<Option<TermBuf>> {
        self.look_at(term);
        self.refuse_taken()?;
        renamed(term, &mut |label: &str| self.naming.of(label))
    }

    /// What comes is of another dataset, which may have the IRIs of blank nodes of the one before.
    pub fn next_dataset(&mut self) {
        (self.taken, self.has_nodes) = (None, false);
    }

    #[inline]
    fn look_at(&mut self, term: &Term<'_>) {
        match term {
            Term::BlankNode(_) => self.has_nodes = true,
            Term::Iri(iri) if self.taken.is_none() => {
                let start = self.naming.start.as_deref().unwrap_or_default();
                if begins_with(iri, start) && !start.is_empty() {
                    self.taken = Some(iri.to_string());
                }
            }
            Term::Triple(triple) => triple.terms.iter().for_each(|term| self.look_at(&term.as_term())),
            _ => {}
        }
    }

    fn refuse_taken(&self) -> Result<()> {
        match &self.taken {
            Some(iri) if self.has_nodes => {
                let message = format!(
                    "<{iri}> begins like the IRIs of blank nodes ({:?}), and could be the IRI of another node",
                    self.naming.start.as_deref().unwrap_or_default()
                );
                Err(Error::new(ErrorKind::EncodeSkolem, message))
            }
            _ => Ok(()),
        }
    }
}

/// Rejects what no absolute IRI begins with.
pub(super) fn refuse_start(start: &str) -> Result<()> {
    if has_scheme(start.as_bytes()) && is_plain_iri(start) {
        return Ok(());
    }
    let message = format!(
        "{start:?} cannot start the IRIs of blank nodes; expected the start of an absolute IRI, such as \
         \"https://example.org/.well-known/genid/\""
    );
    Err(Error::new(ErrorKind::Argument, message))
}

/// Whether an IRI begins so.
#[inline]
pub(super) fn begins_with(iri: &Iri<'_>, start: &str) -> bool {
    let common = start.len().min(iri.prefix().len());
    let (one, other) = start.as_bytes().split_at(common);
    iri.prefix().as_bytes().starts_with(one) && iri.name().as_bytes().starts_with(other)
}

/// The IRI of a label.
pub(crate) fn skolem_iri(start: &str, label: &str) -> TermBuf {
    let mut iri = start.to_owned();
    for c in label.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~') || !c.is_ascii() {
            iri.push(c);
        } else {
            let _ = write!(iri, "%{:02X}", c as u32); // a string takes everything
        }
    }
    TermBuf::iri(&iri)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::Same;
    use crate::term::Triple;

    #[test]
    fn every_label_gets_a_name_of_its_own() {
        let mut skolem = Skolem::new("a:/".to_owned()).unwrap();
        let mut seen = std::collections::HashSet::new();
        for label in ["b", "B", "b c", "b%20c", "b/c", "é", "b.", "\u{0}"] {
            let nested =
                Triple { terms: [TermBuf::iri("a:s"), TermBuf::iri("a:p"), TermBuf::blank_node(label)] };
            let terms =
                [Term::BlankNode(label), Term::DefaultGraph, Term::Triple(&nested), Term::BlankNode(label)];
            let named = skolem.statement(&Statement { terms, same: Same::NONE }).unwrap();
            let texts = named.terms.map(|term| term.to_string());
            assert_eq!(texts[0], texts[3]);
            assert_eq!(texts[2], format!("<<( <a:s> <a:p> {} )>>", texts[0]));
            assert!(texts[0].starts_with("<a:/"), "{}", texts[0]);
            assert!(seen.insert(texts[0].clone()));
        }
        assert!(seen.contains("<a:/b%20c>") && seen.contains("<a:/b%2520c>") && seen.len() == 8);
    }
}
