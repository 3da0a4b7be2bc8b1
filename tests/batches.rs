//! Whatever the size and columns of batches, the rows are those of the decoder.

use std::collections::HashMap;

use crate::common::batches::{
    self, Read, given, memory, numbers, patch_rows, pipe, rdf_rows, structs, texts,
};
use crate::common::core::{Core, config};
use crate::common::lexer::Lexer;
use crate::common::rows::{Decoded, Decoder, How, Terms};
use crate::common::soak::seeds;
use crate::common::term::{Kind, Term};
use crate::oracle::generate::mutate::damage;
use crate::oracle::generate::{Format, stream};
use arrow_array::RecordBatch;
use jelly_patch::With;
use jelly_patch::arrow::{BatchSettings, BlankNodes, Mode, ReadOptions, TermStyle};
use jelly_patch::options::LogicalType;

const SIZES: [(usize, usize); 7] =
    [(1, 1 << 20), (2, 1 << 20), (7, 1 << 20), (10_000, 32 << 20), (10_000, 1), (10_000, 60), (10_000, 1000)];

fn options(how: How, (rows, bytes): (usize, usize)) -> ReadOptions {
    let mut options = given(config(how));
    (options.open.decode.limits.batch_rows, options.open.decode.limits.batch_bytes) = (rows, bytes);
    options
}

fn with(how: How, batch: BatchSettings) -> ReadOptions {
    options(how, SIZES[2]).with(|options| options.batch = batch)
}

fn read(format: Format, bytes: &[u8], options: &ReadOptions) -> Read {
    match format {
        Format::Rdf => batches::rdf(memory(bytes), options),
        Format::Patch => batches::patch(memory(bytes), options),
    }
}

/// The same rows and the same error as the decoder gave; at most so many rows a batch.
#[track_caller]
fn same<R: PartialEq + std::fmt::Debug>(expected: &Decoded<R>, rows: Vec<R>, read: &Read, most: usize) {
    let first = rows.iter().zip(&expected.rows).find(|(got, expected)| got != expected);
    assert!(first.is_none(), "{first:?}");
    assert_eq!(rows.len(), expected.rows.len());
    let text = |error: &jelly_patch::Error| error.to_string();
    assert_eq!(read.error.as_ref().map(text), expected.error.as_ref().map(|fault| fault.what.clone()));
    assert!(read.batches.iter().all(|batch| batch.num_rows() <= most));
}

/// Reads a stream in a third of the sizes; the seed says in which.
fn check(seed: u64, format: Format, bytes: &[u8], how: How) -> (usize, bool) {
    let sizes = || SIZES.into_iter().zip(seed..).filter(|(_, at)| at.is_multiple_of(3)).map(|(size, _)| size);
    match format {
        Format::Rdf => {
            let expected = Core::default().rdf(bytes, how);
            for size in sizes() {
                for source in [memory(bytes), pipe(bytes)] {
                    let read = batches::rdf(source, &options(how, size));
                    same(&expected, rdf_rows(&read.batches), &read, size.0);
                }
            }
            (expected.rows.len(), expected.error.is_some())
        }
        Format::Patch => {
            let expected = Core::default().patch(bytes, how);
            for size in sizes() {
                for source in [memory(bytes), pipe(bytes)] {
                    let read = batches::patch(source, &options(how, size));
                    same(&expected, patch_rows(&read.batches), &read, size.0);
                }
            }
            (expected.rows.len(), expected.error.is_some())
        }
    }
}

#[test]
fn any_size_gives_the_same_rows() {
    let mut rows = 0;
    for seed in seeds(300) {
        let stream = stream(seed);
        let (count, failed) = check(seed, stream.format, &stream.bytes(), stream.how);
        assert!(!failed, "seed {seed}");
        rows += count;
    }
    assert!(rows > 3_000, "{rows} rows");
}

#[test]
fn any_size_gives_the_rows_before_the_error() {
    let (mut errors, mut rows) = (0, 0);
    for seed in seeds(400) {
        let damaged = damage(seed);
        let (count, failed) = check(seed, damaged.format, &damaged.bytes, damaged.how);
        errors += usize::from(failed);
        rows += if failed { count } else { 0 };
    }
    assert!(errors > 150 && rows > 300, "{errors} errors after {rows} rows");
}

/// A batch is closed before a row as large as the largest would pass the budget.
#[test]
fn batches_keep_their_budget() {
    let (mut full, budget) = (0, 2000);
    for seed in seeds(300) {
        let stream = stream(seed);
        let options = options(stream.how, (10_000, budget));
        for batch in read(stream.format, &stream.bytes(), &options).batches {
            let names = ["op", "subject", "predicate", "object", "graph", "name", "value"];
            let columns: Vec<_> = names.iter().filter_map(|name| texts(&batch, name)).collect();
            let size = |row: usize| -> usize {
                columns.iter().map(|column| column[row].as_ref().map_or(0, String::len)).sum()
            };
            let sizes: Vec<usize> = (0..batch.num_rows()).map(size).collect();
            let (last, before) = sizes.split_last().expect("a row");
            let largest = before.iter().max().copied().unwrap_or(0);
            assert!(before.iter().sum::<usize>() + largest <= budget, "seed {seed}");
            full += usize::from(last + before.iter().sum::<usize>() > budget / 2);
        }
    }
    assert!(full > 50, "{full}");
}

#[test]
fn permissive_mode_ends_with_the_error() {
    let (mut corrupt, mut raised) = (0, 0);
    for seed in seeds(600) {
        let damaged = damage(seed);
        for size in [SIZES[0], SIZES[2], SIZES[3]] {
            let strict = options(damaged.how, size);
            let permissive = options(damaged.how, size).with(|options| options.mode = Mode::Permissive);
            let expected = read(damaged.format, &damaged.bytes, &strict);
            let got = read(damaged.format, &damaged.bytes, &permissive);
            let count = |read: &Read| read.batches.iter().map(RecordBatch::num_rows).sum::<usize>();
            let texts_of = |batch| texts(batch, "_corrupt_record").expect("the column");
            let notes: Vec<_> = got.batches.iter().flat_map(texts_of).collect();
            let error = expected.error.as_ref();
            if error.is_none_or(|error| error.limit_name().is_some()) {
                raised += usize::from(error.is_some());
                assert_eq!(got.error.as_ref().map(ToString::to_string), error.map(ToString::to_string));
                assert_eq!(count(&got), count(&expected));
                assert!(notes.iter().all(Option::is_none));
                continue;
            }
            corrupt += 1;
            assert!(got.error.is_none());
            let (last, before) = notes.split_last().expect("the note");
            assert_eq!(last.as_deref(), error.map(ToString::to_string).as_deref());
            assert!(before.iter().all(Option::is_none));
            assert_eq!(before.len(), count(&expected));
            // all other columns of that row are null
            let batch = got.batches.last().expect("one");
            let row = batch.num_rows() - 1;
            let others = &batch.columns()[..batch.num_columns() - 1];
            assert!(others.iter().all(|column| arrow_array::Array::is_null(column, row)));
        }
    }
    assert!(corrupt > 500 && raised > 3, "{corrupt} corrupt, {raised} raised");
}

#[test]
fn columns_come_in_the_order_asked_for() {
    let cases = [
        (Format::Rdf, ["object", "seq", "graph"]),
        (Format::Rdf, ["frame", "source", "subject"]),
        (Format::Patch, ["value", "op", "txn"]),
        (Format::Patch, ["graph", "patch", "name"]),
        (Format::Patch, ["predicate", "source", "subject"]),
    ];
    let mut compared = 0;
    for seed in seeds(200) {
        let stream = stream(seed);
        let mut whole = options(stream.how, SIZES[2]);
        whole.open.decode.source = Some("a source".into());
        let all = read(stream.format, &stream.bytes(), &whole);
        for (_, columns) in cases.iter().filter(|case| case.0 == stream.format) {
            let mut some = whole.clone();
            some.batch.columns = Some(columns.map(str::to_owned).to_vec());
            let got = read(stream.format, &stream.bytes(), &some);
            let values = |read: &Read, name: &str| -> Vec<String> {
                let batches = read.batches.iter();
                let column = |batch| match texts_or_numbers(batch, name) {
                    (Some(texts), _) => texts.into_iter().map(|value| format!("{value:?}")).collect(),
                    (_, numbers) => {
                        numbers.iter().flatten().map(|value| format!("{value:?}")).collect::<Vec<_>>()
                    }
                };
                batches.flat_map(column).collect()
            };
            for name in columns {
                assert_eq!(values(&got, name), values(&all, name), "seed {seed}, {name}");
                compared += values(&got, name).len();
            }
            for batch in &got.batches {
                let schema = batch.schema();
                assert!(schema.fields().iter().map(|field| field.name()).eq(columns));
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

type Columns = (Option<Vec<Option<String>>>, Option<Vec<Option<i64>>>);

fn texts_or_numbers(batch: &RecordBatch, name: &str) -> Columns {
    if ["seq", "frame", "patch", "txn"].contains(&name) {
        (None, numbers(batch, name))
    } else {
        (texts(batch, name), None)
    }
}

#[test]
fn no_columns_are_still_rows() {
    let rows = stream(0);
    let settings = BatchSettings::default().with(|options| options.columns = Some(vec![]));
    let got = read(rows.format, &rows.bytes(), &with(rows.how, settings));
    let all = read(rows.format, &rows.bytes(), &options(rows.how, SIZES[2]));
    let count = |read: &Read| read.batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    assert_eq!(count(&got), count(&all));
}

/// Parts of a term, from its text.
fn parts(text: &str) -> [Option<String>; 4] {
    let own = |text: &str| Some(text.to_owned());
    if text.is_empty() {
        return [own("default"), own(""), None, None];
    }
    match Lexer::new(text).term() {
        Term::Iri(iri) => [own("iri"), Some(iri), None, None],
        Term::Blank(label) => [own("bnode"), Some(label), None, None],
        Term::Literal(lexical, kind) => {
            let (datatype, language) = match kind {
                Kind::Simple => (None, None),
                Kind::Language(tag) => (None, Some(tag)),
                Kind::Datatype(iri) => (Some(iri), None),
            };
            [own("literal"), Some(lexical), datatype, language]
        }
        Term::Triple(_) => [own("triple"), own(text), None, None],
        Term::DefaultGraph => unreachable!("no text"),
    }
}

#[test]
fn structs_have_the_parts_of_the_text() {
    let (mut terms, mut nulls) = (0, 0);
    for seed in seeds(300) {
        let stream = stream(seed);
        let settings = BatchSettings::default().with(|options| options.terms = TermStyle::Struct);
        let got = read(stream.format, &stream.bytes(), &with(stream.how, settings));
        let text = read(stream.format, &stream.bytes(), &options(stream.how, SIZES[2]));
        for name in ["subject", "predicate", "object", "graph"] {
            let got = got.batches.iter().flat_map(|batch| structs(batch, name));
            let text = text.batches.iter().flat_map(|batch| texts(batch, name).expect("a column"));
            let expected = text.map(|text| text.as_deref().map(parts));
            let (got, expected): (Vec<_>, Vec<_>) = (got.collect(), expected.collect());
            assert!(got == expected, "seed {seed}, {name}");
            terms += got.iter().flatten().count();
            nulls += got.iter().filter(|term| term.is_none()).count();
        }
    }
    assert!(terms > 10_000 && nulls > 1_000, "{terms} terms, {nulls} nulls");
}

/// Blank nodes of a row in the order of its terms.
fn blanks<R: Terms>(row: &R) -> Vec<String> {
    let mut labels = Vec::new();
    for text in row.clone().terms() {
        if text.contains("_:") {
            collect(Lexer::new(text).term(), &mut labels);
        }
    }
    labels
}

fn collect(term: Term, labels: &mut Vec<String>) {
    match term {
        Term::Blank(label) => labels.push(label),
        Term::Triple(terms) => terms.into_iter().for_each(|term| collect(term, labels)),
        _ => {}
    }
}

/// One scoped label for each label of a scope, and the reverse.
fn bijection<R: Terms>(plain: &[R], scoped: &[R], scope: impl Fn(&R) -> i64) -> usize {
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    assert_eq!(plain.len(), scoped.len());
    for (plain_row, scoped_row) in plain.iter().zip(scoped) {
        let (labels, scoped_labels) = (blanks(plain_row), blanks(scoped_row));
        assert_eq!(labels.len(), scoped_labels.len());
        for (label, scoped) in labels.into_iter().zip(scoped_labels) {
            let node = (scope(plain_row), label);
            assert!(scoped.ends_with(&node.1), "{scoped}");
            assert_eq!(there.entry(node.clone()).or_insert(scoped.clone()), &scoped);
            assert_eq!(back.entry(scoped).or_insert(node.clone()), &node);
        }
    }
    there.len()
}

#[test]
fn scoped_blank_nodes_are_those_of_their_source_and_frame() {
    let (mut nodes, mut grouped_frames) = (0, 0);
    for seed in seeds(400) {
        let stream = stream(seed);
        let bytes = stream.bytes();
        let read_scoped = |size: (usize, usize), source: &str| {
            let mut options = options(stream.how, size);
            options.open.decode.source = Some(source.into());
            options.batch.blank_nodes = BlankNodes::Scoped;
            read(stream.format, &bytes, &options)
        };
        let plain = read(stream.format, &bytes, &options(stream.how, SIZES[3]));
        let (once, again) = (read_scoped(SIZES[3], "a"), read_scoped(SIZES[0], "a"));
        let other = read_scoped(SIZES[2], "b");
        if stream.format == Format::Patch {
            let [plain, once, again] = [plain, once, again].map(|read| patch_rows(&read.batches));
            assert!(once == again, "seed {seed}");
            nodes += bijection(&plain, &once, |_| 0);
            continue;
        }
        let [plain, once, again, other] = [plain, once, again, other].map(|read| rdf_rows(&read.batches));
        assert!(once == again, "seed {seed}: another batch size gives other labels");
        let logical = Core::default().rdf(&bytes, stream.how).options.expect("options");
        let number = [3, 4, 13, 14, 114].into_iter().find(|&number| {
            let name = LogicalType(number).name().expect("a name");
            logical.contains(&format!(" logical={name} "))
        });
        // 999 has no name; its base type says nothing about frames
        let by_frame = number.is_some_and(|number| LogicalType(number).is_grouped());
        let count = bijection(&plain, &once, |row| if by_frame { row.frame } else { 0 });
        nodes += count;
        grouped_frames += usize::from(by_frame && plain.last().is_some_and(|row| row.frame > 1));
        let mine: Vec<_> = once.iter().flat_map(blanks).collect();
        assert!(other.iter().flat_map(blanks).all(|label| !mine.contains(&label)));
    }
    assert!(nodes > 1_000 && grouped_frames > 20, "{nodes} nodes, {grouped_frames} grouped");
}
