//! The oracle is right: on the published conformance cases, on Jelly-JVM's files, and on the corpus.

use crate::common::shared::shared;
use crate::oracle::Oracle;

#[test]
fn oracle_passes_the_conformance_cases() {
    if let Some(folder) = shared("conformance") {
        assert_eq!(crate::common::conformance::check(&Oracle, &folder), [56, 21]);
    }
}

#[test]
fn oracle_reads_the_vectors_as_jelly_jvm_does() {
    if let Some(folder) = shared("vectors") {
        let [patch, rdf] = crate::common::vectors::check(&Oracle, &folder);
        assert!(patch > 100 && rdf > 30, "{patch} {rdf}");
    }
}

#[test]
fn oracle_reads_the_corpus_as_its_text() {
    if let Some(folder) = shared("corpus") {
        let [rdf, patch] = crate::common::corpus::check(&Oracle, &folder);
        assert!(rdf > 500_000 && patch > 150_000, "{rdf} {patch}");
    }
}
