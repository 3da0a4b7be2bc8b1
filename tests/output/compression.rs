//! gzip and zstd: as others write it and as others read it.

use std::io::Read;
use std::sync::Arc;

use super::{create, given, in_memory, sample};
use jelly_patch::Limits;
use jelly_patch::With;
use jelly_patch::decode::Framing;
use jelly_patch::io::{Compression, Output, OutputOptions, Source, Stream, Target, open};

use crate::common::memory::Sink;

/// What our own reader makes of it.
pub fn plain(bytes: &[u8]) -> Vec<u8> {
    let opened =
        open(Source::Bytes(Arc::new(bytes.to_vec())), None, Framing::Auto, &Limits::default(), Some(1));
    match opened.expect("compressed").stream {
        Stream::Bytes(bytes) => (*bytes).as_ref().to_vec(),
        Stream::Reader(mut reader) => {
            let mut plain = Vec::new();
            reader.read_to_end(&mut plain).expect("undamaged");
            plain
        }
    }
}

#[test]
fn the_name_tells_the_compression() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = sample(100_000);
    for (name, compression) in [
        ("a.nq", Compression::None),
        ("a.gz", Compression::Gzip),
        ("a.jelly.GZ", Compression::Gzip),
        ("a.jelly.zst", Compression::Zstd),
        ("gz", Compression::None),
    ] {
        let path = folder.path().join(name);
        let mut output = create(&path);
        output.write(&bytes).expect("room");
        output.finish().expect("room");
        let stored = std::fs::read(&path).expect("a file");
        assert_eq!(Compression::detect(&stored), compression, "{name}");
        assert!(plain(&stored) == bytes, "{name}");
    }
    // what is told counts
    let path = folder.path().join("b.gz");
    let output = Output::create(Target::Path(path.clone()), &given(Compression::Zstd)).expect("a folder");
    output.finish().expect("room");
    assert_eq!(Compression::detect(&std::fs::read(&path).expect("a file")), Compression::Zstd);
}

#[test]
fn several_frames_are_one_stream() {
    let bytes = sample(300_000);
    let pieces: Vec<&[u8]> = bytes.chunks(70_000).collect();
    let stored = in_memory(Compression::Zstd, &pieces);
    assert!(zstd::stream::decode_all(&stored[..]).expect("undamaged") == bytes, "the crate's own reader");
    assert!(plain(&stored) == bytes);
    // five frames, and a skippable one
    assert_eq!(stored.windows(4).filter(|window| *window == b"\x28\xb5\x2f\xfd").count(), 5);
    assert_eq!(stored.windows(4).filter(|window| *window == b"\x5e\x2a\x4d\x18").count(), 1);
    // one frame needs no table, and cuts without bytes between them are none
    for pieces in [&[&bytes[..]][..], &[b"", &bytes, b"", b""]] {
        let stored = in_memory(Compression::Zstd, pieces);
        assert!(!stored.windows(4).any(|window| window == b"\x5e\x2a\x4d\x18"));
        assert!(plain(&stored) == bytes);
    }
    for compression in [Compression::None, Compression::Gzip] {
        let cut = in_memory(compression, &pieces);
        let whole = in_memory(compression, &[&bytes]);
        assert!(cut == whole, "a cut is nothing to {compression:?}");
    }
}

/// The same bytes come out whatever the pieces were that went in.
#[test]
fn pieces_make_no_difference() {
    let bytes = sample(1_000_000);
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        let write = |most: usize| {
            let sink = Sink::default();
            let mut output = Output::create(sink.target(), &given(compression)).expect("memory");
            for piece in bytes.chunks(most) {
                output.write(piece).expect("memory");
            }
            output.finish().expect("memory");
            sink.bytes()
        };
        let whole = write(bytes.len());
        assert!(plain(&whole) == bytes);
        for most in [7, 999, 70_000, 300_000] {
            assert!(write(most) == whole, "{compression:?} {most}");
        }
    }
}

#[test]
fn nothing_is_a_stream_too() {
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        let stored = in_memory(compression, &[]);
        assert_eq!(Compression::detect(&stored), compression);
        assert!(plain(&stored).is_empty());
    }
}

#[test]
fn levels() {
    let bytes = sample(400_000);
    let at = |compression, level| {
        let options = OutputOptions::default().with(|options| {
            options.compression = Some(compression);
            options.level = level;
        });
        let sink = Sink::default();
        let mut output = Output::create(sink.target(), &options)?;
        output.write(&bytes)?;
        output.finish()?;
        Ok::<_, jelly_patch::Error>(sink.bytes())
    };
    for (compression, levels, usual) in [(Compression::Gzip, [1, 9], 6), (Compression::Zstd, [1, 22], 3)] {
        let sizes = levels.map(|level| {
            let stored = at(compression, Some(level)).expect("a level");
            assert!(plain(&stored) == bytes, "{compression:?} {level}");
            stored.len()
        });
        assert!(sizes[1] < sizes[0], "{compression:?} {sizes:?}");
        assert!(at(compression, None).expect("a level") == at(compression, Some(usual)).expect("a level"));
    }
    let wrong = [
        (Compression::None, 1),
        (Compression::Gzip, -1),
        (Compression::Gzip, 10),
        (Compression::Zstd, 0),
        (Compression::Zstd, 23),
    ];
    for (compression, level) in wrong {
        assert_eq!(at(compression, Some(level)).expect_err("no such level").kind().slug(), "argument");
    }
}

/// What a reader can make of the start of a stream.
fn readable(mut reader: impl Read) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let whole = reader.read_to_end(&mut bytes).is_ok();
    (bytes, whole)
}

#[test]
fn a_flush_hands_on_all_there_is_and_an_abandoned_stream_does_not_look_whole() {
    let bytes = sample(10_000);
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        let sink = Sink::default();
        let mut output = Output::create(sink.target(), &given(compression)).expect("a writer");
        output.write(&bytes).expect("room");
        output.flush().expect("room");
        output.cut().expect("room");
        output.flush().expect("room");
        let so_far = sink.bytes();
        let (read, whole) = match compression {
            Compression::None => readable(&so_far[..]),
            Compression::Gzip => readable(flate2::read::MultiGzDecoder::new(&so_far[..])),
            Compression::Zstd => readable(zstd::stream::read::Decoder::new(&so_far[..]).expect("a context")),
            other => panic!("{other:?} is not written"),
        };
        assert!(read == bytes, "{compression:?}");
        assert_eq!(whole, compression != Compression::Gzip);
        output.write(&bytes).expect("room");
        drop(output);
        let stored = sink.bytes();
        let whole = match compression {
            Compression::None => continue,
            Compression::Gzip => readable(flate2::read::MultiGzDecoder::new(&stored[..])).1,
            Compression::Zstd => stored != so_far,
            other => panic!("{other:?} is not written"),
        };
        assert!(!whole, "{compression:?}");
    }
}
