//! Passes events to the sink: complete rows, rows that the end of the input cut, metadata, ends of frames.

use super::dialect::{Context, Dialect, DialectState, Halt};
use super::frame::{Event, Located};
use super::repeat::Slots;
use super::{Decoder, merge, metadata_entry, misplaced};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::restart::{FOOTER_KEY, MARK_KEY};
use crate::sink::Sink;

impl<D: DialectState> Decoder<D> {
    pub(super) fn run<'a, S: Sink>(
        &mut self,
        rest: &mut &'a [u8],
        slots: &mut Slots<'a>,
        sink: &mut S,
    ) -> Result<()>
    where
        D: Dialect<S>,
    {
        while !sink.is_full() {
            if self.dialect.deliver_pending(sink)? {
                continue;
            }
            if let Some(row) = self.frames.next_row(rest) {
                self.row(row, slots, sink)?;
                continue;
            }
            match self.frames.next(rest, &self.config.limits)? {
                Event::Row(row) => self.row(row, slots, sink)?,
                Event::NeedInput => break,
                Event::FrameStart => self.metadata.clear(),
                Event::CarriedRow => self.carried_row(slots, sink)?,
                Event::Metadata => {
                    self.read_metadata()?;
                    self.check_kept(sink)?;
                }
                Event::FrameEnd => self.frame_end(sink)?,
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn row<'a, S: Sink>(&mut self, row: Located<'a>, slots: &mut Slots<'a>, sink: &mut S) -> Result<()>
    where
        D: Dialect<S>,
    {
        self.row_or_merged(row, slots, sink).map_err(|error| self.in_row(error))
    }

    #[cold]
    fn in_row(&self, error: Error) -> Error {
        error.located(&self.frames.row_position())
    }

    #[inline(always)]
    fn row_or_merged<'a, S: Sink>(
        &mut self,
        row: Located<'a>,
        slots: &mut Slots<'a>,
        sink: &mut S,
    ) -> Result<()>
    where
        D: Dialect<S>,
    {
        let ids = self.terms.as_ref().map(|terms| terms.ids);
        let frame = self.frames.frames() - 1;
        let context = Context {
            terms: &mut self.terms,
            slots,
            config: &self.config,
            frame,
            row: self.frames.rows() - 1,
            marks: &mut self.marks,
            copies: self.copies,
            kept: (&self.metadata, self.most_kept),
        };
        let Err(halt) = self.dialect.row(row.bytes, context, sink) else {
            return Ok(());
        };
        match halt {
            Halt::Fault(fault) if fault.wants_merge() => {
                if let (Some(terms), Some(ids)) = (&mut self.terms, ids) {
                    terms.ids = ids;
                }
                self.merged_row(row, slots, sink)
            }
            Halt::Fault(fault) => Err(fault.locate(row.bytes, row.offset)),
            Halt::Sink(error) => Err(at(error, row.offset)),
        }
    }

    /// Decodes a row that the end of the input cut in two; its terms do not outlive it.
    #[cold]
    fn carried_row<S: Sink>(&mut self, slots: &mut Slots<'_>, sink: &mut S) -> Result<()>
    where
        D: Dialect<S>,
    {
        let mut short = self.detach(slots);
        let (carry, header) = self.frames.lend_carry();
        let offset = self.frames.carried_offset();
        let done = self.row(Located { bytes: &carry[header..], offset }, &mut short, sink);
        *slots = self.detach(&short);
        self.frames.return_carry(carry);
        done.and_then(|()| self.check_kept(sink))
    }

    /// Decodes a row with members that occur twice.
    #[cold]
    fn merged_row<S: Sink>(&mut self, row: Located<'_>, slots: &mut Slots<'_>, sink: &mut S) -> Result<()>
    where
        D: Dialect<S>,
    {
        let merged = merge::merge(D::ROW, row.bytes, &self.config.limits)
            .map_err(|fault| fault.locate(row.bytes, row.offset))?;
        let mut short = self.detach(slots);
        let frame = self.frames.frames() - 1;
        let context = Context {
            terms: &mut self.terms,
            slots: &mut short,
            config: &self.config,
            frame,
            row: self.frames.rows() - 1,
            marks: &mut self.marks,
            copies: self.copies,
            kept: (&self.metadata, self.most_kept),
        };
        let done = self.dialect.row(&merged, context, sink).map_err(|halt| match halt {
            Halt::Fault(fault) => fault.locate(&merged, row.offset).moved_to(row.offset),
            Halt::Sink(error) => at(error, row.offset),
        });
        *slots = self.detach(&short);
        done
    }

    pub(super) fn frame_end<S: Sink>(&mut self, sink: &mut S) -> Result<()>
    where
        D: Dialect<S>,
    {
        self.dialect.frame_end(sink)?;
        self.marks.frame_end(self.frames.offset(), self.frames.frames()).map_err(misplaced)?;
        sink.frame_end(self.metadata.entries())
    }

    /// Reads a metadata entry. Frames of Jelly-Patch have no metadata, so there a field that does not look
    /// like an entry is ignored.
    #[cold]
    fn read_metadata(&mut self) -> Result<()> {
        let entry = self.frames.carried();
        let limits = &self.config.limits;
        match metadata_entry(entry.bytes, limits.nesting) {
            Ok((MARK_KEY, value)) => {
                let place = |wrong| at(misplaced(wrong), entry.offset);
                self.marks.mark(value, self.frames.rows()).map_err(place)?;
            }
            Ok((FOOTER_KEY, value)) => self.marks.footer(value),
            Ok((key, value)) => self.metadata.insert(key, value),
            Err(fault) if D::KNOWS_METADATA => {
                return Err(fault.within("metadata").locate(entry.bytes, entry.offset));
            }
            Err(_) => {}
        }
        if self.metadata.bytes() <= limits.row_bytes {
            return Ok(());
        }
        let message = format!("metadata of more than {} bytes", limits.row_bytes);
        let error = Error::limit(ErrorKind::LimitRow, "row_bytes", message);
        Err(at(error.with_field("metadata".to_owned()), entry.offset))
    }
}

#[cold]
fn at(error: Error, offset: u64) -> Error {
    error.located(&Position { offset: Some(offset), ..Position::default() })
}
