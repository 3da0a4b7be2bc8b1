//! Messages as trees of fields, so that bytes can be changed where it matters.

use prost::encoding::{decode_varint, encode_varint};

/// The messages, as far as their fields differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    RdfFrame,
    PatchFrame,
    RdfRow,
    PatchRow,
    RdfOptions,
    PatchOptions,
    Triple,
    Quad,
    GraphStart,
    Namespace,
    PatchNamespace,
    Header,
    Iri,
    Literal,
    Entry,
    Empty,
}

/// What a known field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Of 32 bits: ids, sizes, enums.
    Number,
    Bool,
    Text,
    Message(Kind),
}

use Type::{Bool, Message, Number, Text};

const TERM: [Type; 4] = [Message(Kind::Iri), Text, Message(Kind::Literal), Message(Kind::Triple)];
const GRAPH: [Type; 4] = [Message(Kind::Iri), Text, Message(Kind::Empty), Message(Kind::Literal)];

impl Kind {
    #[expect(clippy::match_same_arms, reason = "a table, message by message")]
    pub fn field(self, number: u32) -> Option<Type> {
        let nth = |from: u32, types: [Type; 4]| Some(types[(number - from) as usize]);
        match (self, number) {
            (Kind::RdfFrame, 1) => Some(Message(Kind::RdfRow)),
            (Kind::PatchFrame, 1) => Some(Message(Kind::PatchRow)),
            (Kind::RdfRow, 1) => Some(Message(Kind::RdfOptions)),
            (Kind::RdfRow, 2) => Some(Message(Kind::Triple)),
            (Kind::RdfRow, 3) => Some(Message(Kind::Quad)),
            (Kind::RdfRow, 4) => Some(Message(Kind::GraphStart)),
            (Kind::RdfRow, 5) => Some(Message(Kind::Empty)),
            (Kind::RdfRow, 6) => Some(Message(Kind::Namespace)),
            (Kind::RdfRow, 9..=11) | (Kind::PatchRow, 11..=13) => Some(Message(Kind::Entry)),
            (Kind::PatchRow, 1) => Some(Message(Kind::PatchOptions)),
            (Kind::PatchRow, 2 | 3) => Some(Message(Kind::Quad)),
            (Kind::PatchRow, 4 | 5) => Some(Message(Kind::PatchNamespace)),
            (Kind::PatchRow, 6..=8 | 15) => Some(Message(Kind::Empty)),
            (Kind::PatchRow, 14) => Some(Message(Kind::Header)),
            (Kind::RdfOptions, 1) => Some(Text),
            (Kind::RdfOptions | Kind::PatchOptions, 3 | 4) => Some(Bool),
            (Kind::RdfOptions, 2 | 9..=11 | 14 | 15) => Some(Number),
            (Kind::PatchOptions, 1 | 2 | 9..=11 | 15) => Some(Number),
            (Kind::Triple | Kind::Quad, 1..=4) => nth(1, TERM),
            (Kind::Triple | Kind::Quad, 5..=8) => nth(5, TERM),
            (Kind::Triple | Kind::Quad, 9..=12) => nth(9, TERM),
            (Kind::Quad, 13..=16) => nth(13, GRAPH),
            (Kind::GraphStart, 1..=4) => nth(1, GRAPH),
            (Kind::Namespace | Kind::PatchNamespace, 1) => Some(Text),
            (Kind::Namespace | Kind::PatchNamespace, 2) => Some(Message(Kind::Iri)),
            (Kind::PatchNamespace, 3..=6) => nth(3, GRAPH),
            (Kind::Header, 1) => Some(Text),
            (Kind::Header, 2..=5) => nth(2, TERM),
            (Kind::Iri, 1 | 2) | (Kind::Entry, 1) | (Kind::Literal, 3) => Some(Number),
            (Kind::Entry, 2) | (Kind::Literal, 1 | 2) => Some(Text),
            _ => None,
        }
    }

    /// The fields of the oneof that a field is in.
    pub fn oneof(self, number: u32) -> Option<std::ops::RangeInclusive<u32>> {
        let members = match self {
            Kind::RdfRow | Kind::PatchRow => 1..=15,
            Kind::Quad if number > 12 => 13..=16,
            Kind::Triple | Kind::Quad => {
                let first = (number - 1) / 4 * 4 + 1;
                first..=first + 3
            }
            Kind::GraphStart => 1..=4,
            Kind::PatchNamespace => 3..=6,
            Kind::Header => 2..=5,
            Kind::Literal => 2..=3,
            _ => return None,
        };
        members.contains(&number).then_some(members)
    }
}

#[derive(Clone, Debug)]
pub struct Field {
    pub number: u32,
    pub value: Value,
    /// Needless bytes of the tag, and of the value or its length.
    pub padding: [usize; 2],
}

#[derive(Clone, Debug)]
pub enum Value {
    Varint(u64),
    Fixed64(u64),
    Bytes(Vec<u8>),
    Message(Kind, Vec<Field>),
    Group(Vec<Field>),
    Fixed32(u32),
}

impl Field {
    pub fn new(number: u32, value: Value) -> Self {
        Field { number, value, padding: [0, 0] }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let wire_type = match self.value {
            Value::Varint(_) => 0,
            Value::Fixed64(_) => 1,
            Value::Bytes(_) | Value::Message(..) => 2,
            Value::Group(_) => 3,
            Value::Fixed32(_) => 5,
        };
        write_varint(u64::from(self.number << 3 | wire_type), self.padding[0], out);
        match &self.value {
            Value::Varint(value) => write_varint(*value, self.padding[1], out),
            Value::Fixed64(value) => out.extend(value.to_le_bytes()),
            Value::Fixed32(value) => out.extend(value.to_le_bytes()),
            Value::Bytes(bytes) => {
                write_varint(bytes.len() as u64, self.padding[1], out);
                out.extend(bytes);
            }
            Value::Message(_, fields) => {
                let bytes = write(fields);
                write_varint(bytes.len() as u64, self.padding[1], out);
                out.extend(bytes);
            }
            Value::Group(fields) => {
                out.extend(write(fields));
                write_varint(u64::from(self.number << 3 | 4), 0, out);
            }
        }
    }
}

pub fn write(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    for field in fields {
        field.write(&mut out);
    }
    out
}

/// A varint with more bytes than it needs, but at most ten.
pub fn write_varint(value: u64, padding: usize, out: &mut Vec<u8>) {
    let start = out.len();
    encode_varint(value, out);
    let padding = padding.min(10 - (out.len() - start));
    if padding > 0 {
        *out.last_mut().expect("a byte") |= 0x80;
        out.extend(std::iter::repeat_n(0x80, padding - 1));
        out.push(0);
    }
}

/// A field of bytes, plainly written.
pub fn field(number: u32, bytes: &[u8]) -> Vec<u8> {
    write(&[Field::new(number, Value::Bytes(bytes.to_vec()))])
}

/// A well-formed message. Needless bytes are forgotten; a field that should be a message and is none
/// is bytes.
pub fn read(kind: Kind, mut bytes: &[u8]) -> Vec<Field> {
    read_until(kind, &mut bytes, None).expect("a well-formed message")
}

/// Up to the end of the group that is open, or of the bytes.
fn read_until(kind: Kind, bytes: &mut &[u8], group: Option<u32>) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = decode_varint(bytes).ok()?;
        let number = (tag >> 3) as u32;
        let value = match tag & 7 {
            0 => Value::Varint(decode_varint(bytes).ok()?),
            1 => Value::Fixed64(u64::from_le_bytes(take(bytes, 8)?.try_into().ok()?)),
            2 => {
                let length = decode_varint(bytes).ok()? as usize;
                let mut inner = take(bytes, length)?;
                let plain = Value::Bytes(inner.to_vec());
                match kind.field(number) {
                    Some(Type::Message(kind)) => read_until(kind, &mut inner, None)
                        .map_or(plain, |fields| Value::Message(kind, fields)),
                    _ => plain,
                }
            }
            3 => Value::Group(read_until(Kind::Empty, bytes, Some(number))?),
            4 if group == Some(number) => return Some(fields),
            5 => Value::Fixed32(u32::from_le_bytes(take(bytes, 4)?.try_into().ok()?)),
            _ => return None,
        };
        fields.push(Field::new(number, value));
    }
    group.is_none().then_some(fields)
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}
