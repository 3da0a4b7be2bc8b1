//! Statements as a patch that adds them, in one transaction.

use crate::create::Encode;
use crate::error::Result;
use crate::sink::{PatchEnd, PatchOp, PatchSink, RdfRow, RdfSink, Sink};
use crate::term::{Iri, Term};
use crate::transaction::Numbering;

/// Turns a sink of patches into one of statements.
pub struct Adds<S> {
    sink: S,
    numbering: Numbering,
    began: bool,
}

impl<S: PatchSink> Adds<S> {
    /// Adds to `sink`.
    pub fn new(sink: S) -> Self {
        Adds { sink, numbering: Numbering::new(false), began: false }
    }

    #[inline]
    fn begin(&mut self) -> Result<()> {
        if self.began {
            return Ok(());
        }
        self.began = true;
        self.numbering.row(PatchOp::Begin, &mut self.sink)
    }

    #[inline]
    fn row(&mut self, op: PatchOp<'_>) -> Result<()> {
        self.begin()?;
        self.numbering.row(op, &mut self.sink)
    }
}

impl<S: Encode + PatchSink> Encode for Adds<S> {
    fn output(&mut self) -> &mut Vec<u8> {
        self.sink.output()
    }

    fn finish(&mut self) -> Result<()> {
        self.row(PatchOp::Commit)?;
        self.row(PatchOp::End(PatchEnd::Mark))?;
        self.sink.finish()
    }

    fn restart_offsets(&self, skip: usize) -> Vec<u64> {
        self.sink.restart_offsets(skip)
    }
}

impl<S: Sink> Sink for Adds<S> {
    #[inline]
    fn is_full(&self) -> bool {
        self.sink.is_full()
    }
}

impl<S: PatchSink> RdfSink for Adds<S> {
    #[inline]
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.row(PatchOp::Add(row.statement))
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        self.row(PatchOp::AddPrefix { name, iri, graph: Term::DefaultGraph })
    }
}
