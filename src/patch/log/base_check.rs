//! Checks whether a base has the same labels as the patches.

use std::ops::Range;

use super::Log;
use super::facts::Facts;
use crate::blank::refuse_positions;
use crate::error::{Error, Result};
use crate::sink::Statement;

/// Rejects bases with blank nodes that the patches cannot refer to.
#[derive(Clone, Copy)]
pub(crate) struct BaseCheck {
    /// Whether patches have content labels but no header with which the labels of another base can be found.
    needs_content: bool,
}

impl BaseCheck {
    /// Whether statements with positions are rejected.
    pub(crate) fn refuses_positions(self) -> bool {
        self.needs_content
    }

    /// Checks a statement of the base.
    ///
    /// # Errors
    /// `patch.labels`: it has a node without a label, which may be a node that the patches refer to.
    #[inline]
    pub(crate) fn statement(self, statement: &Statement<'_>) -> Result<()> {
        if self.needs_content { refuse_positions(statement).map_err(with_other_labels) } else { Ok(()) }
    }
}

#[cold]
fn with_other_labels(error: Error) -> Error {
    error.with_hint(
        "the patches have content labels; `jelly convert --blank-nodes content` gives the base content labels too",
    )
}

impl Log {
    /// The check for each statement of the base of these patches.
    pub(crate) fn base_check(&self, versions: Range<u64>) -> BaseCheck {
        let needs = |facts: &Facts| facts.has_content_labels && !facts.speaks_content;
        BaseCheck {
            needs_content: versions.into_iter().any(|version| self.facts(version).is_some_and(needs)),
        }
    }
}
