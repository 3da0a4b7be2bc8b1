//! Many of something, or one that is huge.

use jelly_patch::decode::Framing;

use crate::common::craft::{Frames, blank, bytes, ids, iri, patch, rdf, tag, text, varint};
use crate::{BOUND, limited, options, patch as read_patch, rdf as read_rdf};

const MIB: usize = 1 << 20;

fn delimited() -> jelly_patch::arrow::ReadOptions {
    options(Framing::Delimited)
}

fn start(physical: u64) -> impl Iterator<Item = Vec<u8>> {
    std::iter::once(Frames::one(&[rdf::options(physical)]).bytes())
}

#[test]
fn lengths_that_lie_allocate_nothing() {
    for length in [(1 << 31) - 1, 1 << 31, 1 << 40, u64::MAX] {
        let frame = start(rdf::TRIPLES).chain([varint(length)]);
        assert!(read_rdf(frame, &delimited()).peak < 2 * MIB);
        let row = [varint((1 << 31) - 1), tag(1, 2), varint(length), vec![0; 9]].concat();
        assert!(read_rdf(start(rdf::TRIPLES).chain([row]), &delimited()).peak < 2 * MIB);
        let inside = Frames::one(&[[tag(2, 2), varint(length)].concat()]).bytes();
        assert!(read_rdf(start(rdf::TRIPLES).chain([inside]), &delimited()).peak < 2 * MIB);
    }
}

#[test]
fn tables_are_not_allocated_because_they_are_declared() {
    let largest = [(9, Some(4096)), (10, Some(1024)), (11, Some(256))];
    let row = rdf::options_but(rdf::TRIPLES, &largest);
    let reading = read_rdf(std::iter::once(Frames::one(&[row]).bytes()), &delimited());
    assert!(reading.error.is_none() && reading.peak < 2 * MIB, "{}", reading.peak);
    // nor because an id is high, where the caller allows such tables
    let row = rdf::options_but(rdf::TRIPLES, &[(9, Some(u64::from(u32::MAX)))]);
    let name = rdf::name(u64::from(u32::MAX), "x");
    let stream = Frames::one(&[row, name]).bytes();
    let reading = read_rdf(std::iter::once(stream), &limited(|limits| limits.name_table = u32::MAX));
    assert_eq!(reading.bounded().slug(), "limit.lookup_bytes");
}

#[test]
fn names_are_limited_together() {
    let options_ = rdf::options_but(rdf::TRIPLES, &[(9, Some(4096))]);
    let start = std::iter::once(Frames::one(&[options_]).bytes());
    let names = (1..=8).map(|id| Frames::one(&[rdf::name(id, "x".repeat(16 * MIB))]).bytes());
    let reading = read_rdf(start.chain(names), &delimited()).bounded();
    assert_eq!(reading.slug(), "limit.lookup_bytes");
    // likewise with many that are small, which take more than their text
    let options_ = rdf::options_but(rdf::TRIPLES, &[(9, Some(4096)), (10, Some(1024)), (11, Some(256))]);
    let rows = (0..4096).map(|_| rdf::name(0, "")).chain((0..1024).map(|_| rdf::prefix(0, "")));
    let rows: Vec<_> = std::iter::once(options_).chain(rows).collect();
    let reading = read_rdf(std::iter::once(Frames::one(&rows).bytes()), &delimited());
    assert!(reading.error.is_none() && reading.peak < 4 * MIB, "{}", reading.peak);
}

#[test]
fn entries_that_shrink_give_their_memory_back() {
    let rows = (0..20).flat_map(|n| {
        let id = n % 8 + 1;
        [rdf::name(id, "x".repeat(15 * MIB)), rdf::name(id, "x")]
    });
    let frames = rows.map(|row| Frames::one(&[row]).bytes());
    let reading = read_rdf(start(rdf::TRIPLES).chain(frames), &delimited()).bounded();
    assert_eq!(reading.slug(), "");
}

#[test]
fn metadata_is_limited_by_what_it_costs() {
    // 200,000 entries are fine, a million are not
    let entries = |count: u32| (0..count).map(|n| rdf::metadata(&format!("{n:x}"), b""));
    let frame = move |count: u32| {
        let length: usize = entries(count).map(|entry| entry.len()).sum();
        std::iter::once(varint(length as u64)).chain(entries(count))
    };
    let reading = read_rdf(start(rdf::TRIPLES).chain(frame(200_000)), &delimited()).bounded();
    assert_eq!(reading.slug(), "");
    let reading = read_rdf(start(rdf::TRIPLES).chain(frame(1_000_000)), &delimited()).bounded();
    assert_eq!(reading.slug(), "limit.row_bytes");
    // each frame has its own
    let frames = (0..10).flat_map(move |_| frame(100_000));
    assert_eq!(read_rdf(start(rdf::TRIPLES).chain(frames), &delimited()).bounded().slug(), "");
}

#[test]
fn metadata_of_patches_is_limited_too() {
    let start = Frames::one(&[patch::options(patch::FLAT, patch::QUADS)]).bytes();
    let field = rdf::metadata("k", &vec![0; 20 * MIB]);
    let frames = (0..10).map(move |_| [varint(field.len() as u64), field.clone()].concat());
    let reading = read_patch(std::iter::once(start).chain(frames), &delimited()).bounded();
    assert_eq!(reading.slug(), "");
}

#[test]
fn namespaces_are_limited_together() {
    let name = rdf::name(1, "x".repeat(1000));
    let start = move || start(rdf::TRIPLES).chain([Frames::one(std::slice::from_ref(&name)).bytes()]);
    let declare = |label: &str| Frames::one(&[rdf::namespace(label, ids(0, 1))]).bytes();
    let many = (0..100_000).map(move |n| declare(&format!("{n:x}")));
    let reading = read_rdf(start().chain(many), &limited(|limits| limits.expansion = 0)).bounded();
    assert_eq!(reading.slug(), "limit.lookup_bytes");
    // a label that was small and becomes large counts
    let small = (0..1_000).map(move |n| declare(&format!("{n:x}")));
    let large = Frames::one(&[rdf::name(1, "x".repeat(10 * MIB))]).bytes();
    let again = (0..1_000).map(move |n| declare(&format!("{n:x}")));
    let stream = start().chain(small).chain([large]).chain(again);
    let reading = read_rdf(stream, &limited(|limits| limits.expansion = 0)).bounded();
    assert_eq!(reading.slug(), "limit.lookup_bytes");
    // again and again the same is no flood
    let same = (0..200_000).map(move |n| declare(&format!("{:x}", n % 10)));
    assert_eq!(read_rdf(start().chain(same), &delimited()).bounded().slug(), "");
}

#[test]
fn prefixes_of_patches_are_limited_together() {
    let rows = [patch::options(patch::FLAT, patch::QUADS), patch::name(1, "x".repeat(1000))];
    let start = std::iter::once(Frames::one(&rows).bytes());
    let graph = crate::common::craft::default_graph();
    let many = (0..100_000).map(move |n| {
        let row = patch::namespace(4, &format!("{n:x}"), Some(ids(0, 1)), Some(&graph));
        Frames::one(&[row]).bytes()
    });
    let reading = read_patch(start.chain(many), &limited(|limits| limits.expansion = 0)).bounded();
    assert_eq!(reading.slug(), "limit.lookup_bytes");
}

#[test]
fn longest_rows() {
    let long = "x".repeat(15 * MIB);
    let triple = rdf::triple([blank(&long), blank("p"), text(&long)]);
    let frames = (0..8).map(move |_| Frames::one(std::slice::from_ref(&triple)).bytes());
    let reading = read_rdf(start(rdf::TRIPLES).chain(frames), &delimited()).bounded();
    assert_eq!((reading.rows, reading.slug()), (8, ""));
    // the key of a header is no term, and has the limit of a row
    let header = patch::header(&"k".repeat(31 * MIB), &blank("b"));
    let start = Frames::one(&[patch::options(patch::FLAT, patch::QUADS)]).bytes();
    let frames = (0..4).map(move |_| Frames::one(std::slice::from_ref(&header)).bytes());
    let reading = read_patch(std::iter::once(start).chain(frames), &delimited()).bounded();
    assert_eq!((reading.rows, reading.slug()), (5, ""));
}

#[test]
fn options_with_a_long_name() {
    let name = bytes(1, "n".repeat(31 * MIB));
    let options_ = bytes(1, [name, rdf::options(rdf::TRIPLES)[2..].to_vec()].concat());
    let frames = (0..4).map(move |_| Frames::one(std::slice::from_ref(&options_)).bytes());
    let reading = read_rdf(frames, &delimited()).bounded();
    assert!(["", "limit.term_bytes"].contains(&reading.slug()), "{reading:?}");
}

#[test]
fn unknown_fields_are_passed_over_in_place() {
    let pieces = 100;
    let header = [tag(60, 2), varint((pieces * MIB) as u64)].concat();
    let field = std::iter::once(header.clone()).chain((0..pieces).map(|_| vec![0; MIB]));
    let length = varint((header.len() + pieces * MIB) as u64);
    let after = Frames::one(&[rdf::plain_triple()]).bytes();
    let stream = start(rdf::TRIPLES).chain([length]).chain(field).chain([after]);
    let reading = read_rdf(stream, &delimited());
    assert_eq!((reading.rows, reading.slug()), (1, ""));
    assert!(reading.peak < 4 * MIB, "{}", reading.peak);
}

#[test]
fn long_streams_take_no_more_than_short_ones() {
    let names = (0..8).map(|n| rdf::name(n + 1, format!("name{n}"))).collect::<Vec<_>>();
    let peak = |frames: u64| {
        let first = Frames::one(&names.clone()).bytes();
        let rows = move |frame: u64| {
            let row = |n: u64| rdf::triple([iri(0, 1 + (frame + n) % 8), iri(0, 1), blank(format!("b{n}"))]);
            Frames::one(&(0..100).map(row).collect::<Vec<_>>()).bytes()
        };
        let stream = start(rdf::TRIPLES).chain([first]).chain((0..frames).map(rows));
        let reading = read_rdf(stream, &delimited());
        assert_eq!((reading.rows, reading.slug()), (frames * 100, ""));
        reading.peak
    };
    let (short, long) = (peak(300), peak(6_000));
    assert!(long <= short + short / 4, "{short} bytes, then {long}");
    assert!(long < BOUND / 10);
}
