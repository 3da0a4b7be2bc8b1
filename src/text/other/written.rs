//! Labels that the document wrote, kept apart from those that the libraries make.
//!
//! A library gives a node without a label 32 hexadecimal digits, at random. A written label that could be taken for
//! these gets a mark before the library sees it, and loses the mark in the terms that come back. In the same way an
//! IRI that JSON-LD resolves without a base of its own is known by the mark.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use oxrdf::BlankNodeRef;

use super::iris::without_base;
use crate::error::{Error, ErrorKind, Result};
use crate::scan::is_plain_iri;

/// Digits that a made label has at least: of 32 at random, more than 16 are zeros once in 2^64 times.
const DIGITS: usize = 16;

/// The mark of written labels in one document.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// At random, so that no document has it. It begins as a name does.
    mark: Arc<str>,
}

/// A change to what the parser sees: this text stands for the bytes from `from` to `to`.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) text: String,
}

/// Whether a label could be one that a library made.
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

    /// The base of JSON-LD that has none: its parser would drop statements with relative IRIs.
    pub(super) fn base(&self) -> String {
        format!("{}:///", self.mark)
    }

    /// Rejects an IRI that has no base but this one.
    pub(super) fn check_base(&self, iri: &str) -> Result<()> {
        let Some(found) = iri.strip_prefix(&*self.mark) else { return Ok(()) };
        // a name of a host has its own slashes
        let found = found.strip_prefix(":///").or(found.strip_prefix(':')).unwrap_or(found);
        Err(without_base(found, "add @base to its context"))
    }

    /// The change that marks a label that begins at `at`.
    pub(super) fn edit(&self, at: usize) -> Edit {
        Edit { from: at, to: at, text: self.mark.to_string() }
    }

    /// The text of a string of JSON with its mark, if the string may be a label or become the start of one.
    ///
    /// All labels of JSON-LD are marked: contexts put them together, and a value may be a label or a literal.
    pub(super) fn marked_json(&self, text: &[u8]) -> Option<String> {
        let rest = strip(text, b"_", b"\\u005f").and_then(|rest| strip(rest, b":", b"\\u003a"))?;
        let rest = std::str::from_utf8(rest).ok()?;
        Some(format!("_:{}{rest}", self.mark))
    }

    /// The label as the document wrote it; nothing if a library made it.
    pub(super) fn label<'l>(&self, label: &'l str) -> Result<Option<&'l str>> {
        match label.strip_prefix(&*self.mark) {
            Some(label) => check_label(label).map(|()| Some(label)),
            None if looks_made(label.as_bytes()) => Ok(None),
            None => Ok(Some(label)),
        }
    }

    /// A text without marks, if it has any.
    pub(super) fn unmarked(&self, text: &str) -> Option<String> {
        text.contains(&*self.mark).then(|| text.replace(&*self.mark, ""))
    }
}

/// What follows one byte, or its escape of JSON.
pub(super) fn strip<'t>(text: &'t [u8], plain: &[u8], escape: &[u8]) -> Option<&'t [u8]> {
    text.strip_prefix(plain).or_else(|| {
        let (start, rest) = text.split_at_checked(escape.len())?;
        start.eq_ignore_ascii_case(escape).then_some(rest)
    })
}

/// Rejects a name of a node of which the parser of JSON-LD would drop the statements.
pub(super) fn check_json_id(id: &[u8]) -> Result<()> {
    // the parser rejects what is not UTF-8
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
