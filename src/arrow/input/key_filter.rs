//! The rows of a table whose quads are not in a set.

use arrow_array::{Array, BooleanArray, RecordBatch};

use super::keys::{KEY, KeyColumn, Required};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::KeySet;

/// Keeps the rows whose quads have none of some keys, in 20 to 31 bytes of memory a key.
pub struct KeyFilter {
    keys: KeySet,
    secret: [u8; KEY],
    required: Required,
}

impl KeyFilter {
    /// Of keys under this secret, one after the other as [`KeyColumn`] has them; rows must be what is required.
    pub fn new(keys: &[u8], secret: [u8; KEY], required: Required) -> Result<Self> {
        let (keys, rest) = keys.as_chunks::<KEY>();
        if !rest.is_empty() {
            let message = format!("each key has {KEY} bytes, but {} bytes are left over", rest.len());
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let mut set = KeySet::new();
        for key in keys {
            set.insert(u128::from_be_bytes(*key));
        }
        Ok(KeyFilter { keys: set, secret, required })
    }

    /// Whether each row of a batch is kept; a row without a quad is.
    pub fn keep(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        let mut column = KeyColumn::new(self.secret, self.required);
        column.push(batch)?;
        let keys = column.finish();
        let (made, _) = keys.value_data().as_chunks::<KEY>();
        let mut made = made.iter();
        let mut is_kept = |row| {
            let key = keys.is_valid(row).then(|| made.next()).flatten();
            key.is_none_or(|key| !self.keys.contains(u128::from_be_bytes(*key)))
        };
        Ok((0..keys.len()).map(|row| Some(is_kept(row))).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, StringArray};

    use super::*;

    fn batch(objects: &[Option<&str>]) -> RecordBatch {
        let column = |text: &str| -> ArrayRef {
            Arc::new(objects.iter().map(|object| object.map(|_| text)).collect::<StringArray>())
        };
        let object: ArrayRef = Arc::new(StringArray::from(objects.to_vec()));
        let columns = [column("<a:s>"), column("<a:p>"), object, column("")];
        let names = ["subject", "predicate", "object", "graph"];
        RecordBatch::try_from_iter(names.into_iter().zip(columns)).unwrap()
    }

    #[test]
    fn rows_whose_quads_are_in_the_set_are_left_out_whatever_the_case_of_tags() {
        let secret = [7; KEY];
        let mut keys = KeyColumn::new(secret, Required::default());
        keys.push(&batch(&[Some("\"x\"@en-GB"), None, Some("<a:o>")])).unwrap();
        let keys = keys.finish();
        let filter = KeyFilter::new(keys.value_data(), secret, Required::default()).unwrap();
        let rows = batch(&[Some("<a:o>"), None, Some("\"x\""), Some("\"x\"@EN-gb"), Some("\"x\"@en")]);
        let kept: Vec<_> = filter.keep(&rows).unwrap().iter().flatten().collect();
        assert_eq!(kept, [false, true, true, false, true]);
        assert!(KeyFilter::new(&[0; 17], secret, Required::default()).is_err());
    }
}
