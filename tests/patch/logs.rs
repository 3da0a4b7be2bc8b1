//! Generated logs come to what the model says.

use std::collections::HashMap;
use std::ops::Range;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use super::generate::{self, chained, nquads, text};
use super::model::{Dataset, Patch, Quad, committed, key};
use super::run::{self, How, jelly};
use crate::common::soak::costly;
use jelly_patch::patch::{LogOptions, SquashOptions, Version};
use jelly_patch::{ErrorKind, With};

/// Runs a property on so many cases, the same ones each time.
pub fn check<S: Strategy>(
    cases: Range<u64>,
    strategy: S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config {
        cases: cases.end as u32,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(6),
        ..Config::default()
    };
    TestRunner::new(config).run(&strategy, test).unwrap();
}

/// One source, or one for each patch, as text or as Jelly-Patch.
pub fn split(log: &[Patch], pieces: bool, as_jelly: bool) -> Vec<Vec<u8>> {
    let encode = |log: &[Patch]| if as_jelly { jelly(&text(log)) } else { text(log).into_bytes() };
    if pieces {
        log.iter().map(|patch| encode(std::slice::from_ref(patch))).collect()
    } else {
        vec![encode(log)]
    }
}

#[test]
fn generated_logs() {
    let counts = std::cell::RefCell::new(HashMap::<&str, u64>::new());
    let strategy = (generate::quads(), generate::log(true), any::<[bool; 3]>(), any::<u8>());
    check(costly(10_000), strategy, |(base, log, [has_ids, pieces, as_jelly], turn)| {
        let log = if has_ids { chained(log) } else { log };
        let mut sources = split(&log, pieces, as_jelly);
        if has_ids && pieces {
            let by = usize::from(turn) % sources.len().max(1);
            sources.rotate_left(by);
        }
        let dataset = Dataset { quads: base, ..Dataset::default() };
        let got = run::apply(&nquads(&dataset.quads), &sources, How::default());
        let rows = match (committed(&log), got) {
            (Ok(rows), Ok((applied, got))) => {
                let expected = dataset.apply(&rows.concat());
                prop_assert_eq!(&got, &nquads(&expected.quads));
                let (before, after) = (dataset.keys(), expected.keys());
                prop_assert_eq!(applied.version, log.len() as u64);
                prop_assert_eq!(applied.added, after.difference(&before).count() as u64);
                prop_assert_eq!(applied.deleted, before.difference(&after).count() as u64);
                prop_assert_eq!(applied.statements, expected.quads.len() as u64);
                rows
            }
            (Err(slug), Err(error)) => {
                *counts.borrow_mut().entry(slug).or_default() += 1;
                // of several bad patches, the first one in its place is found
                let is_moved = has_ids && pieces;
                let found = error.kind().slug();
                prop_assert!(
                    found == slug || is_moved && ["patch.stray", "patch.unfinished"].contains(&found)
                );
                return Ok(());
            }
            (expected, got) => return Err(TestCaseError::fail(format!("{expected:?} {got:?}"))),
        };
        *counts.borrow_mut().entry("whole").or_default() += 1;
        if turn % 4 == 0 {
            versions(&dataset, &rows, &sources, turn / 4)?;
            periods(&dataset, &rows, &sources)?;
        }
        Ok(())
    });
    let counts = counts.into_inner();
    let enough = [("whole", 1250), ("patch.unfinished", 125), ("patch.stray", 25)];
    assert!(enough.iter().all(|(what, least)| counts[what] > *least), "{counts:?}");
}

/// The state at a version is that of the log up to there, and the patch between two versions makes one of the other.
fn versions(
    base: &Dataset,
    log: &[Vec<super::model::Row>],
    sources: &[Vec<u8>],
    turn: u8,
) -> Result<(), TestCaseError> {
    let most = log.len();
    let (from, to) = (usize::from(turn) % (most + 1), most - usize::from(turn / 8) % (most + 1));
    let (from, to) = (from.min(to), from.max(to));
    let how = How { version: Some(to as u64), ..How::default() };
    let (_, got) = run::apply(&nquads(&base.quads), sources, how).unwrap();
    let expected = base.apply(&log[..to].concat());
    prop_assert_eq!(&got, &nquads(&expected.quads));
    let versions = [from, to].map(|version| Version::Number(version as u64));
    let [first, second] = versions;
    let options = SquashOptions::default().with(|options| options.between = Some((first, second)));
    let (_, patch) = run::squash(sources, options).unwrap();
    let before = base.apply(&log[..from].concat());
    let (_, got) = run::apply(&nquads(&before.quads), &[patch.into_bytes()], How::default()).unwrap();
    prop_assert_eq!(parsed_keys(&got), keys(&expected));
    Ok(())
}

/// Each quad was there exactly where its periods say.
fn periods(base: &Dataset, log: &[Vec<super::model::Row>], sources: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let found = run::history(sources, Some(&nquads(&base.quads)), &Default::default());
    for version in 0..=log.len() {
        let there = |period: &&jelly_patch::patch::Period| {
            let version = version as u64;
            period.valid_from <= version && period.valid_to.is_none_or(|to| version < to)
        };
        let mut got: Vec<Quad> = found.iter().filter(there).map(|period| key(&period.terms)).collect();
        got.sort();
        prop_assert_eq!(got, keys(&base.apply(&log[..version].concat())));
    }
    // what is still there is spelled as it is in the end; the generator's base may spell a quad in two ways
    let after = base.apply(&log.concat()).quads;
    for period in found.iter().filter(|period| period.valid_to.is_none()) {
        prop_assert!(after.contains(&period.terms), "{:?} {:?}", period, after);
    }
    Ok(())
}

pub fn keys(dataset: &Dataset) -> Vec<Quad> {
    let mut keys: Vec<_> = dataset.keys().into_iter().collect();
    keys.sort();
    keys
}

/// The quads of N-Quads that the crate wrote, each once.
pub fn parsed_keys(text: &str) -> Vec<Quad> {
    let mut keys: Vec<Quad> = text.lines().map(|line| key(&parsed(line))).collect();
    keys.sort();
    keys.dedup();
    keys
}

/// A line; the terms of the generator have no spaces but in quoted triples and their one literal.
fn parsed(line: &str) -> Quad {
    let (mut terms, mut rest) = (Vec::new(), line.strip_suffix('.').unwrap());
    while !rest.trim().is_empty() {
        rest = rest.trim_start();
        let end = match rest.find(" )>>") {
            Some(end) if rest.starts_with("<<(") => end + 4,
            _ => rest.find(' ').unwrap_or(rest.len()),
        };
        terms.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    terms.resize(4, String::new());
    terms.try_into().unwrap()
}

/// A log that a crash cut off is its committed part.
#[test]
fn logs_that_were_cut_off() {
    let drop = LogOptions::default().with(|options| options.drop_unfinished = true);
    for (log, expected, version) in [
        ("TX .\nA <a:s> <a:p> <a:o> .\n", "", 0),
        ("A <a:s> <a:p> <a:o> .\nTX .\nD <a:s> <a:p> <a:o> .\n", "<a:s> <a:p> <a:o> .\n", 1),
        ("TX .\nTX .\nA <a:s> <a:p> <a:o> .\nTC .\n", "<a:s> <a:p> <a:o> .\n", 1),
        ("TX .\nA <a:s> <a:p> <a:o> .\nTC .\nH id <u:2> .\nTX .\nA <a:s> <a:p", "<a:s> <a:p> <a:o> .\n", 1),
        (
            "H id <u:1> .\nTX .\nA <a:s> <a:p> <a:o> .\nTC .\nH id <u:2> .\nTX .\nA <a:s> <a:p",
            "<a:s> <a:p> <a:o> .\n",
            1,
        ),
        ("H id <u:1> .\nTX .\nA <a:s> <a:p> <a:o> .\nTC .\nH id <u:", "<a:s> <a:p> <a:o> .\n", 1),
        ("TX .\nA <a:s> <a:p> <a:o> .\nTC .\nT", "<a:s> <a:p> <a:o> .\n", 1),
        ("TX .\nA <a:s> <a:p> <a:o> .\nTC .\nTX .\nP", "<a:s> <a:p> <a:o> .\n", 1),
        ("H id <u:1> .\nTX .\nTC .\nTX .\nA <a:s> <a:p> <a:o> .\nZ .\nH id <u:2> .\n", "", 2),
    ] {
        let sources = [log.as_bytes().to_vec()];
        assert!(run::apply("", &sources, How::default()).is_err(), "{log}");
        let (applied, text) = run::apply("", &sources, How { log: drop, ..How::default() }).unwrap();
        assert_eq!((text.as_str(), applied.version), (expected, version), "{log}");
    }
    for refused in [
        "A <a:s> <a:p> <a:o> .\nA <a:s>",
        "TC .\n",
        "TX .\nT\n",
        "TX .\nTY",
        "TX .\nA <a:s> <a:p> \"\\x\" .\n",
    ] {
        let how = How { log: drop, ..How::default() };
        assert!(run::apply("", &[refused.as_bytes().to_vec()], how).is_err(), "{refused}");
    }
}

/// A crash cuts off the end of a log: what others come after, was not the end.
#[test]
fn patches_that_come_after_one_that_was_cut_off() {
    let drop = LogOptions::default().with(|options| options.drop_unfinished = true);
    let patch = |id: u64, prev: Option<u64>, end: &str| {
        let prev = prev.map(|prev| format!("H prev <u:{prev}> .\n")).unwrap_or_default();
        format!("H id <u:{id}> .\n{prev}TX .\nA <a:s> <a:p> \"{id}\" .\n{end}").into_bytes()
    };
    let bare = |value: &str, end: &str| format!("TX .\nA <a:s> <a:p> \"{value}\" .\n{end}").into_bytes();
    let whole = |id: u64| patch(id, (id > 1).then(|| id - 1), "TC .\n");
    let cut = |id: u64| patch(id, (id > 1).then(|| id - 1), "A <a:s>");
    let how = || How { log: drop, ..How::default() };
    for sources in [
        vec![cut(2), whole(3), whole(1)],
        vec![cut(1), whole(2)],
        vec![whole(2), cut(1)],
        vec![whole(3), whole(4), cut(2), whole(1)],
        vec![whole(1), cut(2), whole(3)],
        vec![cut(1), patch(2, None, "TC .\n")],
        vec![bare("1", "TC .\n"), bare("2", ""), bare("3", "TC .\n")],
        vec![bare("1", "TC .\n"), bare("2", "A <a:s>"), bare("3", "TC .\n")],
    ] {
        let error = run::apply("", &sources, how()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PatchGap, "{error}");
        assert!(error.message().contains("which is left out because it is unfinished"), "{error}");
    }
    for sources in [
        vec![cut(3), whole(2), whole(1)],
        vec![whole(1), whole(2), cut(3)],
        vec![cut(2), whole(1), whole(2)], // written again after the crash
        vec![cut(1), patch(2, None, "TC .\n"), patch(1, None, "TC .\n")],
        vec![bare("1", "TC .\n"), bare("2", "TC .\n"), bare("3", "")],
    ] {
        let (applied, _) = run::apply("", &sources, how()).unwrap();
        assert_eq!((applied.version, applied.statements), (2, 2));
    }
}

#[test]
fn statements_of_the_base_that_it_has_twice() {
    let base = "<a:s> <a:p> \"x\"@en .\n<a:s> <a:p> \"y\" .\n<a:s> <a:p> \"x\"@EN .\n";
    let log = [b"A <a:s> <a:p> \"x\"@En .\nA <a:s> <a:p> \"z\" .\n".to_vec()];
    let [x, y, z] = ["\"x\"@En", "\"y\"", "\"z\""].map(|object| format!("<a:s> <a:p> {object} .\n"));
    let (_, got) = run::apply(base, &log, How::default()).unwrap();
    assert_eq!(got, format!("{x}{y}{x}{z}"));
    let (applied, got) = run::apply(base, &log, How { distinct: true, ..How::default() }).unwrap();
    assert_eq!(got, format!("{x}{y}{z}"));
    assert_eq!((applied.base, applied.statements, applied.added), (3, 3, 1));
    let (_, got) = run::apply(base, &[], How { distinct: true, ..How::default() }).unwrap();
    assert_eq!(got.lines().count(), 2);
}
