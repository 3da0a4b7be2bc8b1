//! Names of elements and attributes in RDF/XML, and their namespaces.

use super::entities::Entities;
use crate::error::{Error, ErrorKind, Result};

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
/// More prefixes than these are not known: no document has as many.
const MOST: usize = 64;

/// Prefixes of the RDF namespace.
#[derive(Debug, Default)]
pub(super) struct RdfPrefixes(Vec<Vec<u8>>);

impl RdfPrefixes {
    /// Takes a declaration of a namespace.
    ///
    /// # Errors
    /// `text.syntax`: names of RDF are found by what they end with, and this namespace could make one.
    pub(super) fn declare(&mut self, attribute: &[u8], value: &[u8], entities: &Entities) -> Result<()> {
        let Ok(value) = std::str::from_utf8(value) else { return Ok(()) };
        let made = if value.contains('&') { &entities.expand(value) } else { value };
        if made.len() > RDF.len() && made.starts_with(RDF) {
            let message = format!("a namespace is longer than {RDF}, but begins with it");
            return Err(Error::new(ErrorKind::TextSyntax, message));
        }
        if let Some(prefix) = attribute.strip_prefix(b"xmlns:") {
            self.0.retain(|known| known != prefix);
            if made == RDF && self.0.len() < MOST {
                self.0.push(prefix.to_owned());
            }
        }
        Ok(())
    }

    /// Whether an attribute has one of these prefixes.
    pub(super) fn has(&self, attribute: &[u8]) -> bool {
        let prefix = attribute.iter().position(|b| *b == b':').map(|colon| &attribute[..colon]);
        prefix.is_some_and(|prefix| self.0.iter().any(|known| known == prefix))
    }
}

/// Rejects a name with characters that no name has: it could become another one behind a namespace.
pub(super) fn check_name(name: &[u8]) -> Result<()> {
    let allowed = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':') || *b >= 0x80;
    if name.iter().all(allowed) && !name.ends_with(b":") {
        return Ok(());
    }
    let name = String::from_utf8_lossy(&name[..name.len().min(64)]);
    Err(Error::new(ErrorKind::TextSyntax, format!("{name:?} is not an XML name")))
}
