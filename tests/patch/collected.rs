//! The order of logs by what was collected of their patches: the cases of `tests/cases/logs.json`.

use serde_json::Value;

use jelly_patch::patch::{LogContext, LogOptions, PatchFacts, id_from_text, order_log};

/// Ways to write one path.
const SPELLINGS: [(&str, &str); 5] = [("", "/"), ("file://", "/"), ("", "/./"), ("", "//"), ("file:", "/")];

fn facts(source: &str, number: usize, patch: &Value) -> PatchFacts {
    let keys = [("id", "id"), ("ID", "more"), ("Prev", "prev")];
    let mut headers: Vec<_> = (keys.iter())
        .filter_map(|(key, name)| Some(((*key).to_owned(), id_from_text(patch[*name].as_str()?).unwrap())))
        .collect();
    if let Some(statements) = patch["statements"].as_u64() {
        headers.push(("statements".to_owned(), id_from_text(&format!("\"{statements}\"")).unwrap()));
    }
    PatchFacts {
        source: Some(source.to_owned()),
        patch: number as u64,
        headers,
        unfinished: (patch["unfinished"] == true).then_some(0),
        is_stray: patch["stray"] == true,
        counts: true,
        net: patch["adds"].as_i64().unwrap_or(1),
    }
}

#[test]
fn cases_of_logs() {
    check(&SPELLINGS[..1]);
}

#[test]
fn a_folder_is_one_however_its_path_is_written() {
    check(&SPELLINGS);
}

fn check(spellings: &[(&str, &str)]) {
    let cases: Value = serde_json::from_str(include_str!("../cases/logs.json")).unwrap();
    let cases = cases.as_array().unwrap();
    assert!(cases.len() > 50);
    for case in cases {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in case["others"].as_object().into_iter().flatten() {
            std::fs::write(folder.path().join(name), text.as_str().unwrap()).unwrap();
        }
        let mut patches = Vec::new();
        for (place, file) in case["files"].as_array().unwrap().iter().enumerate() {
            let name = file[0].as_str().unwrap();
            std::fs::write(folder.path().join(name), "").unwrap();
            let (before, between) = spellings[place % spellings.len()];
            let path = format!("{before}{}{between}{name}", folder.path().display());
            let file = file[1].as_array().unwrap();
            patches.extend(file.iter().enumerate().map(|(number, patch)| facts(&path, number, patch)));
        }
        let mut context = LogContext::default();
        if let Some(log) = case["distant"].as_str() {
            let folder = folder.path().to_string_lossy().into_owned();
            context.manifests.insert(folder, [None, Some(log.as_bytes().to_vec())]);
        }
        match order_log(&patches, &context, LogOptions::default()) {
            Ok(log) => {
                let expected: Vec<_> = case["order"].as_array().unwrap().iter().map(Value::as_u64).collect();
                let order: Vec<_> = log.order.iter().map(|&place| Some(place as u64)).collect();
                assert_eq!(order, expected, "{}", case["name"]);
                assert_eq!(log.before, case["before"].as_u64().unwrap_or(0), "{}", case["name"]);
                assert_eq!(!log.by_name.is_empty(), case["by_name"] == true, "{}", case["name"]);
            }
            Err(error) => {
                assert_eq!(error.kind().slug(), case["kind"], "{}", case["name"]);
                assert_eq!(error.message(), case["message"].as_str().unwrap());
            }
        }
    }
}
