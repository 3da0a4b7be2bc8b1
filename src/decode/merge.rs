//! What protobuf calls merging: a message member that comes twice is one message.
//!
//! No writer does this, but every protobuf library reads it. So a row in which it happens is written
//! anew with its members merged, and then decoded as any other.

use crate::error::ErrorKind;
use crate::wire::{Cursor, Fault, LEN, write_varint};

/// The messages that hold messages; all others are leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    RdfRow,
    PatchRow,
    Statement,
    GraphStart,
    RdfNamespace,
    PatchNamespace,
    Header,
    Leaf,
}

impl Message {
    /// The oneof that a field belongs to, and the message it holds (`None`: a string).
    fn member(self, field: u32) -> Option<(u32, Option<Message>)> {
        use Message::{
            GraphStart, Header, Leaf, PatchNamespace, PatchRow, RdfNamespace, RdfRow, Statement,
        };
        Some(match (self, field) {
            (RdfRow, 2 | 3) | (PatchRow, 2 | 3) => (0, Some(Statement)),
            (RdfRow, 4) => (0, Some(GraphStart)),
            (RdfRow, 6) => (0, Some(RdfNamespace)),
            (PatchRow, 4 | 5) => (0, Some(PatchNamespace)),
            (PatchRow, 14) => (0, Some(Header)),
            (RdfRow, 1 | 5 | 9..=11) | (PatchRow, 1 | 6..=8 | 11..=13 | 15) => (0, Some(Leaf)),
            (Statement, 1..=12) => match (field - 1) % 4 {
                1 => ((field - 1) / 4, None),
                3 => ((field - 1) / 4, Some(Statement)),
                _ => ((field - 1) / 4, Some(Leaf)),
            },
            (Statement, 14) => (3, None),
            (Statement, 13 | 15 | 16) => (3, Some(Leaf)),
            (GraphStart, 2) => (0, None),
            (GraphStart, 1 | 3 | 4) => (0, Some(Leaf)),
            (RdfNamespace, 2) => (0, Some(Leaf)),
            (PatchNamespace, 2) => (0, Some(Leaf)),
            (PatchNamespace, 4) => (1, None),
            (PatchNamespace, 3 | 5 | 6) => (1, Some(Leaf)),
            (Header, 3) => (0, None),
            (Header, 2 | 4) => (0, Some(Leaf)),
            (Header, 5) => (0, Some(Statement)),
            _ => return None,
        })
    }
}

struct Part {
    oneof: u32,
    field: u32,
    message: Option<Message>,
    bytes: Vec<u8>,
}

/// Writes a message anew with its members merged, `nesting` deep at most.
#[cold]
pub(crate) fn merge(message: Message, bytes: &[u8], nesting: usize) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut parts: Vec<Part> = Vec::new();
    let mut cursor = Cursor::new(bytes);
    while !cursor.is_empty() {
        let at = cursor.rest;
        let key = cursor.key()?;
        let Some((oneof, child)) = message.member(key.field) else {
            cursor.skip(key, at, nesting)?;
            out.extend_from_slice(&at[..at.len() - cursor.rest.len()]);
            continue;
        };
        key.expect(LEN, at)?;
        let bytes = cursor.bytes()?;
        match parts.iter_mut().find(|part| part.oneof == oneof) {
            Some(part) if part.field == key.field && child.is_some() => {
                part.bytes.extend_from_slice(bytes);
            }
            found => {
                let part = Part {
                    oneof,
                    field: key.field,
                    message: child,
                    bytes: bytes.to_vec(),
                };
                match found {
                    Some(before) => *before = part,
                    None => parts.push(part),
                }
            }
        }
    }
    for Part {
        field,
        message,
        bytes,
        ..
    } in parts
    {
        let bytes = match message {
            None | Some(Message::Leaf) => bytes,
            Some(_) if nesting == 0 => {
                let message = "messages nest too deep to be merged";
                return Err(Fault::limit(
                    ErrorKind::LimitNesting,
                    "nesting",
                    &[],
                    message,
                ));
            }
            Some(message) => merge(message, &bytes, nesting - 1)?,
        };
        write_varint(&mut out, u64::from(field) << 3 | u64::from(LEN));
        write_varint(&mut out, bytes.len() as u64);
        out.extend_from_slice(&bytes);
    }
    Ok(out)
}
