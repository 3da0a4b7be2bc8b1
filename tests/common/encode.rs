//! Streams written again by the crate's encoder, from what its decoder reads.

use jelly_patch::Result;
use jelly_patch::decode::{DecodeOptions, PatchDecoder, RdfDecoder};
use jelly_patch::encode::{EncodeOptions, PatchEncoder, RdfEncoder};
use jelly_patch::options::{PatchOptions, RdfOptions};
use jelly_patch::push::Push;
use jelly_patch::sink::{PatchOp, PatchRow, PatchSink, RdfRow, RdfSink, Same, Sink};
use jelly_patch::term::{Iri, Term};

/// How to write again.
pub struct Recode<'a> {
    pub encode: EncodeOptions,
    pub rdf: &'a dyn Fn(&mut RdfOptions),
    pub patch: &'a dyn Fn(&mut PatchOptions),
    /// Tell the encoder what repeats.
    pub hints: bool,
}

/// An encoder that is made when the options come.
struct Writer<'a, E> {
    how: &'a Recode<'a>,
    encoder: Option<E>,
}

impl<E> Writer<'_, E> {
    fn encoder(&mut self) -> &mut E {
        self.encoder.as_mut().expect("options come first")
    }

    fn same(&self, same: Same) -> Same {
        if self.how.hints { same } else { Same::NONE }
    }
}

impl Sink for Writer<'_, RdfEncoder> {
    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        self.encoder.as_mut().map_or(Ok(()), |encoder| encoder.frame_end(metadata))
    }
}

impl RdfSink for Writer<'_, RdfEncoder> {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        let mut options = options.clone();
        (self.how.rdf)(&mut options);
        self.encoder = Some(RdfEncoder::new(options, self.how.encode.clone())?);
        Ok(())
    }

    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        let mut row = *row;
        row.statement.same = self.same(row.statement.same);
        self.encoder().statement(&row)
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        self.encoder().namespace(name, iri)
    }

    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        self.encoder().graph_start(graph)
    }

    fn graph_end(&mut self) -> Result<()> {
        self.encoder().graph_end()
    }
}

impl Sink for Writer<'_, PatchEncoder> {}

impl PatchSink for Writer<'_, PatchEncoder> {
    fn options(&mut self, options: &PatchOptions) -> Result<()> {
        let mut options = *options;
        (self.how.patch)(&mut options);
        self.encoder = Some(PatchEncoder::new(options, self.how.encode.clone())?);
        Ok(())
    }

    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        let mut row = *row;
        if let PatchOp::Add(statement) | PatchOp::Delete(statement) = &mut row.op {
            statement.same = self.same(statement.same);
        }
        self.encoder().row(&row)
    }
}

impl Recode<'_> {
    /// Nothing is changed but the frames.
    pub fn new(encode: EncodeOptions) -> Self {
        Recode { encode, rdf: &|_| {}, patch: &|_| {}, hints: true }
    }

    /// Reads and writes; nothing for a stream without options.
    pub fn rdf(&self, bytes: &[u8], config: DecodeOptions) -> Result<Vec<u8>> {
        let (mut writer, mut decoder) = (Writer { how: self, encoder: None }, RdfDecoder::new(config));
        decoder.decode(bytes, &mut writer)?;
        decoder.finish(&mut writer)?;
        let Some(mut encoder) = writer.encoder else {
            return Ok(Vec::new());
        };
        encoder.finish()?;
        Ok(std::mem::take(encoder.output()))
    }

    /// Reads and writes; nothing for a stream without options.
    pub fn patch(&self, bytes: &[u8], config: DecodeOptions) -> Result<Vec<u8>> {
        let (mut writer, mut decoder) = (Writer { how: self, encoder: None }, PatchDecoder::new(config));
        decoder.decode(bytes, &mut writer)?;
        decoder.finish(&mut writer)?;
        let Some(mut encoder) = writer.encoder else {
            return Ok(Vec::new());
        };
        encoder.finish()?;
        Ok(std::mem::take(encoder.output()))
    }
}
