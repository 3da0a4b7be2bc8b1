//! The common part of both encoders: the frame under construction, when it ends, and the state of the
//! encoder.

use super::EncodeOptions;
use super::frame::{Frames, metadata_entry};
use super::options::OPTIONS_FIELD;
use super::restart::Restarts;
use super::row::Rows;
use super::term::Terms;
use crate::error::{Error, ErrorKind, Result};
use crate::options::{Features, TableSizes};
use crate::restart::Counters;
use crate::wire::Buffer;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// An error occurred: the unfinished frame is never written.
    Failed,
    Finished,
}

/// A stream under construction.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) terms: Terms,
    pub(crate) rows: Rows,
    pub(crate) counters: Counters,
    frames: Frames,
    restarts: Option<Restarts>,
    /// The options row.
    options: Buffer,
    /// Whether the frame begins with the options row.
    has_options: bool,
    /// Whether statements have graphs.
    pub(super) has_graphs: bool,
    /// Number of rows after which a frame ends.
    frame_rows: usize,
    /// Number of bytes in its rows after which a frame ends.
    cut: usize,
    row_bytes: usize,
    /// Whether the frame has its options, if it needs them.
    begun: bool,
    /// Metadata before the rows.
    head: Buffer,
    state: State,
}

/// The properties of a format.
pub(crate) struct Format {
    /// The field of name entries in a row.
    pub(crate) name_field: u32,
    /// The message of the options row.
    pub(crate) options: Buffer,
    pub(crate) features: Features,
    pub(crate) tables: TableSizes,
    /// Whether statements have graphs.
    pub(crate) has_graphs: bool,
    /// Whether frames end automatically.
    pub(crate) splits: bool,
}

impl Stream {
    pub(crate) fn new(format: Format, encode: &EncodeOptions) -> Result<Self> {
        super::options::check(format.tables, encode)?;
        let splits = format.splits && encode.framing == super::Framing::Delimited;
        Ok(Stream {
            terms: Terms::new(format.tables, format.features, &encode.limits, encode.restart_bytes.is_some()),
            rows: Rows::new(format.name_field),
            counters: Counters::default(),
            frames: Frames::new(encode.framing, encode.limits.frame_bytes, encode.restart_bytes.is_some()),
            restarts: (encode.framing == super::Framing::Delimited)
                .then(|| Restarts::new(encode.restart_bytes)),
            options: Rows::alone(OPTIONS_FIELD, format.options.as_bytes()),
            has_options: false,
            has_graphs: format.has_graphs,
            frame_rows: if splits { encode.frame_rows } else { usize::MAX },
            cut: if splits {
                usize::try_from(encode.limits.frame_bytes / 8).unwrap_or(usize::MAX)
            } else {
                usize::MAX
            },
            row_bytes: encode.limits.row_bytes,
            begun: false,
            head: Buffer::default(),
            state: State::Open,
        })
    }

    pub(crate) fn output(&mut self) -> &mut Vec<u8> {
        &mut self.frames.output
    }

    /// Ends the message that was written: another frame may follow.
    pub(crate) fn end_message(&mut self) {
        self.frames.end_message();
    }

    /// Offsets of the frames at which decoding can begin.
    pub(crate) fn restart_offsets(&self) -> impl Iterator<Item = u64> {
        self.restarts.iter().flat_map(Restarts::offsets)
    }

    /// Returns an error after a previous error or after the end.
    #[inline(always)]
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.state == State::Open { Ok(()) } else { Err(self.closed()) }
    }

    #[cold]
    fn closed(&self) -> Error {
        let message = match self.state {
            State::Failed => "this encoder failed before; its output is not a complete stream",
            _ => "this encoder has already finished its stream",
        };
        Error::new(ErrorKind::Argument, message)
    }

    /// Records whether an operation failed.
    #[inline(always)]
    pub(crate) fn settle(&mut self, done: Result<()>) -> Result<()> {
        if done.is_err() {
            self.state = State::Failed;
        }
        done
    }

    /// Begins the frame if it has not begun; returns whether all previous state was dropped.
    #[inline(always)]
    pub(crate) fn begin(&mut self) -> bool {
        !self.begun && self.begin_frame()
    }

    #[inline(never)]
    fn begin_frame(&mut self) -> bool {
        self.begun = true;
        let offset = self.frames.offset();
        let marked = match &mut self.restarts {
            Some(restarts) => restarts.mark(offset, self.terms.text_bytes(), self.counters, &mut self.head),
            None => false,
        };
        let is_first = self.counters.frame == 0;
        if is_first || marked {
            self.has_options = true;
            self.rows.count_one();
        }
        if marked {
            // also in the first frame, for other readers of concatenated files
            self.terms.restart();
        }
        marked && !is_first
    }

    /// Changes the options unless the first frame was already written; returns whether the options changed.
    pub(crate) fn change_options(&mut self, message: &Buffer) -> bool {
        let is_first = self.counters.frame == 0;
        if is_first {
            self.options = Rows::alone(OPTIONS_FIELD, message.as_bytes());
        }
        is_first
    }

    /// The options row, if the frame has one.
    fn options_row(&self) -> &[u8] {
        if self.has_options { self.options.as_bytes() } else { &[] }
    }

    /// Begins a row.
    #[inline(always)]
    pub(crate) fn begin_row(&mut self) {
        self.terms.begin_row(&mut self.rows);
    }

    /// Ends the row under construction.
    #[inline(always)]
    pub(crate) fn push_row(&mut self, field: u32) -> Result<()> {
        let length = self.rows.message_len();
        if length > self.row_bytes {
            return Err(row_too_long(length));
        }
        self.rows.finish(field);
        Ok(())
    }

    /// Whether the frame has enough rows or bytes.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.rows.count() >= self.frame_rows || self.rows.as_bytes().len() >= self.cut
    }

    /// Whether the frame has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Whether the frame after this one will be a sync point.
    pub(crate) fn restart_follows(&self) -> bool {
        let length = || self.head.len() + self.options_row().len() + self.rows.as_bytes().len();
        let end = || self.frames.next_offset(length());
        self.restarts.as_ref().is_some_and(|restarts| restarts.is_due(end(), self.terms.text_bytes()))
    }

    /// Ends the frame.
    pub(crate) fn end_frame(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        self.begin();
        let restart_follows = self.restart_follows();
        let mut tail = Buffer::default();
        for (key, value) in metadata {
            metadata_entry(&mut tail, key, value);
        }
        let options = if self.has_options { self.options.as_bytes() } else { &[] };
        self.frames.push(&[self.head.as_bytes(), options, self.rows.as_bytes(), tail.as_bytes()])?;
        self.rows.clear();
        self.head.clear();
        self.has_options = false;
        self.begun = false;
        self.counters.frame += 1;
        if let Some(restarts) = self.restarts.as_mut().filter(|_| restart_follows) {
            restarts.request();
        }
        Ok(())
    }

    /// Ends the stream; `implied` is the number of rows and patches that readers add at the end. A stream
    /// without rows gets its options only if it is `never_empty`.
    pub(crate) fn finish(&mut self, never_empty: bool, implied: u64) -> Result<()> {
        if self.begun || never_empty && self.counters.frame == 0 {
            self.end_frame(&[])?;
        }
        if let Some(restarts) = self.restarts.as_ref().filter(|restarts| restarts.have_footer()) {
            let Counters { seq, frame, patch, txns, .. } = self.counters;
            let (seq, patch) = (seq + implied, patch + implied);
            let end = Counters { seq, frame, patch, txns, ..Counters::default() };
            self.frames.finish_with(|length| restarts.footer(end, length))?;
        }
        self.state = State::Finished;
        Ok(())
    }
}

#[cold]
fn row_too_long(length: usize) -> Error {
    Error::limit(ErrorKind::LimitRow, "row_bytes", format!("a row of {length} bytes"))
}
