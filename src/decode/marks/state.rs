//! The state of the marks in a snapshot.

use super::{Marks, Phase};
use crate::restart::{Counters, Mark};

impl Marks {
    /// The state of the marks as numbers; `None`: the reader has not begun yet.
    pub(in crate::decode) fn numbers(&self) -> Option<Vec<u64>> {
        if self.entry.is_some() {
            return None;
        }
        let mut out = vec![self.streams, self.start, self.frame_start];
        push(&mut out, self.base);
        match self.phase {
            Phase::Plain => out.push(0),
            Phase::Marked { next, footer } => out.extend([if footer { 1 } else { 4 }, next]),
            Phase::Closed { end, length, complete } => {
                out.extend([2 + u64::from(complete), length]);
                push(&mut out, end);
            }
        }
        if let Some(mark) = self.pending {
            out.push(mark.ordinal);
            push(&mut out, mark.counters);
            if !mark.footer {
                out.push(0);
            }
        }
        Some(out)
    }

    /// Restores the result of [`Self::numbers`].
    pub(in crate::decode) fn restore(numbers: &[u64]) -> Option<Self> {
        let mut rest = numbers.iter().copied();
        let streams = rest.next()?;
        let (start, frame_start) = (rest.next()?, rest.next()?);
        let base = take(&mut rest)?;
        let phase = match rest.next()? {
            0 => Phase::Plain,
            tag @ (1 | 4) => Phase::Marked { next: rest.next()?, footer: tag == 1 },
            tag @ 2..=3 => Phase::Closed { length: rest.next()?, complete: tag == 3, end: take(&mut rest)? },
            _ => return None,
        };
        let pending = match rest.next() {
            Some(ordinal) => {
                Some(Mark { ordinal, counters: take(&mut rest)?, footer: rest.next().is_none() })
            }
            None => None,
        };
        let marks = Marks { phase, pending, start, base, streams, frame_start, ..Marks::default() };
        rest.next().is_none().then_some(marks)
    }
}

fn push(out: &mut Vec<u64>, Counters { seq, frame, patch, txns, in_transaction, has_rows }: Counters) {
    out.extend([seq, frame, patch, txns, in_transaction.into(), has_rows.into()]);
}

fn take(rest: &mut impl Iterator<Item = u64>) -> Option<Counters> {
    let mut next = || rest.next();
    let (seq, frame, patch, txns) = (next()?, next()?, next()?, next()?);
    let (in_transaction, has_rows) = (next()? != 0, next()? != 0);
    Some(Counters { seq, frame, patch, txns, in_transaction, has_rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blank::StreamNumber;

    #[test]
    fn comes_back() {
        let counters = Counters { seq: 9, frame: 1, has_rows: true, ..Counters::default() };
        for footer in [false, true] {
            let phases = [
                Phase::Plain,
                Phase::Marked { next: 3, footer },
                Phase::Closed { end: counters, length: 7, complete: footer },
            ];
            for phase in phases {
                for pending in [None, Some(Mark { ordinal: 2, counters, footer })] {
                    let marks =
                        Marks { phase, pending, start: 4, base: counters, streams: 3, ..Marks::default() };
                    let numbers = marks.numbers().unwrap();
                    let again = Marks::restore(&numbers).unwrap();
                    assert_eq!((again.phase, again.pending, again.base), (phase, pending, counters));
                    assert_eq!(again.stream(), Some(StreamNumber(2)));
                    assert_eq!(again.numbers(), Some(numbers));
                }
            }
        }
    }
}
