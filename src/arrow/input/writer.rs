//! Batches of columns to bytes of any format.

use arrow_array::RecordBatch;

use super::source::bytes;
use super::{PatchRows, RdfRows};
use crate::convert::Tally;
use crate::create::{AnyPatchEncoder, AnyRdfEncoder, Encode, WriteOptions, Writer};
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Compression, Output, Target};
use crate::options::values::Values;

/// Writes batches with the columns of `RDF_SCHEMA` or `PATCH_SCHEMA`, as a file, a stream or messages.
pub struct BatchWriter {
    rows: Rows,
    /// `None` once closed.
    drain: Option<Writer>,
    failed: bool,
    /// Whoever flushes takes what was written for a message of its own.
    messages: bool,
    tally: Tally,
}

enum Rows {
    Rdf { settings: Box<WriteOptions>, writer: Option<AnyRdfEncoder>, rows: RdfRows },
    Patch { writer: AnyPatchEncoder, rows: Box<PatchRows> },
}

/// The writer of statements, by the first of which the options are chosen where nobody chose them.
fn opened<'w>(
    settings: &WriteOptions,
    writer: &'w mut Option<AnyRdfEncoder>,
    first: Option<&RecordBatch>,
) -> Result<&'w mut AnyRdfEncoder> {
    Ok(match writer {
        Some(writer) => writer,
        none => none.insert(settings.rdf_encoder(None, first.is_some_and(RdfRows::has_graphs))?),
    })
}

impl Rows {
    fn new(is_patch: bool, settings: WriteOptions) -> Result<Self> {
        if is_patch {
            return Ok(Rows::Patch { writer: settings.patch_encoder(None)?, rows: Box::default() });
        }
        let rows = RdfRows::new(settings.keeps_frames());
        Ok(Rows::Rdf { settings: Box::new(settings), writer: None, rows })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Rows::Patch { writer, rows } => rows.write(batch, writer),
            Rows::Rdf { .. } if batch.num_rows() == 0 => Ok(()),
            Rows::Rdf { settings, writer, rows } => rows.write(batch, opened(settings, writer, Some(batch))?),
        }
    }

    fn encoder(&mut self) -> Result<&mut dyn Encode> {
        Ok(match self {
            Rows::Patch { writer, .. } => writer,
            Rows::Rdf { settings, writer, .. } => opened(settings, writer, None)?,
        })
    }

    /// Whether anything can have been written yet.
    fn has_begun(&self) -> bool {
        !matches!(self, Rows::Rdf { writer: None, .. })
    }
}

impl BatchWriter {
    /// A writer of rows of patches, or of statements, with options of `RdfWriter` and `PatchWriter`.
    ///
    /// `messages`: whoever flushes takes what was written for a message of its own, if it is not compressed.
    ///
    /// # Errors
    /// `argument`: an option is wrong, or not of this format; or the file cannot be made.
    pub fn new(is_patch: bool, values: &Values, target: Target, messages: bool) -> Result<Self> {
        let options = WriteOptions::of(is_patch, values, target.name().as_deref())?;
        let output = options.output();
        let messages = messages && matches!(output.compression, None | Some(Compression::None));
        let drain = Some(Writer::new(Output::create(target, &output)?));
        let rows = Rows::new(is_patch, options)?;
        Ok(BatchWriter { rows, drain, failed: false, messages, tally: Tally::default() })
    }

    /// Does work on the rows; a failure gives the destination up.
    fn attempt<R>(&mut self, work: impl FnOnce(&mut Rows, &mut Writer) -> Result<R>) -> Result<R> {
        let Some(drain) = &mut self.drain else {
            let message = if self.failed { "the writer failed before" } else { "the writer is closed" };
            return Err(Error::new(ErrorKind::Argument, message));
        };
        // a panic leaves the writer failed
        self.failed = true;
        let done = work(&mut self.rows, drain);
        self.failed = done.is_err();
        if self.failed {
            self.drain = None;
        }
        done
    }

    /// Changes what is written, and hands out what is complete.
    fn change(&mut self, change: impl FnOnce(&mut Rows) -> Result<()>) -> Result<()> {
        self.attempt(|rows, drain| {
            change(rows)?;
            drain.take(rows.encoder()?)
        })
    }

    /// Writes a batch; `poll` gets how far it came, and may stop it.
    ///
    /// # Errors
    /// A row cannot be written, or the output fails; nothing can be written then any more, and no file is made.
    pub fn write(&mut self, batch: &RecordBatch, poll: &mut dyn FnMut(Tally) -> Result<()>) -> Result<usize> {
        let tally = self.tally;
        self.tally = self.attempt(|rows, drain| {
            rows.write(batch)?;
            if rows.has_begun() {
                drain.take(rows.encoder()?)?;
            }
            let now = Tally {
                rows: tally.rows + batch.num_rows() as u64,
                bytes_in: tally.bytes_in + bytes(batch),
                bytes_out: drain.written(),
                ..Tally::default()
            };
            poll(now).map(|()| now)
        })?;
        Ok(batch.num_rows())
    }

    /// Whether frames have a meaning: patches, or elements of a grouped stream.
    pub fn keeps_frames(&self) -> bool {
        match &self.rows {
            Rows::Patch { writer, .. } => writer.keeps_frames(),
            Rows::Rdf { settings, .. } => settings.keeps_frames(),
        }
    }

    /// Ends the frame, in formats that have frames.
    pub fn end_frame(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        self.change(|rows| match rows {
            Rows::Patch { writer, .. } => writer.end_frame(),
            Rows::Rdf { settings, writer, .. } => opened(settings, writer, None)?.end_frame(metadata),
        })
    }

    /// Ends the patch.
    pub fn end_patch(&mut self) -> Result<()> {
        self.change(|rows| match rows {
            Rows::Patch { writer, rows } => rows.end_patch(writer),
            Rows::Rdf { .. } => Ok(()),
        })
    }

    /// Hands on what is complete, as a message of its own where the destination has messages.
    pub fn flush(&mut self) -> Result<()> {
        let messages = self.messages;
        self.attempt(|rows, drain| {
            drain.flush()?;
            if messages && rows.has_begun() {
                rows.encoder()?.end_message();
            }
            Ok(())
        })
    }

    /// Ends the stream; returns what was read and written. Once more is nothing.
    pub fn close(&mut self) -> Result<Tally> {
        if self.drain.is_some() || self.failed {
            self.change(|rows| rows.encoder()?.finish())?;
        }
        if let Some(drain) = self.drain.take() {
            self.tally.bytes_out = drain.written();
            drain.finish()?;
        }
        Ok(self.tally)
    }

    /// Gives up; no file is made.
    pub fn abort(&mut self) {
        self.drain = None;
        self.failed = false;
    }

    /// Whether nothing more can be written.
    pub fn is_closed(&self) -> bool {
        self.drain.is_none()
    }
}
