//! The delimiters of frames.

/// How frames are delimited in the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Each frame follows its length: for files and streams of bytes.
    #[default]
    Delimited,
    /// Each frame is a separate message without a length. Before the next frame, the caller takes the message
    /// and calls `end_message` of the encoder, because nothing separates two frames.
    Single,
}
