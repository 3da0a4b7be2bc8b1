//! The common part of all text writers.

use super::lex::is_language;
use crate::buffer::TextBuffer;
use crate::error::{Error, ErrorKind, Position, Result, excerpt};
use crate::scan::is_plain_label;
use crate::term::{LiteralKind, Term};

/// Size of the output at which a writer asks to be drained.
const FULL: usize = 256 << 10;

/// Text that waits for the caller.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) text: TextBuffer,
    drained: Vec<u8>,
}

impl Output {
    /// The text that was written since the caller last cleared it.
    pub(super) fn bytes(&mut self) -> &mut Vec<u8> {
        self.text.drain_to(&mut self.drained);
        &mut self.drained
    }

    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.text.len() + self.drained.len() >= FULL
    }

    /// Adds a long text, which is copied only where the caller takes it.
    pub(super) fn push_much(&mut self, text: &[u8]) {
        self.bytes().extend_from_slice(text);
    }
}

/// Rejects terms that text cannot hold: invalid language tags and, without `angles`, invalid labels.
pub(super) fn check(term: &Term<'_>, angles: bool) -> Result<()> {
    match term {
        Term::BlankNode(label) if !angles && !is_plain_label(label) => {
            let message = format!("{} cannot be the label of a blank node", excerpt(label));
            Err(Error::new(ErrorKind::EncodeLabel, message))
        }
        Term::Literal(literal) => match literal.kind {
            LiteralKind::Language(tag) if !is_language(tag) => {
                let message = format!("{} cannot be a language tag", excerpt(tag));
                Err(Error::new(ErrorKind::EncodeLanguage, message))
            }
            _ => Ok(()),
        },
        Term::Triple(triple) => triple.terms.iter().try_for_each(|term| check(&term.as_term(), angles)),
        _ => Ok(()),
    }
}

/// Adds the row to an error.
#[cold]
pub(super) fn at_row(error: Error, row: u64) -> Error {
    error.located(&Position { row: Some(row), ..Position::default() })
}
