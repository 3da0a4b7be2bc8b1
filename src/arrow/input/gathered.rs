//! What the rows of patches say, of record batches whose rows may lie anywhere in their patches.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, Int64Array, RecordBatch};

use super::strings::Strings;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::matching::is_content_label;
use crate::patch::{GatheredPatch, GatheredRow};

/// Patches by their sources and numbers.
#[derive(Debug, Default)]
pub struct GatheredPatches {
    /// The patches.
    pub patches: BTreeMap<(Option<String>, i64), GatheredPatch>,
    /// Rows that change quads have content labels.
    pub has_content_labels: bool,
    rows: u64,
}

impl GatheredPatches {
    /// Takes the rows of a batch: `source`, `patch`, `txn`, `seq`, `op`, `name`, `value` and the columns of a quad.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let strings = |name| Strings::of(name, batch.column_by_name(name));
        let (sources, ops) = (strings("source")?, strings("op")?);
        let (keys, values) = (strings("name")?, strings("value")?);
        let (patches, transactions) = (numbers(batch, "patch")?, numbers(batch, "txn")?);
        let places = numbers(batch, "seq")?;
        let [s, p, o, g] = ["subject", "predicate", "object", "graph"].map(strings);
        let quads = [s?, p?, o?, g?];
        let mut row = 0;
        while row < batch.num_rows() {
            let source = sources.get(row);
            let Some(patch) = value(patches, row) else {
                let error = Error::new(ErrorKind::EncodeRow, "no patch").with_field("patch".to_owned());
                let row = Some(self.rows + row as u64);
                return Err(error.located(&Position { row, ..Position::default() }));
            };
            let gathered = self.patches.entry((source.map(str::to_owned), patch)).or_default();
            while row < batch.num_rows() && sources.get(row) == source && value(patches, row) == Some(patch) {
                let op = ops.get(row);
                let terms = || quads.iter().filter_map(|column| column.get(row));
                let mut labels = terms().flat_map(labels).peekable();
                let names_node = labels.peek().is_some();
                if names_node && !self.has_content_labels {
                    self.has_content_labels = matches!(op, Some("A" | "D")) && labels.any(is_content_label);
                }
                gathered.row(&GatheredRow {
                    op,
                    txn: value(transactions, row),
                    seq: value(places, row),
                    key: keys.get(row),
                    value: values.get(row),
                    bytes: terms().map(|term| term.len() as i64).sum(),
                    names_node,
                });
                row += 1;
            }
        }
        self.rows += batch.num_rows() as u64;
        Ok(())
    }
}

/// The labels of blank nodes in a term; what looks like one in a literal of a quoted triple counts too.
fn labels(term: &str) -> impl Iterator<Item = &str> {
    let words = if term.starts_with("<<(") { usize::MAX } else { 1 };
    term.split(' ').take(words).filter_map(|word| word.strip_prefix("_:"))
}

/// A column of numbers.
pub(super) fn numbers<'b>(batch: &'b RecordBatch, name: &str) -> Result<&'b Int64Array> {
    let column = batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
    column.ok_or_else(|| missing(name, "64-bit integers"))
}

/// The number in a row.
#[inline]
pub(super) fn value(column: &Int64Array, row: usize) -> Option<i64> {
    column.is_valid(row).then(|| column.value(row))
}

fn missing(name: &str, kind: &str) -> Error {
    Error::new(ErrorKind::Argument, format!("there is no column {name:?} of {kind}"))
}
