//! Keeps the case of language tags, which the libraries drop.
//!
//! A tag that is not plain is replaced in the document by a short tag in lower case, and restored in the
//! terms.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use super::labels::{ENTRY, too_many};
use crate::error::Result;

/// The tags of a document that were replaced; the guard adds them, and the reader looks them up.
#[derive(Clone, Debug)]
pub(super) struct Tags {
    /// The start of the replacement tags; it is random, so that no document contains it.
    mark: Arc<str>,
    table: Arc<Mutex<Table>>,
}

#[derive(Debug, Default)]
struct Table {
    known: HashMap<Arc<str>, usize>,
    spelled: Vec<Arc<str>>,
    bytes: usize,
    most: usize,
}

impl Tags {
    pub(super) fn new(most: usize) -> Self {
        let random = RandomState::new().build_hasher().finish() % 100_000_000;
        let table = Table { most, ..Table::default() };
        Tags { mark: format!("x-{random:08}-").into(), table: Arc::new(Mutex::new(table)) }
    }

    /// The replacement for a tag, if it needs one; other tags keep their case and are valid for the library.
    pub(super) fn stand_in(&self, tag: &[u8]) -> Result<Option<String>> {
        if (2..=3).contains(&tag.len()) && tag.iter().all(u8::is_ascii_lowercase) {
            return Ok(None);
        }
        let Some(tag) = std::str::from_utf8(tag).ok().filter(|tag| is_tag(tag.as_bytes())) else {
            return Ok(None);
        };
        self.number(tag).map(Some)
    }

    /// As [`Self::stand_in`], of an `xml:lang`, which may be empty: there is no language then, not even that of the element
    /// around it. The library rejects an empty tag.
    pub(super) fn stand_in_or_none(&self, tag: &[u8]) -> Result<Option<String>> {
        if tag.is_empty() { self.number("").map(Some) } else { self.stand_in(tag) }
    }

    fn number(&self, tag: &str) -> Result<String> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let number = match table.known.get(tag) {
            Some(number) => *number,
            None => {
                table.bytes += tag.len() + 2 * ENTRY;
                if table.bytes > table.most {
                    return Err(too_many("language tags", table.most));
                }
                let tag: Arc<str> = tag.into();
                let number = table.spelled.len();
                table.spelled.push(Arc::clone(&tag));
                table.known.insert(tag, number);
                number
            }
        };
        Ok(format!("{}{number}", self.mark))
    }

    /// The tag in the spelling of the document.
    pub(super) fn spelled(&self, tag: &str) -> Option<Arc<str>> {
        let number: usize = tag.strip_prefix(&*self.mark)?.parse().ok()?;
        self.table.lock().unwrap_or_else(PoisonError::into_inner).spelled.get(number).cloned()
    }

    /// A text in which tags have the spelling of the document, if it contains replaced tags.
    pub(super) fn spelled_in(&self, text: &str) -> Option<String> {
        let mut parts = text.split(&*self.mark);
        let mut all = parts.next()?.to_owned();
        let first = all.len();
        for part in parts {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let (number, rest) = part.split_at(digits);
            all.push_str(&self.spelled(&[&*self.mark, number].concat())?);
            all.push_str(rest);
        }
        (first < text.len()).then_some(all)
    }
}

/// Whether N-Triples allows this tag; N-Triples requires less than the registry of languages.
pub(super) fn is_tag(tag: &[u8]) -> bool {
    tag.split(|b| *b == b'-').enumerate().all(|(i, part)| {
        let allowed = |b: &u8| if i == 0 { b.is_ascii_alphabetic() } else { b.is_ascii_alphanumeric() };
        !part.is_empty() && part.iter().all(allowed)
    })
}

/// Records how replacements moved the following text, so that errors have places in the document.
#[derive(Clone, Debug, Default)]
pub(super) struct Shifts(Arc<Mutex<Places>>);

#[derive(Clone, Debug, Default)]
struct Places {
    /// End of the replacement in the parser's input, its 0-based line, and how much longer it is than the
    /// tag.
    edits: std::collections::VecDeque<(u64, u64, i64)>,
    /// The total shift of the edits that were removed.
    before: i64,
}

/// A parser is at most this far behind: its buffer.
const BEHIND: u64 = 20 << 20;

impl Shifts {
    /// A copy with the same places, to which more are added.
    pub(super) fn fork(&self) -> Shifts {
        let places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Shifts(Arc::new(Mutex::new(places.clone())))
    }

    pub(super) fn add(&self, end: u64, line: u64, longer: i64) {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        places.edits.push_back((end, line, longer));
        while let Some((_, _, longer)) = places.edits.front().copied().filter(|edit| edit.0 + BEHIND < end) {
            places.before += longer;
            places.edits.pop_front();
        }
    }

    /// Converts a place reported by the parser to offset and column in the document, all 0-based.
    pub(super) fn undo(&self, offset: u64, line: u64, column: u64) -> (u64, u64) {
        let places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = places.before;
        let mut in_line = 0;
        for (_, at, longer) in places.edits.iter().take_while(|edit| edit.0 <= offset) {
            all += longer;
            in_line += if *at == line { *longer } else { 0 };
        }
        (offset.saturating_add_signed(-all), column.saturating_add_signed(-in_line))
    }
}
