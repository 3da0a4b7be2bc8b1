//! What others may be wrong about: offsets and UTF-8, on which our safety rests.
//!
//! `ArrayData::validate_full` checks it too, but a string at a time, which took a fifth of writing Jelly.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, GenericStringArray, OffsetSizeTrait, RecordBatch};
use arrow_schema::{ArrowError, DataType};

/// Rejects a batch that cannot be read safely.
///
/// # Errors
/// What is wrong with it.
pub fn check(batch: &RecordBatch) -> Result<(), ArrowError> {
    batch.columns().iter().try_for_each(check_column)
}

fn check_column(column: &ArrayRef) -> Result<(), ArrowError> {
    match column.data_type() {
        DataType::Utf8 => check_strings::<i32>(column.as_string()),
        DataType::LargeUtf8 => check_strings::<i64>(column.as_string()),
        DataType::Struct(_) => column.as_struct().columns().iter().try_for_each(check_column),
        _ => column.to_data().validate_full(),
    }
}

/// All strings at once: offsets never fall, and cut text that is UTF-8 between characters.
fn check_strings<O: OffsetSizeTrait>(column: &GenericStringArray<O>) -> Result<(), ArrowError> {
    if column.is_empty() {
        return Ok(()); // of the text of nothing, even that of a slice, nothing came over
    }
    let offsets = column.value_offsets();
    let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else {
        return Ok(());
    };
    let falls = offsets.windows(2).fold(false, |falls, two| falls | (two[1] < two[0]));
    if falls || first < O::zero() {
        return Err(invalid("the offsets of a string column decrease or are negative"));
    }
    let (start, end) = (first.as_usize(), last.as_usize());
    let Some(bytes) = column.value_data().get(start..end) else {
        return Err(invalid("an offset of a string column is beyond the end of the text"));
    };
    if bytes.is_ascii() {
        return Ok(());
    }
    let Ok(text) = simdutf8::basic::from_utf8(bytes) else {
        return Err(invalid("a string column has text that is not UTF-8"));
    };
    if offsets.iter().all(|offset| text.is_char_boundary(offset.as_usize() - start)) {
        Ok(())
    } else {
        Err(invalid("an offset of a string column is inside a character"))
    }
}

pub(super) fn invalid(message: &str) -> ArrowError {
    ArrowError::InvalidArgumentError(message.to_owned())
}
