//! Several threads that read datasets: what comes out, and every error, is that of one thread.

use std::fmt::{Debug, Write};
use std::sync::Arc;

use super::run::{Sink, nquads, source};
use jelly_patch::convert::RdfTarget;
use jelly_patch::create::CreateOptions;
use jelly_patch::error::Error;
use jelly_patch::io::Source;
use jelly_patch::open::OpenOptions;
use jelly_patch::patch::{self, *};
use jelly_patch::{PatchFormat, RdfFormat, With};

/// Rows of a dataset: blocks that a thread reads have a MiB at least.
const ROWS: usize = 12_000;

/// A change of a dataset, row by row; what it gives takes the place of the row.
type Change = fn(usize, String) -> String;

fn row(number: usize) -> String {
    let object = match number % 7 {
        0 => format!("<https://example.org/object/{}>", number / 3),
        1 => format!("\"value \\u00e9 {number}\"@en-gb"),
        2 => format!("\"{number}\"^^<http://www.w3.org/2001/XMLSchema#integer>"),
        3 => format!("\"value \\\"{number}\\\"\""),
        4 => format!("\"é {number}\"@ar--rtl"),
        _ => format!("\"value {}\"", number / 20),
    };
    let (subject, graph) = (number / 5, number / 1_000);
    let long = "x".repeat(number % 700);
    format!(
        "<https://example.org/{subject}> <https://example.org/p/{}{long}> {object} <https://example.org/g/{graph}> .\n",
        number % 5
    )
}

fn dataset(change: Change) -> Arc<Vec<u8>> {
    let text: String = (0..ROWS).map(|number| change(number, row(number))).collect();
    assert!(text.len() > 4 << 20);
    Arc::new(text.into_bytes())
}

/// A patch that deletes rows, adds others, and adds rows that are there in another spelling.
fn log() -> Vec<u8> {
    let mut text = "TX .\n".to_owned();
    for number in (0..ROWS).step_by(9) {
        write!(text, "D {}A {}", row(number), row(number).replace("/p/", "/q/")).unwrap();
        write!(text, "A {}", row(number + 1).replace("@en-gb", "@en-GB")).unwrap();
    }
    (text + "TC .\n").into_bytes()
}

const AT: usize = ROWS / 2;

/// Changes after which every row can be read.
const RIGHT: [(&str, Change); 9] = [
    ("nothing", |_, row| row),
    ("tags with capitals", |number, row| if number % 3 == 0 { row.replace("@en-gb", "@EN-gb") } else { row }),
    ("blank nodes", |number, row| match row.split_once("> ") {
        Some((_, rest)) if number % 2 == 0 => format!("_:b{} {rest}", number / 10),
        _ => row,
    }),
    ("quoted triples", |number, row| {
        if number % 11 == 0 { row.replace("\"value", "<<( <u:s> <u:p> <u:o> )>> . #") } else { row }
    }),
    ("comments and empty lines", |number, row| match number % 50 {
        0 => format!("# {number}\n{row}"),
        1 => format!("\n\t\n{row}"),
        2 => row.replace(" .\n", " . # a comment\r\n"),
        _ => row,
    }),
    ("rows that are there twice", |number, row| if number % 4 == 0 { row.repeat(2) } else { row }),
    ("rows of another block", |number, row| {
        row + &if number > AT { self::row(number - AT) } else { String::new() }
    }),
    ("a version", |number, row| if number == AT { format!("VERSION \"1.2\"\n{row}") } else { row }),
    ("the default graph", |number, row| {
        if number % 2 == 0 { format!("{} .\n", row.rsplit_once(" <").unwrap().0) } else { row }
    }),
];

/// Changes after which a row cannot be read.
const WRONG: [(&str, Change); 7] = [
    ("a missing object", |number, row| if number == AT { "<u:s> <u:p> .\n".to_owned() } else { row }),
    ("a first row that is wrong", |number, row| if number == 0 { format!("x {row}") } else { row }),
    ("a last row that is cut", |number, row| if number + 1 == ROWS { row.replace(" .\n", "") } else { row }),
    (
        "a byte order mark in the middle",
        |number, row| if number == AT { format!("\u{feff}{row}") } else { row },
    ),
    ("a wrong escape", |number, row| if number == AT { row.replace("\\u00e9", "\\q") } else { row }),
    ("a long term", |number, row| if number == AT { row.replace("/p/", &"y".repeat(70_000)) } else { row }),
    ("two wrong rows", |number, row| if number % AT == 7 { row.replace(" <", " ") } else { row }),
];

fn reading(threads: usize) -> OpenOptions {
    nquads().with(|options| {
        options.threads = Some(threads);
        options.decode.limits.term_bytes = 65_000;
    })
}

/// A result, so that it can be compared.
fn outcome(done: Result<impl Debug, Error>, out: &Sink) -> Result<(String, Vec<u8>), String> {
    match done {
        Ok(done) => Ok((format!("{done:?}"), out.bytes())),
        Err(error) => Err(format!("{:?} {} {:?}", error.kind(), error.message(), error.position())),
    }
}

fn apply(
    base: &Arc<Vec<u8>>,
    to: RdfFormat,
    how: &ApplyOptions,
    threads: usize,
) -> Result<(String, Vec<u8>), String> {
    let out = Sink::default();
    let options = how.clone().with(|options| options.base = reading(threads));
    let make = |_: &Needs| {
        let make = move |source: Option<&_>| CreateOptions::default().rdf(to, None, source, true);
        Ok(ApplyTarget { target: RdfTarget::new(Box::new(make)), declares: None })
    };
    let log = vec![Again::new(source(log()), OpenOptions::default()).unwrap()];
    let base = Source::Bytes(Arc::clone(base) as _);
    outcome(patch::apply(base, log, options, make, out.writer(), &mut |_| Ok(())), &out)
}

fn diff(
    old: &Arc<Vec<u8>>,
    new: &Arc<Vec<u8>>,
    how: impl Fn(&mut DiffOptions),
    threads: usize,
) -> Result<(String, Vec<u8>), String> {
    let out = Sink::default();
    let mut options = DiffOptions::default().with(|options| options.old = reading(threads));
    how(&mut options);
    let (old, new) = (Source::Bytes(Arc::clone(old) as _), Source::Bytes(Arc::clone(new) as _));
    let new = Again::new(new, reading(threads)).unwrap();
    outcome(patch::diff(old, &new, options, out.patch(PatchFormat::RdfPatch), &mut |_| Ok(())), &out)
}

fn applied_alike(name: &str, base: &Arc<Vec<u8>>, to: RdfFormat, how: &ApplyOptions) -> bool {
    let one = apply(base, to, how, 1);
    let several = apply(base, to, how, 2);
    assert!(several == one, "{name} to {to:?}, {how:?}: {:?}, not {:?}", several.err(), one.err());
    one.is_ok()
}

#[test]
fn apply_with_threads_is_that_with_one() {
    let mut done = [0, 0];
    for (name, change) in RIGHT.iter().chain(&WRONG) {
        let base = dataset(*change);
        let is_done = applied_alike(name, &base, RdfFormat::NQuads, &ApplyOptions::default());
        assert_eq!(is_done, RIGHT.iter().any(|right| right.0 == *name), "{name}");
        done[usize::from(is_done)] += 1;
    }
    assert_eq!(done, [WRONG.len(), RIGHT.len()]);
}

#[test]
fn apply_with_threads_in_other_ways_is_that_with_one() {
    for (name, change) in &RIGHT[..3] {
        let base = dataset(*change);
        for labels in [BaseLabels::Named, BaseLabels::Lasting, BaseLabels::Content] {
            let how = ApplyOptions::default().with(|options| {
                options.labels = labels;
                options.distinct = labels == BaseLabels::Lasting;
            });
            for to in [RdfFormat::Jelly, RdfFormat::TriG] {
                assert!(applied_alike(name, &base, to, &how));
            }
        }
    }
}

/// Where the row is that a target refuses.
#[test]
fn errors_of_the_target_have_the_position_of_one_thread() {
    fn triples(number: usize, row: String) -> String {
        if number == AT { row } else { format!("{} .\n", row.rsplit_once(" <").unwrap().0) }
    }
    let base = dataset(triples);
    let how = ApplyOptions::default();
    assert!(!applied_alike("a graph", &base, RdfFormat::NTriples, &how));
    let error = apply(&base, RdfFormat::NTriples, &how, 2).unwrap_err();
    assert!(error.contains(&format!("line: Some({})", AT + 1)), "{error}");
}

#[test]
fn diff_with_threads_is_that_with_one() {
    let plain = dataset(|number, row| if number % 13 == 0 { row.replace("/p/", "/r/") } else { row });
    let mut done = [0, 0];
    for (name, change) in RIGHT.iter().chain(&WRONG) {
        let changed = dataset(*change);
        for (old, new) in [(&plain, &changed), (&changed, &plain)] {
            let one = diff(old, new, |_| (), 1);
            let several = diff(old, new, |_| (), 3);
            assert!(several == one, "{name}: {:?}, not {:?}", several.err(), one.err());
            assert_eq!(one.is_ok(), RIGHT.iter().any(|right| right.0 == *name), "{name}");
            done[usize::from(one.is_ok())] += 1;
        }
    }
    assert_eq!(done, [2 * WRONG.len(), 2 * RIGHT.len()]);
}

#[test]
fn diff_of_blank_nodes_with_threads_is_that_with_one() {
    let (old, new) =
        (dataset(RIGHT[2].1), dataset(|number, row| RIGHT[2].1(number, RIGHT[5].1(number, row))));
    for blank_nodes in BlankNodes::ALL {
        for skolemize in [None, Some("https://example.org/.well-known/genid/".to_owned())] {
            let how = |options: &mut DiffOptions| {
                options.blank_nodes = blank_nodes;
                options.skolemize.clone_from(&skolemize);
            };
            let one = diff(&old, &new, how, 1);
            assert!(diff(&old, &new, how, 2) == one, "{blank_nodes:?} {skolemize:?}: {:?}", one.err());
        }
    }
}
