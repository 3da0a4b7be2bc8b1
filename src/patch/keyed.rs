//! The quads of datasets with their keys.
//!
//! Keys are computed by the thread that reads, or by several threads that read lines or parts of Jelly; the
//! quads come in the same order.

use std::collections::BTreeMap;

use super::dataset::Dataset;
use super::key_filter::KeyFilter;
use super::keyed_lines::KeyedLines;
use super::keyed_parts::KeyedParts;
use super::keyed_pieces::KeyedPieces;
use super::quad_block::QuadBlock;
use super::quad_key::Keys;
use super::quad_recorder::Recorder;
use super::quad_text::{Nodes, WholeQuad};
use super::work::Work;
use crate::convert::Skolem;
use crate::error::Result;
use crate::format::{AnyFormat, RdfFormat};
use crate::open::RdfReader;
use crate::parts::Parts;
use crate::reader::RowSource;
use crate::sink::{RdfRow, RdfSink, Sink, Statement, TermSink};
use crate::term::Iri;

/// A quad: a statement, or text that becomes a statement if needed.
pub(crate) enum Quad<'q> {
    Statement(Statement<'q>),
    Text(WholeQuad<'q>),
}

impl<'q> Quad<'q> {
    pub(crate) fn statement(self) -> Result<Statement<'q>> {
        match self {
            Quad::Statement(statement) => Ok(statement),
            Quad::Text(text) => text.statement(),
        }
    }
}

/// Receives quads with their keys. Other quads come as statements, or as terms if one thread reads.
pub(crate) trait KeyedSink: RdfSink {
    /// Receives a quad without capitals in language tags.
    fn quad(&mut self, frame: u64, seq: u64, key: u128, quad: WholeQuad<'_>) -> Result<()>;

    /// Receives the start of a block.
    fn block(&mut self, block: &QuadBlock);

    /// Receives several quads of a block at once, starting at a row, and returns their number; 0: pass them
    /// one by one.
    fn lines(&mut self, block: &QuadBlock, row: usize) -> Result<usize>;
}

impl Dataset<'_> {
    /// The quads of the dataset with keys under the secret of `keys`, if they have only these blank nodes.
    /// Threads use the filter `changed`; quads that it selects come one by one.
    pub(crate) fn keyed<S: KeyedSink>(
        self,
        keys: &Keys,
        nodes: Nodes,
        changed: impl FnOnce() -> KeyFilter,
    ) -> Result<Box<dyn RowSource<S>>> {
        let Dataset { input, format } = self;
        let (threads, recorder) = (input.readers(), || Recorder::new(keys, nodes, changed()));
        match (format, input.for_threads()) {
            (RdfFormat::NTriples | RdfFormat::NQuads, Some(_)) => {
                let lines = KeyedLines::new(input, format, recorder());
                return Ok(Box::new(KeyedPieces::new(lines, threads)));
            }
            (RdfFormat::Jelly, Some(source)) => {
                let parts = Parts::of(source, AnyFormat::Rdf(format), input.options())?;
                if let Some(parts) = parts.filter(KeyedParts::can_hold) {
                    return Ok(Box::new(KeyedPieces::new(KeyedParts::new(parts, recorder()), threads)));
                }
            }
            _ => {}
        }
        Dataset { input, format }.rows().map(RdfReader::into_rows)
    }
}

/// Computes the keys of quads; their blank nodes may be renamed first.
pub(crate) struct KeyedQuads {
    keys: Keys,
    skolem: Option<Skolem>,
}

impl KeyedQuads {
    pub(crate) fn new(skolem: Option<Skolem>) -> Result<Self> {
        Ok(KeyedQuads { keys: Keys::random()?, skolem })
    }

    /// Starts another dataset, which has its own blank nodes.
    pub(crate) fn next_dataset(&mut self) {
        if let Some(skolem) = &mut self.skolem {
            skolem.next_dataset();
        }
    }

    /// Passes each quad of a dataset to `take`, with its key. A statement with blank nodes other than
    /// `nodes`, or with unusual terms, goes to `aside` first, which returns whether it takes the statement.
    /// Returns the number of quads and the prefixes.
    pub(crate) fn each(
        &mut self,
        dataset: Dataset<'_>,
        nodes: Nodes,
        work: &mut Work<'_>,
        aside: impl FnMut(&Statement<'_>) -> Result<bool>,
        take: impl FnMut(u128, Quad<'_>) -> Result<()>,
    ) -> Result<(u64, BTreeMap<String, String>)> {
        let mut rows = if self.skolem.is_some() {
            dataset.rows()?.into_rows()
        } else {
            dataset.keyed(&self.keys, nodes, KeyFilter::default)?
        };
        let each = Each { quads: self, nodes, aside, take, count: 0, prefixes: BTreeMap::new() };
        let Each { count, prefixes, .. } = work.feed(&mut *rows, each, |_| Ok(true))?;
        Ok((count, prefixes))
    }
}

struct Each<'k, A, T> {
    quads: &'k mut KeyedQuads,
    nodes: Nodes,
    aside: A,
    take: T,
    count: u64,
    prefixes: BTreeMap<String, String>,
}

impl<A, T> Sink for Each<'_, A, T> {}

impl<A, T> RdfSink for Each<'_, A, T>
where
    A: FnMut(&Statement<'_>) -> Result<bool>,
    T: FnMut(u128, Quad<'_>) -> Result<()>,
{
    #[inline]
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.count += 1;
        let KeyedQuads { keys, skolem } = &mut *self.quads;
        keys.forget();
        if (self.aside)(&row.statement)? {
            return Ok(());
        }
        let statement = match skolem {
            Some(skolem) => skolem.statement(&row.statement)?,
            None => Statement::of(row.statement.terms),
        };
        (self.take)(keys.of(&statement).key, Quad::Statement(statement))
    }

    #[inline(always)]
    fn terms(&mut self, _: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        let KeyedQuads { keys, skolem } = &mut *self.quads;
        skolem.is_none().then(|| keys.begin(self.nodes))
    }

    #[inline(always)]
    fn end_statement(&mut self, _: u64, _: u64) -> Result<()> {
        self.count += 1;
        let key = self.quads.keys.end();
        (self.take)(key, Quad::Text(self.quads.keys.quad()))
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        self.prefixes.insert(name.to_owned(), iri.to_string());
        Ok(())
    }
}

impl<A, T> KeyedSink for Each<'_, A, T>
where
    A: FnMut(&Statement<'_>) -> Result<bool>,
    T: FnMut(u128, Quad<'_>) -> Result<()>,
{
    #[inline(always)]
    fn quad(&mut self, _: u64, _: u64, key: u128, quad: WholeQuad<'_>) -> Result<()> {
        self.count += 1;
        (self.take)(key, Quad::Text(quad))
    }

    fn block(&mut self, _: &QuadBlock) {}

    fn lines(&mut self, _: &QuadBlock, _: usize) -> Result<usize> {
        Ok(0)
    }
}
