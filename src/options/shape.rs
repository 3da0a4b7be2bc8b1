//! Types, choices and ranges of options.

use super::formats::Formats;

/// What an option can be.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Yes or no, and the default.
    Flag(Option<bool>),
    /// One of these words; the first is the default.
    Word(&'static [&'static str]),
    /// A name of the Jelly specification; empty: one of many. There is no default.
    Name(&'static [&'static str]),
    /// A format; `auto` is the default.
    Format(&'static Formats),
    /// A whole number.
    Number {
        /// Where nobody gives one.
        default: Option<i64>,
        /// The least.
        least: i64,
        /// The most.
        most: i64,
        /// Whether it counts bytes.
        is_bytes: bool,
    },
    /// Text.
    Text,
    /// Names of columns or sources.
    Names,
    /// State that this library made.
    Bytes,
    /// Labels and IRIs.
    Pairs,
    /// Labels and IRIs, or yes or no.
    PairsOrFlag,
    /// The number of a version or the id of its patch.
    Version,
    /// [`Limits`](crate::Limits).
    Limits,
    /// [`StreamOptions`](crate::options::StreamOptions).
    Stream,
}

impl Shape {
    /// The type, in a word.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Flag(_) => "flag",
            Shape::Word(_) => "word",
            Shape::Name(_) => "name",
            Shape::Format(_) => "format",
            Shape::Number { is_bytes: true, .. } => "bytes",
            Shape::Number { .. } => "number",
            Shape::Text => "text",
            Shape::Names => "names",
            Shape::Bytes => "state",
            Shape::Pairs => "pairs",
            Shape::PairsOrFlag => "pairs or flag",
            Shape::Version => "version",
            Shape::Limits => "limits",
            Shape::Stream => "stream",
        }
    }

    /// The words that can be given, where they are few.
    pub fn words(self) -> Vec<&'static str> {
        match self {
            Shape::Word(words) | Shape::Name(words) => words.to_vec(),
            Shape::Format(formats) => formats.words(),
            _ => Vec::new(),
        }
    }
}
