//! Each text of a batch once: what dictionaries and views are made of.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray, StringViewArray};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use hashbrown::HashTable;

use super::columns::internal;
use super::settings::StringType;
use crate::buffer::TextBuffer;
use crate::encode::bytes::{hash, same};
use crate::error::Result;

/// The texts of the rows of a column, as places among texts that all differ.
pub(super) struct Distinct {
    strings: StringType,
    /// For each row, the place of its text; any for null.
    places: Vec<i32>,
    /// The places of all texts.
    known: HashTable<Known>,
    /// Bytes of text of all rows, as if each had its own.
    bytes: usize,
}

#[derive(Clone, Copy)]
struct Known {
    hash: u32,
    place: i32,
}

/// The hash as a table wants it, which looks at its highest bits and at its lowest.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

/// Where a text is: its bytes in the buffer, and its place among the texts.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) start: usize,
    pub(super) length: usize,
    pub(super) place: i32,
}

impl Distinct {
    /// Nothing where each row has a text of its own.
    pub(super) fn of(strings: StringType) -> Option<Box<Self>> {
        let distinct = Distinct { strings, places: Vec::new(), known: HashTable::new(), bytes: 0 };
        (strings != StringType::Utf8).then(|| Box::new(distinct))
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn rows(&self) -> usize {
        self.places.len()
    }

    /// A row with the text that ends `data`, which is taken back if it stood there before; `ends` are the ends of the texts.
    #[inline(never)]
    pub(super) fn add(&mut self, data: &mut TextBuffer, ends: &mut Vec<i32>, start: usize) -> At {
        let (texts, text) = data.as_bytes().split_at(start);
        let hash = hash(text);
        let start_of = |place: i32| ends[place as usize] as usize;
        let is_it = |known: &Known| {
            known.hash == hash && same(&texts[start_of(known.place)..start_of(known.place + 1)], text)
        };
        let length = text.len();
        let at = match self.known.find(spread(hash), is_it) {
            Some(known) => {
                let at = At { start: start_of(known.place), length, place: known.place };
                data.truncate(start);
                at
            }
            None => {
                let place = ends.len() as i32 - 1;
                self.known.insert_unique(spread(hash), Known { hash, place }, |known| spread(known.hash));
                ends.push(data.len() as i32);
                At { start, length, place }
            }
        };
        self.again(at);
        at
    }

    /// A row with a text that is known.
    #[inline(always)]
    pub(super) fn again(&mut self, at: At) {
        self.places.push(at.place);
        self.bytes += at.length;
    }

    /// Rows without a text, up to this one.
    pub(super) fn pad_to(&mut self, rows: usize) {
        self.places.resize(rows, 0);
    }

    /// Takes back what is behind so many rows; their texts stay, for they come again.
    pub(super) fn cut(&mut self, rows: usize, ends: &[i32]) {
        let length = |place: &i32| (ends[*place as usize + 1] - ends[*place as usize]) as usize;
        self.bytes -= self.places[rows..].iter().map(length).sum::<usize>();
        self.places.truncate(rows);
    }

    /// The column of these texts; begins again.
    pub(super) fn take(
        &mut self,
        texts: StringArray,
        rows: usize,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef> {
        let array = array(self.strings, texts, &self.places[..rows], nulls);
        self.places.clear();
        self.known.clear();
        self.bytes = 0;
        array
    }
}

/// A column whose rows have the texts at these places.
pub(super) fn array(
    strings: StringType,
    texts: StringArray,
    places: &[i32],
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    if strings == StringType::View {
        return Ok(Arc::new(views(&texts, places, nulls)));
    }
    let places = Int32Array::try_new(ScalarBuffer::from(places.to_vec()), nulls).map_err(internal)?;
    let array = DictionaryArray::<Int32Type>::try_new(places, Arc::new(texts)).map_err(internal)?;
    Ok(Arc::new(array))
}

/// Views of these texts.
#[expect(unsafe_code, reason = "checking the text of all rows again takes a third of making the views")]
fn views(texts: &StringArray, places: &[i32], nulls: Option<NullBuffer>) -> StringViewArray {
    let all = StringViewArray::from(texts);
    let view = |&place: &i32| all.views().get(place as usize).copied().unwrap_or_default();
    let views = places.iter().map(view).collect();
    // SAFETY: each view is one of an array of the same buffers, or empty
    unsafe { StringViewArray::new_unchecked(views, all.data_buffers().to_vec(), nulls) }
}
