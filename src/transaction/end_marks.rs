//! Decides where a `Z` must be written in formats whose readers detect most ends of patches: text and Thrift.
//!
//! This is the counterpart of [`Numbering`](super::numbering::Numbering), which ends a patch before an `H`
//! row and at the end of the input. A mark is written only where `Numbering` would not detect the end. A
//! header that would end a patch too early cannot be written.

use crate::error::{Error, ErrorKind, Position, Result, excerpt};
use crate::sink::{PatchOp, PatchRow};

/// Processes each row and decides where marks are written.
#[derive(Debug, Default)]
pub(crate) struct EndMarks {
    /// The patch of the last row.
    patch: Option<u64>,
    /// Whether the patch ended and no row followed.
    ended: bool,
    in_transaction: bool,
    rows: Rows,
}

/// The rows of the patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Rows {
    #[default]
    None,
    /// Only `H`.
    Headers,
    /// Rows other than `H`.
    Changes,
}

impl EndMarks {
    /// Processes the next row; returns whether a mark must be written before it. An end itself is never
    /// written.
    ///
    /// A new patch number without an end before it, because rows were dropped, also ends a patch.
    ///
    /// # Errors
    ///
    /// `encode.header`: readers would begin another patch at a header, although its patch continues.
    pub(crate) fn before(&mut self, row: &PatchRow<'_>) -> Result<bool> {
        let rows = match row.op {
            PatchOp::End(_) => Rows::None,
            PatchOp::Header { .. } => Rows::Headers,
            _ => Rows::Changes,
        };
        let found = rows == Rows::Headers && self.rows == Rows::Changes && !self.in_transaction;
        let ended = self.takes(row.patch, rows);
        if !ended
            && found
            && let PatchOp::Header { key, .. } = row.op
        {
            return Err(late_header(key, row.seq));
        }
        match row.op {
            PatchOp::Begin => self.in_transaction = true,
            PatchOp::Commit | PatchOp::Abort => self.in_transaction = false,
            _ => {}
        }
        Ok(ended && !found)
    }

    /// Like [`Self::before`], for an `A` or `D` row.
    #[inline(always)]
    pub(crate) fn before_change(&mut self, patch: u64) -> bool {
        self.takes(patch, Rows::Changes)
    }

    /// Processes a row of a patch; returns whether another patch ended before it.
    #[inline(always)]
    fn takes(&mut self, patch: u64, rows: Rows) -> bool {
        let ended = self.ended || self.patch.is_some_and(|before| before != patch);
        if ended {
            *self = EndMarks::default();
        }
        self.patch = Some(patch);
        self.ended = rows == Rows::None;
        self.rows = self.rows.max(rows);
        ended
    }

    /// Processes the end; returns whether a mark must be written, as after a patch without rows.
    pub(crate) fn at_end(&mut self) -> bool {
        let last = std::mem::take(self);
        last.ended && last.rows == Rows::None
    }
}

#[cold]
fn late_header(key: &str, row: u64) -> Error {
    let message = format!(
        "the header {} comes after changes of its patch, and there RDF Patch would begin another patch: put \
         headers first, or end the patch before it",
        excerpt(key)
    );
    Error::new(ErrorKind::EncodeHeader, message).located(&Position { row: Some(row), ..Position::default() })
}

#[cfg(test)]
mod tests {
    use super::super::numbering::Numbering;
    use super::*;
    use crate::sink::{PatchEnd, PatchSink, Sink};
    use crate::term::Term;

    const HEADER: PatchOp<'static> = PatchOp::Header { key: "id", value: Term::BlankNode("b") };
    const PREFIX: PatchOp<'static> = PatchOp::DeletePrefix { name: "", iri: None, graph: Term::DefaultGraph };

    fn op(letter: char) -> PatchOp<'static> {
        match letter {
            'H' => HEADER,
            'P' => PREFIX,
            '(' => PatchOp::Begin,
            ')' => PatchOp::Commit,
            '!' => PatchOp::Abort,
            _ => PatchOp::End(PatchEnd::Frame),
        }
    }

    fn letter(op: &PatchOp<'_>) -> char {
        match op {
            PatchOp::Header { .. } => 'H',
            PatchOp::Begin => '(',
            PatchOp::Commit => ')',
            PatchOp::Abort => '!',
            PatchOp::End(_) => 'Z',
            _ => 'P',
        }
    }

    /// The output of a writer; `|` in the rows starts a patch without an end before it.
    fn written(rows: &str) -> String {
        let (mut marks, mut patch, mut out) = (EndMarks::default(), 0, String::new());
        for row in rows.chars() {
            patch += u64::from(row == '|');
            if row == '|' {
                continue;
            }
            let row = PatchRow { patch, txn: None, seq: 0, op: op(row) };
            if marks.before(&row).unwrap() {
                out.push('Z');
            }
            if let PatchOp::End(_) = row.op {
                patch += 1;
            } else {
                out.push(letter(&row.op));
            }
        }
        if marks.at_end() {
            out.push('Z');
        }
        out
    }

    #[test]
    fn marks_stand_where_readers_need_them() {
        for (rows, expected) in [
            ("", ""),
            ("HPZ", "HP"),
            ("HPZHPZ", "HPHP"),
            ("HPZPZ", "HPZP"),
            ("HZHPZ", "HZHP"),
            ("H(PZHPZ", "H(PZHP"),
            ("H(P)ZH(P!ZHP", "H(P)H(P!HP"),
            ("(P)Z(P)Z", "(P)Z(P)"),
            ("Z", "Z"),
            ("ZZ", "ZZ"),
            ("PZZ", "PZZ"),
            ("PZZPZ", "PZZP"),
            ("PZZHPZ", "PZZHP"),
            ("ZHPZ", "ZHP"),
            ("HZ", "H"),
            ("P|P", "PZP"),
            ("P|HP", "PHP"),
            ("PZ|P", "PZP"),
        ] {
            assert_eq!(written(rows), expected, "{rows}");
        }
    }

    #[derive(Default)]
    struct Letters(String);

    impl Sink for Letters {}

    impl PatchSink for Letters {
        fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
            self.0.push(letter(&row.op));
            Ok(())
        }
    }

    fn read(rows: &str) -> String {
        let (mut numbering, mut sink) = (Numbering::new(false), Letters::default());
        for row in rows.chars() {
            if row == 'H' {
                numbering.end_before_header(&mut sink).unwrap();
            }
            numbering.row(op(row), &mut sink).unwrap();
        }
        numbering.end_of_input(&mut sink).unwrap();
        sink.0
    }

    /// All sequences of up to seven rows that a reader of text can return.
    #[test]
    fn what_was_read_is_read_again() {
        let mut streams = vec![String::new()];
        let mut start = 0;
        for _ in 0..7 {
            let end = streams.len();
            for stream in start..end {
                for letter in "HP()Z".chars() {
                    streams.push(format!("{}{letter}", streams[stream]));
                }
            }
            start = end;
        }
        for rows in streams.iter().map(|rows| read(rows)) {
            assert_eq!(read(&written(&rows)), rows);
            // no mark is redundant
            let marked = written(&rows);
            for (at, _) in marked.match_indices('Z') {
                let without = [&marked[..at], &marked[at + 1..]].concat();
                assert_ne!(read(&without), rows, "{marked}");
            }
        }
        assert!(streams.len() > 90_000);
    }
}
