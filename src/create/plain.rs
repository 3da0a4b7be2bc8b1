//! Rows whose terms lie in one piece, as columns hold them, to any format.

use super::{AnyPatchEncoder, AnyRdfEncoder, Encode};
use crate::encode::PlainOp;
use crate::error::Result;
use crate::sink::{PatchEnd, PatchOp, RdfRow, RdfSink, Same, Statement};
use crate::term::PlainTerm;
use crate::text::slot::TermSlot;
use crate::transaction::Numbering;

/// Takes statements whose terms lie in one piece.
pub trait PlainRdfSink {
    /// A statement: subject, predicate, object, graph, and what is known to repeat.
    fn plain_statement(&mut self, terms: &[PlainTerm<'_>; 4], same: Same) -> Result<()>;

    /// Whether rows of different frames stay apart, so that [`Self::next_frame`] is to be called.
    fn keeps_frames(&self) -> bool;

    /// The rows that follow were in another frame.
    fn next_frame(&mut self) -> Result<()>;
}

/// Takes rows of patches whose terms lie in one piece.
pub trait PlainPatchSink {
    /// A row.
    fn plain_row(&mut self, op: &PlainOp<'_>) -> Result<()>;
}

/// An encoder of statements that takes them in one piece: Jelly as they are, the others in pieces.
pub struct PlainRdfWriter {
    encoder: AnyRdfEncoder,
    slots: Slots,
    seq: u64,
    /// Frames are elements.
    keeps_frames: bool,
}

impl PlainRdfWriter {
    /// `keeps_frames`: what was another frame becomes another frame.
    pub fn new(encoder: AnyRdfEncoder, keeps_frames: bool) -> Self {
        PlainRdfWriter { encoder, slots: Slots::default(), seq: 0, keeps_frames }
    }

    /// The encoder.
    pub fn encoder(&mut self) -> &mut AnyRdfEncoder {
        &mut self.encoder
    }
}

impl PlainRdfSink for PlainRdfWriter {
    #[inline(always)]
    fn plain_statement(&mut self, terms: &[PlainTerm<'_>; 4], same: Same) -> Result<()> {
        match &mut self.encoder {
            AnyRdfEncoder::Jelly(encoder) => encoder.plain_statement(terms, same),
            other => {
                let seq = self.seq;
                self.seq += 1;
                other.statement(&RdfRow { frame: 0, seq, statement: self.slots.statement(terms) })
            }
        }
    }

    fn keeps_frames(&self) -> bool {
        self.keeps_frames
    }

    fn next_frame(&mut self) -> Result<()> {
        self.encoder.end_frame(&[])
    }
}

/// An encoder of patches that takes rows in one piece: Jelly as they are, the others in pieces.
pub struct PlainPatchWriter {
    encoder: AnyPatchEncoder,
    slots: Slots,
    numbering: Numbering,
}

impl PlainPatchWriter {
    /// Around an encoder.
    pub fn new(encoder: AnyPatchEncoder) -> Self {
        PlainPatchWriter { encoder, slots: Slots::default(), numbering: Numbering::new(false) }
    }

    /// Whether each patch is a frame.
    pub fn keeps_frames(&self) -> bool {
        matches!(&self.encoder, AnyPatchEncoder::Jelly(encoder) if encoder.keeps_frames())
    }

    /// The encoder.
    pub fn encoder(&mut self) -> &mut AnyPatchEncoder {
        &mut self.encoder
    }
}

impl PlainPatchSink for PlainPatchWriter {
    #[inline(always)]
    fn plain_row(&mut self, op: &PlainOp<'_>) -> Result<()> {
        match &mut self.encoder {
            AnyPatchEncoder::Jelly(encoder) => encoder.plain_row(op),
            other => self.numbering.row(self.slots.op(op), other),
        }
    }
}

macro_rules! encode_inner {
    ($($writer:ident),*) => {
        $(impl Encode for $writer {
            fn output(&mut self) -> &mut Vec<u8> {
                self.encoder.output()
            }

            fn finish(&mut self) -> Result<()> {
                self.encoder.finish()
            }

            fn end_message(&mut self) {
                self.encoder.end_message();
            }

            fn restart_offsets(&self, skip: usize) -> Vec<u64> {
                self.encoder.restart_offsets(skip)
            }
        })*
    };
}

encode_inner!(PlainRdfWriter, PlainPatchWriter);

/// Terms in the pieces that sinks take.
#[derive(Default)]
pub(crate) struct Slots {
    terms: [TermSlot; 4],
    value: TermSlot,
}

impl Slots {
    /// The statement of these terms.
    pub(crate) fn statement(&mut self, terms: &[PlainTerm<'_>; 4]) -> Statement<'_> {
        for (slot, term) in self.terms.iter_mut().zip(terms) {
            slot.set(term);
        }
        Statement { terms: self.terms.each_ref().map(TermSlot::term), same: Same::NONE }
    }

    /// The row of this one.
    pub(crate) fn op<'s>(&'s mut self, op: &'s PlainOp<'_>) -> PatchOp<'s> {
        match op {
            PlainOp::Add(terms, _) => PatchOp::Add(self.statement(terms)),
            PlainOp::Delete(terms, _) => PatchOp::Delete(self.statement(terms)),
            PlainOp::Header { key, value } => {
                self.value.set(value);
                PatchOp::Header { key, value: self.value.term() }
            }
            PlainOp::AddPrefix { name, iri, graph } => {
                self.terms[3].set(graph);
                PatchOp::AddPrefix { name, iri: self.value.set_iri(iri), graph: self.terms[3].term() }
            }
            PlainOp::DeletePrefix { name, iri, graph } => {
                self.terms[3].set(graph);
                let iri = iri.map(|iri| self.value.set_iri(iri));
                PatchOp::DeletePrefix { name, iri, graph: self.terms[3].term() }
            }
            PlainOp::Begin => PatchOp::Begin,
            PlainOp::Commit => PatchOp::Commit,
            PlainOp::Abort => PatchOp::Abort,
            PlainOp::End => PatchOp::End(PatchEnd::Mark),
        }
    }
}
