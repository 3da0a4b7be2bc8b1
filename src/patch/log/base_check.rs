//! Checks whether a base has the same labels as the patches.

use std::ops::Range;

use super::Log;
use super::facts::Facts;
use super::folder::{Folder, Start};
use crate::blank::refuse_positions;
use crate::error::{Error, ErrorKind, Position, Result};
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
    /// Rejects an empty base for the log of a folder that begins with a dataset.
    ///
    /// # Errors
    /// `patch.base`: the base has no statement, but the dataset has.
    pub(crate) fn refuse_empty_base(&self, base: u64) -> Result<()> {
        let [Folder { path, start: Start::Base { statements, .. }, .. }] = &self.folders[..] else {
            return Ok(());
        };
        if base > 0 || *statements == 0 {
            return Ok(());
        }
        let message =
            format!("the base is empty, but the log begins with a dataset of {statements} statements");
        let hint = "give this dataset as the base (its file is in the folder), or let `jelly log dataset` or `jelly restore` find it";
        let place = Position { source: Some(path.to_string_lossy().into()), ..Position::default() };
        Err(Error::new(ErrorKind::PatchBase, message).with_hint(hint).located(&place))
    }

    /// The check for each statement of the base of these patches.
    pub(crate) fn base_check(&self, versions: Range<u64>) -> BaseCheck {
        let needs = |facts: &Facts| facts.has_content_labels && !facts.speaks_content;
        BaseCheck {
            needs_content: versions.into_iter().any(|version| self.facts(version).is_some_and(needs)),
        }
    }
}
