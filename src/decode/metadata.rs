//! `RdfStreamFrame.metadata`, a `map<string, bytes>`.

use std::collections::HashMap;

use super::literal::utf8;
use crate::wire::{Cursor, Fault};

/// Memory of an entry in addition to its text.
const ENTRY: usize = 96;

/// The metadata of one frame, in the order of the wire; the last value of a key is valid.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    entries: Vec<(String, Vec<u8>)>,
    places: HashMap<String, usize>,
    bytes: usize,
}

impl Metadata {
    /// Keys and values.
    pub(crate) fn entries(&self) -> &[(String, Vec<u8>)] {
        &self.entries
    }

    /// Approximate number of bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Removes all entries at the start of a frame.
    pub(crate) fn clear(&mut self) {
        if !self.entries.is_empty() {
            *self = Metadata::default();
        }
    }

    /// Sets the value of a key.
    pub(crate) fn insert(&mut self, key: &str, value: &[u8]) {
        if let Some(&place) = self.places.get(key) {
            let before = &mut self.entries[place].1;
            self.bytes = self.bytes - before.len() + value.len();
            *before = value.to_vec();
            return;
        }
        self.bytes += 2 * key.len() + value.len() + ENTRY;
        self.places.insert(key.to_owned(), self.entries.len());
        self.entries.push((key.to_owned(), value.to_vec()));
    }
}

/// Reads key and value of an entry of `map<string, bytes>`.
pub(crate) fn metadata_entry(bytes: &[u8], nesting: usize) -> Result<(&str, &[u8]), Fault> {
    let (mut entry_key, mut value): (&str, &[u8]) = ("", &[]);
    let mut cursor = Cursor::new(bytes);
    while let Some((key, at)) = cursor.next_key()? {
        match key.field {
            1 => {
                entry_key = utf8(cursor.bytes_of(key, at)?, at)?;
            }
            2 => {
                value = cursor.bytes_of(key, at)?;
            }
            _ => cursor.skip(key, at, nesting)?,
        }
    }
    Ok((entry_key, value))
}
