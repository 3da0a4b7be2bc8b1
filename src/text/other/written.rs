//! Separates labels in the document from those that the libraries generate.
//!
//! A library gives a node without a label 32 random hexadecimal digits. A label in the document that looks
//! like these gets a mark before the library reads it, and the mark is removed from the resulting terms. The
//! mark also identifies an IRI that JSON-LD resolves without a base in the document.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use oxrdf::BlankNodeRef;

use super::iris::without_base;
use crate::error::{Error, ErrorKind, Result};
use crate::scan::is_plain_iri;

/// Minimum number of digits in a generated label: of 32 random digits, more than 16 leading zeros occur once
/// in 2^64 times.
const DIGITS: usize = 16;

/// The mark of labels in one document.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// Random, so that no document contains it. It begins like a name.
    mark: Arc<str>,
}

/// A change of the parser's input: this text replaces the bytes from `from` to `to`.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) text: String,
}

/// Whether a label could be one that a library generated.
pub(super) fn looks_made(label: &[u8]) -> bool {
    label.len() >= DIGITS && label.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

impl Written {
    pub(super) fn new() -> Self {
        let random = RandomState::new().build_hasher().finish();
        Written { mark: format!("w{random:016x}-").into() }
    }

    pub(super) fn mark(&self) -> &str {
        &self.mark
    }

    /// The base for JSON-LD without a base: its parser would drop statements with relative IRIs.
    pub(super) fn base(&self) -> String {
        format!("{}:///", self.mark)
    }

    /// Rejects an IRI that has no base except this one.
    pub(super) fn check_base(&self, iri: &str) -> Result<()> {
        let Some(found) = iri.strip_prefix(&*self.mark) else { return Ok(()) };
        // a host name has its own slashes
        let found = found.strip_prefix(":///").or(found.strip_prefix(':')).unwrap_or(found);
        Err(without_base(found, "add @base to its context"))
    }

    /// The change that marks a label that begins at `at`.
    pub(super) fn edit(&self, at: usize) -> Edit {
        Edit { from: at, to: at, text: self.mark.to_string() }
    }

    /// A string of JSON with its mark, if the string may be a label or become the start of a label.
    ///
    /// All labels of JSON-LD are marked: contexts assemble them, and a value may be a label or a literal.
    pub(super) fn marked_json(&self, text: &[u8]) -> Option<String> {
        let rest = strip(text, b"_", b"\\u005f").and_then(|rest| strip(rest, b":", b"\\u003a"))?;
        let rest = std::str::from_utf8(rest).ok()?;
        Some(format!("_:{}{rest}", self.mark))
    }

    /// The label in the document; `None` if a library generated it.
    pub(super) fn label<'l>(&self, label: &'l str) -> Result<Option<&'l str>> {
        match label.strip_prefix(&*self.mark) {
            Some(label) => check_label(label).map(|()| Some(label)),
            None if looks_made(label.as_bytes()) => Ok(None),
            None => Ok(Some(label)),
        }
    }

    /// A text without marks, if it contains any.
    pub(super) fn unmarked(&self, text: &str) -> Option<String> {
        text.contains(&*self.mark).then(|| text.replace(&*self.mark, ""))
    }
}

/// The text after one byte, or after its JSON escape.
pub(super) fn strip<'t>(text: &'t [u8], plain: &[u8], escape: &[u8]) -> Option<&'t [u8]> {
    text.strip_prefix(plain).or_else(|| {
        let (start, rest) = text.split_at_checked(escape.len())?;
        start.eq_ignore_ascii_case(escape).then_some(rest)
    })
}

/// Rejects a node name whose statements the parser of JSON-LD would drop.
pub(super) fn check_json_id(id: &[u8]) -> Result<()> {
    // the parser rejects invalid UTF-8
    let Ok(id) = std::str::from_utf8(id) else { return Ok(()) };
    if id.contains('\\') {
        return Ok(());
    }
    match id.strip_prefix("_:") {
        Some(label) => check_label(label),
        None if is_plain_iri(id) => Ok(()),
        None => {
            let id: String = id.chars().take(256).collect();
            Err(Error::new(ErrorKind::TextIri, format!("the IRI {id:?} has characters that are not allowed")))
        }
    }
}

fn check_label(label: &str) -> Result<()> {
    if BlankNodeRef::new(label).is_ok() {
        return Ok(());
    }
    let label: String = label.chars().take(64).collect();
    Err(Error::new(ErrorKind::TextLabel, format!("{label:?} is not a label of a blank node")))
}
