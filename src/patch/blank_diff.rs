//! Differences between the statements with blank nodes of two datasets; other statements are compared
//! elsewhere.

use super::blank_rows::{BlankNodes, BlankStatements, NEW, OLD};
use super::emit::{Emit, PatchOut, Patched};
use crate::blank::labels_last;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::sink::Statement;

/// Compares the statements with blank nodes of two datasets like [`super::diff()`]; the statements can come
/// in any order.
pub struct BlankDiff {
    way: BlankNodes,
    blank: BlankStatements,
    /// Whether all labels are stable: of the old dataset, and of the new one.
    lasts: [bool; 2],
}

impl BlankDiff {
    /// Creates a comparison by matching or by content.
    ///
    /// # Errors
    /// `argument`: `way` is `labels`, which compares statement by statement.
    pub fn new(way: BlankNodes, limits: &Limits) -> Result<Self> {
        if !matches!(way, BlankNodes::Match | BlankNodes::Content) {
            let message = format!("blank_nodes is {:?}; it can be \"match\", \"content\"", way.name());
            return Err(Error::new(ErrorKind::Argument, message));
        }
        Ok(BlankDiff { way, blank: BlankStatements::new(limits), lasts: [true; 2] })
    }

    /// Adds a statement with blank nodes of the old or the new dataset.
    ///
    /// # Errors
    /// `limit.blank_bytes`: there are too many statements.
    pub fn add(&mut self, is_new: bool, statement: &Statement<'_>) -> Result<()> {
        let side = if is_new { NEW } else { OLD };
        self.lasts[side] &= labels_last(statement);
        if self.blank.take(side, statement)? {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Argument, format!("{statement} has no blank node")))
    }

    /// Writes a patch with the rows that differ, and with headers that declare how the patch names blank
    /// nodes.
    ///
    /// # Errors
    /// The patch cannot be written.
    pub fn finish(self, out: PatchOut) -> Result<Patched> {
        let mut rows = self.blank.compare(self.way, self.lasts, false)?;
        let mut emit = Emit::new(out, None)?;
        rows.headers(&mut emit, None)?;
        rows.write(OLD, &mut emit, None)?;
        rows.write(NEW, &mut emit, None)?;
        emit.end_patch()?;
        emit.finish()
    }
}
