//! Other names for the blank nodes of statements on their way through a conversion.

use super::deskolem::Deskolem;
use super::skolem::Skolem;
use crate::blank::SourceScope;
use crate::create::Encode;
use crate::error::Result;
use crate::matching::{Renamed, renamed};
use crate::options::{LogicalType, RdfOptions};
use crate::sink::{RdfRow, RdfSink, Same, Sink, Statement, TermSink};
use crate::term::{Iri, Term, TermBuf};

/// What becomes of the blank nodes of a dataset.
pub enum NodeNames {
    /// They get other names.
    Named(Skolem),
    /// IRIs become blank nodes again.
    Back(Deskolem),
    /// They get labels that no other source has.
    Scoped(Scoped),
}

/// The labels of a source behind its scope, as readers with `blank_nodes="scoped"` give them.
pub struct Scoped {
    scope: SourceScope,
    logical_type: LogicalType,
    /// Of the statement before.
    frame: Option<u64>,
    renamed: Renamed,
}

impl Scoped {
    /// Of a source that has this number.
    pub(crate) fn new(source: u64) -> Self {
        let (scope, logical_type) = (SourceScope::of(source), LogicalType::default());
        Scoped { scope, logical_type, frame: None, renamed: Renamed::new() }
    }

    fn named(scope: &SourceScope, label: &str) -> TermBuf {
        TermBuf::blank_node(&format!("{}{label}", scope.text()))
    }
}

impl NodeNames {
    /// Streams begin with their options.
    fn options(&mut self, options: &RdfOptions) {
        if let NodeNames::Scoped(scoped) = self {
            (scoped.logical_type, scoped.frame) = (options.logical_type, None);
        }
    }

    /// What comes is in this frame; whether nodes may have other names than before.
    fn frame(&mut self, frame: u64) -> bool {
        match self {
            NodeNames::Scoped(scoped) if scoped.frame != Some(frame) => {
                scoped.frame = Some(frame);
                scoped.scope.frame(frame, scoped.logical_type)
            }
            _ => false,
        }
    }

    fn statement<'s>(&'s mut self, statement: &Statement<'s>) -> Result<Statement<'s>> {
        match self {
            NodeNames::Named(skolem) => skolem.statement(statement),
            NodeNames::Back(deskolem) => deskolem.statement(statement),
            NodeNames::Scoped(Scoped { scope, renamed, .. }) => {
                renamed.statement(statement, |label| Ok(Scoped::named(scope, label)))
            }
        }
    }

    fn term(&mut self, term: &Term<'_>) -> Result<Option<TermBuf>> {
        match self {
            NodeNames::Named(skolem) => skolem.term(term),
            NodeNames::Back(deskolem) => deskolem.term(term),
            NodeNames::Scoped(scoped) => {
                renamed(term, &mut |label: &str| Ok(Scoped::named(&scoped.scope, label)))
            }
        }
    }
}

/// A sink of statements that get names for their blank nodes.
pub struct Skolemized<S> {
    sink: S,
    names: Option<NodeNames>,
    /// Frames that ended.
    frames: u64,
}

impl<S> Skolemized<S> {
    /// Without other names, statements go through as they are.
    pub fn new(sink: S, names: Option<NodeNames>) -> Self {
        Skolemized { sink, names, frames: 0 }
    }

    pub(crate) fn inner(&mut self) -> &mut S {
        &mut self.sink
    }

    pub(crate) fn into_inner(self) -> S {
        self.sink
    }
}

impl<S: Encode> Encode for Skolemized<S> {
    fn output(&mut self) -> &mut Vec<u8> {
        self.sink.output()
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }

    fn restart_offsets(&self, skip: usize) -> Vec<u64> {
        self.sink.restart_offsets(skip)
    }

    fn prefixes_left_out(&self) -> u64 {
        self.sink.prefixes_left_out()
    }
}

impl<S: Sink> Sink for Skolemized<S> {
    #[inline]
    fn is_full(&self) -> bool {
        self.sink.is_full()
    }

    fn asks_what_repeats(&self) -> bool {
        self.names.is_none() && self.sink.asks_what_repeats()
    }

    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        self.frames += 1;
        self.sink.frame_end(metadata)
    }
}

impl<S: RdfSink> RdfSink for Skolemized<S> {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        if let Some(names) = &mut self.names {
            names.options(options);
        }
        self.sink.options(options)
    }

    #[inline]
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        match &mut self.names {
            None => self.sink.statement(row),
            Some(names) => {
                let is_other = names.frame(row.frame);
                let mut statement = names.statement(&row.statement)?;
                if is_other {
                    statement.same = Same::NONE; // a label that repeats is that of another node here
                }
                self.sink.statement(&RdfRow { statement, ..*row })
            }
        }
    }

    #[inline(always)]
    fn terms(&mut self, frame: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        if self.names.is_none() { self.sink.terms(frame) } else { None }
    }

    #[inline(always)]
    fn end_statement(&mut self, frame: u64, seq: u64) -> Result<()> {
        self.sink.end_statement(frame, seq)
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        self.sink.namespace(name, iri)
    }

    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        let Some(names) = &mut self.names else { return self.sink.graph_start(graph) };
        names.frame(self.frames);
        match names.term(&graph)? {
            Some(named) => self.sink.graph_start(named.as_term()),
            None => self.sink.graph_start(graph),
        }
    }

    fn graph_end(&mut self) -> Result<()> {
        self.sink.graph_end()
    }
}
