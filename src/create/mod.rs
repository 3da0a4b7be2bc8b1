//! From rows to bytes of any format: the counterpart of [`open`](crate::open).

mod changes;
mod options;
mod terms;
mod write;
mod writer;

pub use changes::Changes;
pub use options::{CreateOptions, RESTART_BYTES, default_patch_options, default_rdf_options};
pub use write::WriteOptions;
pub use writer::Writer;

use crate::encode::{PatchEncoder, RdfEncoder};
use crate::error::Result;
use crate::options::{PatchOptions, RdfOptions};
use crate::sink::{PatchRow, PatchSink, RdfRow, RdfSink, RowNumbers, Sink, TermSink};
use crate::term::{Iri, Term};
use crate::text::{LinesWriter, PatchTextWriter, TurtleWriter};
use crate::thrift::ThriftWriter;

/// A sink that makes bytes.
pub trait Encode {
    /// What was written and not taken yet. Whoever drives the sink takes it out when it is full.
    fn output(&mut self) -> &mut Vec<u8>;

    /// No row follows.
    fn finish(&mut self) -> Result<()>;

    /// What was taken is a message of its own: another frame without its length may follow.
    fn end_message(&mut self) {}

    /// Places of the stream where a reader can enter, except the first `skip`.
    fn restart_offsets(&self, skip: usize) -> Vec<u64> {
        let _ = skip;
        Vec::new()
    }

    /// Declarations of prefixes that came, and that the format cannot hold.
    fn prefixes_left_out(&self) -> u64 {
        0
    }
}

/// An encoder of statements into any format.
pub enum AnyRdfEncoder {
    /// Jelly-RDF.
    Jelly(Box<RdfEncoder>),
    /// N-Triples or N-Quads.
    Lines(Box<LinesWriter>),
    /// Turtle or `TriG`.
    Turtle(Box<TurtleWriter>),
}

/// An encoder of patches into any format.
pub enum AnyPatchEncoder {
    /// Jelly-Patch.
    Jelly(Box<PatchEncoder>),
    /// RDF Patch text.
    Text(Box<PatchTextWriter>),
    /// RDF Patch Thrift.
    Thrift(Box<ThriftWriter>),
}

macro_rules! encode_each {
    ($any:ident: $($variant:ident)|+) => {
        impl Encode for $any {
            fn output(&mut self) -> &mut Vec<u8> {
                match self { $($any::$variant(encoder) => Encode::output(&mut **encoder),)+ }
            }

            fn finish(&mut self) -> Result<()> {
                match self { $($any::$variant(encoder) => Encode::finish(&mut **encoder),)+ }
            }

            fn end_message(&mut self) {
                match self { $($any::$variant(encoder) => Encode::end_message(&mut **encoder),)+ }
            }

            fn restart_offsets(&self, skip: usize) -> Vec<u64> {
                match self { $($any::$variant(encoder) => Encode::restart_offsets(&**encoder, skip),)+ }
            }
        }

        impl Sink for $any {
            #[inline]
            fn is_full(&self) -> bool {
                match self { $($any::$variant(encoder) => encoder.is_full(),)+ }
            }

            fn asks_what_repeats(&self) -> bool {
                match self { $($any::$variant(encoder) => encoder.asks_what_repeats(),)+ }
            }

            fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
                match self { $($any::$variant(encoder) => encoder.frame_end(metadata),)+ }
            }
        }
    };
}

macro_rules! rdf_each {
    ($($variant:ident)|+) => {
        impl RdfSink for AnyRdfEncoder {
            fn options(&mut self, options: &RdfOptions) -> Result<()> {
                match self { $(AnyRdfEncoder::$variant(encoder) => RdfSink::options(&mut **encoder, options),)+ }
            }

            #[inline]
            fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
                match self { $(AnyRdfEncoder::$variant(encoder) => encoder.statement(row),)+ }
            }

            #[inline(always)]
            fn terms(&mut self, frame: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
                let takes = match self {
                    AnyRdfEncoder::Jelly(encoder) => encoder.terms(frame).is_some(),
                    AnyRdfEncoder::Lines(encoder) => encoder.terms(frame).is_some(),
                    AnyRdfEncoder::Turtle(_) => false,
                };
                takes.then_some(self)
            }

            #[inline(always)]
            fn end_statement(&mut self, frame: u64, seq: u64) -> Result<()> {
                match self { $(AnyRdfEncoder::$variant(encoder) => encoder.end_statement(frame, seq),)+ }
            }

            fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
                match self { $(AnyRdfEncoder::$variant(encoder) => encoder.namespace(name, iri),)+ }
            }

            fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
                match self { $(AnyRdfEncoder::$variant(encoder) => encoder.graph_start(graph),)+ }
            }

            fn graph_end(&mut self) -> Result<()> {
                match self { $(AnyRdfEncoder::$variant(encoder) => encoder.graph_end(),)+ }
            }
        }
    };
}

macro_rules! patch_each {
    ($($variant:ident)|+) => {
        impl PatchSink for AnyPatchEncoder {
            fn options(&mut self, options: &PatchOptions) -> Result<()> {
                match self { $(AnyPatchEncoder::$variant(encoder) => PatchSink::options(&mut **encoder, options),)+ }
            }

            #[inline]
            fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
                match self { $(AnyPatchEncoder::$variant(encoder) => encoder.row(row),)+ }
            }

            #[inline(always)]
            fn terms(&mut self, row: RowNumbers) -> Option<&mut impl for<'t> TermSink<'t>> {
                let takes = match self {
                    AnyPatchEncoder::Jelly(encoder) => encoder.terms(row).is_some(),
                    AnyPatchEncoder::Text(encoder) => encoder.terms(row).is_some(),
                    AnyPatchEncoder::Thrift(_) => false,
                };
                takes.then_some(self)
            }

            #[inline(always)]
            fn end_change(&mut self, adds: bool, row: RowNumbers) -> Result<()> {
                match self { $(AnyPatchEncoder::$variant(encoder) => encoder.end_change(adds, row),)+ }
            }
        }
    };
}

macro_rules! encode_own {
    ($($encoder:ident $(with $offsets:ident)?),*) => {
        $(impl Encode for $encoder {
            fn output(&mut self) -> &mut Vec<u8> {
                self.output()
            }

            fn finish(&mut self) -> Result<()> {
                self.finish()
            }
            $(
                fn end_message(&mut self) {
                    self.end_message();
                }

                fn restart_offsets(&self, skip: usize) -> Vec<u64> {
                    self.$offsets().skip(skip).collect()
                }
            )?
        })*
    };
}

encode_own!(RdfEncoder with restart_offsets, PatchEncoder with restart_offsets);
encode_own!(LinesWriter, TurtleWriter, PatchTextWriter, ThriftWriter);
encode_each!(AnyRdfEncoder: Jelly | Lines | Turtle);
encode_each!(AnyPatchEncoder: Jelly | Text | Thrift);
rdf_each!(Jelly | Lines | Turtle);
patch_each!(Jelly | Text | Thrift);

impl AnyPatchEncoder {
    /// Whether each patch is a frame.
    pub fn keeps_frames(&self) -> bool {
        matches!(self, AnyPatchEncoder::Jelly(encoder) if encoder.keeps_frames())
    }

    /// Ends the frame, in formats that have frames.
    pub fn end_frame(&mut self) -> Result<()> {
        match self {
            AnyPatchEncoder::Jelly(encoder) => encoder.end_frame(),
            AnyPatchEncoder::Text(_) | AnyPatchEncoder::Thrift(_) => Ok(()),
        }
    }
}

impl AnyRdfEncoder {
    /// Whether the format can declare a prefix, or none is wanted.
    pub(crate) fn holds_prefix(&self, name: &str, iri: &Iri<'_>) -> bool {
        match self {
            AnyRdfEncoder::Jelly(_) => true,
            AnyRdfEncoder::Lines(_) => false,
            AnyRdfEncoder::Turtle(writer) => writer.holds(name, &iri.to_string()),
        }
    }

    /// Ends the frame, in formats that have frames.
    pub fn end_frame(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        match self {
            AnyRdfEncoder::Jelly(encoder) => encoder.end_frame(metadata),
            AnyRdfEncoder::Lines(_) | AnyRdfEncoder::Turtle(_) => Ok(()),
        }
    }
}
