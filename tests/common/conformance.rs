//! The published conformance cases of Jelly-RDF, direction `from_jelly`.

use std::path::Path;

use serde_json::Value;

use super::lexer::Lexer;
use super::rows::{Decoder, Framing, How, RdfRow, Relabel};
use super::shared::{read, read_text};
use super::vectors::{assert_same, statement};

/// Checks every case; says how many were positive and how many negative.
pub fn check(decoder: &impl Decoder, folder: &Path) -> [usize; 2] {
    let cases: Value = serde_json::from_slice(&read(&folder.join("cases.json"))).expect("JSON");
    let (mut positive, mut negative) = (0, 0);
    for case in cases["cases"].as_array().expect("a list") {
        if case["direction"] != "from_jelly" {
            continue;
        }
        let name = case["id"].as_str().expect("a string");
        let bytes = read(&folder.join(case["action"][0].as_str().expect("a path")));
        let got = decoder.rdf(&bytes, How::new(Framing::Auto));
        if case["positive"] == true {
            positive += 1;
            assert_eq!(got.error, None, "{name}");
            let results = case["result"].as_array().expect("a list");
            let expected = read_frames(
                results.iter().map(|path| read_text(&folder.join(path.as_str().expect("a path")))),
            );
            assert!(!expected.is_empty());
            let relabel = |rows: &[_]| Relabel::default().rows(rows);
            assert_same(name, &relabel(&got.rows), &relabel(&expected));
        } else {
            negative += 1;
            assert!(got.error.is_some(), "{name} is accepted");
        }
    }
    [positive, negative]
}

/// One text a frame, one statement a line.
fn read_frames(texts: impl Iterator<Item = String>) -> Vec<RdfRow> {
    let mut rows = Vec::new();
    for (frame, text) in texts.enumerate() {
        for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
            let mut lexer = Lexer::new(line.trim_end());
            let row = statement(&mut lexer, frame, rows.len(), None);
            assert!(lexer.at_end(), "{line}");
            rows.push(row);
        }
    }
    rows
}
