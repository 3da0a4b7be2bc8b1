//! The generator and the oracle agree with each other: valid streams decode, damaged ones mostly do
//! not, and both have everything that they claim to have.

use std::collections::BTreeMap;

use crate::common::lexer::Lexer;
use crate::common::rows::{Decoder, Framing, How, Terms};
use crate::oracle::Oracle;
use crate::oracle::generate::mutate::damage;
use crate::oracle::generate::{Format, stream};
use crate::oracle::proto::v1::RdfStreamFrame;
use crate::oracle::proto::v1::patch::RdfPatchFrame;
use prost::Message;

const STREAMS: u64 = 3_000;

#[test]
fn valid_streams_decode_and_have_all_there_is() {
    let mut features = BTreeMap::<_, usize>::new();
    let (mut rows, mut implied) = (0, BTreeMap::<_, usize>::new());
    for seed in 0..STREAMS {
        let stream = stream(seed);
        for (feature, count) in &stream.features.counts {
            *features.entry(*feature).or_default() += count;
        }
        match stream.format {
            Format::Rdf => {
                let got = Oracle.rdf(&stream.bytes(), stream.how);
                assert_eq!(got.error, None, "seed {seed}");
                assert_eq!(got.metadata, stream.metadata, "seed {seed}");
                let count = |kind| stream.features.counts.get(kind).copied().unwrap_or_default();
                assert_eq!(got.rows.len(), count("triple") + count("quad"), "seed {seed}");
                assert_eq!(got.namespaces.len(), count("namespace"), "seed {seed}");
                rows += got.rows.len();
            }
            Format::Patch => {
                let got = Oracle.patch(&stream.bytes(), stream.how);
                assert_eq!(got.error, None, "seed {seed}");
                rows += got.rows.len();
                for row in got.rows.iter().filter(|row| row.op == "Z") {
                    *implied.entry(row.name.clone().unwrap_or_default()).or_default() += 1;
                }
            }
        }
    }
    assert!(rows > 50_000, "{rows}");
    for kind in ["", "eof", "frame"] {
        assert!(implied[kind] > 200, "{implied:?}");
    }
    for feature in FEATURES {
        assert!(features.get(feature).is_some_and(|count| *count > 10), "{feature}: {features:#?}");
    }
}

const FEATURES: [&str; 40] = [
    "triple",
    "quad",
    "graph_start",
    "graph_end",
    "graph in a graph",
    "namespace",
    "metadata",
    "statement_add",
    "statement_delete",
    "namespace_add",
    "namespace_delete",
    "namespace_delete with value",
    "transaction_start",
    "transaction_commit",
    "transaction_abort",
    "header",
    "punctuation",
    "graph in TRIPLES",
    "options again",
    "name",
    "prefix",
    "datatype",
    "entry id 0",
    "entry id explicit",
    "entry overwritten",
    "iri of two zeros",
    "repeated term",
    "repeated term whose slot was overwritten",
    "statement of repeated terms only",
    "quoted triple",
    "quoted triple in another",
    "64 quoted triples deep",
    "generalized",
    "default graph",
    "empty label",
    "empty language tag",
    "empty frame",
    "frame before the options",
    "single frame",
    "scrambled",
];

/// Undeclared terms and graphs in graphs are errors unless the caller is lenient.
#[test]
fn lenient_streams_are_errors_by_default() {
    let mut errors = BTreeMap::<_, usize>::new();
    for seed in 0..STREAMS {
        let stream = stream(seed);
        let how = How::new(stream.how.framing);
        let error = match stream.format {
            Format::Rdf => Oracle.rdf(&stream.bytes(), how).error,
            Format::Patch => Oracle.patch(&stream.bytes(), how).error,
        };
        if let Some(error) = error {
            assert!(stream.how.lenient_flags || !stream.how.strict_graphs, "seed {seed}: {error:?}");
            *errors.entry(error.what).or_default() += 1;
        }
    }
    assert_eq!(errors.len(), 3, "{errors:?}");
}

#[test]
fn damaged_streams_fail_in_every_way() {
    let mut damage_done = BTreeMap::<_, [usize; 2]>::new();
    let mut classes = [0; 6];
    for seed in 0..2 * STREAMS {
        let damaged = damage(seed);
        let error = match damaged.format {
            Format::Rdf => Oracle.rdf(&damaged.bytes, damaged.how).error,
            Format::Patch => Oracle.patch(&damaged.bytes, damaged.how).error,
        };
        for what in damaged.what {
            damage_done.entry(what).or_default()[usize::from(error.is_some())] += 1;
        }
        if let Some(error) = error {
            classes[error.class as usize] += 1;
        }
    }
    assert_eq!(damage_done.len(), 21, "{damage_done:#?}");
    for (what, [_, rejected]) in &damage_done {
        assert!(*rejected > 10, "{what}: {damage_done:#?}");
    }
    assert!(classes.iter().all(|count| *count > 20), "by class: {classes:?}");
}

/// The frame walker is ours; prost must see the same rows and metadata in a frame, and no fault.
#[test]
fn frames_are_walked_as_prost_does() {
    let (mut frames, mut faults) = (0, 0);
    for seed in 0..STREAMS {
        let stream = stream(seed);
        for frame in &stream.frames {
            let bytes = frame.fields.concat();
            let rows = match stream.format {
                Format::Rdf => RdfStreamFrame::decode(&bytes[..]).map(|frame| frame.rows.len()),
                Format::Patch => RdfPatchFrame::decode(&bytes[..]).map(|frame| frame.rows.len()),
            };
            let walked = frame.fields.iter().filter(|field| is_row(field)).count();
            assert_eq!(rows.expect("a valid frame"), walked, "seed {seed}");
            frames += 1;
        }
        let damaged = damage(seed);
        if damaged.how.framing != Framing::Single {
            continue;
        }
        let (error, fault) = match damaged.format {
            Format::Rdf => (
                Oracle.rdf(&damaged.bytes, damaged.how).error,
                RdfStreamFrame::decode(&damaged.bytes[..]).err(),
            ),
            Format::Patch => (
                Oracle.patch(&damaged.bytes, damaged.how).error,
                RdfPatchFrame::decode(&damaged.bytes[..]).err(),
            ),
        };
        if let Some(fault) = fault {
            assert!(error.is_some(), "seed {seed}: {fault}");
            faults += 1;
        }
    }
    assert!(frames > 5_000 && faults > 100, "{frames} {faults}");
}

/// A tag of 1, perhaps with needless bytes, and wire type 2.
fn is_row(field: &[u8]) -> bool {
    prost::encoding::decode_varint(&mut &*field).expect("a tag") == 0x0a
}

/// Text and term are one to one: what is written reads back as the same term.
#[test]
fn terms_read_back() {
    let mut terms = 0;
    for seed in 0..STREAMS / 3 {
        let stream = stream(seed);
        let texts: Vec<String> = match stream.format {
            Format::Rdf => {
                let mut rows = Oracle.rdf(&stream.bytes(), stream.how).rows;
                rows.iter_mut().flat_map(Terms::terms).map(std::mem::take).collect()
            }
            Format::Patch => {
                let mut rows = Oracle.patch(&stream.bytes(), stream.how).rows;
                rows.iter_mut().flat_map(Terms::terms).map(std::mem::take).collect()
            }
        };
        for text in texts.iter().filter(|text| !text.is_empty()) {
            let mut lexer = Lexer::new(text);
            assert_eq!(lexer.term().to_string(), *text);
            assert!(lexer.at_end(), "{text}");
            assert!(!text.contains(['\n', '\r', '\0']), "{text:?}");
            terms += 1;
        }
    }
    assert!(terms > 50_000, "{terms}");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for seed in [0, 1, u64::MAX] {
        assert_eq!(stream(seed).bytes(), stream(seed).bytes());
        assert_eq!(damage(seed).bytes, damage(seed).bytes);
    }
    assert_ne!(stream(0).bytes(), stream(1).bytes());
}
