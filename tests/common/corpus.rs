//! The `corpus` of the shared folder: real and synthetic data, as Jelly and as text.

use std::path::Path;

use super::lexer::Lexer;
use super::rows::{Decoder, Framing, How, PatchRow, RdfRow, Relabel, Terms};
use super::shared::{read, read_text};
use super::vectors::{assert_same, statement};

/// Compares each Jelly file with its text; says how many rows of RDF and of patches there were.
pub fn check(decoder: &impl Decoder, folder: &Path) -> [usize; 2] {
    let mut rows = [0; 2];
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    for name in names {
        if let Some(stem) = name.strip_suffix(".jelly.gz") {
            rows[0] += check_rdf(decoder, folder, stem);
        } else if let Some(stem) = name.strip_suffix(".jellyp.gz") {
            rows[1] += check_patch(decoder, folder, stem);
        }
    }
    rows
}

fn check_rdf(decoder: &impl Decoder, folder: &Path, stem: &str) -> usize {
    let got = decoder.rdf(&read(&folder.join(format!("{stem}.jelly.gz"))), How::new(Framing::Delimited));
    assert_eq!(got.error, None, "{stem}");
    let text = ["nt", "nq"]
        .map(|extension| folder.join(format!("{stem}.{extension}.gz")))
        .into_iter()
        .find(|path| path.exists())
        .expect("a text twin");
    let expected = read_lines(&read_text(&text));
    let rows: Vec<_> = got.rows.into_iter().map(|row| RdfRow { frame: 0, ..row }).collect();
    assert_same(stem, &normal(&rows), &normal(&expected));
    rows.len()
}

fn check_patch(decoder: &impl Decoder, folder: &Path, stem: &str) -> usize {
    let got = decoder.patch(&read(&folder.join(format!("{stem}.jellyp.gz"))), How::new(Framing::Delimited));
    assert_eq!(got.error, None, "{stem}");
    let expected = read_rdfp(&read_text(&folder.join(format!("{stem}.rdfp.gz"))));
    // The marks of Jelly are no rows of the text, where a block of headers starts a patch.
    let rows: Vec<_> =
        got.rows.into_iter().filter(|row| row.op != "Z").map(|row| PatchRow { seq: 0, ..row }).collect();
    assert_same(stem, &normal(&rows), &normal(&expected));
    rows.len()
}

/// pyjelly and Jena, which wrote the Jelly files, change the case of language tags when they read text;
/// Jena also drops the first character of `_:label`.
fn normal<R: Terms>(rows: &[R]) -> Vec<R> {
    Relabel::folding_languages().rows(rows)
}

/// N-Triples or N-Quads as the corpus has them.
pub fn read_lines(text: &str) -> Vec<RdfRow> {
    let lines = text.split_terminator('\n').enumerate();
    lines.map(|(seq, line)| statement(&mut Lexer::new(line), 0, seq, None)).collect()
}

/// RDF Patch text as the corpus has it. Patches begin at the first header after another row.
pub fn read_rdfp(text: &str) -> Vec<PatchRow> {
    let mut rows: Vec<PatchRow> = Vec::new();
    let (mut patch, mut txn, mut open) = (0, 0, false);
    for line in text.split_terminator('\n') {
        let mut lexer = Lexer::new(line);
        let mut row = PatchRow { op: lexer.word().to_owned(), ..PatchRow::default() };
        match row.op.as_str() {
            "H" => {
                patch += i64::from(rows.last().is_some_and(|last| last.op != "H"));
                row.name = Some(lexer.string());
                row.value = Some(lexer.term().to_string());
            }
            "PA" | "PD" => {
                row.name = Some(lexer.string());
                row.value = (!lexer.at_end()).then(|| lexer.term().to_string());
                row.graph = Some(String::new());
            }
            "A" | "D" => {
                let statement = statement(&mut lexer, 0, 0, None);
                row.subject = Some(statement.subject);
                row.predicate = Some(statement.predicate);
                row.object = Some(statement.object);
                row.graph = Some(statement.graph);
            }
            "TX" => open = true,
            "TC" => {}
            other => panic!("{other}"),
        }
        assert!(lexer.at_end(), "{line}");
        row.patch = patch;
        row.txn = open.then_some(txn);
        if row.op == "TC" {
            open = false;
            txn += 1;
        }
        rows.push(row);
    }
    rows
}
