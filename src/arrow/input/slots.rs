//! Terms in the pieces that sinks take.

use crate::sink::Statement;
use crate::term::PlainTerm;
use crate::text::slot::TermSlot;

/// The terms of the last row, and the value of one that is no statement.
#[derive(Debug, Default)]
pub(super) struct Slots {
    pub(super) terms: [TermSlot; 4],
    pub(super) value: TermSlot,
}

impl Slots {
    /// The statement of these terms.
    pub(super) fn statement(&mut self, terms: &[PlainTerm<'_>; 4]) -> Statement<'_> {
        for (slot, term) in self.terms.iter_mut().zip(terms) {
            slot.set(term);
        }
        Statement::of(self.terms.each_ref().map(TermSlot::term))
    }
}
