//! The last offsets of columns of others: importing takes them as lengths of memory, so they are looked at before it.

use arrow_array::StructArray;
use arrow_array::ffi::{FFI_ArrowArray, from_ffi_and_data_type};
use arrow_schema::{ArrowError, DataType};

use super::check::invalid;

/// The rows of an array of structs; what they hold is not looked at.
///
/// # Errors
/// Its ends are wrong, or rows are null.
pub fn rows(array: FFI_ArrowArray, data_type: DataType) -> Result<StructArray, ArrowError> {
    check(&array, &data_type)?;
    // SAFETY: the array is of this type, as its producer says, and its offsets were looked at
    let data = unsafe { from_ffi_and_data_type(array, data_type) }?;
    if data.null_count() > 0 {
        let message = format!(
            "{} rows are null, but a record batch cannot have null rows: drop them",
            data.null_count()
        );
        return Err(ArrowError::InvalidArgumentError(message));
    }
    Ok(StructArray::from(data))
}

/// Rejects an array whose strings, bytes or lists end at a negative offset, or have no offsets.
fn check(array: &FFI_ArrowArray, data_type: &DataType) -> Result<(), ArrowError> {
    match data_type {
        DataType::Utf8 | DataType::Binary => ends(array, 4),
        DataType::LargeUtf8 | DataType::LargeBinary => ends(array, 8),
        DataType::List(field) | DataType::Map(field, _) => {
            ends(array, 4)?;
            child(array, 0, field.data_type())
        }
        DataType::LargeList(field) => {
            ends(array, 8)?;
            child(array, 0, field.data_type())
        }
        DataType::ListView(field) | DataType::LargeListView(field) | DataType::FixedSizeList(field, _) => {
            child(array, 0, field.data_type())
        }
        DataType::Struct(fields) => {
            fields.iter().enumerate().try_for_each(|(place, field)| child(array, place, field.data_type()))
        }
        DataType::Union(fields, _) => {
            let types = fields.iter().map(|(_, field)| field.data_type());
            types.enumerate().try_for_each(|(place, data_type)| child(array, place, data_type))
        }
        DataType::RunEndEncoded(ends, values) => {
            child(array, 0, ends.data_type())?;
            child(array, 1, values.data_type())
        }
        DataType::Dictionary(_, values) => match array.dictionary() {
            Some(dictionary) => check(dictionary, values),
            None => Err(invalid("a dictionary column has no dictionary")),
        },
        _ => Ok(()),
    }
}

fn child(array: &FFI_ArrowArray, place: usize, data_type: &DataType) -> Result<(), ArrowError> {
    if place >= array.num_children() {
        return Err(invalid("there are fewer columns than in the schema"));
    }
    check(array.child(place), data_type)
}

/// The last of the offsets, each of `width` bytes.
fn ends(array: &FFI_ArrowArray, width: usize) -> Result<(), ArrowError> {
    if array.is_empty() {
        return Ok(());
    }
    if array.num_buffers() < 2 || array.buffer(1).is_null() {
        return Err(invalid("a column has no offsets"));
    }
    let last = array.len().checked_add(array.offset()).and_then(|last| last.checked_mul(width));
    let last = last.ok_or_else(|| invalid("a column has more rows than memory has bytes"))?;
    // SAFETY: the second buffer of a column with offsets has one more than there are rows, as the C data interface says;
    // importing reads the same place. It need not be aligned here.
    let is_negative = unsafe {
        let place = array.buffer(1).add(last);
        if width == 4 {
            place.cast::<i32>().read_unaligned() < 0
        } else {
            place.cast::<i64>().read_unaligned() < 0
        }
    };
    if is_negative { Err(invalid("the offsets of a string column decrease or are negative")) } else { Ok(()) }
}
