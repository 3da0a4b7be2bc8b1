//! The memory that a decoder keeps from row to row and from call to call, and its limits.

use super::Decoder;
use super::dialect::DialectState;
use super::repeat::{Slot, Slots};
use super::term::Terms;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::EXPANSION_GRACE;
use crate::sink::Sink;

impl<D: DialectState> Decoder<D> {
    /// Checks that the memory kept from row to row is within its limit.
    pub(super) fn check_kept<S: Sink>(&self, sink: &S) -> Result<()> {
        let options = 2 * self.dialect.options_bytes().map_or(0, <[u8]>::len); // as bytes and decoded
        let beside = options + self.metadata.bytes() + sink.kept_bytes();
        check_kept(self.terms.as_ref(), beside, self.most_kept)
    }

    /// Allows copies in proportion to the input, like text.
    pub(super) fn allow_copies(&mut self, input: usize) {
        self.copies = match self.config.limits.expansion {
            0 => u64::MAX,
            expansion => (self.consumed + input as u64).saturating_mul(expansion).max(EXPANSION_GRACE),
        };
        if let Some(terms) = &mut self.terms {
            terms.held.allowed = self.copies;
        }
    }

    pub(super) fn detach(&mut self, slots: &Slots<'_>) -> Slots<'static> {
        match &mut self.terms {
            Some(terms) => terms.held.detach(slots, &terms.lookups),
            None => [Slot::Unset; 4],
        }
    }
}

/// Returns an error if tables, terms and `beside` exceed `most` bytes.
pub(super) fn check_kept(terms: Option<&Terms>, beside: usize, most: usize) -> Result<()> {
    let kept = beside + terms.map_or(0, |terms| terms.lookups.bytes() + terms.held.bytes());
    if kept <= most {
        return Ok(());
    }
    let message =
        format!("lookup tables, namespaces, metadata and last terms hold {kept} bytes, more than {most}");
    Err(Error::limit(ErrorKind::LimitLookup, "lookup_bytes", message))
}
