//! The open transaction: how it begins and ends, and the faults of these steps.

use crate::error::{Error, ErrorKind, Result};
use crate::restart::Counters;

/// A fault of a transaction. Strict readers reject it; others continue and may report it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Irregular {
    /// Another transaction begins, or the patch ends, before this transaction ends.
    Unfinished(u64),
    /// A transaction ends that did not begin.
    Stray,
}

impl Irregular {
    pub(crate) fn kind(self) -> ErrorKind {
        match self {
            Irregular::Unfinished(_) => ErrorKind::PatchUnfinished,
            Irregular::Stray => ErrorKind::PatchStray,
        }
    }

    pub(crate) fn message(self) -> String {
        match self {
            Irregular::Unfinished(txn) => format!("transaction {txn} is neither committed nor aborted"),
            Irregular::Stray => "a transaction ends that did not begin".to_owned(),
        }
    }
}

impl From<Irregular> for Error {
    #[cold]
    fn from(irregular: Irregular) -> Self {
        Error::new(irregular.kind(), irregular.message())
    }
}

/// Turns a fault into an error for strict readers; others continue.
#[inline]
pub(crate) fn refuse<T>(strict: bool, step: Result<T, Irregular>) -> Result<Option<T>> {
    match step {
        Ok(done) => Ok(Some(done)),
        Err(irregular) if strict => Err(irregular.into()),
        Err(_) => Ok(None),
    }
}

/// The open transaction, if any, with a number that the caller chooses. A step takes effect even if it has a
/// fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Open(Option<u64>);

impl Open {
    /// The number of the open transaction.
    pub(crate) fn number(self) -> Option<u64> {
        self.0
    }

    /// Begins a transaction (`TX`).
    pub(crate) fn begin(&mut self, txn: Option<u64>) -> Result<(), Irregular> {
        let done = self.end_patch();
        self.0 = txn;
        done
    }

    /// Ends a transaction (`TC` or `TA`); returns its number.
    pub(crate) fn close(&mut self) -> Result<u64, Irregular> {
        self.0.take().ok_or(Irregular::Stray)
    }

    /// Ends the patch.
    pub(crate) fn end_patch(&mut self) -> Result<(), Irregular> {
        self.0.take().map_or(Ok(()), |txn| Err(Irregular::Unfinished(txn)))
    }
}

/// The same steps for counters, which number transactions in the order in which they begin.
impl Counters {
    /// The number of the open transaction.
    #[inline]
    pub(crate) fn open(&self) -> Option<u64> {
        if self.in_transaction { self.txns.checked_sub(1) } else { None }
    }

    /// Counts a row other than `TX`, `TC`, `TA` and the end of a patch.
    #[inline(always)]
    pub(crate) fn count_row(&mut self) {
        self.seq += 1;
        self.has_rows = true;
    }

    /// Begins a transaction (`TX`) and counts its row.
    pub(crate) fn begin(&mut self) -> Result<(), Irregular> {
        let done = Open(self.open()).begin(Some(self.txns));
        self.txns += 1;
        self.in_transaction = true;
        done
    }

    /// Ends a transaction (`TC` or `TA`) and counts its row.
    pub(crate) fn close(&mut self) -> Result<u64, Irregular> {
        let done = Open(self.open()).close();
        self.in_transaction = false;
        done
    }

    /// Ends the patch; counts the patch and its row, which may be implied.
    pub(crate) fn end_patch(&mut self) -> Result<(), Irregular> {
        let done = Open(self.open()).end_patch();
        (self.in_transaction, self.has_rows) = (false, false);
        self.seq += 1;
        self.patch += 1;
        done
    }
}

/// The committed transactions, one bit each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Committed {
    /// The number of the first transaction that was added.
    first: Option<u64>,
    words: Vec<u64>,
}

impl Committed {
    /// Removes all transactions.
    pub(crate) fn clear(&mut self) {
        self.first = None;
        self.words.clear();
    }

    /// Begins a transaction. Transactions before the first one that begins are not committed.
    pub(crate) fn begin(&mut self, txn: Option<u64>) {
        self.first = self.first.or(txn);
    }

    pub(crate) fn insert(&mut self, txn: u64) {
        let Some((word, bit)) = self.place(txn) else { return };
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << bit;
    }

    /// Whether a transaction is committed.
    #[inline]
    pub(crate) fn contains(&self, txn: u64) -> bool {
        self.place(txn)
            .is_some_and(|(word, bit)| self.words.get(word).is_some_and(|word| word >> bit & 1 != 0))
    }

    pub(crate) fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    #[inline]
    fn place(&self, txn: u64) -> Option<(usize, u32)> {
        let index = txn.checked_sub(self.first?)?;
        Some(((index / 64) as usize, (index % 64) as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults of the steps `(`, `)` and `Z`: `u` an unfinished transaction, `s` a stray end.
    fn found(steps: &str) -> String {
        let (mut open, mut counters) = (Open::default(), Counters::default());
        let mut found = String::new();
        for step in steps.chars() {
            let before = (open.number(), counters);
            let (one, other) = match step {
                '(' => (open.begin(Some(counters.txns)), counters.begin()),
                ')' => (open.close().map(drop), counters.close().map(drop)),
                _ => (open.end_patch(), counters.end_patch()),
            };
            assert_eq!((one, open.number()), (other, counters.open()), "{steps}");
            match refuse(true, one) {
                Ok(_) => found.push('.'),
                Err(error) if error.kind() == ErrorKind::PatchStray => found.push('s'),
                Err(error) => {
                    let txn = before.0.expect("it was open");
                    assert_eq!(
                        error.message(),
                        format!("transaction {txn} is neither committed nor aborted")
                    );
                    found.push('u');
                }
            }
            assert!(refuse(false, one).is_ok_and(|done| done.is_some() == one.is_ok()));
        }
        assert_eq!(counters.patch, steps.matches('Z').count() as u64);
        found
    }

    #[test]
    fn steps_of_transactions() {
        for (steps, expected) in [
            ("", ""),
            ("()Z", "..."),
            ("()()Z", "....."),
            ("Z()Z", "...."),
            ("(Z", ".u"),
            ("(()Z", ".u.."),
            (")Z", "s."),
            ("())Z", "..s."),
            ("(Z)Z", ".us."),
        ] {
            assert_eq!(found(steps), expected, "{steps}");
        }
    }

    #[test]
    fn committed_transactions_begin_anywhere() {
        let mut committed = Committed::default();
        assert!(!committed.contains(0));
        committed.begin(Some(1_000_000));
        committed.begin(Some(1_000_070));
        committed.insert(1_000_000);
        committed.insert(1_000_070);
        committed.insert(3); // before the first transaction: need not be stored
        let all: Vec<_> = (999_990..1_000_200).filter(|&txn| committed.contains(txn)).collect();
        assert_eq!((all, committed.count()), (vec![1_000_000, 1_000_070], 2));
        committed.clear();
        assert!(!committed.contains(1_000_000));
    }
}
