//! The rows of Jelly-Patch: FRAME, FLAT and PUNCTUATED, with TRIPLES and QUADS.

mod rows;

use super::dialect::{Context, Dialect, DialectState, Halt, options_changed, options_missing};
use super::lookup::TableKind;
use super::marks::OptionsRow;
use super::merge::Message;
use super::options::read_patch_options;
use super::quick::Quick;
use super::repeat::Slot;
use super::row::{Member, member, short_member};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::options::{Features, PatchOptions, PatchStreamType, StatementType, StreamOptions, TableSizes};
use crate::restart::Counters;
use crate::sink::{PatchEnd, PatchOp, PatchRow, PatchSink, Statement, TermSink};
use crate::transaction::Numbering;
use crate::wire::{Cursor, Fault};

/// The state of a Jelly-Patch stream.
#[derive(Debug, Default)]
pub struct Patch {
    /// The options and their bytes.
    options: Option<(PatchOptions, Vec<u8>)>,
    at: Numbering,
    /// The state before rows that only the end of the input implied.
    before_end: Option<Numbering>,
    /// Frames that ended before the options. They are patches if the stream type is FRAME.
    frames_before_options: u64,
    /// Number of patch ends that are still to be delivered.
    pending_ends: u64,
    /// Places whose term the sink cannot copy from the previous statement.
    fresh: u8,
    started: bool,
}

impl Patch {
    /// The options, once they are read.
    pub fn options(&self) -> Option<&PatchOptions> {
        self.options.as_ref().map(|(options, _)| options)
    }

    fn take_options<S: PatchSink>(
        &mut self,
        bytes: &[u8],
        context: &mut Context<'_, '_>,
        sink: &mut S,
    ) -> Result<(), Halt> {
        let options = read_patch_options(bytes, &context.config.limits).map_err(|f| f.within("options"))?;
        let row = context.options_row(self.options.is_none(), bytes)?;
        if let (OptionsRow::Again | OptionsRow::Restarts, Some((first, _))) = (row, &self.options) {
            if *first != options {
                return Err(options_changed(bytes).into());
            }
            if row == OptionsRow::Restarts {
                context.mark_restart(self.place(context.frame), bytes)?;
                context.restart_stream::<Self>(options.tables, options.features);
                self.started = false;
            }
            return Ok(());
        }
        if row == OptionsRow::Enters {
            let expected = context.marks.expected_options().unwrap_or_default();
            if read_patch_options(expected, &context.config.limits).ok() != Some(options) {
                return Err(options_changed(bytes).into());
            }
            if context.marks.entered() {
                context.restart_stream::<Self>(options.tables, options.features);
            } else {
                context.begin_stream::<Self>(options.tables, options.features);
            }
        } else {
            if self.options.is_some() {
                self.end_stream(sink)?;
            }
            context.mark_begin(self.place(context.frame), bytes)?;
            context.begin_stream::<Self>(options.tables, options.features);
        }
        self.started = false;
        let before = std::mem::take(&mut self.frames_before_options);
        if options.stream_type == PatchStreamType::Frame {
            self.pending_ends = before;
        }
        sink.options(&options)?;
        self.options = Some((options, bytes.to_vec()));
        Ok(())
    }

    /// Decodes a row if it is a statement in the usual form; returns false otherwise.
    #[inline(always)]
    fn quick_row<'a, S: PatchSink>(
        &mut self,
        row: &'a [u8],
        context: &mut Context<'_, 'a>,
        sink: &mut S,
    ) -> Result<bool, Halt> {
        let (Some((field @ 2..=3, bytes)), Some((options, _)), Some(terms)) =
            (short_member(row), &self.options, context.terms.as_mut())
        else {
            return Ok(false);
        };
        let quads = options.statement_type == StatementType::Quads;
        if !quads {
            context.slots[3] = Slot::DefaultGraph;
        }
        let (limits, slots, fresh) = (&context.config.limits, &mut *context.slots, self.fresh());
        let state = (&terms.lookups, &terms.held, terms.ids, terms.stream);
        let numbers = self.at.numbers();
        if let Some(out) = sink.terms(numbers) {
            let ids = Quick::statement(quads, state, bytes, slots, limits, fresh, out);
            let Some(ids) = ids else {
                out.cut();
                return Ok(false);
            };
            terms.ids = ids;
            self.pass_statement();
            sink.end_change(field == 2, numbers)?;
            return Ok(true);
        }
        let mut row = self.statement_row(field.into(), Statement::empty());
        let (PatchOp::Add(out) | PatchOp::Delete(out)) = &mut row.op else {
            return Ok(false);
        };
        let Some(ids) = Quick::statement(quads, state, bytes, slots, limits, fresh, out) else {
            return Ok(false);
        };
        terms.ids = ids;
        self.pass_statement();
        sink.row(&row)?;
        Ok(true)
    }

    #[inline(never)]
    fn statement<'a, S: PatchSink>(
        &mut self,
        member: &Member<'a>,
        options: PatchOptions,
        context: &mut Context<'_, 'a>,
        sink: &mut S,
    ) -> Result<(), Halt> {
        let name = if member.field == 2 { "statement_add" } else { "statement_delete" };
        let quads = options.statement_type == StatementType::Quads;
        if !quads {
            context.slots[3] = Slot::DefaultGraph;
        }
        let Some(terms) = context.terms.as_mut() else {
            return Err(options_missing(member.at).into());
        };
        let mut same = terms
            .statement::<4>(member.bytes, context.slots, &context.config.limits)
            .map_err(|fault| fault.within(name))?;
        if !quads && !same.at(3) {
            if context.config.strict {
                return Err(graph_in_triples(member.at).within(name).into());
            }
            context.slots[3] = Slot::DefaultGraph; // its ids count, its graph does not
            same.set(3);
        }
        same.0 &= !self.fresh();
        let row = self.statement_row(member.field, terms.resolved(context.slots, same));
        self.pass_statement();
        Ok(sink.row(&row)?)
    }

    #[inline(always)]
    fn statement_row<'r>(&self, field: u32, statement: Statement<'r>) -> PatchRow<'r> {
        self.at.numbered(if field == 2 { PatchOp::Add(statement) } else { PatchOp::Delete(statement) })
    }

    /// Places whose term the sink cannot copy from the previous statement.
    #[inline(always)]
    fn fresh(&self) -> u8 {
        if self.started { self.fresh } else { 0b1111 }
    }

    /// Updates the state after a statement was delivered.
    #[inline(always)]
    fn pass_statement(&mut self) {
        (self.fresh, self.started) = (0, true);
        self.at.pass_change();
    }

    fn end_patch<S: PatchSink>(&mut self, end: PatchEnd, sink: &mut S) -> Result<()> {
        self.at.row(PatchOp::End(end), sink)
    }

    fn end_stream<S: PatchSink>(&mut self, sink: &mut S) -> Result<()> {
        match self.options().map(|options| options.stream_type) {
            Some(PatchStreamType::Flat) => self.end_patch(PatchEnd::Eof, sink),
            // another stream begins inside the frame
            Some(PatchStreamType::Frame) if self.at.has_rows() => self.end_patch(PatchEnd::Frame, sink),
            Some(PatchStreamType::Punctuated) if self.at.has_rows() => {
                if self.at.is_strict() {
                    let message = "the last patch has no punctuation mark";
                    return Err(Error::new(ErrorKind::PatchUnterminated, message));
                }
                self.end_patch(PatchEnd::Eof, sink)
            }
            _ => Ok(()),
        }
    }
}

#[cold]
#[inline(never)]
fn graph_in_triples(at: &[u8]) -> Fault {
    Fault::new(ErrorKind::PatchGraph, at, "a graph in a stream of TRIPLES")
}

impl DialectState for Patch {
    const NUMBERS_POSITIONS: bool = false;
    const KNOWS_METADATA: bool = false;
    const ROW: Message = Message::PatchRow;

    fn new(strict: bool) -> Self {
        Patch { at: Numbering::new(strict), ..Patch::default() }
    }

    fn stream_options(&self) -> Option<StreamOptions> {
        self.options().copied().map(StreamOptions::Patch)
    }

    fn rows(&self) -> u64 {
        self.at.rows()
    }

    fn options_bytes(&self) -> Option<&[u8]> {
        self.options.as_ref().map(|(_, bytes)| bytes.as_slice())
    }

    fn restore_options(&mut self, bytes: &[u8], limits: &Limits) -> Result<(TableSizes, Features), Fault> {
        let options = read_patch_options(bytes, limits)?;
        let kept = (options.tables, options.features);
        self.options = Some((options, bytes.to_vec()));
        Ok(kept)
    }

    fn counters(&self) -> Vec<u64> {
        let (at, _) = self.before_end.unwrap_or(self.at).counters();
        let txn = at.open().map_or(0, |txn| txn + 1);
        let ends = (self.frames_before_options, self.pending_ends);
        vec![at.patch, at.seq, txn, at.txns, at.has_rows.into(), ends.0, ends.1]
    }

    fn place(&self, frame: u64) -> Counters {
        Counters { frame, ..self.at.counters().0 }
    }

    fn begin_at(&mut self, place: Counters) {
        self.at.go_on(Counters { frame: 0, ..place }, place.has_rows);
    }

    fn restore_counters(&mut self, counters: &[u64]) -> bool {
        let &[patch, seq, txn, txns, rows, before_options, pending_ends] = counters else {
            return false;
        };
        let (in_transaction, has_rows) = (txn != 0, rows != 0);
        self.at.go_on(Counters { seq, frame: 0, patch, txns, in_transaction, has_rows }, has_rows);
        (self.frames_before_options, self.pending_ends) = (before_options, pending_ends);
        true
    }
}

impl<S: PatchSink> Dialect<S> for Patch {
    #[inline(always)]
    fn row<'a>(&mut self, row: &'a [u8], mut context: Context<'_, 'a>, sink: &mut S) -> Result<(), Halt> {
        if self.quick_row(row, &mut context, sink)? {
            return Ok(());
        }
        let nesting = context.config.limits.nesting;
        let member = member(row, |field| matches!(field, 1..=8 | 11..=15), nesting)?;
        if member.field == 1 {
            return self.take_options(member.bytes, &mut context, sink);
        }
        let Some(&(options, _)) = self.options.as_ref() else {
            return Err(options_missing(member.at).into());
        };
        match member.field {
            2 | 3 => return self.statement(&member, options, &mut context, sink),
            11 => return Ok(context.entry(TableKind::Name, member.bytes)?),
            12 => return Ok(context.entry(TableKind::Prefix, member.bytes)?),
            13 => return Ok(context.entry(TableKind::Datatype, member.bytes)?),
            4 | 5 => return self.namespace(&member, options, &mut context, sink),
            14 => return self.header(member.bytes, &mut context, sink),
            _ => Cursor::new(member.bytes).skip_message(nesting)?,
        }
        match member.field {
            6 => self.at.row(PatchOp::Begin, sink)?,
            7 => self.at.row(PatchOp::Commit, sink)?,
            8 => self.at.row(PatchOp::Abort, sink)?,
            _ if options.stream_type == PatchStreamType::Punctuated => {
                self.end_patch(PatchEnd::Mark, sink)?;
            }
            _ => {
                let message =
                    format!("a punctuation mark in a stream of type {}", options.stream_type.name());
                let fault = Fault::new(ErrorKind::WireRow, member.at, message);
                return Err(fault.within("punctuation").into());
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn deliver_pending(&mut self, sink: &mut S) -> Result<bool> {
        if self.pending_ends == 0 {
            return Ok(false);
        }
        self.pending_ends -= 1;
        self.end_patch(PatchEnd::Frame, sink)?;
        Ok(true)
    }

    fn frame_end(&mut self, sink: &mut S) -> Result<()> {
        match self.options() {
            None => self.frames_before_options += 1,
            Some(options) if options.stream_type == PatchStreamType::Frame => {
                self.end_patch(PatchEnd::Frame, sink)?;
            }
            Some(_) => {}
        }
        Ok(())
    }

    fn stream_end(&mut self, sink: &mut S) -> Result<()> {
        self.before_end = Some(self.at);
        self.end_stream(sink)
    }
}
