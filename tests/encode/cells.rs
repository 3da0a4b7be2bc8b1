//! Cells go to the encoder as text: what is known is not looked at again, and nothing else may pass with it.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use jelly_patch::arrow::{PatchRows, RdfRows};
use jelly_patch::create::{default_patch_options, default_rdf_options};
use jelly_patch::encode::{EncodeOptions, PatchEncoder, RdfEncoder};
use jelly_patch::options::{Features, RdfOptions, TableSizes};
use jelly_patch::sink::Statement;
use jelly_patch::term::TermBuf;
use jelly_patch::{Error, ErrorKind, With};

use crate::common::core::Core;
use crate::common::rows::{Decoder as _, Framing, How};

const NAMES: [&str; 4] = ["subject", "predicate", "object", "graph"];
const PLAIN: [&str; 4] = ["<urn:a#s>", "<urn:a#p>", "\"o\"", "<urn:a#g>"];

fn strings(cells: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(cells.to_vec()))
}

fn batch(columns: [ArrayRef; 4]) -> RecordBatch {
    RecordBatch::try_from_iter(NAMES.into_iter().zip(columns)).unwrap()
}

fn of_rows(rows: &[[&str; 4]]) -> RecordBatch {
    batch([0, 1, 2, 3].map(|place| strings(&rows.iter().map(|row| row[place]).collect::<Vec<_>>())))
}

/// Rows of which none repeats a subject, so that most go over cell by cell.
fn around(row: [&str; 4], at: usize) -> Vec<[&str; 4]> {
    const SUBJECTS: [&str; 6] =
        ["<urn:a#0>", "<urn:a#1>", "<urn:a#2>", "<urn:a#3>", "<urn:a#4>", "<urn:a#5>"];
    let mut rows: Vec<_> = SUBJECTS.map(|subject| [subject, PLAIN[1], PLAIN[2], PLAIN[3]]).into();
    rows[at] = row;
    rows
}

fn encoder() -> RdfEncoder {
    let options = RdfOptions { features: Features::default(), ..default_rdf_options(true) };
    RdfEncoder::new(options, EncodeOptions::rdf().with(|encode| encode.limits.term_bytes = 100)).unwrap()
}

/// The rows of what was written.
fn decoded(encoder: &mut RdfEncoder) -> Vec<String> {
    encoder.finish().unwrap();
    let how = How { framing: Framing::Delimited, lenient_flags: false, strict_graphs: true };
    let decoded = Core::default().rdf(encoder.output(), how);
    assert_eq!(decoded.error, None);
    decoded
        .rows
        .iter()
        .map(|row| format!("{} {} {} {}", row.subject, row.predicate, row.object, row.graph))
        .collect()
}

/// What becomes of a row alone.
fn alone(encoder: &mut RdfEncoder, row: [&str; 4]) -> Result<(), Error> {
    let [subject, predicate, object, graph] = row.map(TermBuf::from_text);
    let terms = [subject?, predicate?, object?, graph?];
    encoder.push(&Statement::of(terms.each_ref().map(TermBuf::as_term)))
}

#[test]
fn a_cell_that_cannot_be_is_refused_though_its_iri_is_known() {
    // names that are no text of an IRI come into the tables as the values of structs
    let field = |name| Arc::new(Field::new(name, DataType::Utf8, true));
    let structs = |values: [&str; 4]| -> ArrayRef {
        let columns = [("kind", strings(&["iri"; 4])), ("value", strings(&values))];
        Arc::new(StructArray::from(columns.map(|(name, column)| (field(name), column)).to_vec()))
    };
    let odd = ["urn:a#o o", "_:a", "urn:a#\u{1f600}", "urn:a#>"];
    for prefixes in [0, 150] {
        let tables = TableSizes { prefixes, ..TableSizes::default() };
        let options = RdfOptions { tables, ..default_rdf_options(true) };
        for (name, expected) in odd.iter().zip([None, Some("_:a"), Some("<urn:a#\u{1f600}>"), None]) {
            let mut encoder = RdfEncoder::new(options.clone(), EncodeOptions::rdf()).unwrap();
            let mut rows = RdfRows::default();
            let first = batch([
                strings(&PLAIN[..1].repeat(4)),
                strings(&PLAIN[1..2].repeat(4)),
                structs(odd),
                strings(&PLAIN[3..].repeat(4)),
            ]);
            rows.write(&first, &mut encoder).unwrap();
            let cell = format!("<{name}>");
            let second = of_rows(&around(["<urn:a#s>", PLAIN[1], &cell, PLAIN[3]], 3));
            let written = rows.write(&second, &mut encoder);
            match expected {
                Some(object) => {
                    written.unwrap();
                    let row = &decoded(&mut encoder)[7];
                    assert_eq!(row, &format!("<urn:a#s> <urn:a#p> {object} <urn:a#g>"));
                }
                None => {
                    let error = written.unwrap_err();
                    let expected = TermBuf::from_text(&cell).unwrap_err();
                    assert_eq!((error.kind(), error.message()), (expected.kind(), expected.message()));
                    assert_eq!((error.position().row, error.field()), (Some(7), Some("object")));
                }
            }
        }
    }
}

#[test]
fn what_is_refused_is_refused_as_if_the_row_came_alone() {
    let long = format!("\"{}\"", "x".repeat(101));
    let longer = format!("<urn:{}>", "x".repeat(100));
    let bad = [
        (0, "<urn:a#s s>"),
        (0, "<urn:a#s"),
        (0, "urn:a"),
        (0, "_:"),
        (0, "_:a b"),
        (0, "_:a."),
        (0, "\"s\""),
        (0, &longer),
        (1, "_:p"),
        (1, "<"),
        (1, ">"),
        (1, "\"p\"@en"),
        (2, "\""),
        (2, "\"a\"b\""),
        (2, "\"a\\\""),
        (2, "\"a\"@e n"),
        (2, "\"a\"@e\"n"),
        (2, "\"a\" @en"),
        (2, "\"a\"en"),
        (2, "\"a\"^^<b c>"),
        (2, "\"a\"^^<_:b>"),
        (2, "\"a\"^<b>"),
        (2, "\"a\"<b>"),
        (2, "a\"^^<urn:t>"),
        (2, "<a> <b>"),
        (2, "<<( <a> <b> <c> )>>"),
        (2, &long),
        (3, "\"g\""),
        (3, "<urn:a#g g>"),
        (3, "<<( <a> <b> <c> )>>"),
    ];
    for (place, cell) in bad {
        let mut row = ["<urn:a#new>", "<urn:a#newer>", "<urn:a#newest>", PLAIN[3]];
        row[place] = cell;
        for at in 0..6 {
            let expected = alone(&mut encoder(), row).unwrap_err();
            let (mut encoder, mut rows) = (encoder(), RdfRows::default());
            let error = rows.write(&of_rows(&around(row, at)), &mut encoder).unwrap_err();
            assert_eq!((error.kind(), error.message()), (expected.kind(), expected.message()), "{cell}");
            assert_eq!(error.position().row, Some(at as u64), "{cell}");
        }
    }
}

#[test]
fn of_a_row_whose_cell_cannot_be_nothing_is_written() {
    for at in 0..6 {
        let (mut encoder, mut rows) = (encoder(), RdfRows::default());
        let bad = ["<urn:a#new>", "<urn:b#new>", "\"a\"@e n", PLAIN[3]];
        rows.write(&of_rows(&around(bad, at)), &mut encoder).unwrap_err();
        rows.write(&of_rows(&around(PLAIN, at)), &mut encoder).unwrap();
        let texts = |rows: &[[&str; 4]]| rows.iter().map(|row| row.join(" ")).collect::<Vec<_>>();
        let expected = [texts(&around(bad, at)[..at]), texts(&around(PLAIN, at))].concat();
        assert_eq!(decoded(&mut encoder), expected, "{at}");
    }
}

#[test]
fn a_change_that_is_refused_has_its_row_and_a_second_patch_is_one_too_many() {
    use jelly_patch::options::{PatchOptions, PatchStreamType};
    for stream_type in [PatchStreamType::Flat, PatchStreamType::Punctuated] {
        let options = PatchOptions { stream_type, features: Features::default(), ..default_patch_options() };
        for (cell, at) in [("_:p", 2), ("<urn:a#p p>", 3), ("<urn:a#p>", 4)] {
            let mut encoder = PatchEncoder::new(options, EncodeOptions::patch()).unwrap();
            let row = ["<urn:a#new>", cell, PLAIN[2], PLAIN[3]];
            let rows = of_rows(&around(row, at));
            let columns = NAMES.into_iter().zip(rows.columns().iter().cloned());
            let ops = [("op", strings(&["A", "D", "A", "A", "D", "A"]))];
            let rows = RecordBatch::try_from_iter(columns.chain(ops)).unwrap();
            let (mut source, is_good) = (PatchRows::default(), cell == PLAIN[1]);
            let written = source.write(&rows, &mut encoder);
            assert_eq!(
                written.as_ref().err().map(|error| error.position().row),
                (!is_good).then_some(Some(at as u64))
            );
            if is_good {
                source.end_patch(&mut encoder).unwrap();
                let again = source.write(&rows, &mut encoder).map_err(|error| error.kind());
                let is_flat = stream_type == PatchStreamType::Flat;
                assert_eq!(again.err(), is_flat.then_some(ErrorKind::EncodePatch));
            }
        }
    }
}
