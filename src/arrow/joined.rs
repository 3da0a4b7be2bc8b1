//! Small batches put together.

use std::sync::Arc;

use arrow_array::{Array, Int64Array, RecordBatch, RecordBatchOptions, make_array};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{DataType, Field, Schema};

use super::columns::internal;
use crate::error::Result;

/// A batch of so many rows or bytes is large enough.
const ROWS: usize = 4096;
const BYTES: usize = 1 << 20;
/// A batch of a few rows keeps the memory of a large one until it is copied, so few wait for that.
const PACK: usize = 32;

/// Joins small batches of one schema and lets large ones through as they are, in order.
#[derive(Default)]
pub struct Joined {
    waiting: Vec<RecordBatch>,
    packed: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
}

impl Joined {
    /// Takes the next batch; what is large enough goes to `ready`.
    pub fn add(&mut self, batch: RecordBatch, ready: &mut impl Extend<RecordBatch>) -> Result<()> {
        let (rows, bytes) = (batch.num_rows(), size(&batch)?);
        if rows >= ROWS || bytes >= BYTES {
            self.flush(ready)?;
            ready.extend([batch]);
            return Ok(());
        }
        if rows == 0 {
            return Ok(());
        }
        self.waiting.push(batch);
        self.rows += rows;
        self.bytes += bytes;
        if self.rows >= ROWS || self.bytes >= BYTES {
            self.flush(ready)?;
        } else if self.waiting.len() == PACK {
            self.packed.push(one(&self.waiting)?);
            self.waiting.clear();
        }
        Ok(())
    }

    /// Gives what waits.
    pub fn flush(&mut self, ready: &mut impl Extend<RecordBatch>) -> Result<()> {
        let mut all = std::mem::take(&mut self.packed);
        all.append(&mut self.waiting);
        (self.rows, self.bytes) = (0, 0);
        if !all.is_empty() {
            ready.extend([one(&all)?]);
        }
        Ok(())
    }
}

/// Adds a column without a name that has the same number in every row.
pub fn numbered(batch: &RecordBatch, number: i64) -> Result<RecordBatch> {
    let mut fields = batch.schema().fields().to_vec();
    fields.push(Arc::new(Field::new("", DataType::Int64, false)));
    let mut columns = batch.columns().to_vec();
    columns.push(Arc::new(Int64Array::from_value(number, batch.num_rows())));
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(internal)
}

/// Bytes of the rows, not of the memory that they keep.
fn size(batch: &RecordBatch) -> Result<usize> {
    let mut bytes = 0;
    for column in batch.columns() {
        bytes += column.to_data().get_slice_memory_size().map_err(internal)?;
    }
    Ok(bytes)
}

fn one(batches: &[RecordBatch]) -> Result<RecordBatch> {
    let [first, ..] = batches else { unreachable!("there is a batch") };
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    let columns = (0..first.num_columns()).map(|number| {
        let parts: Vec<_> = batches.iter().map(|batch| batch.column(number).to_data()).collect();
        let mut joined = MutableArrayData::new(parts.iter().collect(), false, rows);
        for (part, data) in parts.iter().enumerate() {
            joined.try_extend(part, 0, data.len()).map_err(internal)?;
        }
        Ok(make_array(joined.freeze()))
    });
    let columns = columns.collect::<Result<_>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(first.schema(), columns, &options).map_err(internal)
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{ArrayRef, StringArray};

    use super::*;

    fn batch(rows: usize, text: Option<&str>) -> RecordBatch {
        let texts: ArrayRef = Arc::new(StringArray::from(vec![text; rows]));
        RecordBatch::try_from_iter([("text", texts)]).unwrap()
    }

    fn joined(batches: impl IntoIterator<Item = RecordBatch>) -> Vec<RecordBatch> {
        let (mut joined, mut ready) = (Joined::default(), Vec::new());
        for batch in batches {
            joined.add(batch, &mut ready).unwrap();
        }
        joined.flush(&mut ready).unwrap();
        ready
    }

    #[test]
    fn small_batches_are_joined_and_large_ones_are_not() {
        let sizes = [1, 0, 2, 5000, 3, 4000, 95, 1];
        let ready = joined(sizes.map(|rows| batch(rows, Some("x"))));
        let rows: Vec<_> = ready.iter().map(RecordBatch::num_rows).collect();
        assert_eq!(rows, [3, 5000, 4098, 1]);
    }

    #[test]
    fn many_bytes_are_enough_too() {
        let long = "y".repeat(BYTES / 2);
        let ready = joined([batch(1, Some(&long)), batch(1, Some(&long)), batch(1, None)]);
        let rows: Vec<_> = ready.iter().map(RecordBatch::num_rows).collect();
        assert_eq!(rows, [2, 1]);
    }

    #[test]
    fn values_nulls_and_numbers_stay_in_order() {
        let texts = (0..100).map(|number| (number % 3 > 0).then(|| format!("t{number}")));
        let wanted: Vec<_> = texts.flat_map(|text| [text.clone(), text]).collect();
        let batches = wanted.chunks(2).zip(0..).map(|(texts, number)| {
            let texts: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
            let batch = RecordBatch::try_from_iter_with_nullable([("text", texts, true)]).unwrap();
            numbered(&batch, number).unwrap()
        });
        let [ready] = joined(batches).try_into().unwrap();
        let found: Vec<_> = ready.column(0).as_string::<i32>().iter().collect();
        assert_eq!(found, wanted.iter().map(Option::as_deref).collect::<Vec<_>>());
        let numbers: Vec<_> = ready.column(1).as_primitive::<Int64Type>().values().to_vec();
        assert_eq!(numbers, (0..100).flat_map(|number| [number, number]).collect::<Vec<_>>());
    }
}
