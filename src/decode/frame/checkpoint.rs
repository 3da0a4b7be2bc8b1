//! The place of a frame reader, from which another reader can continue.

use super::{FrameReader, State};
use crate::decode::Framing;

/// The place of a checkpoint in the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FramePlace {
    /// Before the first byte.
    Start,
    /// Before the length of a frame.
    Between,
    /// Inside a frame with this many bytes left; `None`: the frame ends with the input.
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

    /// Continues from a checkpoint.
    pub(in crate::decode) fn resume(&mut self, frames: u64, rows: u64, offset: u64, place: FramePlace) {
        (self.frames, self.rows, self.offset) = (frames, rows, offset);
        match place {
            FramePlace::Start => return,
            // another message without a length follows
            FramePlace::Between if self.framing == Framing::Single => self.state = State::Detect,
            FramePlace::Between => (self.state, self.left) = (State::Length, Some(0)),
            FramePlace::Inside(left) => (self.state, self.left) = (State::Field, left),
        }
        if self.framing == Framing::Auto {
            self.framing = if self.left.is_none() { Framing::Single } else { Framing::Delimited };
        }
    }
}
