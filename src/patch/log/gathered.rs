//! The facts in the rows of patches, gathered by several readers that each read some of the rows, in any
//! order.

use std::collections::BTreeMap;

/// One row of a patch.
#[derive(Clone, Copy, Debug)]
pub struct GatheredRow<'a> {
    /// `H`, `TX`, `A` and so on.
    pub op: Option<&'a str>,
    /// Its transaction.
    pub txn: Option<i64>,
    /// Its place in the source.
    pub seq: Option<i64>,
    /// The key of a header.
    pub key: Option<&'a str>,
    /// The value of a header.
    pub value: Option<&'a str>,
    /// Bytes of its terms.
    pub bytes: i64,
    /// Whether its terms have a blank node.
    pub names_node: bool,
}

/// Facts from some rows of a patch about a transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GatheredTransaction {
    /// Number of `TX` rows.
    pub begun: u64,
    /// Number of `TC` rows.
    pub committed: u64,
    /// Number of `TA` rows.
    pub aborted: u64,
    /// Whether it has changes.
    pub changes: bool,
    /// Whether the changes have blank nodes.
    pub names_node: bool,
}

/// Facts from some rows of a patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GatheredPatch {
    /// Place, key in lower case and value of the headers that matter.
    pub headers: Vec<(Option<i64>, String, Option<String>)>,
    /// Transactions by their numbers.
    pub transactions: BTreeMap<i64, GatheredTransaction>,
    /// Numbers of rows, by kind and fault.
    pub counts: GatheredCounts,
    /// The op of the last row.
    pub end: Option<(i64, String)>,
    /// An unknown op.
    pub strange: Option<String>,
    /// The first and the last place.
    pub places: Option<(i64, i64)>,
}

/// Numbers of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatheredCounts {
    /// All rows.
    pub rows: u64,
    /// `A` rows.
    pub adds: u64,
    /// `D` rows.
    pub deletes: u64,
    /// `TX` rows.
    pub begun: u64,
    /// `TC` rows.
    pub committed: u64,
    /// `Z` rows.
    pub ends: u64,
    /// `TC` and `TA` rows outside transactions.
    pub stray: u64,
    /// Changes outside transactions.
    pub loose: u64,
    /// Changes outside transactions that have blank nodes.
    pub loose_naming: u64,
    /// Bytes of the terms of changes.
    pub bytes: i64,
}

/// The result for a patch whose rows were all read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Transactions that are neither committed nor aborted.
    pub unfinished: Vec<i64>,
    /// Aborted transactions.
    pub aborted: Vec<i64>,
    /// Whether each transaction with rows began.
    pub began: bool,
    /// Whether each transaction has its own number.
    pub own: bool,
    /// Whether there are changes in transactions.
    pub within: bool,
    /// Whether committed rows have blank nodes.
    pub names_nodes: bool,
}

/// The headers that matter for a log.
const HEADERS: [&str; 7] = ["id", "prev", "previous", "statements", "timestamp", "blank-nodes", "compacted"];

impl GatheredPatch {
    /// Adds a row.
    pub fn row(&mut self, row: &GatheredRow<'_>) {
        self.counts.rows += 1;
        if let Some(seq) = row.seq {
            let (first, last) = self.places.unwrap_or((seq, seq));
            self.places = Some((first.min(seq), last.max(seq)));
            if let Some(op) = row.op
                && self.end.as_ref().is_none_or(|(before, _)| *before < seq)
            {
                match &mut self.end {
                    Some((before, end)) if end == op => *before = seq,
                    end => *end = Some((seq, op.to_owned())),
                }
            }
        }
        match row.op {
            Some("H") => self.header(row),
            Some(op @ ("A" | "D" | "PA" | "PD")) => self.change(op, row),
            Some("TX") => {
                self.counts.begun += 1;
                self.in_transaction(row, |transaction| transaction.begun += 1);
            }
            Some("TC") => {
                self.counts.committed += 1;
                self.counts.stray += u64::from(row.txn.is_none());
                self.in_transaction(row, |transaction| transaction.committed += 1);
            }
            Some("TA") => {
                self.counts.stray += u64::from(row.txn.is_none());
                self.in_transaction(row, |transaction| transaction.aborted += 1);
            }
            Some("Z") => self.counts.ends += 1,
            op => self.is_strange(op.unwrap_or("null")),
        }
    }

    fn header(&mut self, row: &GatheredRow<'_>) {
        let key = row.key.unwrap_or_default().to_lowercase();
        if HEADERS.contains(&key.as_str()) {
            self.headers.push((row.seq, key, row.value.map(str::to_owned)));
        }
    }

    fn change(&mut self, op: &str, row: &GatheredRow<'_>) {
        self.counts.adds += u64::from(op == "A");
        self.counts.deletes += u64::from(op == "D");
        self.counts.bytes += row.bytes;
        if row.txn.is_none() {
            self.counts.loose += 1;
            self.counts.loose_naming += u64::from(row.names_node);
        }
        self.in_transaction(row, |transaction| {
            transaction.changes = true;
            transaction.names_node |= row.names_node;
        });
    }

    fn in_transaction(&mut self, row: &GatheredRow<'_>, change: impl FnOnce(&mut GatheredTransaction)) {
        if let Some(txn) = row.txn {
            change(self.transactions.entry(txn).or_default());
        }
    }

    fn is_strange(&mut self, op: &str) {
        if self.strange.as_deref().is_none_or(|before| op < before) {
            self.strange = Some(op.to_owned());
        }
    }

    /// Adds the facts from other rows of the same patch.
    pub fn merge(&mut self, other: GatheredPatch) {
        self.headers.extend(other.headers);
        for (txn, more) in other.transactions {
            let transaction = self.transactions.entry(txn).or_default();
            transaction.begun += more.begun;
            transaction.committed += more.committed;
            transaction.aborted += more.aborted;
            transaction.changes |= more.changes;
            transaction.names_node |= more.names_node;
        }
        self.counts.add(other.counts);
        self.end = self.end.take().max(other.end);
        if let Some(op) = &other.strange {
            self.is_strange(op);
        }
        self.places = match (self.places, other.places) {
            (Some(one), Some(two)) => Some((one.0.min(two.0), one.1.max(two.1))),
            (one, two) => one.or(two),
        };
    }

    /// Computes the result for the patch, and orders its headers.
    pub fn outcome(&mut self) -> Outcome {
        self.headers.sort();
        let mut outcome = Outcome { began: true, own: true, ..Outcome::default() };
        outcome.names_nodes = self.counts.loose_naming > 0;
        for (&txn, one) in &self.transactions {
            let ended = one.committed + one.aborted;
            if one.begun > 0 && ended == 0 {
                outcome.unfinished.push(txn);
            }
            if one.aborted > 0 {
                outcome.aborted.push(txn);
            }
            outcome.began &= one.begun > 0;
            outcome.own &= one.begun <= 1 && ended <= 1;
            outcome.within |= one.changes;
            outcome.names_nodes |= one.names_node && one.committed > 0;
        }
        outcome
    }
}

impl GatheredCounts {
    /// All numbers except the bytes, in the order of the fields.
    pub fn numbers(&mut self) -> [&mut u64; 9] {
        let GatheredCounts {
            rows,
            adds,
            deletes,
            begun,
            committed,
            ends,
            stray,
            loose,
            loose_naming,
            bytes: _,
        } = self;
        [rows, adds, deletes, begun, committed, ends, stray, loose, loose_naming]
    }

    fn add(&mut self, mut other: GatheredCounts) {
        self.bytes += other.bytes;
        for (number, more) in self.numbers().into_iter().zip(other.numbers()) {
            *number += *more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(op: &str, txn: Option<i64>, seq: i64) -> GatheredRow<'_> {
        let names_node = op == "D";
        GatheredRow { op: Some(op), txn, seq: Some(seq), key: None, value: None, bytes: 10, names_node }
    }

    fn rows() -> Vec<GatheredRow<'static>> {
        let header = |key, value, seq| GatheredRow { key, value, ..row("H", None, seq) };
        let mut rows = vec![header(Some("ID"), Some("<u:1>"), 4), header(Some("author"), Some("\"x\""), 5)];
        rows.push(header(Some("prev"), Some("<u:0>"), 6));
        for (txn, end) in [(0, Some("TC")), (1, Some("TA")), (2, None)] {
            let first = 7 + 4 * txn;
            rows.extend([row("TX", Some(txn), first), row("A", Some(txn), first + 1)]);
            rows.push(row("D", Some(txn), first + 2));
            rows.extend(end.map(|end| row(end, Some(txn), first + 3)));
        }
        rows.extend([row("PA", None, 18), row("Z", None, 19)]);
        rows
    }

    fn gathered(rows: &[GatheredRow<'_>]) -> GatheredPatch {
        let mut patch = GatheredPatch::default();
        for row in rows {
            patch.row(row);
        }
        patch
    }

    #[test]
    fn rows_that_several_readers_saw_in_any_order_say_the_same() {
        let rows = rows();
        let mut whole = gathered(&rows);
        let outcome = whole.outcome();
        assert_eq!((&outcome.unfinished[..], &outcome.aborted[..]), (&[2][..], &[1][..]));
        assert!(outcome.began && outcome.own && outcome.within && outcome.names_nodes);
        let keys: Vec<_> = whole.headers.iter().map(|(_, key, _)| key.as_str()).collect();
        assert_eq!(keys, ["id", "prev"]);
        assert_eq!((whole.places, whole.end.as_ref().unwrap().1.as_str()), (Some((4, 19)), "Z"));
        let GatheredCounts { rows: all, adds, deletes, loose, bytes, .. } = whole.counts;
        assert_eq!((all, adds, deletes, loose, bytes), (16, 3, 3, 1, 70));
        for cut in 0..=rows.len() {
            let mut backwards: Vec<_> = rows[cut..].to_vec();
            backwards.reverse();
            let mut merged = gathered(&backwards);
            merged.merge(gathered(&rows[..cut]));
            assert_eq!(merged.outcome(), outcome);
            assert_eq!(merged, whole, "cut at {cut}");
        }
    }

    #[test]
    fn what_does_not_fit_is_found() {
        let twice =
            gathered(&[row("TX", Some(0), 0), row("TX", Some(0), 1), row("TC", Some(0), 2)]).outcome();
        assert!(twice.began && !twice.own);
        let never = gathered(&[row("A", Some(7), 0), row("TC", Some(7), 1)]).outcome();
        assert!(!never.began && never.own && !never.names_nodes);
        let none = GatheredRow { op: None, ..row("A", None, 3) };
        let strange = gathered(&[row("tc", None, 0), row("AA", None, 1), none, row("TC", None, 2)]);
        assert_eq!((strange.strange.as_deref(), strange.counts.stray), (Some("AA"), 1));
        let aborted =
            gathered(&[row("TX", Some(0), 0), row("D", Some(0), 1), row("TA", Some(0), 2)]).outcome();
        assert!(aborted.within && !aborted.names_nodes);
    }
}
