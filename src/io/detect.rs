//! Detects the content of a stream from its first bytes.

use crate::decode::Framing;
use crate::error::{Error, ErrorKind, Result};
use crate::format::{PatchFormat, RdfFormat};
use crate::limits::MAX_NESTING;
use crate::wire::{Cursor, Fault, LEN, VARINT};

use super::source::PEEK;

/// The content that the start of a stream suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// No bytes at all.
    Empty,
    /// Jelly-RDF.
    JellyRdf,
    /// Jelly-Patch.
    JellyPatch,
    /// RDF Patch text.
    RdfPatch,
    /// RDF Patch Thrift.
    Thrift,
    /// Statements or terms at the start of lines: N-Triples, N-Quads, or Turtle without prefixes.
    Lines,
    /// Prefixes or a base: Turtle or `TriG`.
    Turtle,
    /// XML.
    Xml,
    /// JSON.
    Json,
    /// Another format, with its name.
    Other(&'static str),
    /// Text in an unknown format.
    Text,
    /// Undetected content.
    Unknown,
}

impl Content {
    /// The name of a format.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Content::JellyRdf => "Jelly-RDF",
            Content::JellyPatch => "Jelly-Patch",
            Content::RdfPatch => "RDF Patch text",
            Content::Thrift => "RDF Patch Thrift",
            Content::Lines => "N-Triples, N-Quads or Turtle",
            Content::Turtle => "Turtle or TriG",
            Content::Xml => "XML",
            Content::Json => "JSON",
            Content::Other(name) => name,
            Content::Empty => "nothing",
            Content::Text => "text in an unknown format",
            Content::Unknown => "an unknown format",
        }
    }
}

/// Detects the content from the options row, which comes first; field 1 of the options is a varint only in
/// Jelly-Patch.
pub fn sniff(start: &[u8], framing: Framing) -> Content {
    if start.is_empty() {
        return Content::Empty;
    }
    if is_thrift(start) {
        return Content::Thrift;
    }
    let found = options_row(start, framing).or_else(|| known_magic(start));
    found.unwrap_or(if is_text(start) { Content::Text } else { Content::Unknown })
}

/// The format of the statements in a stream, by its content and then by its name.
pub fn rdf_format(content: Content, name: Option<&str>) -> Result<RdfFormat> {
    let named = name.and_then(RdfFormat::of_file);
    let text = named.filter(|&format| format != RdfFormat::Jelly);
    Ok(match content {
        Content::JellyRdf => RdfFormat::Jelly,
        Content::JellyPatch => {
            let message = "this is Jelly-Patch, not Jelly-RDF: found a patch, expected a dataset; apply the patch, or check the order of the sources";
            return Err(Error::new(ErrorKind::OptionsFormat, message));
        }
        Content::RdfPatch | Content::Thrift => {
            let message = format!(
                "this looks like {}, not RDF: found a patch, expected a dataset; apply the patch, or check the order of the sources",
                content.name()
            );
            return Err(Error::new(ErrorKind::OptionsFormat, message));
        }
        Content::Lines => text.unwrap_or(RdfFormat::NQuads),
        Content::Turtle | Content::Json if matches!(text, Some(RdfFormat::NTriples | RdfFormat::NQuads)) => {
            let message = format!(
                "this looks like {}, but its name says N-Triples or N-Quads; set the format with format= (in a shell: --from, or an option such as --base-format)",
                content.name()
            );
            return Err(Error::new(ErrorKind::WireFormat, message));
        }
        Content::Turtle => text.unwrap_or(RdfFormat::TriG),
        Content::Xml => text.unwrap_or(RdfFormat::RdfXml),
        Content::Json => text.unwrap_or(RdfFormat::JsonLd),
        Content::Other(name) => return Err(no_format(name, "RDF")),
        Content::Text => text.ok_or_else(unknown_text)?,
        Content::Empty | Content::Unknown => named.unwrap_or(RdfFormat::Jelly),
    })
}

/// The format of the patches in a stream, by its content and then by its name.
pub fn patch_format(content: Content, name: Option<&str>) -> Result<PatchFormat> {
    let named = name.and_then(PatchFormat::of_file);
    Ok(match content {
        Content::JellyPatch => PatchFormat::Jelly,
        Content::JellyRdf => {
            let message =
                "this is Jelly-RDF, not Jelly-Patch: the source has statements, but a patch is expected here";
            return Err(Error::new(ErrorKind::OptionsFormat, message));
        }
        Content::RdfPatch => PatchFormat::RdfPatch,
        Content::Thrift => PatchFormat::Thrift,
        other @ (Content::Lines | Content::Turtle | Content::Xml | Content::Json | Content::Other(_)) => {
            return Err(no_format(other.name(), "patches"));
        }
        Content::Text => named.filter(|&format| format == PatchFormat::RdfPatch).ok_or_else(unknown_text)?,
        Content::Empty | Content::Unknown => named.unwrap_or(PatchFormat::Jelly),
    })
}

/// Whether a stream holds patches, by its content and then by its name.
pub fn is_patch(content: Content, name: Option<&str>) -> bool {
    match content {
        Content::JellyPatch | Content::RdfPatch | Content::Thrift => true,
        Content::Empty | Content::Text | Content::Unknown => name.and_then(PatchFormat::of_file).is_some(),
        _ => false,
    }
}

fn no_format(found: &str, wanted: &str) -> Error {
    Error::new(ErrorKind::WireFormat, format!("this looks like {found}, not {wanted}"))
}

fn unknown_text() -> Error {
    let message = "this is text, but its format cannot be detected; set it with format= (in a shell: --from, or an option such as --base-format)";
    Error::new(ErrorKind::WireFormat, message)
}

/// Whether the bytes are text: Jelly and Thrift begin with bytes that text does not contain.
fn is_text(start: &[u8]) -> bool {
    let start = &start[..start.len().min(512)];
    start.len() >= 16 && start.iter().all(|&byte| byte >= b' ' && byte != 0x7f || b"\t\n\r".contains(&byte))
}

/// Whether the first bytes are sufficient, so that a slow source need not deliver more.
pub(super) fn is_certain(content: Content, start: &[u8]) -> bool {
    match content {
        Content::JellyRdf | Content::JellyPatch | Content::Thrift => true,
        // a part of an options row may look like anything, even text, but not like a line with its dot
        Content::RdfPatch | Content::Lines | Content::Turtle => first_line(start).is_some_and(|line| {
            let is_text = |&b: &u8| b >= b' ' || b == b'\t';
            line.len() >= 4
                && line.trim_ascii_end().ends_with(b".")
                && line.trim_ascii_end().iter().all(is_text)
        }),
        _ => false,
    }
}

/// The first line that is not a comment, if it is complete.
fn first_line(start: &[u8]) -> Option<&[u8]> {
    let (lines, _) = start.split_at(memchr::memrchr(b'\n', start)?);
    lines.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty() && line[0] != b'#')
}

/// Finds the first row, if it holds options and is complete in `start`, or is longer than the bytes read
/// ahead.
fn options_row(start: &[u8], framing: Framing) -> Option<Content> {
    let framing = match framing {
        Framing::Auto => crate::decode::detect(start, true)?,
        detected => detected,
    };
    if framing == Framing::Single {
        return options_content(first_row(start, start.len()).ok()??);
    }
    let mut rest = Cursor::new(start);
    loop {
        let length = rest.varint().ok()?;
        let length = usize::try_from(length).ok()?.min(rest.rest.len());
        let (frame, after) = rest.rest.split_at(length);
        match first_row(frame, start.len()).ok()? {
            Some(row) => return options_content(row),
            // frames without rows may come first
            None => rest = Cursor::new(after),
        }
    }
}

/// The first row of a frame; metadata and unknown fields may precede it.
///
/// A row that is longer than the `ahead` bytes that were read ahead is returned as far as it is available.
fn first_row(frame: &[u8], ahead: usize) -> std::result::Result<Option<&[u8]>, Fault> {
    let mut cursor = Cursor::new(frame);
    while let Some((key, at)) = cursor.next_key()? {
        if key.field == 1 {
            key.expect(LEN, at)?;
            return bytes_or_start(&mut cursor, ahead).map(Some);
        }
        cursor.skip(key, at, MAX_NESTING)?;
    }
    Ok(None)
}

fn bytes_or_start<'a>(cursor: &mut Cursor<'a>, ahead: usize) -> std::result::Result<&'a [u8], Fault> {
    let mut start = Cursor::new(cursor.rest);
    cursor.bytes().or_else(|fault| match start.varint() {
        // text has no such length
        Ok(_) if ahead >= PEEK => Ok(start.rest),
        _ => Err(fault),
    })
}

/// The format of the options in a row. Unknown fields are ignored, and options in several pieces are merged.
fn options_content(row: &[u8]) -> Option<Content> {
    let mut row = Cursor::new(row);
    let mut has_options = false;
    while let Some((key, at)) = row.next_key().ok()? {
        match key.field {
            1 if key.wire == LEN => {
                has_options = true;
                let mut cursor = Cursor::new(bytes_or_start(&mut row, PEEK).ok()?);
                while let Some((key, at)) = cursor.next_key().ok()? {
                    if key.field == 1 {
                        return match key.wire {
                            VARINT => Some(Content::JellyPatch),
                            LEN => Some(Content::JellyRdf),
                            _ => None,
                        };
                    }
                    cursor.skip(key, at, MAX_NESTING).ok()?;
                }
            }
            1..=15 => return None,
            _ => row.skip(key, at, MAX_NESTING).ok()?,
        }
    }
    has_options.then_some(Content::JellyRdf)
}

/// Whether the first row is in RDF Patch Thrift: a member of the union, then its first field.
///
/// No frame of Jelly begins with the second byte of one of these, because its rows have field 1 and its
/// metadata has field 15.
fn is_thrift(start: &[u8]) -> bool {
    // fields of the compact protocol: 16 times the step of the id, and the type (5 is a number, 8 a string, 12 a struct)
    match start {
        [0x1c, name, ..] => *name == 0x18,
        [0x2c | 0x3c, subject, ..] => *subject == 0x1c,
        [0x4c | 0x5c, graph_or_name, ..] => matches!(graph_or_name, 0x1c | 0x28),
        [0x65, 0 | 2 | 4 | 6, 0, ..] => true,
        _ => false,
    }
}

fn known_magic(start: &[u8]) -> Option<Content> {
    let magics: [(&[u8], &str); 7] = [
        (b"PAR1", "Parquet"),
        (b"ARROW1", "an Arrow file"),
        (b"\x1f\x8b", "gzip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"BZh", "bzip2"),
        (b"\xfd7zXZ\0", "xz"),
        (b"PK\x03\x04", "zip"),
    ];
    if let Some((_, name)) = magics.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(Content::Other(name));
    }
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let mut lines = text.split(|&byte| byte == b'\n').map(|line| line.trim_ascii());
    let line = lines.find(|line| !line.is_empty() && line[0] != b'#')?;
    let end = line.iter().position(|&b| matches!(b, b' ' | b'\t')).unwrap_or(line.len());
    let word = &line[..end];
    let word = word.strip_suffix(b".").unwrap_or(word);
    match word {
        b"H" | b"TX" | b"TB" | b"PA" | b"PD" | b"A" | b"D" | b"TC" | b"TA" | b"Z" => Some(Content::RdfPatch),
        b"@prefix" | b"PREFIX" | b"@base" | b"BASE" | b"prefix" | b"base" => Some(Content::Turtle),
        [b'<', b'?' | b'!', ..] | [b'<', b'r', b'd', b'f', b':', b'R', ..] => Some(Content::Xml),
        [b'<', ..] | [b'_', b':', ..] => Some(Content::Lines),
        [b'{' | b'[', ..] => Some(Content::Json),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_in_pieces_behind_unknown_fields_or_long() {
        let field = |field: u32, payload: &[u8]| {
            let mut out = Vec::new();
            crate::wire::write_varint(&mut out, u64::from(field << 3 | 2));
            crate::wire::write_varint(&mut out, payload.len() as u64);
            [out, payload.to_vec()].concat()
        };
        let stream = |row: &[u8]| {
            let row = field(1, row);
            let mut out = Vec::new();
            crate::wire::write_varint(&mut out, row.len() as u64);
            let mut whole = [out, row].concat();
            whole.truncate(PEEK);
            sniff(&whole, Framing::Auto)
        };
        let (patch, rdf) = ([8, 2, 16, 3], [16, 1, 72, 16]);
        let unknown = field(60, b"more");
        assert_eq!(stream(&[&unknown[..], &field(1, &patch)].concat()), Content::JellyPatch);
        assert_eq!(stream(&[&unknown[..], &field(1, &rdf)].concat()), Content::JellyRdf);
        assert_eq!(stream(&[field(1, &[72, 16]), field(1, &patch)].concat()), Content::JellyPatch);
        let long = field(60, &vec![b'x'; 2 * PEEK]);
        assert_eq!(stream(&field(1, &[&patch[..], &long].concat())), Content::JellyPatch);
        assert_eq!(stream(&field(1, &field(1, &vec![b'n'; 2 * PEEK]))), Content::JellyRdf);
        assert_eq!(stream(&unknown), Content::Unknown);
        assert_eq!(stream(&field(2, &patch)), Content::Unknown);
    }

    #[test]
    fn the_first_token_then_the_name() {
        let rdf = |text: &str, name: &str| rdf_format(sniff(text.as_bytes(), Framing::Auto), Some(name)).ok();
        for (text, name, format) in [
            ("<a> <b> <c> .\n", "", Some(RdfFormat::NQuads)),
            ("<a> <b> <c> .\n", "x.ttl.gz", Some(RdfFormat::Turtle)),
            ("\u{feff}# hi\r\n\r\n _:b <b> <c> .", "x.nt", Some(RdfFormat::NTriples)),
            ("@prefix a: <b> .", "x", Some(RdfFormat::TriG)),
            ("@prefix a: <b> .", "x.nq.gz", None),
            ("{\"@id\": 1}", "x.nt", None),
            ("@prefix a: <b> .", "x.jelly", Some(RdfFormat::TriG)),
            ("PREFIX a: <b>", "x.ttl", Some(RdfFormat::Turtle)),
            ("<?xml version='1.0'?>", "x", Some(RdfFormat::RdfXml)),
            ("<rdf:RDF xmlns", "x", Some(RdfFormat::RdfXml)),
            ("{\"@id\": 1}", "x", Some(RdfFormat::JsonLd)),
            ("# only a comment", "x.nq", Some(RdfFormat::NQuads)),
            ("", "x.nq", Some(RdfFormat::NQuads)),
            ("", "x", Some(RdfFormat::Jelly)),
            ("what", "x", Some(RdfFormat::Jelly)),
            ("Dear all, this is a letter.", "x.docx", None),
            ("Dear all, this is a letter.", "x", None),
            ("Dear all, this is a letter.", "x.jelly", None),
            ("Dear all, this is a letter.", "x.ttl", Some(RdfFormat::Turtle)),
            ("TX .\n", "x.nq", None),
            ("PAR1", "x.nq", None),
        ] {
            assert_eq!(rdf(text, name), format, "{text:?} {name}");
        }
        let patch =
            |text: &str, name: &str| patch_format(sniff(text.as_bytes(), Framing::Auto), Some(name)).ok();
        for (text, name, format) in [
            ("# hi\nH id <x> .\n", "", Some(PatchFormat::RdfPatch)),
            ("TX.\nTC.", "x.trp", Some(PatchFormat::RdfPatch)),
            ("\x1c\x18\x02id", "x", Some(PatchFormat::Thrift)),
            ("<\x1c\x1c\x18\x03a:s", "x.rdfp", Some(PatchFormat::Thrift)),
            (",\x1c,\x18\x01b", "", Some(PatchFormat::Thrift)),
            ("e\0\0", "x.jelly", Some(PatchFormat::Thrift)),
            ("L\x28\x01a", "x", Some(PatchFormat::Thrift)),
            ("\x5c\x1c\x1c", "x", Some(PatchFormat::Thrift)),
            ("", "x.rdfp.gz", Some(PatchFormat::RdfPatch)),
            ("", "x", Some(PatchFormat::Jelly)),
            ("<a> <b> <c> .", "x.rdfp", None),
            ("Dear all, this is a letter.", "x", None),
            ("Dear all, this is a letter.", "x.rdfp", Some(PatchFormat::RdfPatch)),
        ] {
            assert_eq!(patch(text, name), format, "{text:?} {name}");
        }
    }

    #[test]
    fn a_line_with_its_dot_is_enough() {
        for (start, certain) in [
            ("TX .\n", true),
            ("A <a> <b> <c> .\nA", true),
            ("# c\n<a> <b> <c> .\r\n", true),
            ("A <a> <b> <c> .", false),
            ("A\n\n\n", false),
            ("# c\n", false),
        ] {
            let content = sniff(start.as_bytes(), Framing::Auto);
            assert_eq!(is_certain(content, start.as_bytes()), certain, "{start:?}");
        }
    }
}
