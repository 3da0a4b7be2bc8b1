//! No operation takes the position of a blank node for its name.

use jelly_patch::ErrorKind;
use jelly_patch::With;
use jelly_patch::patch::{BlankNodes, LogOptions, SquashOptions};

use super::run::*;

const BASE: &str = "_:anon-0 <a:p> <a:o> .\n_:b <a:p> <a:o> .\n";
const NAMED: &str = "_:b <a:p> <a:o> .\n";
const ROWS: [&str; 7] = [
    "D _:anon-0 <a:p> <a:o> .",
    "A <a:s> <a:p> _:s0123456789abcdef_anon-0 .",
    "A <a:s> <a:p> <a:o> _:anon-7 .",
    "A <a:s> <a:p> <<( <a:s> <a:p> _:anon-anon-0 )>> .",
    "A <_:anon-0> <a:p> <a:o> .",
    "PA \"x\" <a:x> _:anon-0 .",
    "PD \"x\" _:s0123456789abcdeff7_anon-0 .",
];

/// The outcome of each operation on a patch, in text and in Jelly.
fn operations(patch: &str) -> Vec<Result<(), jelly_patch::Error>> {
    let mut done = Vec::new();
    for patch in [patch.as_bytes().to_vec(), jelly(patch)] {
        let log = &[patch][..];
        done.extend([
            apply(BASE, log, How::default()).map(drop),
            apply(BASE, log, How { version: Some(1), ..How::default() }).map(drop),
            invert(log, None).map(drop),
            invert(log, Some(BASE)).map(drop),
            squash(log, SquashOptions::default()).map(drop),
            canonicalize(log, NAMED).map(drop),
        ]);
    }
    done
}

#[test]
fn rows_that_name_a_position_are_refused() {
    for row in ROWS {
        for outcome in operations(&format!("TX .\n{row}\nTC .\n")) {
            let error = outcome.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::PatchLabels, "{row}: {error}");
            let place = error.position();
            assert!(place.line == Some(2) || place.row.is_some() && place.offset.is_some(), "{error}");
        }
        assert!(
            operations(&format!("TX .\n{row}\nTA .\n")).into_iter().all(|outcome| outcome.is_ok()),
            "{row}"
        );
    }
    assert_eq!(operations("A <a:s> <a:p> _:c .\n").into_iter().flatten().count(), 12);
}

#[test]
fn a_log_that_is_kept_with_its_base_may_name_positions() {
    let log = LogOptions::default().with(|options| options.takes_positions = true);
    let patch = format!("TX .\n{}\nTC .\n", ROWS[0]).into_bytes();
    let (done, text) = apply(BASE, &[patch], How { log, ..How::default() }).unwrap();
    assert_eq!((done.deleted, text.as_str()), (1, NAMED));
}

#[test]
fn datasets_with_positions_are_not_compared_by_label() {
    let patch = "D _:b <a:p> <a:o> .\n".as_bytes().to_vec();
    let outcomes = [
        diff_by(BlankNodes::Labels, BASE, NAMED).map(drop),
        diff_by(BlankNodes::Labels, NAMED, BASE).map(drop),
        diff_by(BlankNodes::Labels, BASE, BASE).map(drop),
        canonicalize(std::slice::from_ref(&patch), BASE).map(drop),
    ];
    for outcome in outcomes {
        let error = outcome.unwrap_err();
        assert_eq!((error.kind(), error.position().line), (ErrorKind::PatchLabels, Some(1)), "{error}");
    }
    let counts = diff(BASE, BASE).unwrap().0.patch;
    assert_eq!((counts.added, counts.deleted), (0, 0), "by what the nodes are");
    assert_eq!(diff(NAMED, "_:c <a:p> <a:o> .\n").unwrap().0.patch.added, 1);
    assert_eq!(apply(BASE, &[patch], How::default()).unwrap().0.deleted, 1);
}
