//! The same message in other bytes, by the rules of protobuf: a decoder must read it alike.

use super::super::wire::{self, Field, Kind, Type, Value};
use super::rng::Rng;
use super::strings;

/// A row, as a field of its frame.
pub fn row(rng: &mut Rng, kind: Kind, bytes: &[u8]) -> Vec<u8> {
    let mut fields = wire::read(kind, bytes);
    message(rng, kind, &mut fields);
    let mut field = Field::new(1, Value::Message(kind, fields));
    pad(rng, &mut field);
    wire::write(&[field])
}

/// A field that the message does not know.
pub fn unknown(rng: &mut Rng, kind: Kind) -> Vec<u8> {
    wire::write(&[unknown_field(rng, kind, 3)])
}

fn message(rng: &mut Rng, kind: Kind, fields: &mut Vec<Field>) {
    for field in &mut *fields {
        match &mut field.value {
            Value::Message(kind, inner) => message(rng, *kind, inner),
            Value::Varint(value) => number(rng, kind, field.number, value),
            _ => {}
        }
        pad(rng, field);
    }
    if rng.percent(30) {
        rng.shuffle(fields);
    }
    if rng.percent(20) {
        split(rng, fields);
    }
    if rng.percent(15) {
        defaults(rng, kind, fields);
    }
    if rng.percent(15) {
        replaced(rng, kind, fields);
    }
    while rng.percent(10) {
        let at = rng.below(fields.len() + 1);
        fields.insert(at, unknown_field(rng, kind, 3));
    }
}

/// Bits above those of the type do not count; any bit makes a bool true.
fn number(rng: &mut Rng, kind: Kind, field: u32, value: &mut u64) {
    if !rng.percent(10) {
        return;
    }
    match kind.field(field) {
        Some(Type::Bool) if *value != 0 => *value = *rng.pick(&[2, 0xff, 1 << 40]),
        Some(Type::Number) => *value |= rng.next() << 32,
        _ => {}
    }
}

fn pad(rng: &mut Rng, field: &mut Field) {
    if rng.percent(5) {
        // Peers refuse tags of more than 5 bytes; these have 1 or 2.
        field.padding = [rng.below(4), rng.below(10)];
    }
}

/// A message in two parts, which a reader merges.
fn split(rng: &mut Rng, fields: &mut Vec<Field>) {
    let messages: Vec<usize> =
        (0..fields.len()).filter(|at| matches!(fields[*at].value, Value::Message(..))).collect();
    if messages.is_empty() {
        return;
    }
    let at = *rng.pick(&messages);
    let mut second = fields[at].clone();
    let Value::Message(kind, inner) = &mut fields[at].value else { unreachable!("a message") };
    // The parts keep their order, because a field may have come twice.
    let cut = rng.below(inner.len() + 1);
    second.value = Value::Message(*kind, inner.split_off(cut));
    fields.insert(at + 1 + rng.below(fields.len() - at), second);
}

/// Fields before one of the same oneof, or of the same number, which it replaces.
fn replaced(rng: &mut Rng, kind: Kind, fields: &mut Vec<Field>) {
    if fields.is_empty() {
        return;
    }
    let number = fields[rng.below(fields.len())].number;
    let first = |fields: &[Field], numbers: &[u32]| {
        fields.iter().position(|field| numbers.contains(&field.number)).expect("it is there")
    };
    if let Some(members) = kind.oneof(number) {
        // Another member than the one that stays: the same would merge with it.
        let others: Vec<u32> = members.filter(|n| *n != number && kind.field(*n).is_some()).collect();
        let other = *rng.pick(&others);
        let all: Vec<u32> = others.iter().copied().chain([number]).collect();
        let at = first(fields, &all);
        fields.insert(at, Field::new(other, junk(rng, kind, other)));
    } else if matches!(kind.field(number), Some(Type::Number | Type::Bool | Type::Text)) {
        let at = first(fields, &[number]);
        fields.insert(at, Field::new(number, junk(rng, kind, number)));
    }
}

/// Well-formed, but nothing that may count.
fn junk(rng: &mut Rng, kind: Kind, number: u32) -> Value {
    match kind.field(number).expect("a known field") {
        Type::Number | Type::Bool => Value::Varint(rng.next()),
        Type::Text => Value::Bytes(strings::text(rng).into_bytes()),
        Type::Message(kind) => Value::Message(kind, Vec::new()),
    }
}

/// Defaults that could be left out, outside of oneofs.
fn defaults(rng: &mut Rng, kind: Kind, fields: &mut Vec<Field>) {
    let absent: Vec<u32> = (1..=16)
        .filter(|n| kind.oneof(*n).is_none() && fields.iter().all(|field| field.number != *n))
        .filter(|n| matches!(kind.field(*n), Some(Type::Number | Type::Bool | Type::Text)))
        .collect();
    if absent.is_empty() {
        return;
    }
    let number = *rng.pick(&absent);
    let value = match kind.field(number) {
        Some(Type::Text) => Value::Bytes(Vec::new()),
        _ => Value::Varint(0),
    };
    fields.insert(rng.below(fields.len() + 1), Field::new(number, value));
}

fn unknown_field(rng: &mut Rng, kind: Kind, depth: usize) -> Field {
    let number = loop {
        let number = *rng.pick(&[7, 8, 14, 15, 16, 17, 99, 1000, (1 << 29) - 1]);
        // 15 in a frame is metadata in Jelly-RDF, and may become so in Jelly-Patch.
        let is_metadata = number == 15 && matches!(kind, Kind::RdfFrame | Kind::PatchFrame);
        if kind.field(number).is_none() && !is_metadata {
            break number;
        }
    };
    let value = match rng.below(5) {
        0 => Value::Varint(rng.next()),
        1 => Value::Fixed64(rng.next()),
        2 => Value::Bytes(strings::text(rng).into_bytes()),
        3 if depth > 0 => {
            let fields = rng.below(3);
            Value::Group((0..fields).map(|_| unknown_field(rng, Kind::Empty, depth - 1)).collect())
        }
        _ => Value::Fixed32(rng.next() as u32),
    };
    Field::new(number, value)
}
