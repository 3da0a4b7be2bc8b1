//! Labels of namespaces that a stream declared.

use std::collections::HashMap;

use crate::error::{Error, ErrorKind, Result};
use crate::term::Iri;

/// What an entry costs beside its text.
const ENTRY: usize = 96;

/// Label and IRI of each declaration, in the order of first appearance; the last declaration of a label stands.
#[derive(Debug, Default)]
pub struct Namespaces {
    entries: Vec<Option<(String, String)>>,
    places: HashMap<String, usize>,
    bytes: usize,
}

impl Namespaces {
    /// Labels and IRIs.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries
            .iter()
            .flatten()
            .map(|(label, iri)| (label.as_str(), iri.as_str()))
    }

    /// Remembers a namespace; all of them may hold `most` bytes.
    pub(crate) fn declare(&mut self, label: &str, iri: &Iri<'_>, most: usize) -> Result<()> {
        let iri = iri.to_string();
        match self
            .places
            .get(label)
            .map(|&place| &mut self.entries[place])
        {
            Some(Some((_, before))) => {
                self.bytes = self.bytes - before.len() + iri.len();
                *before = iri;
            }
            _ => {
                self.bytes += 2 * label.len() + iri.len() + ENTRY;
                self.places.insert(label.to_owned(), self.entries.len());
                self.entries.push(Some((label.to_owned(), iri)));
            }
        }
        if self.bytes > most {
            let message = format!("namespace declarations of more than {most} bytes");
            return Err(Error::limit(
                ErrorKind::LimitLookup,
                "lookup_bytes",
                message,
            ));
        }
        Ok(())
    }

    /// Forgets a namespace.
    pub(crate) fn remove(&mut self, label: &str) {
        if let Some(place) = self.places.remove(label)
            && let Some((label, iri)) = self.entries[place].take()
        {
            self.bytes -= 2 * label.len() + iri.len() + ENTRY;
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

    fn iri(text: &str) -> Iri<'_> {
        Iri {
            open: "<",
            close: text,
            plain: true,
        }
    }

    #[test]
    fn last_declaration_stands_and_removal_frees() {
        let mut all = Namespaces::default();
        for label in ["a", "b", "c"] {
            all.declare(label, &iri("urn:1>"), 1000).unwrap();
        }
        all.declare("a", &iri("urn:two>"), 1000).unwrap();
        all.remove("b");
        all.remove("c");
        all.remove("missing");
        all.declare("c", &iri("urn:3>"), 1000).unwrap();
        let found: Vec<_> = all.iter().collect();
        assert_eq!(found, [("a", "urn:two"), ("c", "urn:3")]);
        assert_eq!(all.bytes, 2 * (2 + ENTRY) + "urn:two".len() + "urn:3".len());
    }

    #[test]
    fn bounded() {
        let mut all = Namespaces::default();
        let error =
            (0..).find_map(|n: u32| all.declare(&n.to_string(), &iri("urn:x>"), 5000).err());
        assert_eq!(error.unwrap().kind(), ErrorKind::LimitLookup);
        assert!(all.entries.len() > 10);
    }
}
