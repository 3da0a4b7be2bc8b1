//! The decoder as one of the push decoders.

use super::Decoder;
use super::dialect::{Dialect, DialectState};
use crate::error::{Error, Position, Result};
use crate::options::StreamOptions;
use crate::push::{Progress, Push, PushState};
use crate::sink::Sink;
use crate::warning::Warning;

impl<D: DialectState> PushState for Decoder<D> {
    fn consumed(&self) -> u64 {
        self.consumed()
    }

    fn progress(&self) -> Progress {
        Progress { frame: self.frames().checked_sub(1), rows: self.dialect.rows(), offset: self.offset() }
    }

    fn stream_options(&self) -> Option<StreamOptions> {
        self.dialect.stream_options()
    }

    fn metadata(&self) -> &[(String, Vec<u8>)] {
        self.metadata()
    }

    fn snapshot(&self) -> Result<Vec<u8>> {
        self.snapshot()
    }

    fn warnings(&self) -> Vec<Warning> {
        self.warnings()
    }

    fn position(&self) -> Position {
        Position { source: self.config.source.clone(), ..self.frames.row_position() }
    }

    fn fail(&mut self, error: Error) -> Error {
        self.fail(error)
    }
}

impl<S: Sink, D: Dialect<S>> Push<S> for Decoder<D> {
    fn decode(&mut self, input: &[u8], sink: &mut S) -> Result<usize> {
        self.decode(input, sink)
    }

    fn finish(&mut self, sink: &mut S) -> Result<bool> {
        self.finish(sink)
    }
}
