//! How frames lie in the bytes.

/// How frames lie in the bytes that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Each frame after its length: files and streams of bytes.
    #[default]
    Delimited,
    /// A frame as it is, a message of its own: before the next frame, the caller takes the message and says so
    /// with `end_message` of the encoder. Nothing would tell two frames apart.
    Single,
}
