//! The push side: takes bytes, returns rows, and does no I/O. Every format that can be read has a decoder
//! with this interface.

use crate::error::{Error, ErrorKind, Position, Result};
use crate::options::StreamOptions;
use crate::sink::Sink;
use crate::warning::Warning;

/// The progress of decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The 0-based frame that began last, in formats with frames.
    pub frame: Option<u64>,
    /// Rows so far.
    pub rows: u64,
    /// The first byte that is not decoded: after the last row or frame.
    pub offset: u64,
}

/// Rejects a call of a decoder that has failed.
pub(crate) fn refuse_failed(failed: bool) -> Result<()> {
    if failed {
        let message = "this decoder failed before; nothing after its error can be trusted";
        return Err(Error::new(ErrorKind::Argument, message));
    }
    Ok(())
}

/// The state of a decoder.
pub trait PushState {
    /// Bytes taken so far, including those of an incomplete row.
    fn consumed(&self) -> u64;

    /// The progress of decoding.
    fn progress(&self) -> Progress;

    /// The options of the stream, in formats with options, once they are read.
    fn stream_options(&self) -> Option<StreamOptions> {
        None
    }

    /// Metadata of the frame that began last.
    fn metadata(&self) -> &[(String, Vec<u8>)] {
        &[]
    }

    /// The state that a decoder in another process needs to continue.
    fn snapshot(&self) -> Result<Vec<u8>> {
        Err(Error::new(ErrorKind::Argument, "only Jelly streams have snapshots"))
    }

    /// What was ignored so far.
    fn warnings(&self) -> Vec<Warning> {
        Vec::new()
    }

    /// The position of the last row.
    fn position(&self) -> Position {
        let Progress { frame, offset, .. } = self.progress();
        Position { frame, offset: Some(offset), ..Position::default() }
    }

    /// Marks the decoder as failed and adds the current position to the error.
    fn fail(&mut self, error: Error) -> Error;
}

/// Takes bytes in pieces of any size and passes rows to `S`.
pub trait Push<S: Sink>: PushState {
    /// Decodes until `input` is used up or the sink is full; returns how many bytes were taken.
    ///
    /// All of `input` is taken unless the sink is full. After an error every call fails.
    fn decode(&mut self, input: &[u8], sink: &mut S) -> Result<usize>;

    /// Ends the input: delivers the rows that the end implies, or fails if the input ends too early.
    ///
    /// Does nothing while the sink is full. Returns whether the stream is finished.
    fn finish(&mut self, sink: &mut S) -> Result<bool>;
}
