//! Whether a base has the same labels as the patches.

use std::ops::Range;

use super::Log;
use super::facts::Facts;
use crate::blank::refuse_positions;
use crate::error::{Error, Result};
use crate::sink::Statement;

/// Rejects bases with blank nodes that patches could not mean.
#[derive(Clone, Copy)]
pub(crate) struct BaseCheck {
    /// Patches have labels of the content, and no header by which those of another base would be found.
    needs_content: bool,
}

impl BaseCheck {
    /// Whether any statement is rejected.
    pub(crate) fn refuses_positions(self) -> bool {
        self.needs_content
    }

    /// Looks at a statement of the base.
    ///
    /// # Errors
    /// `patch.labels`: it has a node without a label, which may be one that the patches mean.
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
    /// What to ask of each statement of the base of these patches.
    pub(crate) fn base_check(&self, versions: Range<u64>) -> BaseCheck {
        let needs = |facts: &Facts| facts.has_content_labels && !facts.speaks_content;
        BaseCheck {
            needs_content: versions.into_iter().any(|version| self.facts(version).is_some_and(needs)),
        }
    }
}
