//! Sources that are opened in the middle.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::{in_memory, sample};
use jelly_patch::io::{Compression, Source, Stream, open_at};
use jelly_patch::{Error, Limits};

fn read_at(source: Source, offset: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    match open_at(source, offset, None, &Limits::default())? {
        Stream::Reader(mut reader) => reader.read_to_end(&mut bytes)?,
        Stream::Bytes(_) => panic!("not in the middle"),
    };
    Ok(bytes)
}

fn memory(bytes: &[u8]) -> Source {
    Source::Bytes(Arc::new(bytes.to_vec()))
}

fn file(folder: &Path, bytes: &[u8]) -> Source {
    let path = folder.join("file");
    std::fs::write(&path, bytes).expect("room");
    Source::Path(path)
}

#[test]
fn at_every_kind_of_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = sample(300_000);
    let pieces: Vec<&[u8]> = bytes.chunks(70_000).collect();
    for compression in [Compression::None, Compression::Zstd] {
        let stored = in_memory(compression, &pieces);
        for offset in [0, 1, 69_999, 70_000, 70_001, 140_000, 280_000, 299_999, 300_000] {
            for source in [memory(&stored), file(folder.path(), &stored)] {
                let got = read_at(source, offset).expect("it can be entered");
                assert!(got == bytes[offset as usize..], "{compression:?} {offset}");
            }
        }
        let error = read_at(memory(&stored), 300_001).expect_err("behind the end");
        assert_eq!(error.kind().slug(), "argument");
    }
}

/// Only what is behind the place is read: what is before it may be gone.
#[test]
fn nothing_before_the_frame_is_looked_at() {
    let bytes = sample(300_000);
    let pieces: Vec<&[u8]> = bytes.chunks(100_000).collect();
    let mut stored = in_memory(Compression::Zstd, &pieces);
    stored[10..1000].fill(0);
    assert!(read_at(memory(&stored), 0).is_err());
    assert!(read_at(memory(&stored), 100_000).expect("undamaged") == bytes[100_000..]);
}

#[test]
fn files_put_end_to_end_are_still_entered() {
    let bytes = sample(200_000);
    let pieces: Vec<&[u8]> = bytes.chunks(60_000).collect();
    let one = in_memory(Compression::Zstd, &pieces);
    let (two, twice) = (one.repeat(2), bytes.repeat(2));
    for offset in [60_000, 199_999, 200_000, 210_000, 399_000] {
        assert!(read_at(memory(&two), offset).expect("entered") == twice[offset as usize..], "{offset}");
    }
}

#[test]
fn what_cannot_be_entered_is_an_error() {
    let bytes = sample(200_000);
    let halves: Vec<&[u8]> = bytes.chunks(100_000).collect();
    let zstd = in_memory(Compression::Zstd, &halves);
    let appended = [&zstd[..], &in_memory(Compression::Zstd, &[b"more"])].concat();
    for (what, stored) in [
        ("gzip", in_memory(Compression::Gzip, &halves)),
        ("no table", in_memory(Compression::Zstd, &[&bytes])),
        ("frames after the table", appended),
        ("cut", zstd[..zstd.len() - 1].to_vec()),
    ] {
        let error = read_at(memory(&stored), 100_000).expect_err(what);
        assert_eq!(error.kind().slug(), "argument", "{what}");
        assert!(error.message().contains("cannot be read from the middle"), "{error}");
        // the start is always there
        let start = open_at(memory(&stored), 0, None, &Limits::default());
        assert!(start.is_ok(), "{what}");
    }
    let reader = Source::Reader(Box::new(std::io::Cursor::new(bytes)));
    assert_eq!(read_at(reader, 1).expect_err("it is read once").kind().slug(), "argument");
}

/// A table that promises more than its frames have.
#[test]
fn a_table_that_lies_is_found_out() {
    let bytes = sample(100_000);
    let pieces: Vec<&[u8]> = bytes.chunks(50_000).collect();
    let mut stored = in_memory(Compression::Zstd, &pieces);
    let last = stored.len() - 9 - 4;
    stored[last..last + 4].copy_from_slice(&1_000_000u32.to_le_bytes());
    let error = read_at(memory(&stored), 500_000).expect_err("it has fewer");
    assert_eq!(error.kind().slug(), "wire.compressed");
}
