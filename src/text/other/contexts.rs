//! Bounds the length of names in contexts of JSON-LD, and the memory that the parser needs for them.

use std::collections::{HashMap, HashSet};

use super::labels::ENTRY;
use crate::error::{Error, ErrorKind, Result, excerpt};

/// Maximum length of a chain of terms that define each other; the parser follows it by recursion.
const CHAIN: usize = 32;
/// Memory that the parser needs for a term, except its text.
const TERM: usize = 6 * ENTRY;

/// A value that defines a term: the text before its colon, and its length.
#[derive(Clone, Debug)]
struct Definition {
    before: Vec<u8>,
    length: usize,
}

/// The definitions in the contexts so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Contexts {
    /// The definitions in the context that is being read.
    definitions: HashMap<Vec<u8>, Vec<Definition>>,
    /// Terms of that context and their values, if the value has no colon.
    names: Vec<(Vec<u8>, Vec<u8>)>,
    /// The longest IRI of each term.
    terms: HashMap<Vec<u8>, usize>,
    term_bytes: usize,
    vocabulary: usize,
    base: usize,
    longest: usize,
    /// Aliases of `@id` and `@language`, and terms whose values have languages as keys.
    pub(super) ids: HashSet<Vec<u8>>,
    pub(super) languages: HashSet<Vec<u8>>,
    pub(super) language_maps: HashSet<Vec<u8>>,
    /// Whether there is a context inside a context, which is created again wherever its term is used.
    pub(super) scoped: bool,
}

/// The text that a value may add in front of a name.
fn before_colon(value: &[u8]) -> (&[u8], bool) {
    match value.iter().position(|b| *b == b':') {
        Some(at) => (&value[..at], true),
        None => (value, false),
    }
}

/// The error for a term whose statements the parser would drop.
#[cold]
fn no_meaning(term: &[u8], value: &[u8]) -> Error {
    let [term, value] = [term, value].map(|text| excerpt(&String::from_utf8_lossy(text)));
    let message = format!(
        "the term {term} of a context stands for {value}, which is neither an IRI with a scheme nor another \
         term: write the whole IRI, or add an @vocab"
    );
    Error::new(ErrorKind::TextIri, message)
}

impl Contexts {
    /// Processes a string of a context, with its key and the term that the key belongs to.
    pub(super) fn value(&mut self, key: &[u8], term: &[u8], value: &[u8]) {
        let (before, has_colon) = before_colon(value);
        let length = value.len();
        match (key, value) {
            (b"@vocab", _) => {
                // a value that is not an IRI extends the previous one
                let known = self.terms.get(before).copied().unwrap_or(0);
                self.vocabulary =
                    if has_colon { self.vocabulary.max(length + known) } else { self.vocabulary + length };
            }
            (b"@base", _) => {
                self.base = if has_colon { self.base.max(length) } else { self.base + length };
            }
            (b"@container", b"@language") => {
                self.language_maps.insert(term.to_vec());
            }
            (_, b"@id") if !key.starts_with(b"@") => {
                self.ids.insert(key.to_vec());
            }
            (_, b"@language") => {
                self.languages.insert(key.to_vec());
            }
            // an escape may hide any of them
            _ if value.contains(&b'\\') => {
                self.ids.insert(key.to_vec());
            }
            _ => {}
        }
        self.longest = self.longest.max(length);
        if !(has_colon || value.starts_with(b"@") || value.contains(&b'\\'))
            && (key == term || matches!(key, b"@id" | b"@reverse"))
        {
            self.names.push((term.to_vec(), value.to_vec()));
        }
        let before = before.to_vec();
        self.definitions.entry(term.to_vec()).or_default().push(Definition { before, length });
    }

    /// Processes a key of a context, which may be a name with a prefix.
    pub(super) fn key(&mut self, key: &[u8]) {
        let (before, has_colon) = before_colon(key);
        let definitions = self.definitions.entry(key.to_vec()).or_default();
        if has_colon {
            definitions.push(Definition { before: before.to_vec(), length: key.len() });
        }
    }

    /// Ends a context; returns the bytes that the parser created.
    pub(super) fn end(&mut self) -> Result<usize> {
        let definitions = std::mem::take(&mut self.definitions);
        for (term, value) in std::mem::take(&mut self.names) {
            if self.vocabulary == 0 && !definitions.contains_key(&value) && !self.terms.contains_key(&value) {
                return Err(no_meaning(&term, &value));
            }
        }
        let mut known = HashMap::new();
        let mut made = 0;
        for term in definitions.keys() {
            let (length, _) = self.bound(term, &definitions, &mut known, 0)?;
            made += 2 * term.len() + length + self.vocabulary + self.base + TERM;
        }
        for (term, (length, _)) in known {
            let old = self.terms.get(&term).copied();
            if old.is_none_or(|old| old < length) {
                self.term_bytes += length + TERM + if old.is_none() { term.len() } else { 0 };
                self.longest = self.longest.max(length);
                self.terms.insert(term, length);
            }
        }
        // each context begins as a copy of the enclosing one
        Ok(made + self.copied())
    }

    /// Size of a copy of the context in bytes.
    pub(super) fn copied(&self) -> usize {
        self.term_bytes + self.terms.len() * (self.vocabulary + self.base)
    }

    /// Number of bytes that a context may put before a name, or in its place.
    pub(super) fn longest(&self) -> usize {
        self.longest + self.vocabulary + self.base
    }

    /// The longest IRI that a term stands for, and how many definitions lead to it. The result is the same
    /// for any order of the terms.
    fn bound(
        &self,
        term: &[u8],
        definitions: &HashMap<Vec<u8>, Vec<Definition>>,
        known: &mut HashMap<Vec<u8>, (usize, usize)>,
        depth: usize,
    ) -> Result<(usize, usize)> {
        if let Some(found) = known.get(term) {
            return Ok(*found);
        }
        let Some(all) = definitions.get(term) else {
            return Ok((self.terms.get(term).copied().unwrap_or(0), 0));
        };
        let too_long = || {
            let message = format!("more than {CHAIN} terms in a row are defined by each other");
            Error::limit(ErrorKind::LimitNesting, "nesting", message)
        };
        if depth > CHAIN {
            return Err(too_long());
        }
        // a cycle ends here; the parser rejects it
        known.insert(term.to_vec(), (0, 0));
        let (mut longest, mut chain) = (0, 0);
        for definition in all {
            let (before, links) = self.bound(&definition.before, definitions, known, depth + 1)?;
            longest = longest.max(definition.length + before);
            chain = chain.max(links + 1);
        }
        if chain > CHAIN {
            return Err(too_long());
        }
        known.insert(term.to_vec(), (longest, chain));
        Ok((longest, chain))
    }
}
