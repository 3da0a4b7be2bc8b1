//! A file that was cut says so, at every byte, or is whole frames; compressed or not. No row is lost in silence.

use std::io::Write;

use crate::common::core::{Core, config};
use crate::common::craft::{self, Frames, Outcome, rdf_with};
use crate::common::rows::{Decoder, Framing, How, RdfRow};
use crate::common::soak::costly;
use crate::oracle::generate::{Format, stream};
use jelly_patch::ErrorClass;
use jelly_patch::With;
use jelly_patch::decode::Rdf;
use jelly_patch::io::{Source, Stream, open};
use jelly_patch::reader::{Reader, RowSource};

/// A file with rows of every kind in frames of several sizes.
fn file() -> Frames {
    use craft::rdf::{
        GRAPHS, datatype, graph_end, graph_start, name, namespace, options, plain_triple, prefix, triple,
    };
    use craft::{blank, bytes, default_graph, ids, iri, literal, number, quoted, text};
    let typed = || literal([bytes(1, "1"), number(3, 1)].concat());
    let mut frames = vec![vec![
        options(GRAPHS),
        prefix(0, "http://ex.org/"),
        name(0, "a"),
        name(0, "b"),
        datatype(0, "http://ex.org/dt"),
        namespace("ex", ids(1, 1)),
        graph_start(&iri(1, 1)),
    ]];
    for n in 0..40 {
        let word = "word ".repeat(n);
        frames.push(vec![
            triple([iri(1, 1), iri(0, 0), text(&word)]),
            bytes(2, craft::member(9, &typed())),
            triple([quoted([iri(1, 2), iri(0, 1), blank("o")]), iri(0, 1), typed()]),
            plain_triple(),
            graph_end(),
            graph_start(&default_graph()),
        ]);
        frames.push(vec![]);
    }
    Frames(frames)
}

/// Where frames end, the start included.
fn ends(frames: &Frames) -> Vec<usize> {
    let lengths = frames.0.iter().map(|frame| Frames(vec![frame.clone()]).bytes().len());
    std::iter::once(0)
        .chain(lengths.scan(0, |end, length| {
            *end += length;
            Some(*end)
        }))
        .collect()
}

fn is_truncated(outcome: &Outcome<RdfRow>) -> bool {
    outcome.error.as_ref().is_some_and(|error| error.kind().class() == ErrorClass::Truncated)
}

#[test]
fn every_byte() {
    let frames = file();
    let (bytes, ends) = (frames.bytes(), ends(&frames));
    let all = frames.rdf().rows();
    assert!(bytes.len() > 5_000 && all.len() == 160 && ends.len() == 82);
    let mut before = 0;
    for cut in 0..=bytes.len() {
        let outcome = rdf_with(&bytes[..cut], craft::delimited());
        let rows = &outcome.decoded.rows;
        assert!(rows[..] == all[..rows.len()], "{cut}: rows before the cut are the rows of the file");
        assert!(rows.len() >= before, "{cut}: no fewer than at the byte before");
        before = rows.len();
        if let Some(frame) = ends.iter().position(|end| *end == cut) {
            assert!(outcome.error.is_none(), "{cut}: {:?}", outcome.error);
            let whole = all.iter().take_while(|row| row.frame < frame as i64).count();
            assert_eq!(rows.len(), whole, "{cut}: all rows of {frame} frames");
        } else {
            assert!(is_truncated(&outcome), "{cut}: {:?}", outcome.error);
            let offset = outcome.fault().3;
            assert!(offset <= cut as u64 && offset + 2_000 > cut as u64, "{cut}: at {offset}");
        }
    }
    assert_eq!(before, all.len());
}

/// Generated streams of both formats.
#[test]
fn every_byte_of_generated_streams() {
    let (mut cuts, mut rows) = (0, 0);
    for seed in costly(30) {
        let stream = stream(seed);
        if stream.how.framing != Framing::Delimited {
            continue;
        }
        let bytes = stream.bytes();
        let frame_ends: Vec<usize> = (0..=stream.frames.len())
            .map(|count| {
                let frames = stream.frames[..count].to_vec();
                crate::oracle::generate::Stream { frames, ..stream.clone() }.bytes().len()
            })
            .collect();
        for cut in 0..bytes.len() {
            let (count, error) = match stream.format {
                Format::Rdf => {
                    let got = Core::default().rdf(&bytes[..cut], stream.how);
                    (got.rows.len(), got.error)
                }
                Format::Patch => {
                    let got = Core::default().patch(&bytes[..cut], stream.how);
                    (got.rows.len(), got.error)
                }
            };
            rows += count;
            if !frame_ends.contains(&cut) {
                let error = error.expect("not at the end of a frame");
                assert_eq!(
                    error.class,
                    crate::common::rows::Class::Truncated,
                    "seed {seed}, {cut}: {}",
                    error.what
                );
                cuts += 1;
            }
        }
    }
    assert!(cuts > 2_500 && rows > 12_500, "{cuts} cuts, {rows} rows");
}

/// A single frame ends where its file does: a cut between two rows cannot be told from its end.
#[test]
fn every_byte_of_a_single_frame() {
    let rows = file().0.concat();
    let frames = Frames(vec![rows]);
    let bytes = frames.single();
    let single = || craft::delimited().with(|options| options.framing = jelly_patch::decode::Framing::Single);
    let starts: Vec<usize> = frames.0[0]
        .iter()
        .scan(0, |end, row| {
            *end += craft::bytes(1, row).len();
            Some(*end)
        })
        .collect();
    for cut in 0..=bytes.len() {
        let outcome = rdf_with(&bytes[..cut], single());
        if cut == 0 || starts.contains(&cut) {
            assert!(outcome.error.is_none(), "{cut}: {:?}", outcome.error);
        } else {
            assert!(is_truncated(&outcome), "{cut}: {:?}", outcome.error);
        }
    }
}

/// Reads a source to its end, as readers of files do.
fn read(source: Source, limits_source: &str) -> Outcome<RdfRow> {
    let config =
        config(How::new(Framing::Delimited)).with(|options| options.source = Some(limits_source.into()));
    let mut sink = crate::common::core::Collect::new(usize::MAX);
    let opened = open(source, None, config.framing, &config.limits, Some(1));
    let done = opened.and_then(|opened| {
        let decoder = jelly_patch::decode::Decoder::<Rdf>::new(config);
        let mut reader = Reader::new(decoder, opened.stream);
        reader.advance(&mut sink, &mut || Ok(()))
    });
    Outcome { decoded: sink.decoded, error: done.err() }
}

fn compressed(bytes: &[u8], how: &str) -> Vec<u8> {
    let gzip = |bytes: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        out.write_all(bytes).expect("memory");
        out.finish().expect("memory")
    };
    let zstd = |bytes: &[u8], checksum: bool| {
        let mut out = zstd::stream::write::Encoder::new(Vec::new(), 1).expect("a level");
        out.include_checksum(checksum).expect("a setting");
        out.write_all(bytes).expect("memory");
        out.finish().expect("memory")
    };
    let half = bytes.len() / 2;
    match how {
        "gzip" => gzip(bytes),
        "gzip twice" => [gzip(&bytes[..half]), gzip(&bytes[half..])].concat(),
        "zstd" => zstd(bytes, false),
        "zstd with checksum" => zstd(bytes, true),
        "zstd twice" => [zstd(&bytes[..half], true), zstd(&bytes[half..], false)].concat(),
        "zstd after a skippable frame" => {
            let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
            [skippable, zstd(bytes, true)].concat()
        }
        _ => unreachable!("{how}"),
    }
}

#[test]
fn every_byte_of_a_compressed_file() {
    let bytes = file().bytes();
    let all = file().rdf().rows();
    for how in
        ["gzip", "gzip twice", "zstd", "zstd with checksum", "zstd twice", "zstd after a skippable frame"]
    {
        let packed = compressed(&bytes, how);
        let whole = read(Source::Bytes(std::sync::Arc::new(packed.clone())), how);
        assert!(whole.rows() == all, "{how}");
        let mut most = 0;
        for cut in 1..packed.len() {
            // a skippable frame alone is nothing, compressed
            if how.ends_with("skippable frame") && cut == 11 {
                continue;
            }
            let cut_off = packed[..cut].to_vec();
            let source = if cut % 2 == 0 {
                Source::Bytes(std::sync::Arc::new(cut_off))
            } else {
                Source::Reader(Box::new(std::io::Cursor::new(cut_off)))
            };
            let outcome = read(source, how);
            let rows = &outcome.decoded.rows;
            assert!(rows[..] == all[..rows.len()], "{how}, {cut}");
            most = most.max(rows.len());
            let error = outcome.error.as_ref().unwrap_or_else(|| panic!("{how}: silent at {cut}"));
            // too few bytes to tell the compression are taken for a frame, and cut as well
            let class = error.kind().class();
            let is_start = cut < 12 && class == ErrorClass::Wire;
            assert!(class == ErrorClass::Truncated || is_start, "{how}, {cut}: {error}");
        }
        assert!(most > 0 || how == "zstd", "{how}: rows before the cut come first");
    }
}

/// What reading fails with comes after the rows that were read.
#[test]
fn source_that_fails() {
    struct Failing(std::io::Cursor<Vec<u8>>);
    impl std::io::Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(std::io::Error::new(std::io::ErrorKind::ConnectionReset, "reset")),
                n => Ok(n),
            }
        }
    }
    let frames = file();
    let bytes = frames.bytes();
    for cut in [1, 100, 3_000, 5_000, bytes.len()] {
        let source = Source::Reader(Box::new(Failing(std::io::Cursor::new(bytes[..cut].to_vec()))));
        let outcome = read(source, "a.jelly");
        let expected = rdf_with(&bytes[..cut], craft::delimited()).decoded.rows;
        assert_eq!(outcome.decoded.rows, expected, "{cut}");
        assert_eq!(outcome.fault().0, "io", "{cut}");
        let error = outcome.error.and_then(jelly_patch::Error::into_io_error);
        assert_eq!(error.expect("the cause").kind(), std::io::ErrorKind::ConnectionReset);
    }
}

/// A source that failed is not read again, and not taken for complete.
#[test]
fn source_that_failed_stays_failed() {
    struct Once(usize);
    impl std::io::Read for Once {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            self.0 += 1;
            if self.0 == 1 { Err(std::io::Error::other("once")) } else { Ok(0) }
        }
    }
    let decoder = jelly_patch::decode::Decoder::<Rdf>::new(craft::delimited());
    let mut reader = Reader::new(decoder, Stream::Reader(Box::new(Once(0))));
    let mut sink = crate::common::core::Collect::<RdfRow>::new(usize::MAX);
    for _ in 0..2 {
        assert!(reader.advance(&mut sink, &mut || Ok(())).is_err());
    }
}
