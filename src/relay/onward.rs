//! The sink of a relay: encodes rows as frames that end where the messages end, or earlier.

use super::RelayOptions;
use crate::encode::{EncodeOptions, RdfEncoder, kept_metadata};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::options::RdfOptions;
use crate::sink::{RdfRow, RdfSink, Same, Sink};
use crate::term::{Iri, Term, TermBuf};

pub(super) struct Onward {
    given: RelayOptions,
    /// The options of the stream.
    found: Option<RdfOptions>,
    /// The options of the output.
    options: Option<RdfOptions>,
    encoder: Option<RdfEncoder>,
    /// Whether rows are dropped.
    pub(super) passes: bool,
    /// Whether a statement was written since the encoder was created or rows were dropped.
    has_last: bool,
    /// A graph that began and has no statement yet.
    empty_graph: Option<TermBuf>,
    output: Vec<u8>,
}

impl Onward {
    pub(super) fn new(given: RelayOptions) -> Self {
        Onward {
            given,
            found: None,
            options: None,
            encoder: None,
            passes: false,
            has_last: false,
            empty_graph: None,
            output: Vec::new(),
        }
    }

    pub(super) fn found(&self) -> Option<&RdfOptions> {
        self.found.as_ref()
    }

    pub(super) fn options(&self) -> Option<&RdfOptions> {
        self.options.as_ref()
    }

    pub(super) fn restart(&mut self) {
        self.encoder = None;
        self.has_last = false;
    }

    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    fn encoder(&mut self) -> Result<&mut RdfEncoder> {
        Ok(match &mut self.encoder {
            Some(encoder) => encoder,
            none => {
                let Some(options) = self.options.clone() else {
                    return Err(Error::new(
                        ErrorKind::Internal,
                        "rows come before the options of their stream",
                    ));
                };
                let encode = EncodeOptions {
                    frame_rows: usize::MAX,
                    namespaces: Some(options.version > 1),
                    limits: Limits { frame_bytes: self.given.frame_bytes, ..Limits::default() },
                    ..EncodeOptions::rdf()
                };
                none.insert(RdfEncoder::new(options, encode)?)
            }
        })
    }
}

impl Sink for Onward {
    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        if self.passes {
            self.has_last = false;
            return Ok(());
        }
        let Some(options) = &self.options else {
            return Ok(()); // only empty frames so far
        };
        let (is_grouped, is_first) = (options.logical_type.is_grouped(), self.encoder.is_none());
        let kept = kept_metadata(metadata);
        let encoder = self.encoder()?;
        if is_grouped || is_first || encoder.has_begun() || !kept.is_empty() {
            encoder.end_frame(&kept)?;
        }
        let frames = std::mem::take(encoder.output());
        self.output.extend_from_slice(&frames);
        Ok(())
    }
}

impl RdfSink for Onward {
    fn options(&mut self, found: &RdfOptions) -> Result<()> {
        if let Some(wanted) = self.given.options.as_ref().filter(|_| self.given.same_type) {
            check_type(found, wanted)?;
        }
        if let Some(first) = &self.found {
            if first != found {
                let message = "the options of the stream changed; they must stay the same within a stream";
                return Err(Error::new(ErrorKind::OptionsChanged, message));
            }
            return Ok(());
        }
        self.found = Some(found.clone());
        let mut options = self.given.options.clone().unwrap_or_else(|| found.clone());
        if let Some(name) = &self.given.stream_name {
            options.stream_name.clone_from(name);
        }
        self.options = Some(options);
        Ok(())
    }

    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.empty_graph = None;
        if self.passes {
            return Ok(());
        }
        let mut row = *row;
        if !self.has_last {
            row.statement.same = Same::NONE;
            self.has_last = true;
        }
        self.encoder()?.statement(&row)
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        if self.passes { Ok(()) } else { self.encoder()?.namespace(name, iri) }
    }

    // Statements contain their graphs, so each message is complete; only empty graphs must be written.
    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        self.empty_graph = Some(graph.into());
        Ok(())
    }

    fn graph_end(&mut self) -> Result<()> {
        match self.empty_graph.take().filter(|_| !self.passes) {
            Some(graph) => {
                let encoder = self.encoder()?;
                encoder.graph_start(graph.as_term())?;
                encoder.graph_end()
            }
            None => Ok(()),
        }
    }
}

/// Rejects a stream whose type differs from the stream that it would continue.
fn check_type(found: &RdfOptions, wanted: &RdfOptions) -> Result<()> {
    if found.physical_type != wanted.physical_type {
        let (found, wanted) = (found.physical_type.name(), wanted.physical_type.name());
        let option = format!("--physical-type {}", wanted.to_lowercase());
        let message = format!(
            "the stream is {found}, but it would continue a stream of {wanted}; convert it with `jelly convert {option}`"
        );
        return Err(
            Error::new(ErrorKind::OptionsType, message).with_field("options.physical_type".to_owned())
        );
    }
    if found.logical_type.0 != 0 && !found.logical_type.is_a(wanted.logical_type) {
        let (found, wanted) = (found.logical_type, wanted.logical_type);
        let message = format!("the stream is {found}, but it would continue a stream of {wanted}");
        return Err(Error::new(ErrorKind::OptionsType, message).with_field("options.logical_type".to_owned()));
    }
    if found.version > wanted.version {
        let (found, wanted) = (found.version, wanted.version);
        let message = format!(
            "the stream has version {found}, but it would continue a stream of version {wanted}; `jelly \
             convert --no-namespaces` leaves out the prefixes, which version 1 does not have"
        );
        return Err(Error::new(ErrorKind::OptionsVersion, message).with_field("options.version".to_owned()));
    }
    Ok(())
}
