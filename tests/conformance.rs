//! The decoder passes the published cases, reads Jelly-JVM's files as Jelly-JVM does, and the corpus as its text.

use crate::common::core::Core;
use crate::common::shared::{own_vectors, shared};

#[test]
#[ignore = "needs ../shared"]
fn conformance_cases() {
    let folder = shared("conformance");
    assert_eq!(crate::common::conformance::check(&Core::default(), &folder), [56, 21]);
}

#[test]
#[ignore = "needs ../shared"]
fn vectors_of_jelly_jvm() {
    let folder = shared("vectors");
    let [patch, rdf] = crate::common::vectors::check(&Core::default(), &folder);
    assert!(patch > 100 && rdf > 30, "{patch} {rdf}");
}

#[test]
#[ignore = "needs ../shared"]
fn corpus_equals_its_text() {
    let folder = shared("corpus");
    let [rdf, patch] = crate::common::corpus::check(&Core::default(), &folder);
    assert!(rdf > 500_000 && patch > 150_000, "{rdf} {patch}");
}

#[test]
fn own_vectors_are_read_as_jelly_jvm_reads_them() {
    assert_eq!(crate::common::vectors::check(&Core::default(), &own_vectors()), [38, 18]);
}
