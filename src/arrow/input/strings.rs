//! Columns of strings, of every Arrow type that has them.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray, StringViewArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use crate::error::{Error, ErrorKind, Result};

/// A column of strings as most are, and its parts, for whoever reads each row.
pub(super) struct Plain<'b> {
    column: &'b StringArray,
    offsets: &'b [i32],
    values: &'b [u8],
    nulls: Option<&'b NullBuffer>,
}

impl<'b> Plain<'b> {
    fn of(column: &'b StringArray) -> Self {
        let nulls = column.nulls().filter(|nulls| nulls.null_count() > 0);
        Plain { column, offsets: column.value_offsets(), values: column.value_data(), nulls }
    }

    #[inline(always)]
    fn is_valid(&self, row: usize) -> bool {
        self.nulls.is_none_or(|nulls| nulls.is_valid(row))
    }
}

/// A column of strings.
pub(super) enum Strings<'b> {
    /// All null.
    Missing,
    Utf8(Plain<'b>),
    LargeUtf8(&'b LargeStringArray),
    View(&'b StringViewArray),
    /// Places in the values; nulls are those of the column.
    Dictionary(&'b ArrayRef, Vec<usize>, Box<Strings<'b>>),
}

impl<'b> Strings<'b> {
    /// The strings of a column.
    pub(super) fn of(name: &str, column: Option<&'b ArrayRef>) -> Result<Self> {
        let Some(column) = column else {
            return Ok(Strings::Missing);
        };
        Ok(match column.data_type() {
            DataType::Null => Strings::Missing,
            DataType::Utf8 => Strings::Utf8(Plain::of(column.as_string())),
            DataType::LargeUtf8 => Strings::LargeUtf8(column.as_string()),
            DataType::Utf8View => Strings::View(column.as_string_view()),
            DataType::Dictionary(_, _) => {
                let dictionary = column.as_any_dictionary();
                if dictionary.values().is_empty() {
                    return Ok(Strings::Missing);
                }
                let values = Strings::of(name, Some(dictionary.values()))?;
                Strings::Dictionary(column, dictionary.normalized_keys(), Box::new(values))
            }
            other => {
                let message = format!("column {name:?} is of type {other}; it must hold strings");
                return Err(Error::new(ErrorKind::Argument, message));
            }
        })
    }

    /// The string in a row.
    #[inline(always)]
    pub(super) fn get(&self, row: usize) -> Option<&'b str> {
        match self {
            Strings::Utf8(plain) => plain.is_valid(row).then(|| plain.column.value(row)),
            Strings::Missing => None,
            other => other.get_rare(row),
        }
    }

    /// The bytes of the string in a row.
    #[inline(always)]
    pub(super) fn bytes(&self, row: usize) -> Option<&'b [u8]> {
        match self {
            Strings::Utf8(plain) if plain.is_valid(row) => {
                let [start, end] = *plain.offsets.get(row..)?.first_chunk()?;
                plain.values.get(start as usize..end as usize)
            }
            Strings::Utf8(_) | Strings::Missing => None,
            other => other.get_rare(row).map(str::as_bytes),
        }
    }

    fn get_rare(&self, row: usize) -> Option<&'b str> {
        match self {
            Strings::LargeUtf8(column) => column.is_valid(row).then(|| column.value(row)),
            Strings::View(column) => column.is_valid(row).then(|| column.value(row)),
            Strings::Dictionary(column, places, values) => {
                column.is_valid(row).then(|| values.get(places[row])).flatten()
            }
            Strings::Utf8(_) | Strings::Missing => None,
        }
    }
}
