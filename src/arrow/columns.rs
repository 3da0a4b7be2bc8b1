//! Columns under construction.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray, StructArray};
use arrow_buffer::{Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};

use super::pool;
use super::schema::term_fields;
use super::settings::TermStyle;
use crate::blank::Scope;
use crate::buffer::TextBuffer;
use crate::error::{Error, ErrorKind, Result};
use crate::sink::Same;
use crate::term::{LiteralKind, Term};
use crate::text::TermWriter;

/// Strings.
pub(super) struct TextColumn {
    data: TextBuffer,
    offsets: Vec<i32>,
    nulls: Nulls,
    /// Where the last term was first written, and its length. Its repetitions are copied from there and not
    /// from one another, which would wait for bytes that are still on their way to memory.
    last: Option<(usize, usize)>,
    /// What a batch may need: bytes and offsets.
    room: [usize; 2],
}

impl TextColumn {
    pub(super) fn new() -> Self {
        TextColumn {
            data: TextBuffer::default(),
            offsets: vec![0],
            nulls: Nulls::default(),
            last: None,
            room: [0; 2],
        }
    }

    /// Before the first row of a batch.
    pub(super) fn begin(&mut self) {
        let [bytes, offsets] = self.room;
        self.data = TextBuffer::within(pool::take(bytes));
        self.offsets = pool::take(offsets);
        self.offsets.clear();
        self.offsets.push(0);
    }

    /// Bytes of text.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.data.len()
    }

    fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    #[inline(always)]
    fn end_value(&mut self) {
        // batches are closed long before 2^31 bytes, or refused
        self.offsets.push(self.data.len() as i32);
    }

    #[inline(always)]
    pub(super) fn push(&mut self, text: &str) {
        self.data.push(text);
        self.end_value();
    }

    /// Nulls up to this row.
    pub(super) fn pad_to(&mut self, rows: usize) {
        if let Some(missing) = rows.checked_sub(self.rows()) {
            self.nulls.append(self.rows(), missing);
            self.offsets.resize(rows + 1, self.data.len() as i32);
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
        match self.last {
            Some((start, length)) if same => self.data.repeat(start, length),
            _ => {
                let start = self.data.len();
                TermWriter::scoped(&mut self.data, scope).term(term);
                let length = self.data.len() - start;
                if length > most {
                    return Err(term_too_long(length));
                }
                self.last = Some((start, length));
            }
        }
        self.end_value();
        Ok(())
    }

    /// The column of `rows` rows, nulls where there is no value; begins anew.
    pub(super) fn take(&mut self, rows: usize) -> Result<ArrayRef> {
        if self.data.len() > i32::MAX as usize {
            let message = "a batch of more than 2 GiB of text in a column";
            return Err(Error::limit(ErrorKind::LimitTerm, "batch_bytes", message));
        }
        self.pad_to(rows);
        self.offsets.truncate(rows + 1);
        let end = self.offsets.last().map_or(0, |&end| end as usize);
        let data = std::mem::take(&mut self.data).into_bytes();
        let offsets = std::mem::replace(&mut self.offsets, vec![0]);
        self.room = [end + end / 16, rows + 1];
        self.last = None;
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
struct Nulls(NullBufferBuilder);

impl Default for Nulls {
    fn default() -> Self {
        Nulls(NullBufferBuilder::new(0))
    }
}

impl Nulls {
    /// Nulls from `row` on.
    fn append(&mut self, row: usize, count: usize) {
        self.0.append_n_non_nulls(row - self.0.len());
        self.0.append_n_nulls(count);
    }

    fn take(&mut self, rows: usize) -> Option<NullBuffer> {
        let mut nulls = std::mem::take(self).0;
        nulls.truncate(rows);
        nulls.append_n_non_nulls(rows - nulls.len());
        nulls.finish()
    }
}

/// Terms, as text or as structs.
pub(super) enum TermColumn {
    Text(TextColumn),
    Struct(Box<TermStruct>),
}

/// kind, value, datatype, language.
pub(super) struct TermStruct {
    parts: [TextColumn; 4],
    nulls: Nulls,
}

impl TermColumn {
    pub(super) fn new(style: TermStyle) -> Self {
        match style {
            TermStyle::Text => TermColumn::Text(TextColumn::new()),
            TermStyle::Struct => TermColumn::Struct(Box::new(TermStruct {
                parts: std::array::from_fn(|_| TextColumn::new()),
                nulls: Nulls::default(),
            })),
        }
    }

    /// Before the first row of a batch.
    pub(super) fn begin(&mut self) {
        match self {
            TermColumn::Text(column) => column.begin(),
            TermColumn::Struct(column) => column.parts.iter_mut().for_each(TextColumn::begin),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            TermColumn::Text(column) => column.bytes(),
            TermColumn::Struct(column) => column.parts.iter().map(TextColumn::bytes).sum(),
        }
    }

    #[inline(never)]
    pub(super) fn push(&mut self, term: &Term<'_>, same: bool, scope: Scope<'_>, most: usize) -> Result<()> {
        match self {
            TermColumn::Text(column) => column.push_term(term, same, scope, most),
            TermColumn::Struct(column) => column.push(term, scope, most),
        }
    }

    /// Adds a term that is not of a statement: the next statement may repeat the last one all the same.
    pub(super) fn push_aside(&mut self, term: &Term<'_>, scope: Scope<'_>, most: usize) -> Result<()> {
        let last = match self {
            TermColumn::Text(column) => column.last,
            TermColumn::Struct(_) => None,
        };
        self.push(term, false, scope, most)?;
        if let TermColumn::Text(column) = self {
            column.last = last;
        }
        Ok(())
    }

    pub(super) fn push_null(&mut self) {
        match self {
            TermColumn::Text(column) => column.push_null(),
            TermColumn::Struct(column) => {
                column.nulls.append(column.parts[0].rows(), 1);
                column.parts.iter_mut().for_each(TextColumn::push_null);
            }
        }
    }

    pub(super) fn take(&mut self, rows: usize) -> Result<ArrayRef> {
        match self {
            TermColumn::Text(column) => column.take(rows),
            TermColumn::Struct(column) => column.take(rows),
        }
    }
}

/// Adds a statement to the columns that there are; returns the bytes of text in them.
#[inline(always)]
pub(super) fn push_statement(
    columns: &mut [Option<TermColumn>; 4],
    [subject, predicate, object, graph]: &[Term<'_>; 4],
    same: Same,
    scope: Scope<'_>,
    most: usize,
) -> Result<usize> {
    // not a loop: each place has code, and branches, of its own
    let [s, p, o, g] = columns;
    Ok(place(s, subject, same.at(0), scope, most)?
        + place(p, predicate, same.at(1), scope, most)?
        + place(o, object, same.at(2), scope, most)?
        + place(g, graph, same.at(3), scope, most)?)
}

/// Adds a term to a column, if there is one; returns the bytes of text in it.
#[inline(always)]
fn place(
    column: &mut Option<TermColumn>,
    term: &Term<'_>,
    same: bool,
    scope: Scope<'_>,
    most: usize,
) -> Result<usize> {
    match column {
        Some(TermColumn::Text(column)) => {
            column.push_term(term, same, scope, most)?;
            Ok(column.bytes())
        }
        Some(column) => {
            column.push(term, same, scope, most)?;
            Ok(column.bytes())
        }
        None => Ok(0),
    }
}

impl TermStruct {
    #[inline(never)]
    fn push(&mut self, term: &Term<'_>, scope: Scope<'_>, most: usize) -> Result<()> {
        let [kind, value, datatype, language] = &mut self.parts;
        let mut extra = (None, None);
        match term {
            Term::Iri(iri) => {
                kind.push("iri");
                value.data.push(iri.prefix());
                value.push(iri.name());
            }
            Term::BlankNode(label) => {
                kind.push("bnode");
                value.data.push(scope.before(label));
                value.push(label);
            }
            Term::Literal(literal) => {
                kind.push("literal");
                value.push(literal.lex);
                match literal.kind {
                    LiteralKind::Simple => {}
                    LiteralKind::Language(tag) => extra.1 = Some(tag),
                    LiteralKind::Datatype(datatype) => extra.0 = Some(datatype.iri()),
                }
            }
            Term::Triple(_) => {
                kind.push("triple");
                value.push_term(term, false, scope, most)?;
            }
            Term::DefaultGraph => {
                kind.push("default");
                value.push("");
            }
        }
        datatype.push_option(extra.0);
        language.push_option(extra.1);
        Ok(())
    }

    fn take(&mut self, rows: usize) -> Result<ArrayRef> {
        let parts = self.parts.iter_mut().map(|part| part.take(rows)).collect::<Result<Vec<_>>>()?;
        StructArray::try_new(term_fields(), parts, self.nulls.take(rows))
            .map(|array| Arc::new(array) as ArrayRef)
            .map_err(internal)
    }
}

/// The same string, or null, in every row.
pub(super) fn constant(value: Option<&str>, rows: usize) -> Result<ArrayRef> {
    let Some(value) = value else {
        return Ok(Arc::new(StringArray::new_null(rows)));
    };
    let offsets: Vec<i32> = (0..=rows).map(|row| (row * value.len()) as i32).collect();
    let data = Buffer::from_vec(value.repeat(rows).into_bytes());
    StringArray::try_new(OffsetBuffer::new(ScalarBuffer::from(offsets)), data, None)
        .map(|array| Arc::new(array) as ArrayRef)
        .map_err(internal)
}
