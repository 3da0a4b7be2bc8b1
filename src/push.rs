//! The push side: bytes in, rows out, no I/O. Every format that is read has a decoder of this shape.

use crate::error::{Error, ErrorKind, Position, Result};
use crate::options::StreamOptions;
use crate::sink::Sink;
use crate::warning::Warning;

/// How far decoding got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// 0-based frame that began last, in formats that have frames.
    pub frame: Option<u64>,
    /// Rows so far.
    pub rows: u64,
    /// First byte that is not decoded: after the last row or frame.
    pub offset: u64,
}

/// Where a decoder stands.
pub trait PushState {
    /// Bytes taken so far, those of an incomplete row included.
    fn consumed(&self) -> u64;

    /// How far decoding got.
    fn progress(&self) -> Progress;

    /// The options of the stream, once they came, in formats that have some.
    fn stream_options(&self) -> Option<StreamOptions> {
        None
    }

    /// Metadata of the frame that began last.
    fn metadata(&self) -> &[(String, Vec<u8>)] {
        &[]
    }

    /// All that a decoder in another process needs to go on.
    fn snapshot(&self) -> Result<Vec<u8>> {
        Err(Error::new(ErrorKind::Argument, "only Jelly streams have snapshots"))
    }

    /// What was ignored so far.
    fn warnings(&self) -> Vec<Warning> {
        Vec::new()
    }

    /// Where the last row was.
    fn position(&self) -> Position {
        let Progress { frame, offset, .. } = self.progress();
        Position { frame, offset: Some(offset), ..Position::default() }
    }

    /// Gives up: puts the error where the stream stands.
    fn fail(&mut self, error: Error) -> Error;
}

/// Takes bytes in pieces of any size and hands rows to `S`.
pub trait Push<S: Sink>: PushState {
    /// Decodes until `input` is used up or the sink is full; returns how many bytes were taken.
    ///
    /// All of `input` is taken unless the sink is full. After an error every call fails.
    fn decode(&mut self, input: &[u8], sink: &mut S) -> Result<usize>;

    /// The input is complete: delivers what its end implies, or fails if it ends too early.
    ///
    /// Does nothing while the sink is full; returns whether the stream is finished.
    fn finish(&mut self, sink: &mut S) -> Result<bool>;
}
