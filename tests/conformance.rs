//! The decoder passes the published cases, reads Jelly-JVM's files as Jelly-JVM does, and the corpus as its text.

use crate::common::core::Core;
use crate::common::shared::shared;

#[test]
fn conformance_cases() {
    if let Some(folder) = shared("conformance") {
        assert_eq!(crate::common::conformance::check(&Core::default(), &folder), [56, 21]);
    }
}

#[test]
fn vectors_of_jelly_jvm() {
    if let Some(folder) = shared("vectors") {
        let [patch, rdf] = crate::common::vectors::check(&Core::default(), &folder);
        assert!(patch > 100 && rdf > 30, "{patch} {rdf}");
    }
}

#[test]
fn corpus_equals_its_text() {
    if let Some(folder) = shared("corpus") {
        let [rdf, patch] = crate::common::corpus::check(&Core::default(), &folder);
        assert!(rdf > 500_000 && patch > 150_000, "{rdf} {patch}");
    }
}
