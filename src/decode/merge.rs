//! Merging as defined by protobuf: a message member that occurs twice is one message, and the last member of
//! a oneof replaces the previous ones.
//!
//! No writer does this, but every protobuf library reads it. Such a row is therefore written again with its
//! members merged, and then decoded like any other row. The form of replaced members is checked; they are
//! then dropped.

use super::literal::utf8;
use crate::error::ErrorKind;
use crate::limits::Limits;
use crate::wire::{Cursor, Fault, LEN, VARINT, write_varint};

/// The messages of both formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    RdfRow,
    PatchRow,
    Options,
    PatchOptions,
    Triple,
    Quad,
    GraphStart,
    Empty,
    RdfNamespace,
    PatchNamespace,
    Header,
    Entry,
    Iri,
    Literal,
}

/// The content of a field. Members of one oneof have the same number; a message outside a oneof has its own
/// number.
#[derive(Clone, Copy)]
enum Shape {
    Message(u32, Message),
    TextMember(u32),
    Text,
    Varint,
}

impl Message {
    fn field(self, field: u32) -> Option<Shape> {
        use Message::{
            Empty, Entry, GraphStart, Header, Iri, Literal, Options, PatchNamespace, PatchOptions, PatchRow,
            Quad, RdfNamespace, RdfRow, Triple,
        };
        use Shape::{Text, TextMember, Varint};
        let member = |oneof, message| Shape::Message(oneof, message);
        Some(match (self, field) {
            (RdfRow, 1) => member(0, Options),
            (RdfRow, 2) | (Header, 5) => member(0, Triple),
            (RdfRow, 3) | (PatchRow, 2 | 3) => member(0, Quad),
            (RdfRow, 4) => member(0, GraphStart),
            (RdfRow, 5) | (PatchRow, 6..=8 | 15) | (GraphStart, 3) => member(0, Empty),
            (RdfRow, 6) => member(0, RdfNamespace),
            (RdfRow, 9..=11) | (PatchRow, 11..=13) => member(0, Entry),
            (PatchRow, 1) => member(0, PatchOptions),
            (PatchRow, 4 | 5) => member(0, PatchNamespace),
            (PatchRow, 14) => member(0, Header),
            (Triple | Quad, 1..=12) => match ((field - 1) / 4, (field - 1) % 4) {
                (place, 0) => member(place, Iri),
                (place, 1) => TextMember(place),
                (place, 2) => member(place, Literal),
                (place, _) => member(place, Triple),
            },
            (Quad, 13) => member(3, Iri),
            (Quad, 14) => TextMember(3),
            (Quad, 15) => member(3, Empty),
            (Quad, 16) => member(3, Literal),
            (GraphStart, 1) | (RdfNamespace | PatchNamespace | Header, 2) => member(0, Iri),
            (GraphStart, 2) | (Header, 3) => TextMember(0),
            (GraphStart | Header, 4) => member(0, Literal),
            (PatchNamespace, 3) => member(1, Iri),
            (PatchNamespace, 4) => TextMember(1),
            (PatchNamespace, 5) => member(1, Empty),
            (PatchNamespace, 6) => member(1, Literal),
            (Options | RdfNamespace | PatchNamespace | Header | Literal, 1) => Text,
            (Entry | Literal, 2) => Text,
            (PatchOptions | Entry | Iri, 1) | (Iri, 2) | (Literal, 3) => Varint,
            (Options | PatchOptions, 2..=4 | 9..=11 | 15) | (Options, 14) => Varint,
            _ => return None,
        })
    }
}

struct Part {
    oneof: u32,
    field: u32,
    message: Option<Message>,
    bytes: Vec<u8>,
    checked: bool,
}

/// Each level of messages holds a copy of its content, so a row to be merged must be this many times smaller
/// than other rows.
const LEVELS: usize = 64;

/// Writes a row again with its members merged, within the nesting limits for messages and groups.
#[cold]
pub(crate) fn merge(row: Message, bytes: &[u8], limits: &Limits) -> Result<Vec<u8>, Fault> {
    let (nesting, most) = (limits.nesting, limits.row_bytes / LEVELS);
    if bytes.len() > most {
        let message = format!(
            "a row of {} bytes has repeated fields; the limit for such rows is {most} bytes",
            bytes.len()
        );
        return Err(Fault::limit(ErrorKind::LimitRow, "row_bytes", bytes, message));
    }
    // the limit counts triples: a row and its statement are around them, an IRI or literal is inside
    merge_message(row, bytes, nesting + 3, nesting)
}

fn merge_message(message: Message, bytes: &[u8], depth: usize, nesting: usize) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    let mut cursor = Cursor::new(bytes);
    while let Some((key, at)) = cursor.next_key()? {
        let (oneof, child) = match message.field(key.field) {
            Some(Shape::Message(oneof, child)) => (oneof, Some(child)),
            Some(Shape::TextMember(oneof)) => (oneof, None),
            _ => {
                cursor.skip(key, at, nesting)?;
                out.extend_from_slice(&at[..at.len() - cursor.rest.len()]);
                continue;
            }
        };
        let bytes = cursor.bytes_of(key, at)?;
        let mut part =
            Part { oneof, field: key.field, message: child, bytes: bytes.to_vec(), checked: false };
        let Some(before) = parts.iter_mut().find(|before| before.oneof == oneof) else {
            parts.push(part);
            continue;
        };
        // each must be a complete message: two halves are not
        if !before.checked {
            check(before.message, &before.bytes, depth, nesting)?;
        }
        check(part.message, &part.bytes, depth, nesting)?;
        part.checked = true;
        if before.field == part.field && child.is_some() {
            before.bytes.append(&mut part.bytes);
            before.checked = true;
        } else {
            *before = part;
        }
    }
    for Part { field, message, bytes, .. } in parts {
        let bytes = match message {
            None => bytes,
            Some(message) => merge_message(message, &bytes, deeper(depth)?, nesting)?,
        };
        write_varint(&mut out, u64::from(field) << 3 | u64::from(LEN));
        write_varint(&mut out, bytes.len() as u64);
        out.extend_from_slice(&bytes);
    }
    Ok(out)
}

fn deeper(depth: usize) -> Result<usize, Fault> {
    depth.checked_sub(1).ok_or_else(|| {
        let message = "messages nest too deep to be merged";
        Fault::limit(ErrorKind::LimitNesting, "nesting", &[], message)
    })
}

/// Checks the form of a message or string that is then dropped.
fn check(message: Option<Message>, bytes: &[u8], depth: usize, nesting: usize) -> Result<(), Fault> {
    let mut open = vec![(message, bytes, depth)];
    while let Some((message, bytes, depth)) = open.pop() {
        let Some(message) = message else {
            utf8(bytes, bytes)?;
            continue;
        };
        let mut cursor = Cursor::new(bytes);
        while let Some((key, at)) = cursor.next_key()? {
            match message.field(key.field) {
                Some(Shape::Varint) => {
                    key.expect(VARINT, at)?;
                    cursor.varint()?;
                }
                Some(shape) => {
                    key.expect(LEN, at)?;
                    let child = match shape {
                        Shape::Message(_, child) => Some(child),
                        _ => None,
                    };
                    open.push((child, cursor.bytes()?, deeper(depth)?));
                }
                None => cursor.skip(key, at, nesting)?,
            }
        }
    }
    Ok(())
}
