//! Positional labels: labels that a reader makes for blank nodes without a label, from their place in the
//! file.
//!
//! Turtle, `TriG`, RDF/XML and JSON-LD write most blank nodes without a label. Readers number these nodes,
//! `anon-0`, `anon-1`, ..., so `anon-0` is another node in every file. A positional label is not a name: no
//! patch may contain one. The rule is about labels, not formats, because conversions write positional labels
//! to N-Quads, Jelly and tables.

use super::scope::without_scope;
#[cfg(feature = "arrow")]
use super::stream::is_bare_position;
use crate::error::{Error, ErrorKind, Result};
use crate::sink::{PatchOp, Statement};
use crate::term::{Term, TermBuf};

/// What the label of a position begins with, behind scopes. Readers put it before labels of documents that begin so, too.
pub(crate) const ANONYMOUS: &str = "anon-";

/// Whether a label is positional: `anon-` and digits, alone or after scopes of readers (`s0123456789abcdef_`,
/// with the
/// number of a frame `s0123456789abcdef` `f7_`).
///
/// A doubled `anon-` counts too: it is what reading a document gives that a writer of positions has written.
#[inline]
pub fn is_position(label: &str) -> bool {
    // nearly all labels end here
    label.as_bytes().last().is_some_and(u8::is_ascii_digit) && ends_in_position(label)
}

fn ends_in_position(label: &str) -> bool {
    let Some(mut rest) = label.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix(ANONYMOUS) else {
        return false;
    };
    while let Some(shorter) = rest.strip_suffix(ANONYMOUS) {
        rest = shorter;
    }
    while let Some(shorter) = without_scope(rest) {
        rest = shorter;
    }
    rest.is_empty()
}

/// The first label in a term that fits; quoted triples are searched.
#[inline]
pub(crate) fn label_of<'t>(term: &Term<'t>, fits: fn(&str) -> bool) -> Option<&'t str> {
    match term {
        Term::BlankNode(label) if fits(label) => Some(label),
        Term::Triple(triple) => {
            triple.terms.iter().map(TermBuf::as_term).find_map(|term| label_of(&term, fits))
        }
        _ => None,
    }
}

/// Whether a statement has a position without the scope of a source.
#[cfg(feature = "arrow")]
#[inline]
pub(crate) fn has_bare_position(statement: &Statement<'_>) -> bool {
    statement.terms.iter().any(|term| label_of(term, is_bare_position).is_some())
}

/// The first position in a term.
#[inline]
fn position_of<'t>(term: &Term<'t>) -> Option<&'t str> {
    label_of(term, is_position)
}

/// The first position in what a row of a patch changes: a quad, or the graph of a prefix.
#[inline]
fn position_in<'t>(op: &PatchOp<'t>) -> Option<&'t str> {
    match op {
        PatchOp::Add(statement) | PatchOp::Delete(statement) => statement.terms.iter().find_map(position_of),
        PatchOp::AddPrefix { graph, .. } | PatchOp::DeletePrefix { graph, .. } => position_of(graph),
        _ => None,
    }
}

/// What a row of a patch changes, for a message.
#[cold]
fn shown(op: &PatchOp<'_>) -> String {
    match op {
        PatchOp::Add(statement) => format!("A {statement}"),
        PatchOp::Delete(statement) => format!("D {statement}"),
        PatchOp::AddPrefix { name, graph, .. } => format!("PA {name:?} in the graph {graph}"),
        PatchOp::DeletePrefix { name, graph, .. } => format!("PD {name:?} in the graph {graph}"),
        _ => String::new(),
    }
}

/// The error of a row, or a term, that names a node by its position.
#[cold]
fn refused(row: &str, label: &str) -> Error {
    let message = format!(
        "{row} names a blank node by its position in a file (_:{label}), which is another node in another file; \
         give the node an IRI or a label in the data, or export the data with stable labels, such as N-Quads from the store"
    );
    Error::new(ErrorKind::PatchLabels, message)
}

/// Rejects a term that names a node by its position.
#[inline]
pub(crate) fn refuse_term(term: &Term<'_>) -> Result<()> {
    match position_of(term) {
        None => Ok(()),
        Some(label) => Err(refused(&term.to_string(), label)),
    }
}

/// Rejects a statement of a dataset that names a node by its position.
#[inline]
pub(crate) fn refuse_positions(statement: &Statement<'_>) -> Result<()> {
    match statement.terms.iter().find_map(position_of) {
        None => Ok(()),
        Some(label) => Err(refused(&statement.to_string(), label)),
    }
}

/// Rejects a row of a patch that names a node by its position.
#[inline]
pub(crate) fn refuse_position(op: &PatchOp<'_>) -> Result<()> {
    match position_in(op) {
        None => Ok(()),
        Some(label) => Err(refused(&shown(op), label)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Triple;

    /// The same table is in the tests of Spark's tables.
    #[test]
    fn positions_and_labels() {
        let mut seen = [0, 0];
        for line in include_str!("../../tests/python/positions.txt").lines() {
            let (kind, label) = line.split_once(' ').expect("a kind and a label");
            assert_eq!(is_position(label), kind == "position", "{label}");
            seen[usize::from(is_position(label))] += 1;
        }
        assert!(seen.iter().all(|&seen| seen > 8), "{seen:?}");
    }

    #[test]
    fn positions_in_quoted_triples_are_found() {
        let inner =
            Triple { terms: [TermBuf::iri("a:s"), TermBuf::iri("a:p"), TermBuf::blank_node("anon-7")] };
        let outer =
            Triple { terms: [TermBuf::iri("a:s"), TermBuf::iri("a:p"), TermBuf::Triple(Box::new(inner))] };
        assert_eq!(position_of(&Term::Triple(&outer)), Some("anon-7"));
        let text = TermBuf::simple_literal("_:anon-7");
        assert_eq!(position_of(&text.as_term()), None);
    }
}
