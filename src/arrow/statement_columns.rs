//! The columns of a statement.

use arrow_array::ArrayRef;

use super::columns::TextColumn;
use super::labels::ColumnLabels;
use super::settings::{BatchSettings, TermStyle};
use super::term_columns::TermColumn;
use crate::encode::bytes::same;
use crate::error::Result;
use crate::scan::is_plain_label;
use crate::sink::{Same, TermSink};
use crate::term::{Iri, IriText, Literal, Term};
use crate::text::TermWriter;

const NAMES: [&str; 4] = ["subject", "predicate", "object", "graph"];

/// Subject, predicate, object and graph; of those columns that were requested.
pub(super) struct StatementColumns {
    columns: [Option<TermColumn>; 4],
    pub(super) labels: ColumnLabels,
    /// Bytes that a term may have.
    most: usize,
    /// Bytes of text.
    bytes: usize,
    /// Rows that are complete, where terms come one by one.
    rows: usize,
    /// Terms may come one by one.
    one_by_one: bool,
}

impl StatementColumns {
    /// `wants` says which columns there are.
    pub(super) fn new(settings: &BatchSettings, wants: impl Fn(&str) -> bool) -> Result<Self> {
        let labels = ColumnLabels::new(settings)?;
        Ok(StatementColumns {
            columns: NAMES.map(|name| wants(name).then(|| TermColumn::new(settings))),
            most: settings.limits.term_bytes,
            bytes: 0,
            rows: 0,
            one_by_one: settings.terms == TermStyle::Text && !labels.wants_names(),
            labels,
        })
    }

    /// Terms come as whole statements only.
    pub(super) fn take_whole(&mut self) {
        self.one_by_one = false;
    }

    /// Before the first row of a batch.
    pub(super) fn begin(&mut self) {
        self.columns.iter_mut().flatten().for_each(TermColumn::begin);
        self.bytes = 0;
    }

    /// Where the terms of the row behind so many can go one by one.
    #[inline(always)]
    pub(super) fn one_by_one(&mut self, rows: usize) -> Option<&mut Self> {
        self.rows = rows;
        self.one_by_one.then_some(self)
    }

    /// Adds a statement.
    #[inline(always)]
    pub(super) fn push(&mut self, terms: &[Term<'_>; 4], same: Same) -> Result<()> {
        // not a loop: each place has code, and branches, of its own
        self.put::<0>(terms, same)?;
        self.put::<1>(terms, same)?;
        self.put::<2>(terms, same)?;
        self.put::<3>(terms, same)?;
        self.count();
        Ok(())
    }

    /// Counts the bytes of text.
    #[inline(always)]
    fn count(&mut self) {
        self.bytes = self.columns.iter().flatten().map(TermColumn::bytes).sum();
    }

    #[inline(always)]
    fn put<const PLACE: usize>(&mut self, terms: &[Term<'_>; 4], same: Same) -> Result<()> {
        let (term, same) = (&terms[PLACE], same.at(PLACE));
        match &mut self.columns[PLACE] {
            Some(TermColumn::Text(column)) => column.push_term(term, same, self.labels.scope(), self.most),
            Some(column) => column.push(term, same, self.labels.scope(), self.most),
            None => Ok(()),
        }
    }

    /// Adds a row without a statement: nulls, and a graph or null.
    pub(super) fn push_no_statement(&mut self, graph: Option<&Term<'_>>) -> Result<()> {
        let [subject, predicate, object, graph_column] = &mut self.columns;
        for column in [subject, predicate, object].into_iter().flatten() {
            column.push_null();
        }
        match (graph_column, graph) {
            (Some(column), Some(graph)) => column.push_aside(graph, self.labels.scope(), self.most)?,
            (Some(column), None) => column.push_null(),
            (None, _) => {}
        }
        self.count();
        Ok(())
    }

    /// Adds a null to every column.
    pub(super) fn push_nulls(&mut self) {
        self.columns.iter_mut().flatten().for_each(TermColumn::push_null);
    }

    /// Adds a term to a column that is none of a statement.
    pub(super) fn push_value(&self, column: &mut TextColumn, value: &Term<'_>) -> Result<()> {
        column.push_term(value, false, self.labels.scope(), self.most)
    }

    /// Bytes of text.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The column with this name, if there is one.
    pub(super) fn take(&mut self, name: &str, rows: usize) -> Option<Result<ArrayRef>> {
        let place = NAMES.iter().position(|known| *known == name)?;
        self.columns[place].as_mut().map(|column| column.take(rows))
    }
}

/// Writes a term; `false`: it is too long, or does not go into its column as text. A closure would be called.
macro_rules! write_term {
    ($columns:ident, $place:ident, $data:ident => $write:expr) => {
        match &mut $columns.columns[$place] {
            Some(TermColumn::Text(column)) => {
                let $data = &mut column.data;
                let start = $data.len();
                $write;
                let length = column.end_term(start);
                $columns.bytes += length;
                length <= $columns.most
            }
            Some(TermColumn::Struct(_)) => false,
            None => true,
        }
    };
}

impl<'t> TermSink<'t> for StatementColumns {
    #[inline(always)]
    fn iri(&mut self, place: usize, iri: Iri<'t>) -> bool {
        match iri.0 {
            IriText::Pieces { open, close, plain: true } => {
                write_term!(self, place, data => data.push_padded(open, close))
            }
            IriText::Bare { iri, plain: true } => write_term!(self, place, data => data.push_iri(iri)),
            _ => false,
        }
    }

    #[inline(always)]
    fn blank_node(&mut self, place: usize, label: &'t str) -> bool {
        if !is_plain_label(label) || self.labels.waits_for(label) {
            return false;
        }
        let before = self.labels.scope().before(label);
        write_term!(self, place, data => data.push_label(before, label))
    }

    #[inline(always)]
    fn literal(&mut self, place: usize, literal: Literal<'t>) -> bool {
        write_term!(self, place, data => TermWriter::new(data).literal(&literal))
    }

    #[inline(always)]
    fn default_graph(&mut self, place: usize) -> bool {
        write_term!(self, place, _data => {})
    }

    #[inline(always)]
    fn repeat(&mut self, place: usize) -> bool {
        match &mut self.columns[place] {
            Some(TermColumn::Text(column)) => {
                let Some(length) = column.repeat() else { return false };
                self.bytes += length;
                true
            }
            Some(TermColumn::Struct(_)) => false,
            None => true,
        }
    }

    #[inline(always)]
    fn text(&mut self, place: usize, text: &'t str, length: usize) -> bool {
        write_term!(self, place, data => data.push_start(text, length))
    }

    #[inline(always)]
    fn labelled(&mut self, place: usize, text: &'t str, length: usize) -> bool {
        if self.labels.stay() && !self.labels.waits_for_a_position() {
            return self.text(place, text, length);
        }
        self.blank_node(place, &text[2..length])
    }

    #[inline(always)]
    fn repeats_in(&self, place: usize, text: &[u8]) -> Option<usize> {
        let Some(TermColumn::Text(column)) = &self.columns[place] else { return None };
        let last = column.last()?;
        // behind a scope, the text of a label is not the label
        let is_text = |first: &u8| *first != b'_' || self.labels.stay();
        let repeats = text.get(last.len()) == Some(&b' ') && last.first().is_some_and(is_text);
        (repeats && same(last, &text[..last.len()])).then_some(last.len())
    }

    #[cold]
    fn cut(&mut self) {
        for column in self.columns.iter_mut().flatten() {
            if let TermColumn::Text(column) = column {
                column.cut(self.rows);
            }
        }
        self.count();
    }
}
