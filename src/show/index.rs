//! Keys of terms, and the places in a file of the statements about a term.

use siphasher::sip128::SipHasher24;

use crate::buffer::TextBuffer;
use crate::error::Result;
use crate::secret::random_secret;
use crate::term::Term;
use crate::text::write::TermWriter;

/// Computes keys of terms with a random secret; the lowest bit marks blank nodes.
pub(super) struct TermKeys {
    hasher: SipHasher24,
    text: TextBuffer,
}

impl TermKeys {
    pub(super) fn new() -> Result<Self> {
        let secret = random_secret()?;
        Ok(TermKeys { hasher: SipHasher24::new_with_key(&secret), text: TextBuffer::default() })
    }

    /// The key of a term.
    pub(super) fn of(&mut self, term: &Term<'_>) -> u128 {
        self.text.clear();
        TermWriter::new(&mut self.text).term(term);
        let is_blank = matches!(term, Term::BlankNode(_));
        self.hasher.hash(self.text.as_bytes()).as_u128() & !1 | u128::from(is_blank)
    }

    /// The key of a text that is not a term.
    pub(super) fn of_text(&self, text: &str) -> u128 {
        self.hasher.hash(text.as_bytes()).as_u128()
    }
}

/// Whether a key belongs to a blank node.
pub(super) fn is_blank(key: u128) -> bool {
    key & 1 != 0
}

/// Places by key.
#[derive(Default)]
pub(super) struct Index(Vec<(u128, u64)>);

impl Index {
    pub(super) fn push(&mut self, key: u128, place: u64) {
        self.0.push((key, place));
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Ends the index after all places were added.
    pub(super) fn sorted(mut self) -> Self {
        self.0.sort_unstable();
        self
    }

    /// The places of a key, in order.
    pub(super) fn of(&self, key: u128) -> &[(u128, u64)] {
        let start = self.0.partition_point(|entry| entry.0 < key);
        let rest = &self.0[start..];
        &rest[..rest.partition_point(|entry| entry.0 == key)]
    }
}
