//! What a stream is, by its first bytes.

use crate::decode::Framing;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::MAX_NESTING;
use crate::wire::{Cursor, Fault, LEN, VARINT};

/// What the start of a stream looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// No bytes at all.
    Empty,
    /// Jelly-RDF.
    JellyRdf,
    /// Jelly-Patch.
    JellyPatch,
    /// Something with a name, that is not Jelly.
    Other(&'static str),
    /// Nothing that can be told.
    Unknown,
}

impl Content {
    /// The name of a format.
    fn name(self) -> &'static str {
        match self {
            Content::JellyRdf => "Jelly-RDF",
            Content::JellyPatch => "Jelly-Patch",
            Content::Other(name) => name,
            Content::Empty => "nothing",
            Content::Unknown => "an unknown format",
        }
    }
}

/// Tells by the options row, which comes first; field 1 of the options is a varint in Jelly-Patch only.
pub fn sniff(start: &[u8], framing: Framing) -> Content {
    if start.is_empty() {
        return Content::Empty;
    }
    options_row(start, framing).or_else(|| known_magic(start)).unwrap_or(Content::Unknown)
}

/// Refuses a start that is certainly something else than `wanted`.
pub fn expect(start: &[u8], framing: Framing, wanted: Content) -> Result<()> {
    let found = sniff(start, framing);
    let (kind, message) = match (found, wanted) {
        (Content::JellyPatch, Content::JellyRdf) => {
            (ErrorKind::OptionsFormat, "this is Jelly-Patch, not Jelly-RDF: read it as patches".to_owned())
        }
        (Content::JellyRdf, Content::JellyPatch) => {
            (ErrorKind::OptionsFormat, "this is Jelly-RDF, not Jelly-Patch: read it as RDF".to_owned())
        }
        (Content::Other(name), _) => {
            (ErrorKind::WireFormat, format!("this looks like {name}, not {}", wanted.name()))
        }
        _ => return Ok(()),
    };
    Err(Error::new(kind, message))
}

/// Finds the first row, if it lies whole in `start` and holds options.
fn options_row(start: &[u8], framing: Framing) -> Option<Content> {
    let framing = match framing {
        Framing::Auto => crate::decode::detect(start, true)?,
        told => told,
    };
    if framing == Framing::Single {
        return options_content(first_row(start).ok()??);
    }
    let mut rest = Cursor::new(start);
    loop {
        let length = rest.varint().ok()?;
        let length = usize::try_from(length).ok()?.min(rest.rest.len());
        let (frame, after) = rest.rest.split_at(length);
        match first_row(frame).ok()? {
            Some(row) => return options_content(row),
            // frames without rows may come first
            None => rest = Cursor::new(after),
        }
    }
}

/// The first row of a frame; metadata and unknown fields may come before it.
fn first_row(frame: &[u8]) -> std::result::Result<Option<&[u8]>, Fault> {
    let mut cursor = Cursor::new(frame);
    while !cursor.is_empty() {
        let at = cursor.rest;
        let key = cursor.key()?;
        if key.field == 1 {
            key.expect(LEN, at)?;
            return cursor.bytes().map(Some);
        }
        cursor.skip(key, at, MAX_NESTING)?;
    }
    Ok(None)
}

/// Which format the options in a row are of.
fn options_content(row: &[u8]) -> Option<Content> {
    let mut row = Cursor::new(row);
    let key = row.key().ok()?;
    if key.field != 1 || key.wire != LEN {
        return None;
    }
    let mut cursor = Cursor::new(row.bytes().ok()?);
    while !cursor.is_empty() {
        let at = cursor.rest;
        let key = cursor.key().ok()?;
        if key.field == 1 {
            return match key.wire {
                VARINT => Some(Content::JellyPatch),
                LEN => Some(Content::JellyRdf),
                _ => None,
            };
        }
        cursor.skip(key, at, MAX_NESTING).ok()?;
    }
    Some(Content::JellyRdf)
}

fn known_magic(start: &[u8]) -> Option<Content> {
    let magics: [(&[u8], &str); 6] = [
        (b"PAR1", "Parquet"),
        (b"ARROW1", "an Arrow file"),
        (b"\x1f\x8b", "gzip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"PK\x03\x04", "zip"),
        (b"<?xml", "XML"),
    ];
    if let Some((_, name)) = magics.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(Content::Other(name));
    }
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let line = text.split(|&byte| byte == b'\n').find(|line| !line.is_empty() && line[0] != b'#')?;
    let word = line.split(u8::is_ascii_whitespace).next()?;
    match word {
        b"H" | b"TX" | b"PA" | b"PD" | b"A" | b"D" | b"TC" | b"TA" => Some(Content::Other("RDF Patch text")),
        b"@prefix" | b"PREFIX" | b"@base" | b"BASE" => Some(Content::Other("Turtle or TriG")),
        [b'<', ..] | [b'_', b':', ..] => Some(Content::Other("N-Triples, N-Quads or Turtle")),
        [b'{' | b'[', ..] => Some(Content::Other("JSON")),
        _ => None,
    }
}
