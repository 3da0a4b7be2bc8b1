//! Counts of a Jelly-RDF stream.

use super::advice::Seen;
use super::count::RDF_ROWS;
use super::{Inspection, RowCounter, StreamOptions, advise, summary, walk};
use crate::decode::{DecodeOptions, Decoder, Rdf};
use crate::error::Result;
use crate::io::Stream;
use crate::limits::Limits;
use crate::namespaces::Namespaces;
use crate::options::RdfOptions;
use crate::reader::Poll;
use crate::sink::{RdfRow, RdfSink, Sink};
use crate::term::{Iri, Term};

/// Takes statements.
#[derive(Default)]
pub(super) struct RdfCounts {
    limits: Limits,
    namespaces: Namespaces,
    pub(super) seen: Seen,
}

pub(super) fn inspect(stream: Stream, config: &DecodeOptions, poll: Poll<'_>) -> Result<Inspection> {
    let mut decoder = Decoder::<Rdf>::new(config.clone());
    let mut counter = RowCounter::new(config.framing, true, &RDF_ROWS);
    let mut sink = RdfCounts { limits: config.limits.clone(), ..RdfCounts::default() };
    let error = walk(stream, &mut decoder, &mut sink, &mut counter, poll)?;
    let options = decoder.state().options().cloned().map(StreamOptions::Rdf);
    let advice = advise(&decoder, &counter, sink.seen, error.is_none());
    Ok(Inspection {
        options,
        namespaces: sink.namespaces.owned(),
        advice,
        ..summary(&decoder, counter, error)
    })
}

impl Sink for RdfCounts {
    fn kept_bytes(&self) -> usize {
        self.namespaces.bytes()
    }
}

impl RdfSink for RdfCounts {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        self.seen.stream(options.features);
        Ok(())
    }

    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.seen.statement(&row.statement);
        Ok(())
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        self.namespaces.declare(name, &iri, self.limits.lookup_bytes)
    }

    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        self.seen.graph(&graph);
        Ok(())
    }
}
