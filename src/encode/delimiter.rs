//! How frames lie in the bytes.

/// How frames lie in the bytes that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Each frame after its length: files and streams of bytes.
    #[default]
    Delimited,
    /// Frames as they are, one a message: the caller takes each before the next.
    Single,
}
