//! Scopes: what a reader puts before the labels of a source, so that two sources never share a blank node.
//!
//! With `blank_nodes="scoped"` the node `_:x` is `_:s0123456789abcdef_x`, and `_:s0123456789abcdeff7_x` where each frame
//! is a dataset. A log that names `_:x` does not match such a label.

use super::position::{is_position, label_of};
use super::stream::is_bare_position;
use crate::error::{Error, ErrorKind, Result};
use crate::options::LogicalType;
use crate::sink::Statement;

/// Hexadecimal digits of a scope.
const DIGITS: usize = 16;

/// What a reader puts before the labels of a source.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// Empty, or a scope.
    pub(crate) text: &'a str,
    /// Labels that are no positions, and positions that have the scope of a source already, stay.
    pub(crate) only_positions: bool,
}

impl<'a> Scope<'a> {
    /// Labels stay.
    pub(crate) const NONE: Self = Scope { text: "", only_positions: false };

    /// What stands before a label.
    #[inline]
    pub(crate) fn before(self, label: &str) -> &'a str {
        if self.only_positions && !is_bare_position(label) { "" } else { self.text }
    }
}

/// The scope of a source: of all of it, or of a frame.
pub(crate) struct SourceScope {
    /// Empty, or the scope that labels have now.
    text: String,
    /// As long for every source, so that no scope is the start of another.
    source: String,
    in_frame: bool,
}

impl SourceScope {
    /// Labels stay.
    #[cfg(feature = "arrow")]
    pub(crate) const NONE: Self = SourceScope { text: String::new(), source: String::new(), in_frame: false };

    /// Of a source that has this number.
    #[cold]
    pub(crate) fn of(number: u64) -> Self {
        let source = format!("s{number:016x}");
        SourceScope { text: format!("{source}_"), source, in_frame: false }
    }

    /// What stands before labels.
    #[inline(always)]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Labels of this frame get a scope of their own where frames are elements, else that of the source;
    /// says whether the scope is another than before.
    pub(crate) fn frame(&mut self, frame: u64, logical_type: LogicalType) -> bool {
        let was = std::mem::replace(&mut self.in_frame, logical_type.is_grouped());
        if self.in_frame {
            self.text = format!("{}f{frame}_", self.source);
        } else if was {
            self.text = format!("{}_", self.source);
        }
        self.in_frame || was
    }
}

/// What follows a scope at the start of a label.
pub(super) fn without_scope(label: &str) -> Option<&str> {
    let digits = label.strip_prefix('s')?;
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if !digits.as_bytes().get(..DIGITS)?.iter().all(is_hex) {
        return None;
    }
    let rest = &digits[DIGITS..];
    let rest = match rest.strip_prefix('f') {
        Some(frame) => {
            let after = frame.trim_start_matches(|c: char| c.is_ascii_digit());
            Some(after).filter(|after| after.len() < frame.len())?
        }
        None => rest,
    };
    rest.strip_prefix('_')
}

/// Whether a label is a name of its source behind a scope. Positions are not: they name nothing in any source.
fn is_scoped_name(label: &str) -> bool {
    without_scope(label).is_some() && !is_position(label)
}

/// Whether no label of a statement is positional or scoped.
#[inline]
pub fn labels_last(statement: &Statement<'_>) -> bool {
    let is_lost = |label: &str| is_position(label) || is_scoped_name(label);
    statement.terms.iter().all(|term| label_of(term, is_lost).is_none())
}

/// Rejects a statement with a scoped label.
///
/// # Errors
/// `patch.labels`, with the statement and the label.
#[inline]
pub fn refuse_scopes(statement: &Statement<'_>) -> Result<()> {
    match statement.terms.iter().find_map(|term| label_of(term, is_scoped_name)) {
        None => Ok(()),
        Some(label) => Err(refused(statement, label)),
    }
}

#[cold]
fn refused(statement: &Statement<'_>, label: &str) -> Error {
    let message = format!(
        "{statement} has the label _:{label}, which begins with the scope of the file that it was read from, so the \
         same node of another file or of a log does not match it; read the file with blank_nodes=\"keep\" (Spark: \
         blankNodes=keep), or give the node an IRI"
    );
    Error::new(ErrorKind::PatchLabels, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scoped_names_are_those_of_the_table() {
        let mut scoped = 0;
        for line in include_str!("../../tests/python/positions.txt").lines() {
            let (kind, label) = line.split_once(' ').expect("a kind and a label");
            assert_eq!(is_scoped_name(label), kind == "scoped", "{label}");
            scoped += usize::from(kind == "scoped");
        }
        assert!(scoped > 4, "{scoped}");
    }
}
