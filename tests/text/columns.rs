//! Columns and terms are two ways through the readers of text: the same rows, errors and places, wherever the bytes are cut.

use jelly_patch::Limits;
use jelly_patch::arrow::{PatchBatches, RdfBatches};
use jelly_patch::rows::RowDecoder;
use jelly_patch::text::{LinesOptions, PatchDialect, TextRows};

use crate::common::batches::{patch_rows, rdf_rows};
use crate::common::columns::{batches, same, settings};
use crate::common::soak::seeds;
use crate::oracle::generate::rng::Rng;

/// Terms that begin like one another, and those that are no canonical text where they lie.
const TERMS: [&str; 38] = [
    "<http://e/s>",
    "<http://e/so>",
    "<http://e/>",
    "<>",
    "<a b>",
    "<http://e/\\u0061>",
    "<http://e/\u{e4}>",
    "<http://e/{}>",
    "<_:b>",
    "<_:b1>",
    "<_:b c>",
    "<_:>",
    "_:b",
    "_:b1",
    "_:b.1",
    "_:b.",
    "_:\u{e4}",
    "_:anon-7",
    "_:-b",
    "\"x\"",
    "\"x\"@en",
    "\"x\" @en",
    "\"x\"@en-GB",
    "\"x\"@en--ltr",
    "\"x\"@-",
    "\"x\"^^<http://e/d>",
    "\"x\" ^^ <http://e/d>",
    "\"x\"^^<http://www.w3.org/2001/XMLSchema#string>",
    "\"x\"^^<_:b>",
    "\"\"",
    "\"a\\nb\\\"c\\\\d\\te\"",
    "\"\\u00e4\u{e4}\\b\\f\\r\"@de",
    "\"raw\ttab\u{7f}\"",
    "\"\u{fffd}\u{fffe}\"",
    "\"a string of more than sixteen bytes \\\" and then some\"^^<http://e/d>",
    "<<( <http://e/s> <http://e/p> \"x\" )>>",
    "<urn:x-arq:DefaultGraph>",
    "5",
];

/// Rows that are no statements.
const OTHERS: [&str; 8] =
    ["TX .", "TC .", "H id \"1\" .", "PA \"e\" <http://e/> .", "PD e <http://e/s> .", "Z .", "# c", ""];

fn statement(random: &mut Rng) -> String {
    // most rows are as they should be, so that terms repeat
    let odd = 1 + 3 * usize::from(random.below(4) == 0);
    let mut term = |plain: &[usize]| match random.below(12) {
        few if few < odd => *random.pick(&TERMS),
        _ => TERMS[*random.pick(plain)],
    };
    let terms = [term(&[0, 1, 12]), term(&[0, 1]), term(&[0, 1, 12, 13, 19, 20, 25, 30])];
    let graph = term(&[0, 13]);
    let gap = *random.pick(&[" ", " ", " ", " ", " ", " ", "\t", "  "]);
    let end = *random.pick(&[" .", " .", " .", " .", ".", " . # c"]);
    match random.below(2) {
        0 => format!("{}{end}", terms.join(gap)),
        _ => format!("{}{gap}{graph}{end}", terms.join(gap)),
    }
}

fn check_lines(text: &[u8], options: LinesOptions, cuts: impl Iterator<Item = usize>) -> (usize, bool) {
    let limits = Limits::default();
    let terms = super::lines(text, options, usize::MAX, usize::MAX);
    for cut in cuts {
        let sink = RdfBatches::new(settings([1, 3, 1000][cut % 3])).expect("settings");
        let decoder = RowDecoder::new(TextRows::lines(options, &limits), &limits, None);
        let (batches, error) = batches(decoder, sink, [&text[..cut], &text[cut..]]);
        same(text, cut, &terms, (rdf_rows(&batches), error));
    }
    (terms.rows.len(), terms.error.is_some())
}

fn check_patch(text: &[u8], dialect: PatchDialect) -> (usize, bool) {
    let limits = Limits::default();
    let terms = super::patch(text, dialect, usize::MAX, usize::MAX);
    for cut in 0..text.len() {
        let sink = PatchBatches::new(settings([1, 3, 1000][cut % 3])).expect("settings");
        let decoder = RowDecoder::new(TextRows::patch(dialect, false, &limits), &limits, None);
        let (batches, error) = batches(decoder, sink, [&text[..cut], &text[cut..]]);
        same(text, cut, &terms, (patch_rows(&batches), error));
    }
    (terms.rows.len(), terms.error.is_some())
}

#[test]
fn columns_of_lines_hold_what_the_terms_say() {
    let (mut rows, mut errors) = (0, 0);
    for seed in seeds(50) {
        let mut random = Rng::new(seed);
        let [triples, generalized, strict] = [9, 2, 4].map(|times| random.below(times) == 0);
        let text: String = (0..random.below(9)).map(|_| statement(&mut random) + "\n").collect();
        let options = LinesOptions { triples, generalized, strict };
        let (count, failed) = check_lines(text.as_bytes(), options, 0..text.len());
        rows += count;
        errors += usize::from(failed);
    }
    assert!(rows > 30 && errors > 8, "{rows} rows, {errors} errors");
}

#[test]
fn columns_of_patches_hold_what_the_terms_say() {
    let (mut rows, mut errors) = (0, 0);
    for seed in seeds(50) {
        let mut random = Rng::new(seed);
        let dialect = *random.pick(&[PatchDialect::Any, PatchDialect::Any, PatchDialect::Strict]);
        let row = |random: &mut Rng| match random.below(6) {
            0 => (*random.pick(&OTHERS)).to_owned(),
            1 => format!("D {}", statement(random)),
            _ => format!("A {}", statement(random)),
        };
        let text: String = (0..random.below(9)).map(|_| row(&mut random) + "\n").collect();
        let (count, failed) = check_patch(text.as_bytes(), dialect);
        rows += count;
        errors += usize::from(failed);
    }
    assert!(rows > 30 && errors > 8, "{rows} rows, {errors} errors");
}

/// What a row says does not depend on the row before it.
#[test]
fn a_row_alone_is_the_row_behind_another() {
    let mut rows = 0;
    for (first, second) in TERMS.iter().flat_map(|first| TERMS.iter().map(move |second| (first, second))) {
        let line = |term: &str| format!("<http://e/s> <http://e/p> {term} .\n");
        let both = line(first) + &line(second);
        let options = LinesOptions { generalized: true, ..LinesOptions::default() };
        let alone = [first, second].map(|term| super::lines(line(term).as_bytes(), options, 99, 99));
        if alone.iter().any(|read| read.error.is_some()) {
            continue;
        }
        let read = super::lines(both.as_bytes(), options, usize::MAX, usize::MAX);
        let objects = |rows: &[crate::common::rows::RdfRow]| -> Vec<String> {
            rows.iter().map(|row| row.object.clone()).collect()
        };
        let expected = alone.map(|read| objects(&read.rows)).concat();
        assert_eq!(objects(&read.rows), expected, "{both}");
        rows += read.rows.len();
        check_lines(both.as_bytes(), options, [0, rows % both.len()].into_iter());
    }
    assert!(rows > 1_500, "{rows}");
}
