//! Columns under construction.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray};
use arrow_buffer::{Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};

use super::distinct::{At, Distinct, array};
use super::pool;
use super::settings::StringType;
use crate::blank::Scope;
use crate::buffer::TextBuffer;
use crate::error::{Error, ErrorKind, Result};
use crate::term::Term;
use crate::text::TermWriter;

/// Strings.
pub(super) struct TextColumn {
    pub(super) data: TextBuffer,
    offsets: Vec<i32>,
    nulls: Nulls,
    /// Where the last term was first written, and its length. Its repetitions are copied from there and not
    /// from one another, which would wait for bytes that are still on their way to memory.
    last: Option<At>,
    /// Of strings that share their text: what is above has each text once.
    distinct: Option<Box<Distinct>>,
    /// What a batch may need: bytes and offsets.
    room: [usize; 2],
}

impl TextColumn {
    pub(super) fn new(strings: StringType) -> Self {
        TextColumn {
            data: TextBuffer::default(),
            offsets: vec![0],
            nulls: Nulls::default(),
            last: None,
            distinct: Distinct::of(strings),
            room: [0; 2],
        }
    }

    /// Before the first row of a batch.
    pub(super) fn begin(&mut self) {
        if self.distinct.is_some() {
            return;
        }
        let [bytes, offsets] = self.room;
        self.data = TextBuffer::within(pool::take(bytes));
        self.offsets = pool::take(offsets);
        self.offsets.clear();
        self.offsets.push(0);
    }

    /// Bytes of text.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.distinct.as_ref().map_or(self.data.len(), |distinct| distinct.bytes())
    }

    pub(super) fn rows(&self) -> usize {
        self.distinct.as_ref().map_or(self.offsets.len() - 1, |distinct| distinct.rows())
    }

    /// The text from `start` on is that of a row.
    #[inline(always)]
    fn end_value(&mut self, start: usize) -> At {
        if let Some(distinct) = &mut self.distinct {
            return distinct.add(&mut self.data, &mut self.offsets, start);
        }
        // batches are closed long before 2^31 bytes, or refused
        self.offsets.push(self.data.len() as i32);
        At { start, length: self.data.len() - start, place: 0 }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, text: &str) {
        let start = self.data.len();
        self.data.push(text);
        self.end_value(start);
    }

    /// Adds both as one value.
    pub(super) fn push_both(&mut self, first: &str, second: &str) {
        let start = self.data.len();
        self.data.push(first);
        self.data.push(second);
        self.end_value(start);
    }

    /// Nulls up to this row.
    pub(super) fn pad_to(&mut self, rows: usize) {
        if let Some(missing) = rows.checked_sub(self.rows()) {
            self.nulls.append(self.rows(), missing);
            match &mut self.distinct {
                Some(distinct) => distinct.pad_to(rows),
                None => self.offsets.resize(rows + 1, self.data.len() as i32),
            }
        }
    }

    pub(super) fn push_null(&mut self) {
        self.pad_to(self.rows() + 1);
    }

    pub(super) fn push_option(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.push(text),
            None => self.push_null(),
        }
    }

    /// Adds a term as text; `same`: it equals the last term of this column.
    #[inline(always)]
    pub(super) fn push_term(
        &mut self,
        term: &Term<'_>,
        same: bool,
        scope: Scope<'_>,
        most: usize,
    ) -> Result<()> {
        if same && self.repeat().is_some() {
            return Ok(());
        }
        let start = self.data.len();
        TermWriter::scoped(&mut self.data, scope).term(term);
        let length = self.end_term(start);
        if length > most { Err(term_too_long(length)) } else { Ok(()) }
    }

    /// The text from `start` on is that of a term; says how long it is.
    #[inline(always)]
    pub(super) fn end_term(&mut self, start: usize) -> usize {
        let at = self.end_value(start);
        self.last = Some(at);
        at.length
    }

    /// Adds the last term again, if this batch has it; says how long it is.
    #[inline(always)]
    pub(super) fn repeat(&mut self) -> Option<usize> {
        let at = self.last?;
        if let Some(distinct) = &mut self.distinct {
            distinct.again(at);
        } else {
            self.data.repeat(at.start, at.length);
            self.offsets.push(self.data.len() as i32);
        }
        Some(at.length)
    }

    /// The text of the last term, if this batch has it.
    #[inline(always)]
    pub(super) fn last(&self) -> Option<&[u8]> {
        let At { start, length, .. } = self.last?;
        Some(&self.data.as_bytes()[start..start + length])
    }

    /// The next term repeats this one, which [`Self::last_place`] gave.
    pub(super) fn go_on_from(&mut self, last: Option<At>) {
        self.last = last;
    }

    pub(super) fn last_place(&self) -> Option<At> {
        self.last
    }

    /// Takes back what is behind so many rows.
    pub(super) fn cut(&mut self, rows: usize) {
        if self.rows() <= rows {
            return;
        }
        self.last = None;
        if let Some(distinct) = &mut self.distinct {
            distinct.cut(rows, &self.offsets);
        } else {
            self.offsets.truncate(rows + 1);
            self.data.truncate(self.offsets.last().map_or(0, |&end| end as usize));
        }
    }

    /// The column of `rows` rows, nulls where there is no value; begins again.
    pub(super) fn take(&mut self, rows: usize) -> Result<ArrayRef> {
        if self.data.len() > i32::MAX as usize {
            let message = "a batch of more than 2 GiB of text in a column";
            return Err(Error::limit(ErrorKind::LimitTerm, "batch_bytes", message));
        }
        self.pad_to(rows);
        self.last = None;
        if let Some(distinct) = &mut self.distinct {
            // the memory of the batch has no more than its texts; what they are put together in stays here
            let texts = strings(self.offsets.clone().into(), Buffer::from(self.data.as_bytes()), None);
            self.data.clear();
            self.offsets.truncate(1);
            return distinct.take(texts, rows, self.nulls.take(rows));
        }
        self.offsets.truncate(rows + 1);
        let end = self.offsets.last().map_or(0, |&end| end as usize);
        let data = std::mem::take(&mut self.data).into_bytes();
        let offsets = std::mem::replace(&mut self.offsets, vec![0]);
        self.room = [end + end / 16, rows + 1];
        Ok(Arc::new(strings(pool::lend(offsets).into(), pool::lend(data), self.nulls.take(rows))))
    }
}

/// The array of these values: `offsets` are their ends in `data`.
#[expect(unsafe_code, reason = "checking all text again takes 11 to 13 % of making a row")]
fn strings(offsets: ScalarBuffer<i32>, data: Buffer, nulls: Option<NullBuffer>) -> StringArray {
    // SAFETY: offsets never fall, and text is pushed in whole `str`s between two of them
    unsafe { StringArray::new_unchecked(OffsetBuffer::new_unchecked(offsets), data, nulls) }
}

#[cold]
fn term_too_long(length: usize) -> Error {
    Error::limit(ErrorKind::LimitTerm, "term_bytes", format!("a term of {length} bytes as text"))
}

pub(super) fn internal(error: arrow_schema::ArrowError) -> Error {
    Error::new(ErrorKind::Internal, error.to_string())
}

/// Whole numbers.
#[derive(Default)]
pub(super) struct IntColumn {
    values: Vec<i64>,
    nulls: Nulls,
    /// Values that a batch may need.
    room: usize,
}

impl IntColumn {
    /// Before the first row of a batch.
    pub(super) fn begin(&mut self) {
        self.values = pool::take(self.room);
        self.values.clear();
    }

    #[inline(always)]
    pub(super) fn push(&mut self, value: u64) {
        self.values.push(value as i64);
    }

    #[inline(always)]
    pub(super) fn push_option(&mut self, value: Option<u64>) {
        if let Some(value) = value {
            self.push(value);
        } else {
            self.nulls.append(self.values.len(), 1);
            self.values.push(0);
        }
    }

    pub(super) fn take(&mut self, rows: usize) -> Result<ArrayRef> {
        self.values.truncate(rows);
        self.room = rows;
        let values = pool::lend(std::mem::take(&mut self.values));
        Int64Array::try_new(ScalarBuffer::from(values), self.nulls.take(rows))
            .map(|array| Arc::new(array) as ArrayRef)
            .map_err(internal)
    }
}

/// Which rows are null; costs nothing for those that are not.
pub(super) struct Nulls(NullBufferBuilder);

impl Default for Nulls {
    fn default() -> Self {
        Nulls(NullBufferBuilder::new(0))
    }
}

impl Nulls {
    /// Nulls from `row` on.
    pub(super) fn append(&mut self, row: usize, count: usize) {
        self.0.append_n_non_nulls(row - self.0.len());
        self.0.append_n_nulls(count);
    }

    pub(super) fn take(&mut self, rows: usize) -> Option<NullBuffer> {
        let mut nulls = std::mem::take(self).0;
        nulls.truncate(rows);
        nulls.append_n_non_nulls(rows - nulls.len());
        nulls.finish()
    }
}

/// The same string, or null, in every row.
pub(super) fn constant(value: Option<&str>, rows: usize, strings: StringType) -> Result<ArrayRef> {
    if strings != StringType::Utf8 {
        let nulls = value.is_none().then(|| NullBuffer::new_null(rows));
        return array(strings, StringArray::from_iter_values(value), &vec![0; rows], nulls);
    }
    let Some(value) = value else {
        return Ok(Arc::new(StringArray::new_null(rows)));
    };
    let offsets: Vec<i32> = (0..=rows).map(|row| (row * value.len()) as i32).collect();
    let data = Buffer::from_vec(value.repeat(rows).into_bytes());
    StringArray::try_new(OffsetBuffer::new(ScalarBuffer::from(offsets)), data, None)
        .map(|array| Arc::new(array) as ArrayRef)
        .map_err(internal)
}
