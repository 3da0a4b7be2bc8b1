//! What must hold whatever the patches and datasets are.

use proptest::prelude::*;

use super::generate::{self, nquads};
use super::logs::{check, keys, parsed_keys, split};
use super::model::{Dataset, committed};
use super::run::{self, How};
use crate::common::soak::seeds;
use jelly_patch::With;
use jelly_patch::patch::{LogOptions, SquashOptions};

fn bytes(text: &str) -> Vec<Vec<u8>> {
    vec![text.as_bytes().to_vec()]
}

fn applied(base: &str, patches: &[Vec<u8>]) -> String {
    run::apply(base, patches, How::default()).unwrap().1
}

/// `apply(A, diff(A, B)) = B`; of equals it is empty; no quad twice; deletes before adds.
#[test]
fn diff_makes_one_of_the_other() {
    check(seeds(500), (generate::quads(), generate::quads(), any::<bool>()), |(old, new, reversed)| {
        let new = if reversed { old.iter().rev().cloned().collect() } else { new };
        let (compared, patch) = run::diff(&nquads(&old), &nquads(&new)).unwrap();
        let new_keys = keys(&Dataset { quads: new.clone(), ..Dataset::default() });
        prop_assert_eq!(parsed_keys(&applied(&nquads(&old), &bytes(&patch))), &new_keys[..]);
        let rows: Vec<&str> = patch.lines().filter(|row| row.starts_with(['A', 'D'])).collect();
        prop_assert_eq!(rows.len() as u64, compared.patch.added + compared.patch.deleted);
        prop_assert!(rows.is_sorted_by_key(|row| row.starts_with('A')));
        let quads: Vec<&str> = rows.iter().map(|row| &row[2..]).collect();
        prop_assert_eq!(rows.len(), parsed_keys(&quads.join("\n")).len());
        if reversed {
            prop_assert_eq!(&patch, "");
        }
        let report = run::verify(&bytes(&patch), Some(&nquads(&old)), LogOptions::default());
        prop_assert_eq!(report.without_effect, Some(0));
        Ok(())
    });
}

/// The same log again changes nothing, whole or patch by patch.
#[test]
fn applying_again_changes_nothing() {
    check(seeds(300), (generate::quads(), generate::log(false)), |(base, log)| {
        let (base, log) = (nquads(&base), split(&log, false, false));
        let once = applied(&base, &log);
        prop_assert_eq!(applied(&once, &log), once);
        Ok(())
    });
}

/// `apply(apply(D, P), invert(P)) = D`, with the base, and without it for canonical patches.
#[test]
fn invert_takes_back() {
    check(seeds(500), (generate::quads(), generate::log(false), any::<bool>()), |(base, log, as_jelly)| {
        let dataset = Dataset { quads: base, ..Dataset::default() };
        let base = nquads(&dataset.quads);
        let sources = split(&log, false, as_jelly);
        let after = applied(&base, &sources);
        let (_, back) = run::invert(&sources, Some(&base)).unwrap();
        prop_assert_eq!(parsed_keys(&applied(&after, &bytes(&back))), keys(&dataset));
        let (_, canonical) = run::canonicalize(&sources, &base).unwrap();
        let (_, again) = run::invert(&[canonical], None).unwrap();
        let rows = |patch: &str| {
            let mut rows: Vec<String> = patch
                .lines()
                .filter(|row| row.starts_with(['A', 'D']))
                .map(|row| row.to_lowercase())
                .collect();
            rows.sort();
            rows
        };
        prop_assert_eq!(rows(&again), rows(&back));
        Ok(())
    });
}

/// A canonical log has the same effect, has only rows with an effect, and is as it was when made canonical again.
#[test]
fn canonicalize_keeps_what_counts() {
    check(seeds(500), (generate::quads(), generate::log(false)), |(base, log)| {
        let (base, sources) = (nquads(&base), split(&log, false, false));
        let (done, canonical) = run::canonicalize(&sources, &base).unwrap();
        let once = [canonical];
        prop_assert_eq!(done.patches as usize, log.len());
        prop_assert_eq!(parsed_keys(&applied(&base, &once)), parsed_keys(&applied(&base, &sources)));
        let report = run::verify(&once, Some(&base), LogOptions::default());
        prop_assert!(report.problems.is_empty() && report.without_effect == Some(0), "{:?}", report);
        let (_, twice) = run::canonicalize(&once, &base).unwrap();
        prop_assert_eq!(&twice, &once[0]);
        // what a base says is without effect is what is left out
        let report = run::verify(&sources, Some(&base), LogOptions::default());
        let left_out = done.changes - done.added - done.deleted;
        prop_assert!(report.without_effect.unwrap() >= left_out);
        Ok(())
    });
}

/// One patch for several does the same to every dataset; without what cancels itself, if it is canonical.
#[test]
fn squash_does_the_same() {
    check(seeds(500), (generate::quads(), generate::quads(), generate::log(false)), |(base, other, log)| {
        let sources = split(&log, true, false);
        let (_, squashed) = run::squash(&sources, SquashOptions::default()).unwrap();
        for base in [&base, &other] {
            let base = nquads(base);
            prop_assert_eq!(applied(&base, &bytes(&squashed)), applied(&base, &sources));
        }
        let base = nquads(&base);
        let (_, canonical) = run::canonicalize(&sources, &base).unwrap();
        let net = SquashOptions::default().with(|options| options.drops_cancelled = true);
        let (_, net) = run::squash(&[canonical], net).unwrap();
        let after = applied(&base, &sources);
        prop_assert_eq!(parsed_keys(&applied(&base, &bytes(&net))), parsed_keys(&after));
        let changes = |patch: &str| patch.lines().filter(|row| row.starts_with(['A', 'D'])).count();
        prop_assert!(changes(&net) <= changes(&squashed));
        // it is canonical too
        let (_, back) = run::invert(&bytes(&net), None).unwrap();
        prop_assert_eq!(parsed_keys(&applied(&after, &bytes(&back))), parsed_keys(&base));
        Ok(())
    });
}

/// Prefixes come to what the model says; text shows them all.
#[test]
fn prefixes_of_a_squashed_log() {
    let count = std::cell::Cell::new(0);
    check(seeds(300), generate::log(false), |log| {
        let rows = committed(&log).unwrap().concat();
        let expected = Dataset::default().apply(&rows).prefixes;
        let (_, squashed) = run::squash(&split(&log, false, false), SquashOptions::default()).unwrap();
        let mut got: Vec<&str> = squashed.lines().filter(|row| row.starts_with("PA")).collect();
        got.sort_unstable();
        let mut wanted: Vec<String> = expected
            .iter()
            .map(|((graph, name), iri)| {
                format!("PA \"{name}\" \"{iri}\" {graph}{}.", if graph.is_empty() { "" } else { " " })
            })
            .collect();
        wanted.sort_unstable();
        count.set(count.get() + got.len());
        prop_assert_eq!(got, wanted);
        Ok(())
    });
    assert!(count.get() > 100);
}
