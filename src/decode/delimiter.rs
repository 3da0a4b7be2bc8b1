//! The delimiters of frames in a stream of bytes.

use crate::wire::{Varint, read_varint};

/// How frames are delimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Detected from the first three bytes; not reliable for files of a few bytes.
    #[default]
    Auto,
    /// Each frame follows its length.
    Delimited,
    /// One frame without a length.
    Single,
    /// Delimited; every options row begins a new stream.
    Concatenated,
}

impl Framing {
    /// The name used in options.
    pub fn name(self) -> &'static str {
        match self {
            Framing::Auto => "auto",
            Framing::Delimited => "delimited",
            Framing::Single => "single",
            Framing::Concatenated => "concatenated",
        }
    }
}

/// Detects delimited or single framing from the start of the input, as Jelly-JVM and pyjelly do.
///
/// `0A` is the tag of a row and also the length 10, so up to three bytes are checked. `None`: more bytes are
/// needed; at the end of the input, pass `at_end`.
pub(crate) fn detect(start: &[u8], at_end: bool) -> Option<Framing> {
    match *start {
        [first, ..] if first != 0x0a => Some(Framing::Delimited),
        [_, second, ..] if second != 0x0a => Some(Framing::Single),
        [_, _, third, ..] if third != 0x0a => Some(Framing::Delimited),
        [_, _, _, ..] => Some(Framing::Single),
        [] if at_end => Some(Framing::Delimited),
        _ => at_end.then_some(Framing::Single),
    }
}

/// Reads the length of a frame at the start of `bytes`.
pub(crate) fn frame_length(bytes: &[u8]) -> Varint {
    read_varint(bytes)
}
