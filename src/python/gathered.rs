//! `GatheredPatches`.

use pyo3::prelude::*;

use super::guard::Guarded;
use super::keys::batches_of;
use crate::arrow;
use crate::patch::{GatheredCounts, GatheredPatch, GatheredTransaction};

type Name = (Option<String>, i64);
type Headers = Vec<(Option<i64>, String, Option<String>)>;
type Transactions = Vec<(i64, [u64; 3], [bool; 2])>;
type Texts = (Option<(i64, String)>, Option<String>, Option<(i64, i64)>);
type Part = (Name, Headers, Transactions, [u64; 9], i64, Texts);
type Gathered = (Name, Vec<(String, Option<String>)>, (Vec<i64>, Vec<i64>), [bool; 4], [u64; 8], i64, Texts);

/// What the rows of patches say, of batches in any order.
#[pyclass(frozen, module = "jelly")]
#[derive(Default)]
pub(super) struct GatheredPatches(Guarded<arrow::GatheredPatches>);

#[pymethods]
impl GatheredPatches {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Takes rows, with the columns ``source``, ``patch``, ``txn``, ``seq``, ``op``, ``name``, ``value`` and those
    /// of a quad.
    fn push(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut batches = batches_of(rows)?;
        self.0.detached(py, |gathered| batches.each(|batch| Ok(gathered.push(&batch)?)))
    }

    /// Whether rows that change quads have content labels.
    #[getter]
    fn has_content_labels(&self, py: Python<'_>) -> PyResult<bool> {
        self.0.detached(py, |gathered| Ok(gathered.has_content_labels))
    }

    /// The patches, for :meth:`merge` in another process.
    fn parts(&self, py: Python<'_>) -> PyResult<Vec<Part>> {
        let part = |(name, patch): (&Name, &GatheredPatch)| {
            let transactions = patch.transactions.iter().map(|(&txn, one)| {
                let GatheredTransaction { begun, committed, aborted, changes, names_node } = *one;
                (txn, [begun, committed, aborted], [changes, names_node])
            });
            let mut counts = patch.counts;
            let (numbers, bytes) = (counts.numbers().map(|number| *number), counts.bytes);
            (name.clone(), patch.headers.clone(), transactions.collect(), numbers, bytes, texts(patch))
        };
        self.0.detached(py, |gathered| Ok(gathered.patches.iter().map(part).collect()))
    }

    /// Takes what others gathered.
    fn merge(&self, py: Python<'_>, parts: Vec<Part>) -> PyResult<()> {
        let part = |(name, headers, transactions, numbers, bytes, (end, strange, places)): Part| {
            let transactions = transactions.into_iter().map(|(txn, ends, [changes, names_node])| {
                let [begun, committed, aborted] = ends;
                (txn, GatheredTransaction { begun, committed, aborted, changes, names_node })
            });
            let mut counts = GatheredCounts { bytes, ..GatheredCounts::default() };
            counts.numbers().into_iter().zip(numbers).for_each(|(number, given)| *number = given);
            let transactions = transactions.collect();
            (name, GatheredPatch { headers, transactions, counts, end, strange, places })
        };
        self.0.detached(py, |gathered| {
            for (name, part) in parts.into_iter().map(part) {
                gathered.patches.entry(name).or_default().merge(part);
            }
            Ok(())
        })
    }

    /// For each patch its source and number, headers, transactions, findings, counts and texts.
    ///
    /// Headers are in order: key in lower case and value. Transactions: unfinished and aborted. Findings: each transaction
    /// with rows began; each has a number of its own; there are changes in transactions; rows that count have blank nodes.
    /// Counts: rows, ``A``, ``D``, ``TX``, ``TC`` and ``Z`` rows, ends of no transaction, changes outside of transactions,
    /// bytes. Texts: place and op of the last row, an op that does not exist, the first and the last ``seq``.
    fn outcomes(&self, py: Python<'_>) -> PyResult<Vec<Gathered>> {
        let outcome = |(name, patch): (&Name, &mut GatheredPatch)| {
            let found = patch.outcome();
            let headers = patch.headers.iter().map(|(_, key, value)| (key.clone(), value.clone()));
            let findings = [found.began, found.own, found.within, found.names_nodes];
            let GatheredCounts { rows, adds, deletes, begun, committed, ends, stray, loose, bytes, .. } =
                patch.counts;
            let counts = [rows, adds, deletes, begun, committed, ends, stray, loose];
            let transactions = (found.unfinished, found.aborted);
            (name.clone(), headers.collect(), transactions, findings, counts, bytes, texts(patch))
        };
        self.0.detached(py, |gathered| Ok(gathered.patches.iter_mut().map(outcome).collect()))
    }
}

fn texts(patch: &GatheredPatch) -> Texts {
    (patch.end.clone(), patch.strange.clone(), patch.places)
}
