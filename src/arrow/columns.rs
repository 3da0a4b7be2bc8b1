//! Columns under construction.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray, StructArray};
use arrow_buffer::{Buffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};

use super::schema::term_fields;
use super::settings::TermStyle;
use crate::error::{Error, ErrorKind, Result};
use crate::term::{LiteralKind, Term};
use crate::text::TermWriter;

/// Strings.
pub(super) struct TextColumn {
    data: Vec<u8>,
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
    /// The last term written, for repetitions.
    last: (usize, usize),
    has_last: bool,
}

impl TextColumn {
    pub(super) fn new() -> Self {
        TextColumn {
            data: Vec::new(),
            offsets: vec![0],
            nulls: NullBufferBuilder::new(0),
            last: (0, 0),
            has_last: false,
        }
    }

    /// Bytes of text.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.data.len()
    }

    #[inline(always)]
    fn end_value(&mut self) {
        // batches are closed long before 2^31 bytes
        self.offsets.push(self.data.len() as i32);
        self.nulls.append_non_null();
    }

    #[inline(always)]
    pub(super) fn push(&mut self, text: &str) {
        self.data.extend_from_slice(text.as_bytes());
        self.end_value();
    }

    pub(super) fn push_null(&mut self) {
        self.offsets.push(self.data.len() as i32);
        self.nulls.append_null();
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
        scope: &str,
        most: usize,
    ) -> Result<()> {
        if same && self.has_last {
            let (start, end) = self.last;
            self.data.extend_from_within(start..end);
        } else {
            let start = self.data.len();
            TermWriter::new(&mut self.data, scope).term(term);
            let end = self.data.len();
            if end - start > most {
                return Err(term_too_long(end - start));
            }
            self.last = (start, end);
            self.has_last = true;
        }
        self.end_value();
        Ok(())
    }

    /// The column of `rows` rows; begins anew.
    pub(super) fn take(&mut self, rows: usize) -> Result<ArrayRef> {
        self.offsets.truncate(rows + 1);
        let end = self.offsets.last().map_or(0, |&end| end as usize);
        self.data.truncate(end);
        let mut nulls = std::mem::replace(&mut self.nulls, NullBufferBuilder::new(0));
        nulls.truncate(rows);
        let data = Vec::with_capacity(self.data.len() + self.data.len() / 16);
        let data = std::mem::replace(&mut self.data, data);
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        let offsets = std::mem::replace(&mut self.offsets, offsets);
        self.has_last = false;
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        StringArray::try_new(offsets, Buffer::from_vec(data), nulls.finish())
            .map(|array| Arc::new(array) as ArrayRef)
            .map_err(internal)
    }
}

#[cold]
fn term_too_long(length: usize) -> Error {
    Error::limit(
        ErrorKind::LimitTerm,
        "term_bytes",
        format!("a term of {length} bytes as text"),
    )
}

pub(super) fn internal(error: arrow_schema::ArrowError) -> Error {
    Error::new(ErrorKind::Internal, error.to_string())
}

/// Whole numbers.
#[derive(Default)]
pub(super) struct IntColumn {
    values: Vec<i64>,
    nulls: Nulls,
}

/// Nulls that cost nothing while there are none.
struct Nulls(NullBufferBuilder);

impl Default for Nulls {
    fn default() -> Self {
        Nulls(NullBufferBuilder::new(0))
    }
}

impl IntColumn {
    #[inline(always)]
    pub(super) fn push(&mut self, value: u64) {
        self.values.push(value as i64);
        self.nulls.0.append_non_null();
    }

    pub(super) fn push_option(&mut self, value: Option<u64>) {
        if let Some(value) = value {
            self.push(value);
        } else {
            self.values.push(0);
            self.nulls.0.append_null();
        }
    }

    pub(super) fn take(&mut self, rows: usize) -> Result<ArrayRef> {
        self.values.truncate(rows);
        let mut nulls = std::mem::take(&mut self.nulls);
        nulls.0.truncate(rows);
        let values = std::mem::replace(&mut self.values, Vec::with_capacity(rows));
        Int64Array::try_new(ScalarBuffer::from(values), nulls.0.finish())
            .map(|array| Arc::new(array) as ArrayRef)
            .map_err(internal)
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

    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        match self {
            TermColumn::Text(column) => column.bytes(),
            TermColumn::Struct(column) => column.parts.iter().map(TextColumn::bytes).sum(),
        }
    }

    #[inline(always)]
    pub(super) fn push(
        &mut self,
        term: &Term<'_>,
        same: bool,
        scope: &str,
        most: usize,
    ) -> Result<()> {
        match self {
            TermColumn::Text(column) => column.push_term(term, same, scope, most),
            TermColumn::Struct(column) => column.push(term, scope, most),
        }
    }

    pub(super) fn push_null(&mut self) {
        match self {
            TermColumn::Text(column) => column.push_null(),
            TermColumn::Struct(column) => {
                column.parts.iter_mut().for_each(TextColumn::push_null);
                column.nulls.0.append_null();
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

impl TermStruct {
    #[inline(never)]
    fn push(&mut self, term: &Term<'_>, scope: &str, most: usize) -> Result<()> {
        let [kind, value, datatype, language] = &mut self.parts;
        let mut extra = (None, None);
        match term {
            Term::Iri(iri) => {
                kind.push("iri");
                value.data.extend_from_slice(iri.prefix().as_bytes());
                value.data.extend_from_slice(iri.name().as_bytes());
                value.end_value();
            }
            Term::BlankNode(label) => {
                kind.push("bnode");
                value.data.extend_from_slice(scope.as_bytes());
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
        self.nulls.0.append_non_null();
        Ok(())
    }

    fn take(&mut self, rows: usize) -> Result<ArrayRef> {
        let mut nulls = std::mem::take(&mut self.nulls);
        nulls.0.truncate(rows);
        let parts = self
            .parts
            .iter_mut()
            .map(|part| part.take(rows))
            .collect::<Result<Vec<_>>>()?;
        StructArray::try_new(term_fields(), parts, nulls.0.finish())
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
