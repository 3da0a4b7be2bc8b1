//! Columns compare terms with the row before, as they lie in the input: what repeats, what only seems to, and every cut.

use jelly_patch::{Limits, With};

use super::columns::check_within;
use super::hostile::varint;
use super::{hex, read};

const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";
const BEGIN: &str = "65 00 00";
const COMMIT: &str = "65 02 00";
const HEADER: &str = "1c 18 02 6964 1c 1c 18 05 75726e3a78 00 00 00 00";
const PREFIX: &str = "4c 1c 1c 18 03 613a67 00 00 18 00 18 02 613a 00 00";
const REPEAT: &str = "1c 8c 00 00";

fn string(text: &str) -> Vec<u8> {
    [varint(text.len() as u64), text.into()].concat()
}

/// A term whose member begins with `head` and has the string, and perhaps another with its own head.
fn term(head: &str, text: &str, more: Option<(&str, &str)>) -> Vec<u8> {
    let more = more.map_or_else(Vec::new, |(head, text)| [hex(head), string(text)].concat());
    [hex("1c"), hex(head), hex("18"), string(text), more, hex("00 00")].concat()
}

fn iri(text: &str) -> Vec<u8> {
    term("1c", text, None)
}

fn label(text: &str) -> Vec<u8> {
    term("2c", text, None)
}

fn literal(lex: &str, more: Option<(&str, &str)>) -> Vec<u8> {
    term("3c", lex, more)
}

/// A statement of these terms, added or, with `3c`, deleted.
fn row(head: &str, terms: &[&Vec<u8>]) -> Vec<u8> {
    let terms: Vec<u8> = terms.iter().flat_map(|term| term.iter().copied()).collect();
    [hex(head), terms, hex("00 00")].concat()
}

/// Terms that are alike in their bytes, or in their text.
fn alike() -> Vec<Vec<u8>> {
    let long = "a:".to_owned() + &"x".repeat(140);
    let iris = [
        "a:s",
        "a:sx",
        "a:",
        "",
        "a:S",
        "b:s",
        "_:b",
        "\\u005F:b",
        "a:é",
        "a b",
        "a:!~",
        &long,
        &long[..141],
    ];
    let labels = ["b", "a:s", "-", "é", "bb"];
    let quoted = "9c 1c1c1801730000 1c1c1801730000 1c1c1801730000 00";
    let others = [
        literal("v", None),
        literal("", None),
        literal("a:s", None),
        literal("\n\"", None),
        literal("é\u{fffe}", None),
        literal(&"v".repeat(300), None),
        literal("v", Some(("18", "en"))),
        literal("v", Some(("18", "en-GB"))),
        literal("v", Some(("18", ""))),
        literal("v", Some(("18", "e n"))),
        literal("v", Some(("28", "a:d"))),
        literal("v", Some(("28", "a:dd"))),
        literal("v", Some(("28", "_:d"))),
        literal("v", Some(("28", XSD_STRING))),
        literal("v", Some(("18", "en")))[..9].iter().copied().chain(hex("38 03 6c7472 00 00")).collect(),
        iri("urn:x-arq:DefaultGraph"),
        hex(&format!("1c {quoted} 00")),
        hex(REPEAT),
        hex("1c ac 16 02 00 00"), // an integer, with the wrong head
        hex("1c a6 02 00"),       // and with the right one
    ];
    iris.map(iri).into_iter().chain(labels.map(label)).chain(others).collect()
}

#[test]
fn any_term_behind_any_other() {
    let (terms, usual) = (alike(), iri("a:p"));
    let (mut rows, mut errors) = (0, 0);
    for place in [0, 2, 3] {
        for (n, first) in terms.iter().enumerate() {
            for (m, second) in terms.iter().enumerate() {
                let statement = |head: &str, term| {
                    let mut of_row = [&usual; 4];
                    of_row[place] = term;
                    row(head, &of_row)
                };
                let repeat = hex(REPEAT);
                let parts = [
                    statement("2c", first),
                    statement("3c", second),
                    statement("2c", second),
                    row("2c", &[&usual, &usual, &usual]),
                    statement("2c", second),
                    row("2c", &[&repeat; 4]),
                    hex(BEGIN),
                    statement("2c", first),
                ];
                let bytes = parts.concat();
                let cuts = [0, (n * 31 + m * 7) % bytes.len(), (n * 17 + m * 41) % bytes.len(), bytes.len()];
                let (found, failed) = check_within(&bytes, &Limits::default(), cuts.into_iter());
                rows += found;
                errors += usize::from(failed);
            }
        }
    }
    assert!(rows > 20_000 && errors > 200, "{rows} rows, {errors} errors");
}

/// Rows that are no statements stand between repetitions, and terms stand in other places than before.
#[test]
fn every_cut() {
    let [s, o, g, b] = [iri("a:s"), literal("v", Some(("28", "a:d"))), iri("a:g"), label("b")];
    let change = |head, terms: [&Vec<u8>; 3]| row(head, &terms);
    let repeat = hex(REPEAT);
    let parts = [
        hex(HEADER),
        hex(BEGIN),
        change("2c", [&s, &g, &o]),
        change("2c", [&s, &g, &o]),
        row("2c", &[&s, &g, &o, &g]),
        row("3c", &[&s, &g, &o, &g]),
        hex(COMMIT),
        change("2c", [&s, &g, &o]),
        hex(PREFIX),
        row("2c", &[&g, &s, &b, &b]),
        row("2c", &[&g, &s, &b, &b]),
        change("3c", [&b, &b, &b]),
        hex(BEGIN),
        row("2c", &[&repeat, &repeat, &repeat, &b]),
        row("2c", &[&b, &repeat, &s, &b]),
        row("2c", &[&b, &s, &s, &b]),
        hex(COMMIT),
        hex(HEADER),
        row("2c", &[&b, &s, &s, &b]),
    ];
    let bytes = parts.concat();
    let (rows, failed) = check_within(&bytes, &Limits::default(), 0..bytes.len());
    assert_eq!((rows, failed), (21, false), "{:?}", read(&bytes));
    // and what is cut off is an error at the same place
    for end in 0..bytes.len() {
        check_within(&bytes[..end], &Limits::default(), [0, end / 2, end.saturating_sub(3)].into_iter());
    }
}

#[test]
fn repetitions_at_a_limit() {
    for length in [20, 127, 128, 200] {
        let terms = [
            iri(&"i".repeat(length)),
            label(&"b".repeat(length)),
            literal(&"v".repeat(length), None),
            literal("v", Some(("18", &"t".repeat(length)))),
            literal("v", Some(("28", &"d".repeat(length)))),
        ];
        for term in terms {
            let statement = row("2c", &[&iri("a:s"), &iri("a:p"), &term]);
            let bytes = statement.repeat(3);
            for (term_bytes, is_error) in [(length, false), (length - 1, true)] {
                let limits = Limits::default().with(|limits| limits.term_bytes = term_bytes);
                let found = check_within(&bytes, &limits, (0..bytes.len()).step_by(7));
                assert_eq!(found, if is_error { (0, true) } else { (4, false) }, "{length}");
            }
            for row_bytes in [statement.len(), statement.len() - 1].map(|bytes| bytes.max(128)) {
                let limits = Limits::default().with(|limits| limits.row_bytes = row_bytes);
                let (_, failed) = check_within(&bytes, &limits, (0..bytes.len()).step_by(7));
                assert_eq!(failed, row_bytes < statement.len(), "{length}");
            }
        }
    }
}
