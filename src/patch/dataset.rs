//! Datasets that are read without a copy.

use std::collections::BTreeMap;

use super::log::refuse_other_base;
use super::work::Work;
use crate::error::Result;
use crate::format::RdfFormat;
use crate::io::Source;
use crate::open::{Input, OpenOptions, RdfReader};
use crate::sink::{RdfRow, RdfSink, Sink, Statement};
use crate::term::Iri;

/// Passes each statement of a dataset to `take` and returns the prefixes.
pub(crate) fn each_statement(
    source: Source,
    options: &OpenOptions,
    work: &mut Work<'_>,
    take: impl FnMut(&Statement<'_>) -> Result<()>,
) -> Result<BTreeMap<String, String>> {
    Dataset::open(source, options)?.each(work, take)
}

/// A dataset with a known format.
pub(crate) struct Dataset<'o> {
    pub(super) input: Input<'o>,
    pub(crate) format: RdfFormat,
}

impl<'o> Dataset<'o> {
    pub(crate) fn open(source: Source, options: &'o OpenOptions) -> Result<Self> {
        if let Source::Path(path) = &source {
            refuse_other_base(path)?;
        }
        let input = Input::open(source, options)?;
        let format = input.rdf_format()?;
        Ok(Dataset { input, format })
    }

    /// Passes each statement to `take` and returns the prefixes.
    pub(crate) fn each(
        self,
        work: &mut Work<'_>,
        take: impl FnMut(&Statement<'_>) -> Result<()>,
    ) -> Result<BTreeMap<String, String>> {
        let each = Each { take, prefixes: BTreeMap::new() };
        Ok(work.feed(&mut *self.rows()?, each, |_| Ok(true))?.prefixes)
    }

    /// Reads the statements.
    pub(crate) fn rows<S: RdfSink>(self) -> Result<RdfReader<S>> {
        self.input.statements(self.format)
    }
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
