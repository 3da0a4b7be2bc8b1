//! Columns of strings, of every Arrow type that has them.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray, StringViewArray};
use arrow_schema::DataType;

use crate::error::{Error, ErrorKind, Result};

/// A column of strings.
pub(super) enum Strings<'b> {
    /// All null.
    Missing,
    Utf8(&'b StringArray),
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
            DataType::Utf8 => Strings::Utf8(column.as_string()),
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
            Strings::Utf8(column) => column.is_valid(row).then(|| column.value(row)),
            Strings::Missing => None,
            other => other.get_rare(row),
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
