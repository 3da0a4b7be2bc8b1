//! The namespaces that a stream declared.

use std::collections::HashMap;

use crate::error::{Error, ErrorKind, Result};
use crate::term::Iri;

/// Memory of an entry in addition to its text.
const ENTRY: usize = 96;

/// Label and IRI of each declaration, in the order of first appearance. The last declaration of a label is
/// valid.
#[derive(Debug, Default)]
pub struct Namespaces {
    entries: Vec<Option<(String, String)>>,
    places: HashMap<String, usize>,
    bytes: usize,
    removed_others: bool,
}

impl Namespaces {
    /// Labels and IRIs.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().flatten().map(|(label, iri)| (label.as_str(), iri.as_str()))
    }

    /// Approximate number of bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Labels and IRIs, copied.
    pub(crate) fn owned(&self) -> Vec<(String, String)> {
        self.entries.iter().flatten().cloned().collect()
    }

    /// Whether a namespace was removed that was not declared here.
    #[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "only threads that make batches need it"))]
    pub(crate) fn removed_others(&self) -> bool {
        self.removed_others
    }

    /// Adds a namespace; all namespaces together may have `most` bytes.
    pub(crate) fn declare(&mut self, label: &str, iri: &Iri<'_>, most: usize) -> Result<()> {
        self.put(label, iri.to_string(), most)
    }

    /// Adds the declarations that follow these in the source.
    #[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "only threads that make batches need it"))]
    pub(crate) fn add(&mut self, later: &Namespaces, most: usize) -> Result<()> {
        later.iter().try_for_each(|(label, iri)| self.put(label, iri.to_owned(), most))
    }

    fn put(&mut self, label: &str, iri: String, most: usize) -> Result<()> {
        let place = self.places.get(label).copied();
        if let Some(Some((_, before))) = place.map(|place| &mut self.entries[place]) {
            self.bytes = self.bytes - before.len() + iri.len();
            *before = iri;
        } else {
            self.bytes += 2 * label.len() + iri.len() + ENTRY;
            self.places.insert(label.to_owned(), self.entries.len());
            self.entries.push(Some((label.to_owned(), iri)));
        }
        if self.bytes > most {
            let message = format!("namespace declarations of more than {most} bytes");
            return Err(Error::limit(ErrorKind::LimitLookup, "lookup_bytes", message));
        }
        Ok(())
    }

    /// Removes a namespace.
    pub(crate) fn remove(&mut self, label: &str) {
        if let Some(place) = self.places.remove(label)
            && let Some((label, iri)) = self.entries[place].take()
        {
            self.bytes -= 2 * label.len() + iri.len() + ENTRY;
        } else {
            self.removed_others = true;
        }
        if self.places.len() * 2 < self.entries.len() {
            self.entries.retain(Option::is_some);
            for (place, (label, _)) in self.entries.iter().flatten().enumerate() {
                self.places.insert(label.clone(), place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Term, TermBuf};

    fn declare(all: &mut Namespaces, label: &str, iri: &str, most: usize) -> Result<()> {
        match TermBuf::iri(iri).as_term() {
            Term::Iri(iri) => all.declare(label, &iri, most),
            _ => unreachable!(),
        }
    }

    #[test]
    fn last_declaration_stands_and_removal_frees() {
        let mut all = Namespaces::default();
        for label in ["a", "b", "c"] {
            declare(&mut all, label, "urn:1", 1000).unwrap();
        }
        declare(&mut all, "a", "urn:two", 1000).unwrap();
        all.remove("b");
        all.remove("c");
        all.remove("missing");
        declare(&mut all, "c", "urn:3", 1000).unwrap();
        let found: Vec<_> = all.iter().collect();
        assert_eq!(found, [("a", "urn:two"), ("c", "urn:3")]);
        assert_eq!(all.bytes, 2 * (2 + ENTRY) + "urn:two".len() + "urn:3".len());
    }

    #[test]
    fn bounded() {
        let mut all = Namespaces::default();
        let error = (0..).find_map(|n: u32| declare(&mut all, &n.to_string(), "urn:x", 5000).err());
        assert_eq!(error.unwrap().kind(), ErrorKind::LimitLookup);
        assert!(all.entries.len() > 10);
    }
}
