//! Every error says where: file, frame, row and byte; exactly, where the stream has one fault.

use crate::common::core::{Collect, config};
use crate::common::craft::{Outcome, bytes, number, run, tag, varint};
use crate::common::rows::{Framing, How, PatchRow, RdfRow};
use crate::common::soak::seeds;
use crate::oracle::generate::mutate::damage;
use crate::oracle::generate::rng::Rng;
use crate::oracle::generate::{Format, Stream, stream};
use crate::oracle::wire::{self, Field, Kind, Type, Value};
use jelly_patch::With;
use jelly_patch::decode::{DecodeOptions, Decoder, Dialect, DialectState, Patch, Rdf};
use jelly_patch::push::Push;
use jelly_patch::sink::Sink;
use std::collections::BTreeMap;

fn named(how: How) -> DecodeOptions {
    config(how).with(|options| options.source = Some("a.jelly".into()))
}

/// Number of rows and the error.
type Ended = (usize, Option<jelly_patch::Error>);

fn decode(format: Format, bytes: &[u8], how: How) -> Ended {
    match format {
        Format::Rdf => ended(run::<Rdf, RdfRow>(bytes, named(how))),
        Format::Patch => ended(run::<Patch, PatchRow>(bytes, named(how))),
    }
}

fn ended<R: std::fmt::Debug>(outcome: Outcome<R>) -> Ended {
    if outcome.error.is_some() {
        outcome.fault(); // has all of its position
    }
    (outcome.decoded.rows.len(), outcome.error)
}

/// A field in a tree of messages: the way to it, and the message it is in.
struct Place {
    path: Vec<usize>,
    around: Kind,
    field: Field,
}

fn places(around: Kind, fields: &[Field], path: &[usize], out: &mut Vec<Place>) {
    for (at, field) in fields.iter().enumerate() {
        let path = [path, &[at]].concat();
        if let Value::Message(kind, inner) = &field.value {
            places(*kind, inner, &path, out);
        }
        out.push(Place { path, around, field: field.clone() });
    }
}

/// What is wrong with a field: its bytes, how far into them the fault is, and its kind.
struct Fault {
    bytes: Vec<u8>,
    within: usize,
    slugs: &'static [&'static str],
}

fn fault(slug: &'static [&'static str], bytes: Vec<u8>) -> Fault {
    Fault { bytes, within: 0, slugs: slug }
}

/// Breaks a field in one way of several; `None` where that way does not suit it.
fn break_field(rng: &mut Rng, place: &Place) -> Option<(&'static str, Fault)> {
    let field = wire::write(std::slice::from_ref(&place.field));
    let (id, known) = (place.field.number, place.around.field(place.field.number));
    Some(match rng.below(7) {
        0 => ("wire type", fault(&["wire.type"], [tag(id, 5), vec![0; 4]].concat())),
        1 => ("tag 0", fault(&["wire.tag"], [vec![0], field].concat())),
        2 => {
            let wire = 6 + rng.below(2) as u32;
            ("no wire type", fault(&["wire.type"], [tag(60, wire), field].concat()))
        }
        3 => ("group end", fault(&["wire.group"], [tag(60, 4), field].concat())),
        4 if known == Some(Type::Text) => ("utf8", fault(&["wire.utf8"], bytes(id, b"ab\xff"))),
        5 if is_id(place.around, id) => ("id", fault(&["table.range", "table.disabled"], number(id, 5_000))),
        6 if matches!(place.field.value, Value::Bytes(_) | Value::Message(..)) => {
            // of a row the frame is told, of what is inside the length
            let within = if place.path.len() == 1 { 0 } else { tag(id, 2).len() };
            let long = [tag(id, 2), varint(1 << 30)].concat();
            ("length", Fault { bytes: long, within, slugs: &["wire.length"] })
        }
        _ => return None,
    })
}

fn is_id(around: Kind, field: u32) -> bool {
    matches!((around, field), (Kind::Iri, 1 | 2) | (Kind::Entry, 1) | (Kind::Literal, 3))
}

/// The bytes with one field replaced, and where that field begins.
fn replace(fields: &[Field], path: &[usize], with: &[u8]) -> (Vec<u8>, usize) {
    let (&at, rest) = path.split_first().expect("a field");
    let before = wire::write(&fields[..at]);
    let (middle, offset) = match (&fields[at].value, rest) {
        (_, []) => (with.to_vec(), 0),
        (Value::Message(_, inner), rest) => {
            let (payload, offset) = replace(inner, rest, with);
            let message = bytes(fields[at].number, &payload);
            let header = message.len() - payload.len();
            (message, header + offset)
        }
        _ => unreachable!("only messages have fields"),
    };
    let offset = before.len() + offset;
    ([before, middle, wire::write(&fields[at + 1..])].concat(), offset)
}

/// A stream with one fault, which is at this frame, row and byte.
struct Broken {
    what: &'static str,
    bytes: Vec<u8>,
    at: (u64, u64, u64),
    slugs: &'static [&'static str],
}

fn break_stream(rng: &mut Rng, mut stream: Stream) -> Option<Broken> {
    let frame = rng.below(stream.frames.len());
    let fields = &stream.frames[frame].fields;
    if fields.is_empty() {
        return None;
    }
    let at = rng.below(fields.len());
    let kind = if stream.format == Format::Rdf { Kind::RdfFrame } else { Kind::PatchFrame };
    let tree = wire::read(kind, &fields[at]);
    if tree[0].number != 1 {
        return None; // metadata
    }
    let is_row = |field: &&Vec<u8>| wire::read(Kind::Empty, field)[0].number == 1;
    let row = fields[..at].iter().filter(is_row).count();
    let mut all = Vec::new();
    places(kind, &tree, &[], &mut all);
    let place = rng.pick(&all);
    let (what, fault) = break_field(rng, place)?;
    let (broken, within) = replace(&tree, &place.path, &fault.bytes);
    let before: usize = fields[..at].iter().map(Vec::len).sum();
    stream.frames[frame].fields[at] = broken;
    let bytes = stream.bytes();
    let rest = stream.frames.split_off(frame);
    let length = varint(rest[0].fields.concat().len() as u64).len();
    let offset = stream.bytes().len() + length + before + within + fault.within;
    Some(Broken { what, bytes, at: (frame as u64, row as u64, offset as u64), slugs: fault.slugs })
}

#[test]
fn single_faults_are_found_where_they_are() {
    let mut found = BTreeMap::<_, usize>::new();
    for seed in seeds(12_000) {
        let stream = stream(seed);
        let scrambled = stream.features.counts.contains_key("scrambled");
        if scrambled || stream.how.framing != Framing::Delimited {
            continue;
        }
        let (format, how) = (stream.format, stream.how);
        let Some(broken) = break_stream(&mut Rng::new(seed), stream) else {
            continue;
        };
        let (_, error) = decode(format, &broken.bytes, how);
        let error = error.unwrap_or_else(|| panic!("seed {seed}: no error for {}", broken.what));
        let at = error.position();
        let got = (at.frame.expect("a frame"), at.row.expect("a row"), at.offset.expect("a byte"));
        assert_eq!(got, broken.at, "seed {seed}, {}: {error}", broken.what);
        let slug = error.kind().slug();
        assert!(broken.slugs.contains(&slug), "seed {seed}, {}: {error}", broken.what);
        *found.entry(broken.what).or_default() += 1;
    }
    assert!(found.len() == 7 && found.values().all(|count| *count > 50), "{found:?}");
}

#[test]
fn all_errors_have_all_of_their_position() {
    let mut errors = 0;
    for seed in seeds(10_000) {
        let damaged = damage(seed);
        let (_, error) = decode(damaged.format, &damaged.bytes, damaged.how);
        if let Some(error) = error {
            errors += 1;
            let offset = error.position().offset.expect("a byte");
            assert!(offset <= damaged.bytes.len() as u64, "seed {seed}: {error}");
            let text = error.to_string();
            assert!(text.contains("(a.jelly: frame ") && !text.contains('\n'), "{text}");
        }
    }
    assert!(errors > 5_000, "{errors}");
}

/// Decodes as far as complete rows go; says how many rows and where the next one begins.
fn rows_of_prefix<D, R>(bytes: &[u8], how: How) -> (Vec<R>, u64)
where
    D: Dialect<Collect<R>> + DialectState,
    Collect<R>: Sink,
{
    let mut sink = Collect::new(usize::MAX);
    let mut decoder = Decoder::<D>::new(named(how));
    decoder.decode(bytes, &mut sink).expect("the start of a valid stream");
    (sink.decoded.rows, decoder.offset())
}

fn flip<D, R>(rng: &mut Rng, stream: &Stream) -> bool
where
    D: Dialect<Collect<R>> + DialectState,
    Collect<R>: Sink,
    R: PartialEq + std::fmt::Debug,
{
    let mut bytes = stream.bytes();
    let at = rng.below(bytes.len());
    let (before, start) = rows_of_prefix::<D, R>(&bytes[..at], stream.how);
    bytes[at] ^= 1 << rng.below(8);
    let outcome = run::<D, R>(&bytes, named(stream.how));
    let rows = &outcome.decoded.rows;
    assert!(rows.len() >= before.len() && rows[..before.len()] == before[..]);
    if outcome.error.is_some() {
        let (.., offset, _) = outcome.fault();
        assert!(offset >= start, "{:?} is before byte {start}", outcome.error);
    }
    outcome.error.is_some()
}

/// A byte that changes never changes what comes before it, and the error is not before it either.
#[test]
fn bits_flipped() {
    let (mut errors, mut silent) = (0, 0);
    for seed in seeds(3_000) {
        let stream = stream(seed);
        let rng = &mut Rng::new(seed);
        // which framing it is may hang on the first bytes
        let failed = match stream.format {
            Format::Rdf => flip::<Rdf, RdfRow>(rng, &stream),
            Format::Patch => flip::<Patch, PatchRow>(rng, &stream),
        };
        if failed { errors += 1 } else { silent += 1 }
    }
    assert!(errors > 1_000 && silent > 100, "{errors} errors, {silent} without");
}
