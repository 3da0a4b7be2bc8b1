//! The `vectors` of the shared folder: files that Jelly-JVM wrote, with the rows it reads from them.

use std::collections::HashMap;
use std::path::Path;

use super::lexer::Lexer;
use super::rows::{Class, Decoder, Framing, How, PatchRow, RdfRow};
use super::shared::{read, read_text};
use super::term::Term;

/// These use what their options do not declare.
const UNDECLARED: [&str; 2] = ["crafted-empty-members", "headers.strict"];

/// Compares every file of both manifests, row for row; says how many there were.
pub fn check(decoder: &impl Decoder, folder: &Path) -> [usize; 2] {
    [check_patch(decoder, &folder.join("patch")), check_rdf(decoder, &folder.join("rdf"))]
}

struct Case {
    name: String,
    bytes: Vec<u8>,
    rows: String,
    framing: Framing,
}

fn check_patch(decoder: &impl Decoder, folder: &Path) -> usize {
    let cases = cases(folder, "jellyp");
    for case in &cases {
        let mut how = How::new(case.framing);
        if UNDECLARED.contains(&case.name.as_str()) {
            let error = decoder.patch(&case.bytes, how).error.expect("undeclared terms are refused");
            assert_eq!(error.class, Class::Options, "{}: {error:?}", case.name);
            how.lenient_flags = true;
        }
        let got = decoder.patch(&case.bytes, how);
        assert_eq!(got.error, None, "{}", case.name);
        let how = How { framing: Framing::Auto, ..how };
        assert!(decoder.patch(&case.bytes, how) == got, "{}: autodetected", case.name);
        let (options, expected) = read_patch_rows(&case.rows);
        if got.options.is_some() {
            assert_eq!(got.options, options, "{}", case.name);
        }
        check_numbers(&case.name, &got.rows);
        // Jelly-JVM has no event for the end of the stream, nor for frames before the options.
        let is_frame = options.is_some_and(|options| options.contains(" stream=FRAME "));
        let hidden = case.bytes.iter().take_while(|byte| is_frame && **byte == 0).count();
        let rows: Vec<_> = got
            .rows
            .into_iter()
            .skip(hidden)
            .filter(|row| row.op != "Z" || row.name.as_deref() != Some("eof"))
            .map(|row| {
                let is_frame_end = row.op == "Z" && row.name.as_deref() == Some("frame");
                let name = row.name.filter(|_| !is_frame_end);
                PatchRow { patch: 0, txn: None, seq: 0, name, ..row }
            })
            .collect();
        assert_same(&case.name, &rows, &expected);
    }
    cases.len()
}

/// What the `.rows` files do not say: rows count up, a patch ends at its Z, a transaction begins at TX.
pub fn check_numbers(name: &str, rows: &[PatchRow]) {
    let (mut patch, mut txns, mut open) = (0, 0, None);
    for (seq, row) in (0..).zip(rows) {
        match row.op.as_str() {
            "TX" => {
                open = Some(txns);
                txns += 1;
            }
            "Z" => open = None,
            _ => {}
        }
        assert_eq!((row.seq, row.patch, row.txn), (seq, patch, open), "{name}: {row:?}");
        match row.op.as_str() {
            "TC" | "TA" => open = None,
            "Z" => patch += 1,
            _ => {}
        }
    }
}

fn check_rdf(decoder: &impl Decoder, folder: &Path) -> usize {
    let cases = cases(folder, "jelly");
    for case in &cases {
        let how = How::new(case.framing);
        let got = decoder.rdf(&case.bytes, how);
        assert_eq!(got.error, None, "{}", case.name);
        let how = How { framing: Framing::Auto, ..how };
        assert!(decoder.rdf(&case.bytes, how) == got, "{}: autodetected", case.name);
        let (options, namespaces, expected) = read_rdf_rows(&case.rows);
        if got.options.is_some() {
            assert_eq!(got.options, options, "{}", case.name);
        }
        let rows: Vec<_> = got.rows.into_iter().map(|row| RdfRow { frame: 0, ..row }).collect();
        assert_same(&case.name, &rows, &expected);
        assert_eq!(got.namespaces, namespaces, "{}", case.name);
    }
    cases.len()
}

/// Says where the first difference is, not all rows of both.
pub fn assert_same<R: PartialEq + std::fmt::Debug>(name: &str, got: &[R], expected: &[R]) {
    for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert_eq!(got, expected, "{name}: row {at}");
    }
    assert_eq!(got.len(), expected.len(), "{name}: number of rows");
}

fn cases(folder: &Path, extension: &str) -> Vec<Case> {
    let manifest: Vec<HashMap<String, Option<String>>> =
        serde_json::from_slice(&read(&folder.join("manifest.json"))).expect("a list of cases");
    let cases: Vec<_> = manifest
        .iter()
        .map(|case| |key: &str| case[key].as_deref().expect("a string"))
        .map(|field| Case {
            name: field("name").to_owned(),
            bytes: read(&folder.join(field(extension))),
            rows: read_text(&folder.join(field("rows"))),
            framing: if field("options").contains("--delimited false") {
                Framing::Single
            } else {
                Framing::Delimited
            },
        })
        .collect();
    assert!(!cases.is_empty());
    cases
}

/// The options and the rows of a `.rows` file of a patch. Patch, transaction and number are not in it.
pub fn read_patch_rows(text: &str) -> (Option<String>, Vec<PatchRow>) {
    let mut options = None;
    let mut rows = Vec::new();
    for line in text.split_terminator('\n') {
        let mut lexer = Lexer::new(line);
        let op = lexer.word();
        let mut row = PatchRow { op: op.to_owned(), ..PatchRow::default() };
        match op {
            "OPTIONS" => {
                options = Some(line["OPTIONS ".len()..].to_owned());
                continue;
            }
            "H" => {
                row.name = Some(lexer.string());
                row.value = Some(lexer.term().to_string());
            }
            "PA" | "PD" => {
                row.name = Some(lexer.string());
                row.value = lexer.term_or_null();
                row.graph = Some(graph(&mut lexer));
            }
            "A" | "D" => {
                row.subject = Some(lexer.term().to_string());
                row.predicate = Some(lexer.term().to_string());
                row.object = Some(lexer.term().to_string());
                row.graph = Some(graph(&mut lexer));
            }
            _ => {}
        }
        assert!(lexer.at_end(), "{line}");
        rows.push(row);
    }
    (options, rows)
}

type RdfRows = (Option<String>, Vec<(String, String)>, Vec<RdfRow>);

/// The options, namespaces and statements of a `.rows` file of Jelly-RDF; graphs become quads.
fn read_rdf_rows(text: &str) -> RdfRows {
    let (mut options, mut namespaces, mut rows) = (None, Vec::new(), Vec::new());
    let mut open = None;
    for line in text.split_terminator('\n') {
        let mut lexer = Lexer::new(line);
        match lexer.word() {
            "OPTIONS" => {
                options = Some(line["OPTIONS ".len()..].to_owned());
                continue;
            }
            "NS" => namespaces.push((lexer.string(), lexer.term().to_string())),
            "GS" => open = Some(lexer.term()),
            "GE" => open = None,
            "T" | "Q" => {
                let seq = rows.len();
                rows.push(statement(&mut lexer, 0, seq, open.as_ref()));
            }
            other => panic!("{other}"),
        }
        assert!(lexer.at_end(), "{line}");
    }
    (options, namespaces, rows)
}

/// A line of N-Triples or N-Quads; `open` is the graph around it.
pub fn statement(lexer: &mut Lexer, frame: usize, seq: usize, open: Option<&Term>) -> RdfRow {
    RdfRow {
        frame: i64::try_from(frame).expect("few"),
        seq: i64::try_from(seq).expect("few"),
        subject: lexer.term().to_string(),
        predicate: lexer.term().to_string(),
        object: lexer.term().to_string(),
        graph: open.map_or_else(|| graph(lexer), Term::to_string),
    }
}

fn graph(lexer: &mut Lexer) -> String {
    if lexer.at_end() { String::new() } else { lexer.term_or_null().unwrap_or_default() }
}
