//! The oracle is right: on the published conformance cases, on Jelly-JVM's files, and on the corpus.

use crate::common::shared::{own_vectors, shared};
use crate::oracle::Oracle;

#[test]
#[ignore = "needs ../shared"]
fn oracle_passes_the_conformance_cases() {
    let folder = shared("conformance");
    assert_eq!(crate::common::conformance::check(&Oracle, &folder), [56, 21]);
}

#[test]
#[ignore = "needs ../shared"]
fn oracle_reads_the_vectors_as_jelly_jvm_does() {
    let folder = shared("vectors");
    let [patch, rdf] = crate::common::vectors::check(&Oracle, &folder);
    assert!(patch > 100 && rdf > 30, "{patch} {rdf}");
}

#[test]
#[ignore = "needs ../shared"]
fn oracle_reads_the_corpus_as_its_text() {
    let folder = shared("corpus");
    let [rdf, patch] = crate::common::corpus::check(&Oracle, &folder);
    assert!(rdf > 500_000 && patch > 150_000, "{rdf} {patch}");
}

#[test]
fn oracle_reads_the_own_vectors_as_jelly_jvm_does() {
    assert_eq!(crate::common::vectors::check(&Oracle, &own_vectors()), [38, 18]);
}
