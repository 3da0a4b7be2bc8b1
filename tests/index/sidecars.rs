//! Sidecars: the files of others can be entered too.

use jelly_patch::ErrorKind;
use jelly_patch::With;
use jelly_patch::decode::Framing;
use jelly_patch::index::{How, ScanOptions, Scanned, scan, sidecar_path};
use jelly_patch::open::OpenOptions;

use super::{Kept, Rows, part, rewrite};
use crate::common::core::config;
use crate::common::memory::Sink;
use crate::common::rows::{How as Reading, PatchRow, RdfRow};
use crate::common::soak::seeds;
use crate::common::vectors::assert_same;
use crate::oracle::generate::{Format, Stream, stream};
use jelly_patch::encode::EncodeOptions;
use jelly_patch::io::{Compression, Content, Output, OutputOptions, Source};

fn options(format: Format, how: Reading, every: u64) -> ScanOptions {
    let format = if format == Format::Rdf { Content::JellyRdf } else { Content::JellyPatch };
    ScanOptions::default().with(|options| {
        options.every = every;
        options.decode = config(how);
        options.format = Some(format);
        options.compression = None;
    })
}

fn scanned(kept: &Kept, format: Format, how: Reading, every: u64) -> Scanned {
    scan(&kept.path(), &options(format, how, every), &mut || Ok(())).expect("a valid stream")
}

fn check<R: Rows>(name: &str, kept: &Kept, format: Format, how: Reading, every: u64) -> usize {
    let found = scanned(kept, format, how, every);
    let index = kept.index();
    assert_eq!((index.how, index.warnings.as_slice()), (How::Sidecar, [].as_slice()), "{name}");
    assert_eq!(index.points.len(), found.points);
    assert_eq!(found.rows, read::<R>(kept, how, None, None).len() as u64);
    pieces::<R>(name, kept, how);
    index.points.len()
}

fn read<R: Rows>(kept: &Kept, how: Reading, start: Option<u64>, end: Option<u64>) -> Vec<R> {
    let options = part(start, end).with(|options| options.decode = config(how));
    R::read(Source::Path(kept.path()), &options, 5).whole()
}

/// The parts of a file are the file; how many they are.
fn pieces<R: Rows>(name: &str, kept: &Kept, how: Reading) -> usize {
    let (points, mut got) = (kept.index().points, Vec::new());
    for (number, point) in points.iter().enumerate() {
        assert_eq!(got.len() as u64, point.counters.seq, "{name}");
        let end = points.get(number + 1).map(|end| end.offset);
        got.extend(read::<R>(kept, how, Some(point.offset), end));
    }
    assert_same(name, &got, &read::<R>(kept, how, None, None));
    points.len()
}

#[test]
fn parts_of_generated_streams() {
    let (mut points, mut single) = (0, 0);
    for seed in seeds(400) {
        let stream = stream(seed);
        let (kept, every) = (Kept::new(&stream.bytes()), [1, 50, 200][seed as usize % 3]);
        if kept.path().metadata().expect("a file").len() < 3 {
            continue;
        }
        let name = format!("seed {seed}");
        let found = match stream.format {
            Format::Rdf => check::<RdfRow>(&name, &kept, stream.format, stream.how, every),
            Format::Patch => check::<PatchRow>(&name, &kept, stream.format, stream.how, every),
        };
        points += found;
        single += usize::from(stream.how.framing == crate::common::rows::Framing::Single);
    }
    assert!(points > 1_000 && single > 40, "{points} {single}");
}

/// A stream of Jelly-Patch of several frames.
fn some() -> Stream {
    let long = |stream: &Stream| stream.format == Format::Patch && stream.frames.len() > 3;
    (0..10_000).map(stream).find(long).expect("a stream")
}

#[test]
fn one_that_is_not_of_its_file_is_not_used() {
    let stream = some();
    let bytes = stream.bytes();
    let kept = Kept::new(&bytes);
    let found = scanned(&kept, Format::Patch, stream.how, 1);
    assert!(found.points > 3, "{found:?}");
    let mut changed = bytes.clone();
    *changed.last_mut().expect("bytes") ^= 1;
    for other in [&changed[..], &bytes[1..], &bytes[..bytes.len() - 1], b""] {
        kept.write(other);
        let index = kept.index();
        assert_eq!((index.how, index.points.len(), index.warnings.len()), (How::None, 0, 1));
        assert!(index.warnings[0].message.contains("changed"), "{:?}", index.warnings);
    }
}

#[test]
fn a_file_that_grew_has_one_for_its_old_part() {
    let stream = some();
    let whole = Kept::new(&stream.bytes());
    let rows = PatchRow::read(Source::Path(whole.path()), &given(&stream), 9).whole();
    let mut last = stream.clone();
    let grown = last.frames.pop().expect("a frame");
    let kept = Kept::new(&last.bytes());
    let before = scanned(&kept, Format::Patch, stream.how, 1).points;
    assert!(!grown.fields.is_empty() && before > 2, "{before}");
    kept.write(&stream.bytes());
    let index = kept.index();
    assert_eq!((index.how, index.points.len(), index.warnings.len()), (How::Sidecar, before, 0));
    for point in &index.points {
        let options = given(&stream).with(|options| options.start = Some(point.offset));
        let rest = PatchRow::read(Source::Path(kept.path()), &options, 9).whole();
        assert_same("grown", &rest, &rows[point.counters.seq as usize..]);
    }
}

fn given(stream: &Stream) -> OpenOptions {
    part(None, None).with(|options| options.decode = config(stream.how))
}

/// The footer comes first; a sidecar stands in where the footer is damaged.
#[test]
fn beside_a_footer() {
    let encode = EncodeOptions::rdf().with(|options| {
        options.restart_bytes = Some(0);
        options.frame_rows = 1;
    });
    let rewritten = |seed| {
        let stream = stream(seed);
        let bytes = rewrite(&stream, encode.clone()).filter(|bytes| bytes.len() > 2_000);
        bytes.map(|bytes| (stream.format, bytes))
    };
    let mut checked = 0;
    for (format, mut bytes) in (0..200).filter_map(rewritten).take(20) {
        let how = Reading::new(crate::common::rows::Framing::Delimited);
        let kept = Kept::new(&bytes);
        scanned(&kept, format, how, 1);
        assert_eq!(kept.index().how, How::Footer);
        *bytes.last_mut().expect("bytes") ^= 1;
        kept.write(&bytes);
        assert_eq!(kept.index().how, How::None);
        scanned(&kept, format, how, 1);
        let index = kept.index();
        assert_eq!((index.how, index.warnings.len()), (How::Sidecar, 1));
        assert!(index.points.len() > 3);
        checked += 1;
    }
    assert!(checked > 10, "{checked}");
}

#[test]
fn nothing_is_left_of_a_scan_that_fails() {
    let stream = some();
    let bytes = stream.bytes();
    let kept = Kept::new(&bytes[..bytes.len() - 1]);
    let error =
        scan(&kept.path(), &options(stream.format, stream.how, 1), &mut || Ok(())).expect_err("it is cut");
    assert_eq!(error.kind(), ErrorKind::TruncatedFrame);
    let entries = || std::fs::read_dir(kept.folder()).expect("a folder").count();
    assert_eq!(entries(), 1);
    kept.write(b"<http://a> <http://b> <http://c> .\n");
    let error = scan(&kept.path(), &ScanOptions::default(), &mut || Ok(())).expect_err("text");
    assert_eq!(error.kind(), ErrorKind::WireFormat);
    kept.write(b"\x1f\x8b\x08\x00");
    let error = scan(&kept.path(), &ScanOptions::default(), &mut || Ok(())).expect_err("gzip");
    assert_eq!((error.kind(), error.message().contains("never split")), (ErrorKind::Argument, true));
    assert_eq!(entries(), 1);
    let index = kept.index();
    assert_eq!((index.how, index.warnings.len()), (How::None, 1));
}

/// Another framing than that of the scan is refused, not guessed.
#[test]
fn framing_must_agree() {
    let stream = some();
    let kept = Kept::new(&stream.bytes());
    let how = Reading::new(crate::common::rows::Framing::Delimited);
    scanned(&kept, Format::Patch, how, 1);
    let point = kept.index().points[1];
    let decode = config(stream.how).with(|options| options.framing = Framing::Concatenated);
    let options = given(&stream).with(|options| {
        options.start = Some(point.offset);
        options.decode = decode;
    });
    let read = PatchRow::read(Source::Path(kept.path()), &options, 9);
    assert_eq!(read.refused(), ("options.snapshot", 0));
    assert!(sidecar_path(&kept.path()).ends_with(".a.jelly.jellyindex"));
}

/// The offsets of both are those of the bytes when they are decompressed.
#[test]
fn of_zstd_files() {
    let (mut own, mut others) = (0, 0);
    for seed in 0..120 {
        let stream = stream(seed);
        let encode = EncodeOptions::rdf().with(|options| {
            options.restart_bytes = Some(200);
            options.frame_rows = 3;
        });
        let Some(bytes) = rewrite(&stream, encode).filter(|bytes| bytes.len() > 600) else { continue };
        let how = Reading::new(crate::common::rows::Framing::Delimited);
        let points = Kept::new(&bytes).index().points;
        let kept = Kept::new(&zstd(&bytes, 300));
        let index = kept.index();
        assert_eq!((index.how, &index.points), (How::Footer, &points));
        let name = format!("seed {seed}");
        own += match stream.format {
            Format::Rdf => pieces::<RdfRow>(&name, &kept, how),
            Format::Patch => pieces::<PatchRow>(&name, &kept, how),
        };
        // without marks, as a file of others
        let plain = rewrite(&stream, EncodeOptions::rdf().with(|options| options.frame_rows = 3));
        let plain = plain.expect("as before");
        let kept = Kept::new(&zstd(&plain, 300));
        others += match stream.format {
            Format::Rdf => check::<RdfRow>(&name, &kept, stream.format, how, 100),
            Format::Patch => check::<PatchRow>(&name, &kept, stream.format, how, 100),
        };
        // one frame has no table
        let kept = Kept::new(&zstd(&bytes, usize::MAX));
        let index = kept.index();
        assert_eq!((index.how, index.warnings.len()), (How::None, 1), "{name}");
        let refused =
            kept.read::<PatchRow>(Some(points.last().expect("a point").offset.max(1)), None).refused();
        assert_eq!(refused, ("argument", 0));
        let error = scan(&kept.path(), &options(stream.format, how, 1), &mut || Ok(()));
        assert_eq!(error.expect_err("no table").kind(), ErrorKind::Argument);
    }
    assert!(own > 100 && others > 100, "{own} {others}");
}

fn zstd(bytes: &[u8], every: usize) -> Vec<u8> {
    let options = OutputOptions::default().with(|options| {
        options.compression = Some(Compression::Zstd);
        options.level = None;
    });
    let sink = Sink::default();
    let mut output = Output::create(sink.target(), &options).expect("memory");
    for (number, piece) in bytes.chunks(every).enumerate() {
        if number > 0 {
            output.cut().expect("memory");
        }
        output.write(piece).expect("memory");
    }
    output.finish().expect("memory");
    sink.bytes()
}
