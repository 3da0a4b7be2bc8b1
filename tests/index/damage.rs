//! What is cut, damaged or added to is read right or refused.

use jelly_patch::index::{Footer, How};

use super::{Kept, Read, Rows, memory, part, seekable, whole};
use crate::common::craft;
use crate::common::frames::{frames, metadata, offsets};
use crate::common::rows::{PatchRow, RdfRow};
use crate::common::vectors::assert_same;
use crate::oracle::generate::Format;

/// Some streams with several restart points.
fn streams() -> impl Iterator<Item = (String, Format, Vec<u8>)> {
    let several = |bytes: &[u8]| metadata(bytes).len() > 4;
    let named = |seed: u64| seekable(seed).map(|(format, bytes)| (format!("seed {seed}"), format, bytes));
    (0..400).filter_map(named).filter(move |(_, _, bytes)| several(bytes))
}

fn read_as(format: Format, bytes: &[u8]) -> (usize, Option<&'static str>, Vec<String>) {
    fn seen<R>(read: Read<R>) -> (usize, Option<&'static str>, Vec<String>) {
        let slug = read.error.map(|error| error.kind().slug());
        (read.rows.len(), slug, read.warnings.into_iter().map(|warning| warning.message).collect())
    }
    match format {
        Format::Rdf => seen(whole::<RdfRow>(bytes)),
        Format::Patch => seen(whole::<PatchRow>(bytes)),
    }
}

#[test]
fn a_cut_between_two_frames() {
    let mut cuts = 0;
    for (name, format, bytes) in streams().take(60) {
        for offset in offsets(&bytes).into_iter().skip(1) {
            let (_, slug, _) = read_as(format, &bytes[..offset as usize]);
            assert_eq!(slug, Some("truncated.stream"), "{name} cut at {offset}");
            let index = Kept::new(&bytes[..offset as usize]).index();
            assert_eq!((index.how, index.warnings.len()), (How::None, 1));
            cuts += 1;
        }
        // at the other end
        for offset in offsets(&bytes).into_iter().skip(1) {
            let (rows, slug, _) = read_as(format, &bytes[offset as usize..]);
            assert!(slug.is_some(), "{name} from {offset}");
            assert_eq!(rows, 0, "{name} from {offset}");
        }
    }
    assert!(cuts > 300, "{cuts}");
}

#[test]
fn frames_that_are_missing_or_double() {
    let mut changed = 0;
    for (name, format, bytes) in streams().take(80) {
        let offsets = [offsets(&bytes), vec![bytes.len() as u64]].concat();
        let metadata = metadata(&bytes);
        let last = metadata.last().expect("a footer").0;
        for frame in 1..last {
            let (from, to) = (offsets[frame] as usize, offsets[frame + 1] as usize);
            let without = [&bytes[..from], &bytes[to..]].concat();
            let double = [&bytes[..to], &bytes[from..]].concat();
            for other in [without, double] {
                let (_, slug, _) = read_as(format, &other);
                assert!(slug.is_some(), "{name}, frame {frame}");
                changed += 1;
            }
        }
    }
    assert!(changed > 300, "{changed}");
}

#[test]
fn a_damaged_footer() {
    let mut damaged = 0;
    for (name, format, bytes) in streams().take(25) {
        let (rows, _, warnings) = read_as(format, &bytes);
        assert_eq!(warnings, [""; 0]);
        let footer = metadata(&bytes).pop().expect("a footer").2;
        for at in 0..footer.len() {
            let mut bytes = bytes.clone();
            let at = bytes.len() - footer.len() + at;
            bytes[at] ^= 0x20;
            let (got, slug, warnings) = read_as(format, &bytes);
            assert_eq!((got, slug, warnings.len()), (rows, None, 1), "{name}: {warnings:?}");
            let kept = Kept::new(&bytes);
            let index = kept.index();
            assert_eq!((index.how, index.points.len(), index.warnings.len()), (How::None, 0, 1));
            assert_eq!(kept.read::<PatchRow>(Some(10), None).refused(), ("argument", 0));
            damaged += 1;
        }
    }
    assert!(damaged > 500, "{damaged}");
}

#[test]
fn appended_frames() {
    let mut appended = 0;
    for (name, format, bytes) in streams().take(60) {
        let (rows, ..) = read_as(format, &bytes);
        let row = match format {
            Format::Rdf => craft::rdf::metadata("k", b"v"),
            Format::Patch => craft::patch::tx(),
        };
        let frame = match format {
            Format::Rdf => row,
            Format::Patch => craft::bytes(1, row),
        };
        let longer = [&bytes, craft::varint(frame.len() as u64).as_slice(), &frame].concat();
        let (got, slug, warnings) = read_as(format, &longer);
        assert_eq!((slug, warnings.len()), (None, 1), "{name}: {warnings:?}");
        assert!(got >= rows, "{name}");
        let index = Kept::new(&longer).index();
        assert_eq!((index.how, index.warnings.len()), (How::None, 1), "{name}");
        // options after a footer: another stream, or the same? nobody can tell
        let options = frames(&bytes)[0].1;
        let options = &options[craft::bytes(15, metadata_bytes(&bytes)).len()..];
        let again = [&bytes, craft::varint(options.len() as u64).as_slice(), options].concat();
        assert_eq!(read_as(format, &again).1, Some("wire.mark"), "{name}");
        // a footer behind what was appended does not make it right
        let mixed = [longer.as_slice(), &bytes].concat();
        let index = Kept::new(&mixed).index();
        assert_eq!((index.how, index.warnings.len()), (How::None, 1), "{name}");
        appended += 1;
    }
    assert!(appended > 30, "{appended}");
}

/// The entry of the first mark.
fn metadata_bytes(bytes: &[u8]) -> Vec<u8> {
    let (_, key, value) = metadata(bytes).swap_remove(0);
    [craft::bytes(1, key), craft::bytes(2, value)].concat()
}

/// Marks behind the rows of their frame are no longer ours: the rows are right, and nothing is entered.
#[test]
fn metadata_that_another_program_moved() {
    let mut moved = 0;
    for (name, format, bytes) in streams().take(60) {
        let mut other = Vec::new();
        for (_, frame) in frames(&bytes) {
            let (mut rows, mut entries, mut rest) = (Vec::new(), Vec::new(), frame);
            while !rest.is_empty() {
                let before = rest;
                let is_row = rest[0] == 0x0a;
                rest = &rest[1..];
                let length = prost::encoding::decode_varint(&mut rest).expect("a length") as usize;
                rest = &rest[length..];
                let field = &before[..before.len() - rest.len()];
                if is_row { &mut rows } else { &mut entries }.extend_from_slice(field);
            }
            other.extend(craft::varint(frame.len() as u64));
            other.extend([rows, entries].concat());
        }
        assert_eq!(other.len(), bytes.len());
        let (rows, ..) = read_as(format, &bytes);
        let (got, slug, warnings) = read_as(format, &other);
        assert_eq!((got, slug, warnings.len()), (rows, None, 1), "{name}: {warnings:?}");
        let kept = Kept::new(&other);
        let Some(point) = kept.index().points.get(1).copied() else { continue };
        let refused = match format {
            Format::Rdf => kept.read::<RdfRow>(Some(point.offset), None).refused(),
            Format::Patch => kept.read::<PatchRow>(Some(point.offset), None).refused(),
        };
        assert_eq!(refused.1, 0, "{name}: {refused:?}");
        moved += 1;
    }
    assert!(moved > 30, "{moved}");
}

/// A footer that is right in itself and of another file: its places are not entered.
#[test]
fn the_footer_of_another_file() {
    let all: Vec<_> = streams().filter(|(_, format, _)| *format == Format::Rdf).collect();
    let (mut refused, mut entered) = (0, 0);
    for pair in all.windows(2) {
        let (name, bytes, other) = (&pair[0].0, &pair[0].2, &pair[1].2);
        let footer = Footer::decode(&metadata(other).pop().expect("a footer").2).expect("a footer");
        let own = metadata(bytes).pop().expect("a footer").2;
        // the points of the other, at an end of this one that fits
        let body = &bytes[..*offsets(bytes).last().expect("a frame") as usize];
        let value = |length| Footer { length, ..footer.clone() }.encode();
        let entry = |length| {
            craft::bytes(15, [craft::bytes(1, "jelly.footer"), craft::bytes(2, value(length))].concat())
        };
        let frame = |length| [craft::varint(entry(length).len() as u64), entry(length)].concat();
        let file = [body, &frame((body.len() + frame(0).len()) as u64)].concat();
        assert_ne!(own, value(file.len() as u64));
        let kept = Kept::new(&file);
        let index = kept.index();
        if index.how == How::None {
            refused += 1;
            continue;
        }
        let whole = whole::<RdfRow>(&file);
        assert!(whole.error.is_some(), "{name}: the counters differ");
        for point in index.points.iter().skip(1) {
            let read = kept.read::<RdfRow>(Some(point.offset), None);
            assert!(read.error.is_some(), "{name}");
            assert_same(name, &read.rows, &[]);
            entered += 1;
        }
    }
    assert!(refused > 5 && entered > 20, "{refused} {entered}");
}

/// The options at a restart point must be those of the stream.
#[test]
fn other_options_at_a_restart_point() {
    let (name, _, bytes) = streams().find(|(_, format, _)| *format == Format::Rdf).expect("a stream");
    let kept = Kept::new(&bytes);
    let point = kept.index().points[1];
    let mut other = bytes.clone();
    // the last byte of the options row is the version
    let frame = &bytes[point.offset as usize..];
    let version = frame.windows(2).position(|pair| pair[0] == 0x78).expect("the version") + 1;
    other[point.offset as usize + version] ^= 3;
    kept.write(&other);
    assert_eq!(kept.read::<RdfRow>(Some(point.offset), None).refused(), ("options.changed", 0), "{name}");
    assert_eq!(RdfRow::read(memory(&other), &part(None, None), 7).refused().0, "options.changed");
}
