//! Streams that are cut, damaged, or ask for too much.

use super::{decoder, from_jelly, hex, read, read_error, read_in};
use crate::common::core::Collect;
use crate::common::rows::PatchRow;
use crate::common::soak::seeds;
use crate::oracle::generate::rng::Rng;
use crate::oracle::generate::{Format, stream};
use jelly_patch::With;
use jelly_patch::push::{Push, PushState};
use jelly_patch::{ErrorKind, Limits};

/// Random patches as Thrift.
pub fn streams(usual: u64) -> impl Iterator<Item = (u64, Vec<u8>)> {
    seeds(usual).filter_map(|seed| {
        let stream = stream(seed);
        let bytes = (stream.format == Format::Patch).then(|| from_jelly(&stream.bytes(), stream.how).ok());
        bytes.flatten().map(|bytes| (seed, bytes))
    })
}

/// Where rows end, the start included.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let (mut decoder, mut sink) = (decoder(&Limits::default()), Collect::<PatchRow>::new(1));
    let (mut ends, mut taken) = (vec![0], 0);
    while taken < bytes.len() {
        sink.resume();
        taken += decoder.decode(&bytes[taken..], &mut sink).expect("valid");
        assert_eq!(decoder.progress().offset, taken as u64);
        ends.push(taken);
    }
    ends.dedup();
    ends
}

#[test]
fn every_cut_inside_a_row_is_an_error() {
    let (mut inside, mut between) = (0, 0);
    for (seed, bytes) in streams(300) {
        let ends = ends(&bytes);
        let whole = read(&bytes);
        for cut in 0..bytes.len() {
            let got = read(&bytes[..cut]);
            let without_end =
                |rows: &[PatchRow]| rows.iter().filter(|row| row.name.as_deref() != Some("eof")).count();
            if ends.contains(&cut) {
                assert_eq!(got.error, None, "seed {seed} cut at {cut}");
                between += 1;
                continue;
            }
            let start = ends[ends.partition_point(|end| *end <= cut) - 1];
            let error = read_error(&bytes[..cut], &Limits::default());
            assert_eq!(error.kind(), ErrorKind::TruncatedRow, "seed {seed} cut at {cut}: {error}");
            assert_eq!(error.position().offset, Some(start as u64));
            // an end that the header cut off implies is not known yet, or not needed
            assert_eq!(error.position().row, Some(got.rows.len() as u64));
            assert_eq!(got.rows, whole.rows[..without_end(&got.rows)]);
            inside += 1;
        }
    }
    assert!(inside > 10_000 && between > 300, "{inside} {between}");
}

const CHUNKS: [usize; 6] = [1, 2, 3, 7, 64, 1000];

#[test]
fn chunks_and_pauses_change_nothing() {
    let limits = Limits::default();
    let mut rows = 0;
    for (seed, bytes) in streams(1_000) {
        let expected = read(&bytes);
        assert_eq!(expected.error, None);
        for chunk in CHUNKS {
            assert!(read_in(&bytes, &limits, chunk, usize::MAX) == expected, "seed {seed} chunk {chunk}");
        }
        for pause in [1, 2, 17] {
            assert!(read_in(&bytes, &limits, 5, pause) == expected, "seed {seed} pause {pause}");
        }
        rows += expected.rows.len();
    }
    assert!(rows > 1_500, "{rows} rows");
}

/// Damaged bytes: no panic, the rows before the damage stay, and chunks make no difference.
#[test]
fn damaged_streams() {
    let limits = Limits::default().with(|options| {
        options.row_bytes = 300;
        options.term_bytes = 200;
        options.nesting = 4;
    });
    let mut errors = 0;
    for (seed, bytes) in streams(1_600) {
        let whole = read_in(&bytes, &limits, usize::MAX, usize::MAX);
        let ends = ends(&bytes);
        let mut rng = Rng::new(seed);
        for _ in 0..5 {
            if bytes.is_empty() {
                continue;
            }
            let mut damaged = bytes.clone();
            let at = rng.below(damaged.len());
            match rng.below(3) {
                0 => damaged[at] ^= 1 << rng.below(8),
                1 => damaged[at] = rng.next() as u8,
                _ => drop(damaged.remove(at)),
            }
            let got = read_in(&damaged, &limits, usize::MAX, usize::MAX);
            let short = 1..=damaged.len().min(30);
            for chunk in short.chain(CHUNKS) {
                assert!(read_in(&damaged, &limits, chunk, 3) == got, "seed {seed} at {at} chunk {chunk}");
            }
            let before = ends.partition_point(|end| *end <= at).saturating_sub(1).min(whole.rows.len());
            if whole.error.is_none() {
                assert!(
                    got.rows.len() >= before && got.rows[..before] == whole.rows[..before],
                    "seed {seed}"
                );
            }
            errors += usize::from(got.error.is_some());
        }
    }
    assert!(errors > 300, "{errors} errors");
}

fn kind(bytes: &[u8], limits: &Limits) -> &'static str {
    read_error(bytes, limits).kind().slug()
}

pub fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A header whose name claims to be so long, with what comes of it.
fn claims(length: u64, comes: usize) -> Vec<u8> {
    [hex("1c 18"), varint(length), vec![b'k'; comes]].concat()
}

#[test]
fn lengths_are_checked_before_anything_is_made_of_them() {
    let limits = Limits::default();
    for length in [limits.term_bytes as u64 + 1, (1 << 31) - 1, 1 << 32, u64::MAX] {
        assert_eq!(kind(&claims(length, 3), &limits), "limit.term_bytes", "{length}");
    }
    assert_eq!(kind(&claims(limits.term_bytes as u64, 3), &limits), "truncated.row");
    // an unknown field
    for length in [1 << 25, 1 << 40, u64::MAX] {
        let bytes = [hex("f8"), varint(length)].concat();
        assert_eq!(kind(&bytes, &limits), "limit.row_bytes", "{length}");
    }
    for list in ["f9 fc", "f9 f1", "fb"] {
        let bytes = [hex(list), varint(u64::MAX >> 1), hex("cc")].concat();
        assert_eq!(kind(&bytes, &limits), "truncated.row", "{list}");
    }
}

/// The row that is just short enough is read, whatever its pieces, and the next longer one is not.
#[test]
fn rows_up_to_the_limit() {
    let row = [claims(100, 100), hex("1c 1c 18 01 61 00 00 00 00")].concat();
    for chunk in [1, 50, usize::MAX] {
        let limits = |row_bytes| Limits::default().with(|options| options.row_bytes = row_bytes);
        let twice = [row.clone(), row.clone()].concat();
        let got = read_in(&twice, &limits(row.len()), chunk, usize::MAX);
        assert_eq!((got.error, got.rows.len()), (None, 3));
        let got = read_in(&twice, &limits(row.len() - 1), chunk, usize::MAX);
        let error = got.error.expect("too long").what;
        assert!(error.starts_with("limit.row_bytes: a row of more than 111 bytes"), "{error}");
        assert!(error.contains("row 0, byte 0"), "{error}");
    }
}

/// Rows larger than any piece, which are put together again.
#[test]
fn long_rows_in_pieces() {
    let length = 20 << 20;
    let row = [claims(length, length as usize), hex("1c 1c 18 01 61 00 00 00 00")].concat();
    let limits = Limits::default().with(|options| {
        options.term_bytes = 24 << 20;
        options.row_bytes = row.len();
    });
    for chunk in [256 << 10, 9 << 20] {
        let got = read_in(&row.repeat(2), &limits, chunk, usize::MAX);
        assert_eq!(got.error, None);
        let lengths = got.rows.iter().map(|row| row.name.as_ref().map_or(0, String::len));
        assert_eq!(lengths.collect::<Vec<_>>(), [length as usize, length as usize, 3]);
    }
}

#[test]
fn nesting() {
    let sp = hex("1c 1c 18 01 73 00 00 1c 1c 18 01 70 00 00");
    let nested = |depth: usize| {
        let open = [hex("1c 9c"), sp.clone()].concat().repeat(depth);
        let close = hex("00 00").repeat(depth);
        [hex("2c"), sp.clone(), open, hex("1c 1c 18 01 6f 00 00"), close, hex("00 00")].concat()
    };
    let limits = Limits::default().with(|options| options.nesting = 10);
    let got = read_in(&nested(10), &limits, usize::MAX, usize::MAX);
    assert_eq!((got.error, got.rows.len()), (None, 2));
    assert_eq!(kind(&nested(11), &limits), "limit.nesting");
    assert_eq!(
        kind(&nested(100_000), &limits.clone().with(|options| options.nesting = usize::MAX)),
        "limit.nesting"
    );
    // unknown fields: structs, lists and maps in their like
    for (open, inside) in [("fc", "1c"), ("f9", "19"), ("fb", "01 5b 00")] {
        let nested = |depth| [hex(open), hex(inside).repeat(depth)].concat();
        assert_eq!(kind(&nested(5), &limits), "truncated.row", "{open}");
        assert_eq!(kind(&nested(100_000), &limits), "limit.nesting", "{open}");
    }
}

#[test]
fn a_quoted_triple_is_not_larger_than_a_term_may_be() {
    let term = |n: usize| [hex("1c 1c 18"), varint(n as u64), vec![b'a'; n], hex("00 00")].concat();
    let row = |n| {
        [hex("2c"), term(1), term(1), hex("1c 9c"), term(n), term(n), term(n), hex("00 00 00 00")].concat()
    };
    let limits = Limits::default().with(|options| options.term_bytes = 1000);
    assert_eq!(read_in(&row(100), &limits, 64, 1).error, None);
    assert_eq!(kind(&row(400), &limits), "limit.term_bytes");
}

#[test]
fn strict_refuses_unfinished_transactions() {
    let strict = |text| {
        let limits = Limits::default();
        let format = jelly_patch::thrift::ThriftPatch::new(&limits, true);
        let mut decoder = jelly_patch::rows::RowDecoder::new(format, &limits, Some("log.trp".into()));
        let mut sink = Collect::<PatchRow>::new(usize::MAX);
        let pushed = decoder.decode(&hex(text), &mut sink).and_then(|_| decoder.finish(&mut sink));
        pushed.map_err(|error| error.to_string())
    };
    assert_eq!(strict("65 00 00 65 02 00"), Ok(true));
    assert!(strict("65 00 00").unwrap_err().starts_with("patch.unfinished: transaction 0"));
    let stray = strict("65 00 00 65 02 00 65 04 00").unwrap_err();
    assert_eq!(stray, "patch.stray: a transaction ends that did not begin (log.trp: row 2, byte 6)");
    // PD of the names `e` and `e:`
    assert_eq!(strict("5c 28 01 65 00 00"), Ok(true));
    let name = strict("5c 28 02 65 3a 00 00").unwrap_err();
    assert!(name.starts_with("patch.name: ") && name.ends_with("(log.trp: row 0, byte 0)"), "{name}");
}
