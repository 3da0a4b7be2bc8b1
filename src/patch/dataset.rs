//! Datasets that are looked at, not copied.

use std::collections::BTreeMap;

use super::work::Work;
use crate::blank::refuse_positions;
use crate::error::Result;
use crate::io::Source;
use crate::open::{OpenOptions, open_rdf};
use crate::sink::{RdfRow, RdfSink, Sink, Statement};
use crate::term::Iri;

/// As [`each_statement`], of a dataset whose nodes are compared with those of another one: names of nodes must last.
pub(crate) fn each_named(
    source: Source,
    options: &OpenOptions,
    work: &mut Work<'_>,
    mut take: impl FnMut(&Statement<'_>) -> Result<()>,
) -> Result<BTreeMap<String, String>> {
    each_statement(source, options, work, |statement| {
        refuse_positions(statement)?;
        take(statement)
    })
}

/// Hands each statement of a dataset to `take`, and gives its prefixes.
pub(crate) fn each_statement(
    source: Source,
    options: &OpenOptions,
    work: &mut Work<'_>,
    take: impl FnMut(&Statement<'_>) -> Result<()>,
) -> Result<BTreeMap<String, String>> {
    let mut rows = open_rdf(source, options)?;
    let each = Each { take, prefixes: BTreeMap::new() };
    Ok(work.feed(&mut *rows, each, |_| Ok(true))?.prefixes)
}

struct Each<F> {
    take: F,
    prefixes: BTreeMap<String, String>,
}

impl<F> Sink for Each<F> {}

impl<F: FnMut(&Statement<'_>) -> Result<()>> RdfSink for Each<F> {
    #[inline]
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        (self.take)(&row.statement)
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        self.prefixes.insert(name.to_owned(), iri.to_string());
        Ok(())
    }
}
