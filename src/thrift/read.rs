//! Reads RDF Patch Thrift.

use super::compact::{Cursor, Halt};
use super::row::{RawRow, row};
use super::term::{Parsed, nothing_to_repeat};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::limits::{Limits, MAX_NESTING};
use crate::rows::{RowFormat, RowState, Step, check_kept};
use crate::sink::{PatchEnd, PatchOp, PatchSink, Same, Statement, TermSink};
use crate::text::slot::TermSlot;
use crate::transaction::Numbering;
use crate::wire::Fault;

/// The rows of RDF Patch Thrift, for a [`RowDecoder`](crate::rows::RowDecoder).
#[derive(Debug)]
pub struct ThriftPatch {
    limits: Limits,
    rows: Rows,
}

impl ThriftPatch {
    /// At the start of a stream; `strict` as for RDF Patch text, but for what is of text alone.
    pub fn new(limits: &Limits, strict: bool) -> Self {
        let limits = Limits { nesting: limits.nesting.min(MAX_NESTING), ..limits.clone() };
        ThriftPatch { limits, rows: Rows { numbering: Numbering::new(strict), ..Rows::default() } }
    }

    #[cold]
    #[inline(never)]
    fn error(&self, error: Error, offset: u64) -> Error {
        let row = Some(self.rows.numbering.rows());
        error.located(&Position { row, offset: Some(offset), ..Position::default() })
    }
}

/// What is known of the rows so far.
#[derive(Debug, Default)]
struct Rows {
    numbering: Numbering,
    /// Subject, predicate, object and graph of the last statement.
    last: [TermSlot; 4],
    /// The term of a row that is no statement.
    other: TermSlot,
    /// The namespace of a prefix.
    namespace: TermSlot,
}

impl Rows {
    /// Bytes of the terms that may repeat.
    #[inline]
    fn kept_bytes(&self) -> usize {
        self.last.iter().map(TermSlot::bytes).sum()
    }

    /// Hands a row on; whether an end of a patch was handed on instead, which the row implies.
    #[inline]
    fn deliver<S: PatchSink>(&mut self, row: RawRow<'_>, sink: &mut S) -> Delivered {
        let op = match row {
            RawRow::Statement { is_add, terms } => {
                let mut same = Same::NONE;
                for (place, (slot, term)) in self.last.iter_mut().zip(terms).enumerate() {
                    if fill(slot, term)? {
                        same.set(place);
                    }
                }
                let numbers = self.numbering.numbers();
                if let Some(out) = sink.terms(numbers) {
                    if give(&self.last, same, out) {
                        self.numbering.pass_change();
                        sink.end_change(is_add, numbers)?;
                        return Ok(false);
                    }
                    out.cut();
                }
                let statement = Statement { terms: self.last.each_ref().map(TermSlot::term), same };
                if is_add { PatchOp::Add(statement) } else { PatchOp::Delete(statement) }
            }
            RawRow::Header { name, value } => {
                if self.numbering.end_before_header(sink)? {
                    return Ok(true);
                }
                self.other = TermSlot::default();
                fill(&mut self.other, value)?;
                PatchOp::Header { key: name, value: self.other.term() }
            }
            RawRow::Prefix { name, iri, graph } => {
                self.other = TermSlot::default();
                fill(&mut self.other, graph)?;
                let graph = self.other.term();
                match iri {
                    Some(iri) => PatchOp::AddPrefix { name, iri: self.namespace.set_iri(iri), graph },
                    None => PatchOp::DeletePrefix { name, iri: None, graph },
                }
            }
            RawRow::Begin => PatchOp::Begin,
            RawRow::Commit => PatchOp::Commit,
            RawRow::Abort => PatchOp::Abort,
            RawRow::Segment => PatchOp::End(PatchEnd::Mark),
        };
        self.numbering.row(op, sink)?;
        Ok(false)
    }
}

/// A fault of the input, or an error of the sink.
enum Failure {
    Fault(Fault),
    Error(Error),
}

type Delivered = std::result::Result<bool, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Error(error)
    }
}

/// Puts a term in its slot; whether it is the same as before.
#[inline]
fn fill(slot: &mut TermSlot, term: Parsed<'_>) -> std::result::Result<bool, Failure> {
    match term {
        Parsed::Plain(term) => Ok(slot.set(&term)),
        Parsed::Made(term) => Ok(slot.put(*term)),
        Parsed::Repeat(at) if slot.is_unset() => Err(Failure::Fault(nothing_to_repeat(at))),
        Parsed::Repeat(_) => Ok(true),
    }
}

/// Gives the terms of a statement one by one; `false`: `out` cannot take one.
#[inline]
fn give<'t>(last: &'t [TermSlot; 4], same: Same, out: &mut impl TermSink<'t>) -> bool {
    let mut terms = last.iter().enumerate();
    terms.all(|(place, slot)| same.at(place) && out.repeat(place) || out.term(place, slot.term()))
}

impl RowState for ThriftPatch {
    fn rows(&self) -> u64 {
        self.rows.numbering.rows()
    }
}

impl<S: PatchSink> RowFormat<S> for ThriftPatch {
    #[inline]
    fn row(&mut self, input: &[u8], offset: u64, at_end: bool, sink: &mut S) -> Result<Step> {
        let mut cursor = Cursor::new(input, &self.limits);
        let raw = match row(&mut cursor, input) {
            Ok(raw) => raw,
            Err(Halt::Short) if !at_end => return Ok(Step::Short),
            Err(Halt::Short) => {
                let message = format!("the input ends {} bytes into a row", input.len());
                return Err(self.error(Error::new(ErrorKind::TruncatedRow, message), offset));
            }
            Err(Halt::Fault(fault)) => return Err(self.error(fault.locate(input, offset), offset)),
        };
        let taken = cursor.taken();
        let delivered = self.rows.deliver(raw, sink).and_then(|implied| {
            check_kept(self.rows.kept_bytes() + sink.kept_bytes(), self.limits.kept_bytes())?;
            Ok(implied)
        });
        match delivered {
            Ok(implied) => Ok(Step::Taken(if implied { 0 } else { taken })),
            Err(Failure::Fault(fault)) => Err(self.error(fault.locate(input, offset), offset)),
            Err(Failure::Error(error)) => Err(self.error(error, offset)),
        }
    }

    fn end(&mut self, sink: &mut S) -> Result<bool> {
        let ended = self.rows.numbering.end_of_input(sink);
        let row = Some(self.rows.numbering.rows());
        ended.map_err(|error| error.located(&Position { row, ..Position::default() }))
    }
}
