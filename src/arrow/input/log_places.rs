//! Which rows of a log count, and which version each belongs to.

use std::collections::{HashMap, HashSet};

use arrow_array::builder::Int64Builder;
use arrow_array::{Int64Array, RecordBatch};

use super::gathered::{numbers, value};
use super::strings::Strings;
use crate::error::Result;

/// The patches of a log that were found before: their versions, and their transactions that do not count.
#[derive(Debug, Default)]
pub struct LogPlaces {
    unnamed: Patches,
    named: HashMap<String, Patches>,
}

type Patches = HashMap<i64, Place>;

#[derive(Debug)]
struct Place {
    version: i64,
    dropped: HashSet<i64>,
}

impl LogPlaces {
    /// Adds a patch by its source and its number there.
    pub fn insert(&mut self, source: Option<String>, patch: i64, version: i64, dropped: Vec<i64>) {
        let patches = match source {
            Some(source) => self.named.entry(source).or_default(),
            None => &mut self.unnamed,
        };
        patches.insert(patch, Place { version, dropped: dropped.into_iter().collect() });
    }

    /// The version of each row that counts, and null of the others: rows of patches that are not known, and of
    /// transactions that were dropped. Columns are `source`, `patch` and `txn`.
    pub fn versions(&self, batch: &RecordBatch) -> Result<Int64Array> {
        let sources = Strings::of("source", batch.column_by_name("source"))?;
        let (patches, transactions) = (numbers(batch, "patch")?, numbers(batch, "txn")?);
        let mut versions = Int64Builder::with_capacity(batch.num_rows());
        let mut last: Option<(Option<&str>, i64, Option<&Place>)> = None;
        for row in 0..batch.num_rows() {
            let (source, patch) = (sources.get(row), value(patches, row));
            let place = match (last, patch) {
                (_, None) => None,
                (Some((before, number, place)), Some(patch)) if number == patch && before == source => place,
                (_, Some(patch)) => {
                    let place = self.patches(source).and_then(|patches| patches.get(&patch));
                    last = Some((source, patch, place));
                    place
                }
            };
            let counts =
                |place: &&Place| value(transactions, row).is_none_or(|txn| !place.dropped.contains(&txn));
            versions.append_option(place.filter(counts).map(|place| place.version));
        }
        Ok(versions.finish())
    }

    fn patches(&self, source: Option<&str>) -> Option<&Patches> {
        source.map_or(Some(&self.unnamed), |source| self.named.get(source))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array, StringArray};

    use super::*;

    #[test]
    fn rows_of_known_patches_have_versions_but_for_dropped_transactions() {
        let mut places = LogPlaces::default();
        places.insert(Some("a".into()), 0, 1, vec![1]);
        places.insert(Some("a".into()), 1, 3, vec![]);
        places.insert(None, 0, 2, vec![0, 2]);
        let rows = [
            (Some("a"), Some(0), Some(0), Some(1)),
            (Some("a"), Some(0), Some(1), None),
            (Some("a"), Some(0), None, Some(1)),
            (Some("a"), Some(1), Some(1), Some(3)),
            (None, Some(0), Some(1), Some(2)),
            (None, Some(0), Some(2), None),
            (None, Some(1), Some(1), None),
            (Some("b"), Some(0), Some(0), None),
            (Some("a"), None, Some(0), None),
            (Some("a"), Some(0), Some(0), Some(1)),
        ];
        let source: ArrayRef = Arc::new(rows.iter().map(|row| row.0).collect::<StringArray>());
        let patch: ArrayRef = Arc::new(rows.iter().map(|row| row.1).collect::<Int64Array>());
        let txn: ArrayRef = Arc::new(rows.iter().map(|row| row.2).collect::<Int64Array>());
        let columns = [("source", source), ("patch", patch), ("txn", txn)];
        let batch = RecordBatch::try_from_iter(columns.clone()).unwrap();
        let found: Vec<_> = places.versions(&batch).unwrap().iter().collect();
        assert_eq!(found, rows.map(|row| row.3));
        let narrow: ArrayRef = Arc::new(Int32Array::from(vec![0; rows.len()]));
        let [source, patch, _] = columns;
        let batch = RecordBatch::try_from_iter([source, patch, ("txn", narrow)]).unwrap();
        let error = places.versions(&batch).unwrap_err();
        assert_eq!(error.message(), "there is no column \"txn\" of 64-bit integers");
    }
}
