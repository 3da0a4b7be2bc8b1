//! An encoder that is made when the options of the source have come.

use super::ROWS;
use crate::create::{AnyPatchEncoder, AnyRdfEncoder, Encode};
use crate::error::Result;
use crate::options::{PatchOptions, RdfOptions};
use crate::sink::{PatchRow, PatchSink, RdfRow, RdfSink, RowNumbers, Sink, TermSink};
use crate::term::{Iri, Term};

/// Makes the encoder once the options of the source are known, `None` where the source has none.
type Make<O, E> = Box<dyn FnMut(Option<&O>) -> Result<E> + Send>;

/// Takes rows for an encoder that is made before the first of them.
pub struct Target<O, E> {
    make: Make<O, E>,
    encoder: Option<E>,
    nothing: Vec<u8>,
    /// Rows since the output was taken.
    rows: usize,
    prefixes_left_out: u64,
}

/// Statements to any format of statements.
pub type RdfTarget = Target<RdfOptions, AnyRdfEncoder>;
/// Patches to any format of patches.
pub type PatchTarget = Target<PatchOptions, AnyPatchEncoder>;

impl<O, E> Target<O, E> {
    /// `make` is called once.
    pub fn new(make: Make<O, E>) -> Self {
        Target { make, encoder: None, nothing: Vec::new(), rows: 0, prefixes_left_out: 0 }
    }

    /// The encoder; made now if it is not there, with the options of the source if they came.
    #[inline]
    fn encoder(&mut self, options: Option<&O>) -> Result<&mut E> {
        Ok(match &mut self.encoder {
            Some(encoder) => encoder,
            none => none.insert((self.make)(options)?),
        })
    }
}

impl<O, E: Encode> Encode for Target<O, E> {
    fn output(&mut self) -> &mut Vec<u8> {
        self.rows = 0;
        self.encoder.as_mut().map_or(&mut self.nothing, Encode::output)
    }

    fn finish(&mut self) -> Result<()> {
        self.encoder(None)?.finish()
    }

    fn restart_offsets(&self, skip: usize) -> Vec<u64> {
        self.encoder.as_ref().map_or_else(Vec::new, |encoder| encoder.restart_offsets(skip))
    }

    fn prefixes_left_out(&self) -> u64 {
        self.prefixes_left_out
    }
}

impl<O, E: Sink> Sink for Target<O, E> {
    #[inline]
    fn is_full(&self) -> bool {
        self.rows >= ROWS || self.encoder.as_ref().is_some_and(Sink::is_full)
    }

    fn asks_what_repeats(&self) -> bool {
        self.encoder.as_ref().is_none_or(Sink::asks_what_repeats)
    }

    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        self.encoder.as_mut().map_or(Ok(()), |encoder| encoder.frame_end(metadata))
    }
}

impl RdfSink for RdfTarget {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        self.encoder(Some(options)).map(drop)
    }

    #[inline]
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.rows += 1;
        self.encoder(None)?.statement(row)
    }

    #[inline(always)]
    fn terms(&mut self, frame: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        self.encoder.as_mut()?.terms(frame)
    }

    #[inline(always)]
    fn end_statement(&mut self, frame: u64, seq: u64) -> Result<()> {
        self.rows += 1;
        self.encoder(None)?.end_statement(frame, seq)
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        let encoder = self.encoder(None)?;
        let is_held = encoder.holds_prefix(name, &iri);
        encoder.namespace(name, iri)?;
        self.prefixes_left_out += u64::from(!is_held);
        Ok(())
    }

    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        self.encoder(None)?.graph_start(graph)
    }

    fn graph_end(&mut self) -> Result<()> {
        self.encoder(None)?.graph_end()
    }
}

impl RdfTarget {
    /// Writes rows that are lines of canonical N-Quads as they are, if that is what is written.
    #[inline]
    pub(crate) fn lines(&mut self, lines: &[u8], rows: usize, has_graphs: bool) -> bool {
        let Some(AnyRdfEncoder::Lines(encoder)) = &mut self.encoder else { return false };
        self.rows += rows;
        encoder.lines(lines, has_graphs)
    }
}

impl PatchSink for PatchTarget {
    fn options(&mut self, options: &PatchOptions) -> Result<()> {
        self.encoder(Some(options)).map(drop)
    }

    #[inline]
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        self.rows += 1;
        self.encoder(None)?.row(row)
    }

    #[inline(always)]
    fn terms(&mut self, row: RowNumbers) -> Option<&mut impl for<'t> TermSink<'t>> {
        self.encoder.as_mut()?.terms(row)
    }

    #[inline(always)]
    fn end_change(&mut self, adds: bool, row: RowNumbers) -> Result<()> {
        self.rows += 1;
        self.encoder(None)?.end_change(adds, row)
    }
}
