//! Statements as a patch that adds them, in one transaction.

use crate::create::{Encode, PlainPatchSink, PlainPatchWriter, PlainRdfSink};
use crate::encode::PlainOp;
use crate::error::Result;
use crate::sink::{PatchEnd, PatchOp, PatchSink, RdfRow, RdfSink, Same, Sink};
use crate::term::{Iri, PlainTerm, Term};
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
    fn row(&mut self, op: PatchOp<'_>) -> Result<()> {
        if !self.began {
            self.began = true;
            self.numbering.row(PatchOp::Begin, &mut self.sink)?;
        }
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

/// The same of statements whose terms lie in one piece.
pub struct PlainAdds {
    writer: PlainPatchWriter,
    began: bool,
}

impl PlainAdds {
    /// Adds to `writer`.
    pub fn new(writer: PlainPatchWriter) -> Self {
        PlainAdds { writer, began: false }
    }

    #[inline]
    fn row(&mut self, op: &PlainOp<'_>) -> Result<()> {
        if !self.began {
            self.began = true;
            self.writer.plain_row(&PlainOp::Begin)?;
        }
        self.writer.plain_row(op)
    }
}

impl PlainRdfSink for PlainAdds {
    fn plain_statement(&mut self, terms: &[PlainTerm<'_>; 4], same: Same) -> Result<()> {
        self.row(&PlainOp::Add(terms, same))
    }

    fn keeps_frames(&self) -> bool {
        false
    }

    fn next_frame(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Encode for PlainAdds {
    fn output(&mut self) -> &mut Vec<u8> {
        self.writer.output()
    }

    fn finish(&mut self) -> Result<()> {
        self.row(&PlainOp::Commit)?;
        self.row(&PlainOp::End)?;
        self.writer.finish()
    }

    fn restart_offsets(&self, skip: usize) -> Vec<u64> {
        self.writer.restart_offsets(skip)
    }
}
