//! `rows="committed"` gives what a simple model makes of all rows.

use std::io::Write;

use crate::common::batches::{Drip, given, memory, patch, patch_rows, pipe};
use crate::common::core::{Core, config};
use crate::common::craft::{self, Frames};
use crate::common::rows::{Class, Decoded, Decoder, Fault, Framing, How, PatchRow};
use crate::common::soak::seeds;
use crate::oracle::generate::mutate::damage;
use crate::oracle::generate::{Format, stream};
use jelly_patch::arrow::ReadOptions;
use jelly_patch::io::Source;

/// The rows that count, and the slug of the error.
#[derive(Debug, Default, PartialEq)]
struct Expected {
    rows: Vec<PatchRow>,
    error: Option<String>,
}

/// Patch by patch: one that is not whole, or whose transactions are not, is refused.
fn model(all: &Decoded<PatchRow>) -> Expected {
    let mut expected = Expected::default();
    let (mut patch, mut open, mut pending) = (Vec::new(), false, Vec::new());
    for row in &all.rows {
        let refused = match row.op.as_str() {
            "TX" if open => Some("patch.unfinished"),
            "TC" | "TA" if !open => Some("patch.stray"),
            "Z" if open => Some("patch.unfinished"),
            _ => None,
        };
        if let Some(slug) = refused {
            expected.error = Some(slug.to_owned());
            return expected;
        }
        match row.op.as_str() {
            "TX" => open = true,
            "TC" => {
                patch.append(&mut pending);
                open = false;
            }
            "TA" => {
                pending.clear();
                open = false;
            }
            "Z" => expected.rows.append(&mut patch),
            "A" | "D" | "PA" | "PD" if open => pending.push(row.clone()),
            "A" | "D" | "PA" | "PD" => patch.push(row.clone()),
            _ => {}
        }
    }
    let slug = |what: &str| what.split(':').next().expect("a slug").to_owned();
    expected.error = all.error.as_ref().map(|fault| slug(&fault.what));
    expected
}

fn committed(how: How, batch_rows: usize) -> ReadOptions {
    let mut options = given(config(how));
    options.open.committed = true;
    options.open.decode.limits.batch_rows = batch_rows;
    options.open.decode.source = Some("log".into());
    options
}

fn got(source: Source, how: How, batch_rows: usize) -> Expected {
    let read = patch(source, &committed(how, batch_rows));
    if let Some(error) = &read.error {
        let at = error.position();
        assert_eq!(at.source.as_deref(), Some("log"));
        assert!(at.frame.is_some() && at.row.is_some() && at.offset.is_some(), "{error}");
    }
    Expected {
        rows: patch_rows(&read.batches),
        error: read.error.map(|error| error.kind().slug().to_owned()),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

/// All ways to read a log.
fn check(bytes: &[u8], how: How, seed: u64) -> Expected {
    let expected = model(&Core::default().patch(bytes, how));
    let sources: [(&str, Source); 5] = [
        ("memory", memory(bytes)),
        ("pipe", pipe(bytes)),
        ("drip", Source::Reader(Box::new(Drip::new(bytes, 5)))),
        ("gzip", memory(&gzip(bytes))),
        ("gzip pipe", pipe(&gzip(bytes))),
    ];
    for (number, (name, source)) in sources.into_iter().enumerate() {
        let rows = [1, 3, 10_000][(seed as usize + number) % 3];
        assert_eq!(got(source, how, rows), expected, "seed {seed}, {name}, {rows} rows a batch");
    }
    expected
}

#[test]
fn generated_logs() {
    let (mut rows, mut refused, mut whole) = (0, 0, 0);
    for seed in seeds(400) {
        let stream = stream(seed);
        if stream.format == Format::Patch {
            let expected = check(&stream.bytes(), stream.how, seed);
            rows += expected.rows.len();
            match expected.error {
                Some(_) => refused += 1,
                None => whole += 1,
            }
        }
    }
    assert!(rows > 800 && refused > 20 && whole > 20, "{rows} rows, {refused} refused, {whole} whole");
}

#[test]
fn damaged_logs() {
    let (mut rows, mut errors) = (0, 0);
    for seed in seeds(500) {
        let damaged = damage(seed);
        if damaged.format == Format::Patch && !damaged.bytes.is_empty() {
            let expected = check(&damaged.bytes, damaged.how, seed);
            rows += expected.rows.len();
            errors += usize::from(expected.error.is_some());
        }
    }
    assert!(rows > 300 && errors > 100, "{rows} rows, {errors} errors");
}

/// Streams end to end, also where options that come again begin another stream.
#[test]
fn concatenated_logs() {
    let (mut rows, mut refused) = (0, 0);
    for seed in seeds(300) {
        let logs = (seed * 10..).map(stream).filter(|stream| {
            let how = stream.how;
            stream.format == Format::Patch && how.framing == Framing::Delimited && !how.lenient_flags
        });
        let bytes: Vec<u8> = logs.take(3).flat_map(|stream| stream.bytes()).collect();
        let framing = jelly_patch::decode::Framing::Concatenated;
        let mut options = committed(How::new(Framing::Delimited), 10_000);
        options.open.decode.framing = framing;
        let all = craft::patch_with(&bytes, options.open.decode.clone());
        let mut decoded = all.decoded;
        decoded.error = all.error.map(|error| Fault { class: Class::Other, what: error.to_string() });
        let expected = model(&decoded);
        for source in [memory(&bytes), pipe(&bytes)] {
            let read = patch(source, &options);
            assert!(patch_rows(&read.batches) == expected.rows, "seed {seed}");
            let slug = read.error.map(|error| error.kind().slug().to_owned());
            assert_eq!(slug, expected.error, "seed {seed}");
        }
        rows += expected.rows.len();
        refused += usize::from(expected.error.is_some());
    }
    assert!(rows > 1_000 && refused > 20, "{rows} rows, {refused} refused");
}

/// A log whose patches are longer than what is read at a time, in many sizes.
fn long_log(patches: usize) -> Vec<u8> {
    let mut frames = vec![vec![craft::patch::options(craft::patch::PUNCTUATED, craft::patch::QUADS)]];
    for patch in 0..patches {
        let mut rows = vec![craft::patch::tx()];
        let statements = (patch * 7919) % 20_000;
        rows.extend((0..statements).map(|n| craft::patch::plain_add(&format!("o{patch}_{n}"))));
        let abort = patch % 3 == 1;
        rows.push(if abort { craft::patch::abort() } else { craft::patch::commit() });
        rows.push(craft::patch::mark());
        frames.extend(rows.chunks(500).map(<[Vec<u8>]>::to_vec));
    }
    Frames(frames).bytes()
}

#[test]
fn patches_longer_than_the_buffers() {
    let bytes = long_log(12);
    let how = How::new(Framing::Delimited);
    let expected = model(&Core::default().patch(&bytes, how));
    assert!(bytes.len() > 1 << 20 && expected.rows.len() > 50_000 && expected.error.is_none());
    for source in [memory(&bytes), pipe(&bytes), Source::Reader(Box::new(Drip::new(&bytes, 100_000)))] {
        assert!(got(source, how, 10_000) == expected);
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), &bytes).expect("room");
    assert!(got(Source::Path(file.path().to_owned()), how, 10_000) == expected);
}

#[test]
fn waiting_bytes_are_limited_on_what_is_read_once() {
    let bytes = long_log(3); // the second and third are long
    let how = How::new(Framing::Delimited);
    let mut options = committed(how, 10_000);
    options.open.decode.limits.transaction_bytes = 100_000;
    let read = patch(pipe(&bytes), &options);
    let error = read.error.expect("too much to keep");
    assert_eq!(
        (error.kind().slug(), error.limit_name()),
        ("limit.transaction_bytes", Some("transaction_bytes"))
    );
    assert!(patch(memory(&bytes), &options).error.is_none(), "memory is read twice");
    options.open.decode.limits.transaction_bytes = 2 << 20;
    assert!(patch(pipe(&bytes), &options).error.is_none());
}

#[test]
fn nothing_of_a_bad_patch_and_all_before_it() {
    use craft::patch::{FRAME, QUADS, abort, commit, options, plain_add, tx};
    let good = vec![plain_add("outside"), tx(), plain_add("in"), commit()];
    let bad = [
        vec![plain_add("bad"), tx(), plain_add("bad")],
        vec![plain_add("bad"), commit()],
        vec![tx(), plain_add("bad"), commit(), tx(), tx(), commit()],
        vec![tx(), plain_add("bad"), commit(), abort()],
        vec![tx(), plain_add("bad"), commit(), vec![]],
    ];
    for rows in bad {
        let frames = Frames(vec![vec![options(FRAME, QUADS)], good.clone(), rows, good.clone()]);
        let bytes = frames.bytes();
        let how = How::new(Framing::Delimited);
        let expected = check(&bytes, how, 0);
        let objects: Vec<_> = expected.rows.iter().map(|row| row.object.as_deref()).collect();
        assert_eq!(objects, [Some("_:outside"), Some("_:in")]);
        assert!(expected.error.is_some());
    }
}

#[test]
fn committed_refuses_permissive_mode() {
    let bytes = long_log(1);
    let mut options = committed(How::new(Framing::Delimited), 10);
    options.mode = jelly_patch::arrow::Mode::Permissive;
    let error = patch(memory(&bytes), &options).error.expect("refused");
    assert_eq!(error.kind().slug(), "argument");
}
