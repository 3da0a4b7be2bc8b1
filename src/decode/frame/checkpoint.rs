//! Where a frame reader stands, to go on from elsewhere.

use super::{FrameReader, State};
use crate::decode::Framing;

/// Where in the framing a checkpoint lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FramePlace {
    /// Before the first byte.
    Start,
    /// Before the length of a frame.
    Between,
    /// Inside a frame with so many bytes left; `None`: it ends with the input.
    Inside(Option<u64>),
}

impl FrameReader {
    /// State at a row boundary: (frames, rows, offset, bytes left in the frame if inside one).
    pub(in crate::decode) fn checkpoint(&self) -> Option<(u64, u64, u64, FramePlace)> {
        let place = match (self.state, self.left) {
            (State::Detect, _) if self.frames == 0 => FramePlace::Start,
            (State::Detect, _) => FramePlace::Between,
            (State::Length, _) => FramePlace::Between,
            (State::Field, Some(left)) if self.groups.is_empty() => FramePlace::Inside(Some(left)),
            (State::Field, None) if self.groups.is_empty() => FramePlace::Inside(None),
            _ => return None,
        };
        Some((self.frames, self.rows, self.offset(), place))
    }

    /// Goes on from a checkpoint.
    pub(in crate::decode) fn resume(&mut self, frames: u64, rows: u64, offset: u64, place: FramePlace) {
        (self.frames, self.rows, self.offset) = (frames, rows, offset);
        match place {
            FramePlace::Start => return,
            // a message of its own follows, without a length
            FramePlace::Between if self.framing == Framing::Single => self.state = State::Detect,
            FramePlace::Between => (self.state, self.left) = (State::Length, Some(0)),
            FramePlace::Inside(left) => (self.state, self.left) = (State::Field, left),
        }
        if self.framing == Framing::Auto {
            self.framing = if self.left.is_none() { Framing::Single } else { Framing::Delimited };
        }
    }
}
