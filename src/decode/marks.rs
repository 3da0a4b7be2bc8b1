//! Checks restart marks and footers against the stream, and hides them from users.
//!
//! A mark is valid where it was written: before the rows of its frame, the first of which are the options.
//! Elsewhere another program moved it, and from there on marks and footer are ignored.

mod state;

use crate::blank::StreamNumber;
use crate::error::ErrorKind;
use crate::restart::{Counters, Footer, Mark, Unreadable};
use crate::wire::Fault;

/// The meaning of an options row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionsRow {
    /// A stream begins: the first one or another one.
    Begins,
    /// The stream continues with empty tables.
    Restarts,
    /// The reader begins here.
    Enters,
    /// The options are repeated.
    Again,
}

/// A place in the middle of a stream, from an index, and the data expected there.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The start of its frame.
    pub(crate) offset: u64,
    /// The mark of that frame.
    pub(crate) mark: Mark,
    /// The start of the stream.
    pub(crate) start: u64,
    /// The counters before the stream.
    pub(crate) base: Counters,
    /// Number of streams of the file before this one.
    pub(crate) streams: u64,
    /// The first options row of the stream.
    pub(crate) options: Vec<u8>,
}

/// The state of the marks of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// There are no marks, or they are ignored.
    #[default]
    Plain,
    /// This many marks were read; `footer`: a footer must follow.
    Marked { next: u64, footer: bool },
    /// The footer was read, in the current frame or in a previous one.
    Closed { end: Counters, length: u64, complete: bool },
}

/// The marks of a stream up to the current place.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    phase: Phase,
    /// The mark of this frame, until its options are read.
    pending: Option<Mark>,
    /// The start of the stream, and the counters before it.
    start: u64,
    base: Counters,
    /// Number of streams that began.
    streams: u64,
    /// The positions of the first stream were numbered by another decoder.
    is_read_again: bool,
    /// The start of the frame.
    frame_start: u64,
    /// What must come first.
    entry: Option<Box<Entry>>,
    repeated: Option<Repeated>,
    warnings: Vec<&'static str>,
}

/// Options rows that begin nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repeated {
    pub(crate) count: u64,
    /// Frame of the first one.
    pub(crate) frame: u64,
}

/// The fault of a mark, or of a missing mark.
pub(crate) type Wrong = (ErrorKind, String);

impl Marks {
    /// Creates the marks of a reader that begins at a mark.
    pub(super) fn entering(entry: Entry) -> Self {
        Marks {
            start: entry.start,
            base: entry.base,
            streams: entry.streams + 1,
            frame_start: entry.offset,
            entry: Some(Box::new(entry)),
            ..Marks::default()
        }
    }

    /// Warnings about what was ignored so far.
    pub(super) fn warnings(&self) -> &[&'static str] {
        &self.warnings
    }

    /// Sets the number of previous streams.
    pub(super) fn count_from(&mut self, streams: u64) {
        self.streams = streams;
    }

    /// Makes the first stream keep its labels.
    pub(super) fn read_again(&mut self) {
        self.is_read_again = true;
    }

    /// The number of the stream in the file; `None`: the stream keeps its labels.
    pub(super) fn stream(&self) -> Option<StreamNumber> {
        let number = self.streams.saturating_sub(1);
        (number > 0 || !self.is_read_again).then_some(StreamNumber(number))
    }

    /// Options that were repeated: in concatenated files, each of them begins a file.
    pub(super) fn repeated(&self) -> Option<Repeated> {
        self.repeated
    }

    /// Counts repeated options in this frame.
    #[cold]
    pub(super) fn count_repeated(&mut self, frame: u64) {
        let first = self.repeated.map_or(frame, |before| before.frame);
        let count = self.repeated.map_or(1, |before| before.count + 1);
        self.repeated = Some(Repeated { count, frame: first });
    }

    /// The options that must come first.
    pub(super) fn expected_options(&self) -> Option<&[u8]> {
        self.entry.as_ref().map(|entry| entry.options.as_slice())
    }

    /// Reads a mark, which follows `row` rows of its frame.
    #[cold]
    pub(super) fn mark(&mut self, value: &[u8], row: u64) -> Result<(), Wrong> {
        if row > 0 {
            self.moved();
            return Ok(());
        }
        match Mark::decode(value) {
            Ok(mark) => self.pending = Some(mark),
            Err(Unreadable::Version(_)) => {
                self.forget("its sync points have a newer version; they are not checked");
            }
            Err(Unreadable::Damaged) => return Err(wrong("a sync point is damaged")),
        }
        Ok(())
    }

    /// Reads a footer.
    #[cold]
    pub(super) fn footer(&mut self, value: &[u8]) {
        if !matches!(self.phase, Phase::Marked { .. }) {
            return;
        }
        match Footer::decode(value).map(|footer| (footer.end.after(self.base), footer.length)) {
            Ok((Some(end), length)) => self.phase = Phase::Closed { end, length, complete: false },
            Ok((None, _)) | Err(Unreadable::Damaged) => {
                self.forget("its footer is damaged; it is not used");
            }
            Err(Unreadable::Version(_)) => self.forget("its footer has a newer version; it is not used"),
        }
    }

    /// Classifies the options row that is row `row` of its frame.
    #[cold]
    pub(super) fn options_row(
        &mut self,
        row: u64,
        is_first: bool,
        concatenated: bool,
    ) -> Result<OptionsRow, Wrong> {
        let pending = self.pending.take();
        if let Some(entry) = &self.entry {
            if row > 0 || pending != Some(entry.mark) {
                return Err(wrong("the sync point that the index names is not here"));
            }
            self.phase = Phase::Marked { next: entry.mark.ordinal + 1, footer: entry.mark.footer };
            return Ok(OptionsRow::Enters);
        }
        let Some(mark) = pending.filter(|_| row == 0) else {
            if pending.is_some() {
                self.moved();
            }
            return match self.phase {
                _ if is_first => Ok(OptionsRow::Begins),
                _ if concatenated => self.refuse_open().map(|()| OptionsRow::Begins),
                Phase::Closed { .. } => Err((
                    ErrorKind::WireMark,
                    "options follow the footer: with framing=\"concatenated\" they begin another stream"
                        .to_owned(),
                )),
                _ => Ok(OptionsRow::Again),
            };
        };
        match (mark.ordinal, self.phase) {
            (0, _) if mark.counters != Counters::default() => {
                Err(wrong("the first sync point of a stream counts rows before it"))
            }
            (0, _) => {
                self.refuse_open()?;
                self.pending = Some(mark);
                Ok(OptionsRow::Begins)
            }
            (ordinal, _) if is_first => Err(wrong(format!(
                "the stream begins with its sync point {ordinal}: the part before it is missing"
            ))),
            (ordinal, Phase::Marked { next, .. }) if ordinal != next => Err(wrong(format!(
                "expected sync point {next}, found {ordinal}: rows are missing or duplicated"
            ))),
            (_, Phase::Marked { .. }) => {
                self.pending = Some(mark);
                Ok(OptionsRow::Restarts)
            }
            (ordinal, Phase::Closed { .. }) => Err(wrong(format!("sync point {ordinal} after the footer"))),
            (_, Phase::Plain) => Ok(OptionsRow::Again),
        }
    }

    /// Ends the previous stream and begins a stream, with the counters before it.
    #[cold]
    pub(super) fn begin(&mut self, before: Counters) -> Result<(), Wrong> {
        self.check_end(before)?;
        self.phase = match self.pending.take() {
            Some(mark) => Phase::Marked { next: 1, footer: mark.footer },
            None => Phase::Plain,
        };
        (self.start, self.base) = (self.frame_start, before);
        self.streams += 1;
        Ok(())
    }

    /// Restarts the stream; its mark must have the same counters.
    #[cold]
    pub(super) fn restart(&mut self, before: Counters) -> Result<(), Wrong> {
        let Some(mark) = self.pending.take() else {
            return Ok(());
        };
        if mark.counters.after(self.base) != Some(before) {
            let (noted, found) = (mark.counters.after(self.base).unwrap_or(mark.counters), before);
            return Err(wrong(format!(
                "sync point {} counts {} rows in {} frames before it, but there are {} in {}: frames are missing or duplicated",
                mark.ordinal, noted.seq, noted.frame, found.seq, found.frame
            )));
        }
        self.phase = Phase::Marked { next: mark.ordinal + 1, footer: mark.footer };
        Ok(())
    }

    /// Accepts the place where the reader begins; returns whether it is in the middle of a stream.
    pub(super) fn entered(&mut self) -> bool {
        self.entry.take().is_some_and(|entry| entry.mark.ordinal > 0)
    }

    /// Ends a frame before byte `offset`; `frames` is the number of frames so far.
    #[inline]
    pub(super) fn frame_end(&mut self, offset: u64, frames: u64) -> Result<(), Wrong> {
        self.frame_start = offset;
        if self.phase == Phase::Plain && self.pending.is_none() && self.entry.is_none() {
            return Ok(());
        }
        self.marked_frame_end(offset, frames)
    }

    #[cold]
    fn marked_frame_end(&mut self, offset: u64, frames: u64) -> Result<(), Wrong> {
        if self.entry.is_some() {
            return Err(wrong("the sync point that the index names is not here"));
        }
        if self.pending.take().is_some() {
            self.moved();
        }
        let Phase::Closed { end, length, complete } = &mut self.phase else {
            return Ok(());
        };
        if std::mem::replace(complete, true) {
            self.forget("frames follow its footer, which is not used");
        } else if end.frame != frames {
            let message = format!(
                "the footer counts {} frames, but there are {frames}: some are missing or duplicated",
                end.frame
            );
            return Err(wrong(message));
        } else if *length != offset - self.start {
            self.warn("its footer belongs to other bytes; it is not used");
        }
        Ok(())
    }

    /// Checks at the end of the input, before the rows that this implies, that the stream is complete.
    pub(super) fn refuse_open(&self) -> Result<(), Wrong> {
        match self.phase {
            _ if self.entry.is_some() => Err(wrong("the sync point that the index names is not here")),
            Phase::Marked { footer: true, .. } => {
                let message = "the stream ends without its footer: its end is missing";
                Err((ErrorKind::TruncatedStream, message.to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Checks the footer against the counters at the end of the stream.
    pub(super) fn check_end(&self, before: Counters) -> Result<(), Wrong> {
        match self.phase {
            Phase::Closed { end, .. } if end != before => Err(wrong(format!(
                "the footer counts {} rows in {} frames, but there are {} in {}: frames are missing or duplicated",
                end.seq, end.frame, before.seq, before.frame
            ))),
            _ => Ok(()),
        }
    }

    /// Ignores the marks, because another program moved or separated them.
    fn moved(&mut self) {
        self.forget("its sync points are not where they were written; they are not used");
    }

    fn forget(&mut self, why: &'static str) {
        self.phase = Phase::Plain;
        self.pending = None;
        self.warn(why);
    }

    fn warn(&mut self, why: &'static str) {
        if !self.warnings.contains(&why) {
            self.warnings.push(why);
        }
    }
}

fn wrong(message: impl Into<String>) -> Wrong {
    (ErrorKind::WireMark, message.into())
}

/// Puts a fault at an options row.
#[cold]
pub(super) fn at_options((kind, message): Wrong, row: &[u8]) -> Fault {
    Fault::new(kind, row, message).within("options")
}
