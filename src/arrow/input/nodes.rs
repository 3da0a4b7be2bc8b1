//! The statements of record batches, for what looks at their blank nodes.

use arrow_array::{BooleanArray, RecordBatch};

use super::terms::Statements;
use crate::blank::labels_last;
use crate::error::{Position, Result};
use crate::matching::has_nodes;
use crate::sink::Statement;

/// Hands each row of a batch with the columns `subject`, `predicate`, `object` and `graph` on as a statement.
///
/// # Errors
/// A row is none, or is rejected; its place in the batch is in the error.
pub fn each_statement(batch: &RecordBatch, mut take: impl FnMut(&Statement<'_>) -> Result<()>) -> Result<()> {
    let mut statements = Statements::of(batch)?;
    for row in 0..batch.num_rows() {
        let taken = statements.read(row).and_then(|()| take(&statements.statement()));
        taken.map_err(|error| error.located(&Position { row: Some(row as u64), ..Position::default() }))?;
    }
    Ok(())
}

/// Whether the labels of the blank nodes in each row last; null: it has no blank node.
///
/// # Errors
/// As of [`each_statement`].
pub fn lasting_labels(batch: &RecordBatch) -> Result<BooleanArray> {
    let mut lasts = Vec::with_capacity(batch.num_rows());
    each_statement(batch, |statement| {
        lasts.push(has_nodes(statement).then(|| labels_last(statement)));
        Ok(())
    })?;
    Ok(lasts.into())
}
