//! Reads RDF Patch Thrift.

use super::compact::{Cursor, Halt};
use super::quick::Quick;
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
    /// Creates a reader at the start of a stream; `strict` as for RDF Patch text, except rules that apply
    /// only to text.
    pub fn new(limits: &Limits, strict: bool) -> Self {
        let limits = Limits { nesting: limits.nesting.min(MAX_NESTING), ..limits.clone() };
        ThriftPatch { limits, rows: Rows { numbering: Numbering::new(strict), ..Rows::default() } }
    }

    /// Reads the simple statements at the start of the input, for a sink that takes single terms; returns the
    /// number of their bytes.
    #[inline]
    fn simple<S: PatchSink>(&mut self, input: &[u8], offset: u64, sink: &mut S) -> Result<usize> {
        let ThriftPatch { limits, rows } = self;
        let mut quick = Quick::new(input, limits);
        while let Some(adds) = quick.adds() {
            let numbers = rows.numbering.numbers();
            let Some(out) = sink.terms(numbers) else { break };
            if !quick.statement(out) {
                out.cut();
                break;
            }
            rows.numbering.pass_change();
            sink.end_change(adds, numbers)
                .and_then(|()| check_kept(quick.last_row().len() + sink.kept_bytes(), limits.kept_bytes()))
                .map_err(|error| {
                    let start = quick.taken() - quick.last_row().len();
                    rows.located(error, offset + start as u64)
                })?;
            if sink.is_full() {
                break;
            }
        }
        rows.keep(quick.last_row());
        Ok(quick.taken())
    }
}

/// The state of the rows so far.
#[derive(Debug, Default)]
struct Rows {
    numbering: Numbering,
    /// Subject, predicate, object and graph of the last statement, if it was not simple.
    last: [TermSlot; 4],
    /// The row of the last statement, if it was simple.
    simple: Vec<u8>,
    /// The term of a row that is not a statement.
    other: TermSlot,
    /// The namespace of a prefix.
    namespace: TermSlot,
}

impl Rows {
    #[cold]
    #[inline(never)]
    fn located(&self, error: Error, offset: u64) -> Error {
        let row = Some(self.numbering.rows());
        error.located(&Position { row, offset: Some(offset), ..Position::default() })
    }

    /// Bytes of the terms that may repeat.
    #[inline]
    fn kept_bytes(&self) -> usize {
        self.last.iter().map(TermSlot::bytes).sum::<usize>() + self.simple.len()
    }

    /// Keeps a row whose terms may repeat, if there is one.
    fn keep(&mut self, row: &[u8]) {
        if !row.is_empty() {
            self.last = Default::default();
            self.simple = row.to_vec();
        }
    }

    /// Moves the terms of a kept row to the slots, where they can repeat.
    #[inline(never)]
    fn fill_last(&mut self, limits: &Limits) -> std::result::Result<(), Failure> {
        let kept = std::mem::take(&mut self.simple);
        if let Ok(RawRow::Statement { terms, .. }) = row(&mut Cursor::new(&kept, limits), &kept) {
            for (slot, term) in self.last.iter_mut().zip(terms) {
                fill(slot, term)?;
            }
        }
        Ok(())
    }

    /// Delivers a row; returns whether an implied end of a patch was delivered instead.
    #[inline]
    fn deliver<S: PatchSink>(&mut self, row: RawRow<'_>, limits: &Limits, sink: &mut S) -> Delivered {
        let op = match row {
            RawRow::Statement { is_add, terms } => {
                if !self.simple.is_empty() {
                    self.fill_last(limits)?;
                }
                let mut same = Same::NONE;
                for (place, (slot, term)) in self.last.iter_mut().zip(terms).enumerate() {
                    if fill(slot, term)? {
                        same.set(place);
                    }
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

/// Stores a term in its slot; returns whether it is the same as before.
#[inline]
fn fill(slot: &mut TermSlot, term: Parsed<'_>) -> std::result::Result<bool, Failure> {
    match term {
        Parsed::Plain(term) => Ok(slot.set(&term)),
        Parsed::Made(term) => Ok(slot.put(*term)),
        Parsed::Repeat(at) if slot.is_unset() => Err(Failure::Fault(nothing_to_repeat(at))),
        Parsed::Repeat(_) => Ok(true),
    }
}

impl RowState for ThriftPatch {
    fn rows(&self) -> u64 {
        self.rows.numbering.rows()
    }
}

impl<S: PatchSink> RowFormat<S> for ThriftPatch {
    #[inline]
    fn row(&mut self, input: &[u8], offset: u64, at_end: bool, sink: &mut S) -> Result<Step> {
        let simple = self.simple(input, offset, sink)?;
        if simple > 0 {
            return Ok(Step::Taken(simple));
        }
        let ThriftPatch { limits, rows } = self;
        let mut cursor = Cursor::new(input, limits);
        let raw = match row(&mut cursor, input) {
            Ok(raw) => raw,
            Err(Halt::Short) if !at_end => return Ok(Step::Short),
            Err(Halt::Short) => {
                let message = format!("the input ends {} bytes into a row", input.len());
                return Err(rows.located(Error::new(ErrorKind::TruncatedRow, message), offset));
            }
            Err(Halt::Fault(fault)) => return Err(rows.located(fault.locate(input, offset), offset)),
        };
        let taken = cursor.taken();
        let delivered = rows.deliver(raw, limits, sink).and_then(|implied| {
            check_kept(rows.kept_bytes() + sink.kept_bytes(), limits.kept_bytes())?;
            Ok(implied)
        });
        match delivered {
            Ok(implied) => Ok(Step::Taken(if implied { 0 } else { taken })),
            Err(Failure::Fault(fault)) => Err(rows.located(fault.locate(input, offset), offset)),
            Err(Failure::Error(error)) => Err(rows.located(error, offset)),
        }
    }

    fn end(&mut self, sink: &mut S) -> Result<bool> {
        let ended = self.rows.numbering.end_of_input(sink);
        let row = Some(self.rows.numbering.rows());
        ended.map_err(|error| error.located(&Position { row, ..Position::default() }))
    }
}
