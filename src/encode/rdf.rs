//! Writes Jelly-RDF: TRIPLES, QUADS and GRAPHS.

use super::EncodeOptions;
use super::options::write_rdf_options;
use super::restart::{is_ours, kept_metadata};
use super::stream::{Format, Stream};
use super::term::refuse_graph;
use crate::decode::RDF_VERSION;
use crate::error::{Error, ErrorKind, Result};
use crate::options::{PhysicalType, RdfOptions};
use crate::sink::{RdfRow, RdfSink, Same, Sink, Statement, TermSink};
use crate::term::{Iri, Term, TermBuf};

/// Members of `RdfStreamRow`.
const TRIPLE: u32 = 2;
const QUAD: u32 = 3;
const GRAPH_START: u32 = 4;
const GRAPH_END: u32 = 5;
const NAMESPACE: u32 = 6;
const NAME: u32 = 9;

/// The open graph of a GRAPHS stream.
#[derive(Debug)]
struct OpenGraph {
    graph: TermBuf,
    /// Whether the caller started it and will end it.
    explicit: bool,
    /// Whether its start is written; not after a sync point, before which it had to end.
    started: bool,
}

/// Encodes Jelly-RDF.
#[derive(Debug)]
pub struct RdfEncoder {
    stream: Stream,
    options: RdfOptions,
    /// Whether frames have a meaning.
    grouped: bool,
    namespaces: Option<bool>,
    open: Option<OpenGraph>,
}

impl RdfEncoder {
    /// Creates an encoder at the start of a stream. The version in `options` is ignored: it is 2 with
    /// namespaces, otherwise 1.
    pub fn new(mut options: RdfOptions, encode: EncodeOptions) -> Result<Self> {
        options.version = if encode.namespaces == Some(true) { RDF_VERSION } else { 1 };
        let grouped = options.logical_type.is_grouped();
        let format = Format {
            name_field: NAME,
            options: write_rdf_options(&options),
            features: options.features,
            tables: options.tables,
            has_graphs: options.physical_type == PhysicalType::Quads,
            splits: !grouped,
        };
        Ok(RdfEncoder {
            stream: Stream::new(format, &encode)?,
            options,
            grouped,
            namespaces: encode.namespaces,
            open: None,
        })
    }

    /// Adds a statement. In GRAPHS, consecutive statements with the same graph become a graph.
    #[inline]
    pub fn push(&mut self, statement: &Statement<'_>) -> Result<()> {
        self.stream.check_open()?;
        let done = self.add_statement(&statement.terms, statement.same);
        self.stream.settle(done)
    }

    /// Ends the frame, which may be empty, and a graph that the caller did not start.
    pub fn end_frame(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        self.stream.check_open()?;
        let done = self.close_frame(metadata);
        self.stream.settle(done)
    }

    /// Returns the sink for the terms of a row.
    #[inline(always)]
    pub(crate) fn row_terms(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// Whether a frame is under construction.
    pub fn has_begun(&self) -> bool {
        self.stream.has_begun()
    }

    /// Ends the stream: the open graph, the last frame, and the footer if there is one.
    pub fn finish(&mut self) -> Result<()> {
        self.stream.check_open()?;
        let done = self.finish_stream();
        self.stream.settle(done)
    }

    /// The complete frames that the caller has not taken yet.
    pub fn output(&mut self) -> &mut Vec<u8> {
        self.stream.output()
    }

    /// Ends the message that was taken from the output: another frame without a length may follow.
    pub fn end_message(&mut self) {
        self.stream.end_message();
    }

    /// Offsets of the frames so far at which decoding can begin.
    pub fn restart_offsets(&self) -> impl Iterator<Item = u64> {
        self.stream.restart_offsets()
    }

    #[inline(always)]
    fn add_statement(&mut self, terms: &[Term<'_>; 4], same: Same) -> Result<()> {
        let stream = &mut self.stream;
        match self.options.physical_type {
            PhysicalType::Triples => {
                refuse_graph(&terms[3])?;
                stream.begin();
                stream.terms.statement::<3>(terms, same, &mut stream.rows)?;
                stream.push_row(TRIPLE)?;
            }
            PhysicalType::Quads => {
                stream.begin();
                stream.terms.statement::<4>(terms, same, &mut stream.rows)?;
                stream.push_row(QUAD)?;
            }
            PhysicalType::Graphs => self.add_to_graph(terms, same)?,
        }
        self.end_row()
    }

    #[inline(always)]
    fn end_row(&mut self) -> Result<()> {
        self.stream.counters.seq += 1;
        self.split()
    }

    fn add_to_graph(&mut self, terms: &[Term<'_>; 4], same: Same) -> Result<()> {
        let terms_before = &mut self.stream.terms;
        let is_open = self.open.is_some()
            && (terms_before.graph_repeats(same) || terms_before.is_last_graph(&terms[3]));
        if !is_open {
            self.start_graph(&terms[3], false)?;
        }
        self.begin()?;
        let stream = &mut self.stream;
        stream.terms.graph_is_known();
        stream.terms.statement::<3>(terms, same, &mut stream.rows)?;
        stream.push_row(TRIPLE)
    }

    fn add_namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        match self.namespaces {
            Some(true) => {}
            Some(false) => return Ok(()),
            None => self.become_version_2()?,
        }
        self.begin()?;
        self.stream.begin_row();
        let Stream { terms, rows, .. } = &mut self.stream;
        terms.label(name, rows)?;
        terms.namespace(iri, rows)?;
        self.stream.push_row(NAMESPACE)?;
        self.split()
    }

    /// Changes the stream to version 2 for its first namespace.
    fn become_version_2(&mut self) -> Result<()> {
        self.options.version = RDF_VERSION;
        self.namespaces = Some(true);
        if self.stream.change_options(&write_rdf_options(&self.options)) {
            return Ok(());
        }
        let message = "a namespace follows the first frame, which was written as version 1, and version 1 \
                       has no namespaces: switch namespaces on (namespaces=True, --namespaces) or off (namespaces=False)";
        Err(Error::new(ErrorKind::EncodeUndeclared, message))
    }

    /// Begins the frame; after a sync point it starts the open graph again.
    #[inline(always)]
    fn begin(&mut self) -> Result<()> {
        self.stream.begin();
        match &mut self.open {
            Some(open) if !open.started => {
                open.started = true;
                write_graph_start(&mut self.stream, &open.graph.as_term())
            }
            _ => Ok(()),
        }
    }

    fn start_graph(&mut self, graph: &Term<'_>, explicit: bool) -> Result<()> {
        if self.options.physical_type != PhysicalType::Graphs {
            return Ok(());
        }
        if self.open.is_some() {
            self.end_graph()?;
        }
        self.stream.begin();
        write_graph_start(&mut self.stream, graph)?;
        self.open = Some(OpenGraph { graph: (*graph).into(), explicit, started: true });
        Ok(())
    }

    fn end_graph(&mut self) -> Result<()> {
        if self.options.physical_type != PhysicalType::Graphs {
            return Ok(());
        }
        self.stream.terms.forget_graph();
        match self.open.take() {
            Some(open) if open.started => {
                self.stream.begin();
                self.stream.rows.push_empty(GRAPH_END);
                Ok(())
            }
            Some(_) => Ok(()),
            None => Err(Error::new(ErrorKind::EncodeGraph, "a graph ends that did not start")),
        }
    }

    /// Ends the frame if it has enough rows.
    #[inline(always)]
    fn split(&mut self) -> Result<()> {
        if self.stream.is_full() { self.write_frame(&[]) } else { Ok(()) }
    }

    fn close_frame(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        if let Some((key, _)) = metadata.iter().find(|(key, _)| is_ours(key)) {
            let message = format!("the metadata key {key} is reserved for the encoder");
            return Err(Error::new(ErrorKind::Argument, message));
        }
        if self.open.as_ref().is_some_and(|open| !open.explicit) {
            self.end_graph()?;
        }
        self.write_frame(metadata)
    }

    /// Writes the frame; before a sync point it ends the open graph.
    #[inline(never)]
    fn write_frame(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        if self.stream.restart_follows()
            && let Some(open) = self.open.as_mut().filter(|open| open.started)
        {
            open.started = false;
            self.stream.begin();
            self.stream.rows.push_empty(GRAPH_END);
        }
        self.stream.end_frame(metadata)
    }

    fn finish_stream(&mut self) -> Result<()> {
        if self.open.is_some() {
            self.end_graph()?;
        }
        self.stream.finish(true, 0)
    }
}

fn write_graph_start(stream: &mut Stream, graph: &Term<'_>) -> Result<()> {
    stream.begin_row();
    stream.terms.graph(graph, 1, &mut stream.rows)?;
    stream.push_row(GRAPH_START)
}

impl Sink for RdfEncoder {
    fn asks_what_repeats(&self) -> bool {
        true
    }

    /// Keeps frames that have a meaning or metadata; others are divided again.
    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        let kept = kept_metadata(metadata);
        if self.grouped || !kept.is_empty() { self.end_frame(&kept) } else { Ok(()) }
    }
}

impl RdfSink for RdfEncoder {
    #[inline]
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.push(&row.statement)
    }

    #[inline(always)]
    fn terms(&mut self, _: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        // in GRAPHS the graph is written first but known last
        if self.options.physical_type == PhysicalType::Graphs { None } else { self.stream.cells() }
    }

    #[inline(always)]
    fn end_statement(&mut self, _: u64, _: u64) -> Result<()> {
        let field = if self.stream.has_graphs { QUAD } else { TRIPLE };
        let done = self.stream.end_cells(field).and_then(|()| self.end_row());
        self.stream.settle(done)
    }

    /// Does nothing unless namespaces are requested.
    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        self.stream.check_open()?;
        let done = self.add_namespace(name, iri);
        self.stream.settle(done)
    }

    /// Ends the open graph. In streams other than GRAPHS, the statements have their graphs.
    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        self.stream.check_open()?;
        let done = self.start_graph(&graph, true);
        self.stream.settle(done)
    }

    fn graph_end(&mut self) -> Result<()> {
        self.stream.check_open()?;
        let done = self.end_graph();
        self.stream.settle(done)
    }
}
