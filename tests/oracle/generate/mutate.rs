//! Damaged streams. Most are errors, some are still valid, some decode to other data: decoders must
//! agree on which.

use crate::common::rows::{Framing, How};

use super::super::wire::{self, Field, Kind, Type, Value};
use super::rng::Rng;
use super::{Format, Frame, Stream, strings};

pub struct Damaged {
    /// The kinds of damage done, for messages and counts.
    pub what: Vec<&'static str>,
    pub format: Format,
    pub how: How,
    pub bytes: Vec<u8>,
}

type Part = (&'static str, fn(&mut Rng, &mut Stream));
type Bytes = (&'static str, fn(&mut Rng, &mut Vec<u8>));

const PARTS: [Part; 14] = [
    ("row dropped", |rng, stream| {
        take_row(rng, stream);
    }),
    ("row twice", |rng, stream| {
        if let Some(row) = copy_row(rng, stream) {
            put_row(rng, stream, row);
        }
    }),
    ("row moved", |rng, stream| {
        if let Some(row) = take_row(rng, stream) {
            put_row(rng, stream, row);
        }
    }),
    ("row of another stream", |rng, stream| {
        let mut other = super::stream(rng.next());
        if let Some(row) = copy_row(rng, &mut other) {
            put_row(rng, stream, row);
        }
    }),
    ("row empty", |rng, stream| {
        put_row(rng, stream, wire::field(1, &[]));
    }),
    ("row unknown", |rng, stream| {
        let unknown = Field::new(99, Value::Varint(rng.next()));
        put_row(rng, stream, wire::field(1, &wire::write(&[unknown])));
    }),
    ("row nested deep", |rng, stream| {
        let row = deep_row(63 + rng.below(5));
        put_row(rng, stream, row);
    }),
    ("frame dropped", |rng, stream| {
        let at = rng.below(stream.frames.len());
        stream.frames.remove(at);
    }),
    ("frame twice", |rng, stream| {
        let frame = rng.pick(&stream.frames).clone();
        stream.frames.insert(rng.below(stream.frames.len() + 1), frame);
    }),
    ("frames swapped", |rng, stream| {
        let (a, b) = (rng.below(stream.frames.len()), rng.below(stream.frames.len()));
        stream.frames.swap(a, b);
    }),
    ("frame empty", |rng, stream| {
        stream.frames.insert(rng.below(stream.frames.len() + 1), Frame::default());
    }),
    ("field edited", edit_row),
    ("field edited", edit_row),
    ("options edited", edit_options),
];

const BYTES: [Bytes; 8] = [
    ("bit flipped", |rng, bytes| {
        let at = rng.below(bytes.len());
        bytes[at] ^= 1 << rng.below(8);
    }),
    ("bit flipped", |rng, bytes| {
        let at = rng.below(bytes.len());
        bytes[at] ^= 1 << rng.below(8);
    }),
    ("byte overwritten", |rng, bytes| {
        let at = rng.below(bytes.len());
        bytes[at] = rng.next() as u8;
    }),
    ("bytes inserted", |rng, bytes| {
        let at = rng.below(bytes.len() + 1);
        let inserted: Vec<u8> = (0..=rng.below(4)).map(|_| rng.next() as u8).collect();
        bytes.splice(at..at, inserted);
    }),
    ("bytes deleted", |rng, bytes| {
        let at = rng.below(bytes.len());
        let end = (at + 1 + rng.below(4)).min(bytes.len());
        bytes.drain(at..end);
    }),
    ("truncated", |rng, bytes| {
        bytes.truncate(rng.below(bytes.len()));
    }),
    ("truncated", |rng, bytes| {
        bytes.truncate(rng.below(bytes.len()));
    }),
    ("spliced", |rng, bytes| {
        let other = super::stream(rng.next()).bytes();
        let at = rng.below(bytes.len());
        bytes.truncate(at);
        bytes.extend(&other[rng.below(other.len())..]);
    }),
];

pub fn damage(seed: u64) -> Damaged {
    let mut rng = Rng::new(!seed);
    let mut stream = super::stream(rng.next());
    let mut what = Vec::new();
    // Strict where the stream needs it loose is damage enough, now and then.
    if rng.percent(50) {
        stream.how = How { framing: stream.how.framing, ..How::default() };
    }
    let mut chance = 55;
    while !stream.frames.is_empty() && rng.percent(chance) {
        let (name, change) = *rng.pick(&PARTS);
        change(&mut rng, &mut stream);
        what.push(name);
        chance = 10;
    }
    let mut bytes = stream.bytes();
    while (what.is_empty() || rng.percent(10)) && !bytes.is_empty() {
        let (name, change) = *rng.pick(&BYTES);
        change(&mut rng, &mut bytes);
        what.push(name);
    }
    let (mut format, mut how) = (stream.format, stream.how);
    if rng.percent(2) {
        how.framing = *rng.pick(&[Framing::Delimited, Framing::Single]);
        what.push("framing");
    }
    if rng.percent(2) {
        format = if format == Format::Rdf { Format::Patch } else { Format::Rdf };
        what.push("format");
    }
    Damaged { what, format, how, bytes }
}

/// Where a row is: frame and field.
fn find_row(rng: &mut Rng, stream: &Stream) -> Option<(usize, usize)> {
    let mut rows = Vec::new();
    for (frame, Frame { fields, .. }) in stream.frames.iter().enumerate() {
        let is_row = |at: &usize| number(&fields[*at]) == 1;
        rows.extend((0..fields.len()).filter(is_row).map(|field| (frame, field)));
    }
    (!rows.is_empty()).then(|| *rng.pick(&rows))
}

fn number(field: &[u8]) -> u32 {
    wire::read(Kind::Empty, field)[0].number
}

fn take_row(rng: &mut Rng, stream: &mut Stream) -> Option<Vec<u8>> {
    let (frame, field) = find_row(rng, stream)?;
    Some(stream.frames[frame].fields.remove(field))
}

fn copy_row(rng: &mut Rng, stream: &mut Stream) -> Option<Vec<u8>> {
    let (frame, field) = find_row(rng, stream)?;
    Some(stream.frames[frame].fields[field].clone())
}

fn put_row(rng: &mut Rng, stream: &mut Stream, row: Vec<u8>) {
    let frame = rng.below(stream.frames.len());
    let fields = &mut stream.frames[frame].fields;
    fields.insert(rng.below(fields.len() + 1), row);
}

/// A statement (field 2 in both formats) whose subject is `depth` quoted triples deep.
fn deep_row(depth: usize) -> Vec<u8> {
    let blank = |number| Field::new(number, Value::Bytes(b"b".to_vec()));
    let iri = Field::new(5, Value::Message(Kind::Iri, Vec::new()));
    let mut triple = vec![blank(2), iri.clone(), blank(10)];
    for _ in 0..depth {
        let subject = Field::new(4, Value::Message(Kind::Triple, triple));
        triple = vec![subject, iri.clone(), blank(10)];
    }
    wire::field(1, &wire::write(&[Field::new(2, Value::Message(Kind::Triple, triple))]))
}

fn edit_row(rng: &mut Rng, stream: &mut Stream) {
    if let Some(at) = find_row(rng, stream) {
        edit(rng, stream, at);
    }
}

/// The first row; it may have become another one.
fn edit_options(rng: &mut Rng, stream: &mut Stream) {
    let frame = stream.frames.iter().position(|frame| !frame.fields.is_empty());
    if let Some(frame) = frame {
        let field = stream.frames[frame].fields.iter().position(|field| number(field) == 1);
        edit(rng, stream, (frame, field.unwrap_or(0)));
    }
}

fn edit(rng: &mut Rng, stream: &mut Stream, (frame, field): (usize, usize)) {
    let kind = match stream.format {
        Format::Rdf => Kind::RdfFrame,
        Format::Patch => Kind::PatchFrame,
    };
    let parts = &mut stream.frames[frame].fields;
    let mut fields = wire::read(kind, &parts[field]);
    let target = rng.below(count(&fields));
    edit_nth(rng, kind, &mut fields, target);
    // None is left, or two.
    parts.splice(field..=field, fields.iter().map(|field| wire::write(std::slice::from_ref(field))));
}

fn count(fields: &[Field]) -> usize {
    let inside = |field: &Field| match &field.value {
        Value::Message(_, fields) | Value::Group(fields) => count(fields),
        _ => 0,
    };
    fields.iter().map(|field| 1 + inside(field)).sum()
}

/// Changes the field that comes `target`-th when read depth first.
fn edit_nth(rng: &mut Rng, kind: Kind, fields: &mut Vec<Field>, mut target: usize) {
    for at in 0..fields.len() {
        if target == 0 {
            return edit_field(rng, kind, fields, at);
        }
        target -= 1;
        let (inner_kind, inner) = match &mut fields[at].value {
            Value::Message(kind, inner) => (*kind, inner),
            Value::Group(inner) => (Kind::Empty, inner),
            _ => continue,
        };
        let inside = count(inner);
        if target < inside {
            return edit_nth(rng, inner_kind, inner, target);
        }
        target -= inside;
    }
}

fn edit_field(rng: &mut Rng, kind: Kind, fields: &mut Vec<Field>, at: usize) {
    let field = &mut fields[at];
    match rng.below(8) {
        0 => drop(fields.remove(at)),
        1 => {
            let copy = field.clone();
            fields.insert(rng.below(fields.len() + 1), copy);
        }
        2 => field.number = rng.between(1, 17),
        3 => {
            field.value = match rng.below(4) {
                0 => Value::Varint(rng.next()),
                1 => Value::Fixed64(rng.next()),
                2 => Value::Fixed32(rng.next() as u32),
                _ => Value::Bytes(strings::text(rng).into_bytes()),
            }
        }
        4 => field.padding = [rng.below(4), rng.below(10)],
        _ => match &mut field.value {
            Value::Varint(value) => edit_number(rng, kind.field(field.number), value),
            Value::Bytes(bytes) => edit_text(rng, bytes),
            Value::Message(_, inner) => match rng.below(3) {
                0 => inner.clear(),
                1 => rng.shuffle(inner),
                // Hardly ever a message; that of the default graph has no fields of its own to damage.
                _ => {
                    let garbage = (0..=rng.below(4)).map(|_| rng.next() as u8).collect();
                    field.value = Value::Bytes(garbage);
                }
            },
            Value::Fixed64(_) | Value::Fixed32(_) | Value::Group(_) => drop(fields.remove(at)),
        },
    }
}

fn edit_number(rng: &mut Rng, field: Option<Type>, value: &mut u64) {
    *value = match (field, rng.below(8)) {
        (Some(Type::Bool), _) => u64::from(*value == 0),
        (_, 0) => 0,
        (_, 1) => value.wrapping_add(1),
        (_, 2) => value.wrapping_sub(1) & 0xffff_ffff,
        (_, 3) => *rng.pick(&[7, 8, 9, 16, 64, 256, 257, 1024, 1025, 4096, 4097]),
        (_, 4) => *rng.pick(&[1 << 31, (1 << 32) - 1, (1 << 31) - 1, 1 << 32, u64::MAX]),
        (_, 5) => *value | rng.next() << 32,
        _ => u64::from(rng.between(0, 12)),
    };
}

/// Not always wrong: letters change too.
fn edit_text(rng: &mut Rng, bytes: &mut Vec<u8>) {
    const BAD: [&[u8]; 8] = [
        b"\xff",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
        b"\x80",
        b"\0",
        b"\xc3\xa9",
    ];
    let at = rng.below(bytes.len() + 1);
    match rng.below(3) {
        0 if !bytes.is_empty() => bytes.truncate(rng.below(bytes.len())),
        1 if at < bytes.len() => bytes[at] = rng.next() as u8,
        _ => drop(bytes.splice(at..at, rng.pick(&BAD).iter().copied())),
    }
}
