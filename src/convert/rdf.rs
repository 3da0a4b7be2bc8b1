//! Statements to any format of statements.

use super::ROWS;
use crate::create::{AnyRdfEncoder, Encode};
use crate::error::Result;
use crate::options::RdfOptions;
use crate::sink::{RdfRow, RdfSink, Sink};
use crate::term::{Iri, Term};

/// Makes the encoder once the options of the source are known, `None` where the source has none.
type Make = Box<dyn FnMut(Option<&RdfOptions>) -> Result<AnyRdfEncoder> + Send>;

/// An encoder that is made when the options of the source have come.
pub struct RdfTarget {
    make: Make,
    encoder: Option<AnyRdfEncoder>,
    /// Frames are elements of the source and of what is written.
    keeps_frames: bool,
    nothing: Vec<u8>,
    /// Rows since the output was taken.
    rows: usize,
}

impl RdfTarget {
    /// `make` is called once.
    pub fn new(make: Make) -> Self {
        RdfTarget { make, encoder: None, keeps_frames: false, nothing: Vec::new(), rows: 0 }
    }

    #[inline]
    fn encoder(&mut self) -> Result<&mut AnyRdfEncoder> {
        if self.encoder.is_none() {
            self.encoder = Some((self.make)(None)?);
        }
        self.encoder.as_mut().ok_or_else(|| crate::Error::new(crate::ErrorKind::Internal, "no encoder"))
    }
}

impl Encode for RdfTarget {
    fn output(&mut self) -> &mut Vec<u8> {
        self.rows = 0;
        self.encoder.as_mut().map_or(&mut self.nothing, Encode::output)
    }

    fn finish(&mut self) -> Result<()> {
        self.encoder()?.finish()
    }

    fn restart_offsets(&self, skip: usize) -> Vec<u64> {
        self.encoder.as_ref().map_or_else(Vec::new, |encoder| encoder.restart_offsets(skip))
    }
}

impl Sink for RdfTarget {
    #[inline]
    fn is_full(&self) -> bool {
        self.rows >= ROWS || self.encoder.as_ref().is_some_and(Sink::is_full)
    }

    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        match &mut self.encoder {
            Some(encoder) if self.keeps_frames => encoder.end_frame(metadata),
            _ => Ok(()),
        }
    }
}

impl RdfSink for RdfTarget {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        if self.encoder.is_none() {
            self.encoder = Some((self.make)(Some(options))?);
            self.keeps_frames = options.logical_type.is_grouped();
        }
        Ok(())
    }

    #[inline]
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.rows += 1;
        self.encoder()?.statement(row)
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        self.encoder()?.namespace(name, iri)
    }

    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        self.encoder()?.graph_start(graph)
    }

    fn graph_end(&mut self) -> Result<()> {
        self.encoder()?.graph_end()
    }
}
