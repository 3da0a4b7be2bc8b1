//! The differences between Jelly-RDF and Jelly-Patch: their rows.

use super::DecodeOptions;
use super::delimiter::Framing;
use super::marks::{Marks, OptionsRow, at_options};
use super::merge::Message;
use super::metadata::Metadata;
use super::repeat::Slots;
use super::term::Terms;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::options::{Features, StreamOptions, TableSizes};
use crate::restart::Counters;
use crate::sink::Sink;
use crate::wire::{Fault, last_tag};

/// The state that a row is decoded with.
pub struct Context<'d, 'a> {
    pub(crate) terms: &'d mut Option<Terms>,
    pub(crate) slots: &'d mut Slots<'a>,
    pub(crate) config: &'d DecodeOptions,
    /// 0-based frame.
    pub(crate) frame: u64,
    /// 0-based row in the frame.
    pub(crate) row: u64,
    pub(crate) marks: &'d mut Marks,
    /// See [`Held::allowed`](super::repeat::Held::allowed).
    pub(crate) copies: u64,
    /// Metadata, and the number of bytes that may be kept from row to row.
    pub(crate) kept: (&'d Metadata, usize),
}

/// The reason why a row was not decoded: a fault of the input, or an error of the sink.
pub enum Halt {
    /// A fault without a position.
    Fault(Fault),
    /// The error of the sink, unchanged.
    Sink(Error),
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Self {
        Halt::Fault(fault)
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Halt::Sink(error)
    }
}

/// The row state of one format.
pub trait DialectState: Sized {
    /// Whether positions of blank nodes are numbered by stream; otherwise all labels are names.
    #[doc(hidden)]
    const NUMBERS_POSITIONS: bool;
    /// Whether field 15 of a frame is known, so that it must have the right type.
    #[doc(hidden)]
    const KNOWS_METADATA: bool;
    /// The message of a row.
    #[doc(hidden)]
    const ROW: Message;

    /// Creates the state at the start of a stream; `strict` rejects what the specification only discourages.
    #[doc(hidden)]
    fn new(strict: bool) -> Self;

    /// The options, once they are read.
    fn stream_options(&self) -> Option<StreamOptions>;

    /// Rows delivered to the sink.
    fn rows(&self) -> u64;

    /// The bytes of the options row, once it is read.
    fn options_bytes(&self) -> Option<&[u8]>;

    /// Restores the options from a snapshot.
    #[doc(hidden)]
    fn restore_options(&mut self, bytes: &[u8], limits: &Limits) -> Result<(TableSizes, Features), Fault>;

    /// The counters in a snapshot, in addition to options and terms.
    #[doc(hidden)]
    fn counters(&self) -> Vec<u64>;

    /// The counters before this place, after this number of frames.
    #[doc(hidden)]
    fn place(&self, frame: u64) -> Counters;

    /// Sets the counters before the first row.
    #[doc(hidden)]
    fn begin_at(&mut self, place: Counters);

    /// Restores the result of [`Self::counters`]; returns false if it is invalid.
    #[doc(hidden)]
    fn restore_counters(&mut self, counters: &[u64]) -> bool;
}

/// One of the two formats; `S` receives the rows.
pub trait Dialect<S: Sink>: DialectState {
    /// Decodes a row.
    #[doc(hidden)]
    fn row<'a>(&mut self, row: &'a [u8], context: Context<'_, 'a>, sink: &mut S) -> Result<(), Halt>;

    /// Delivers one row that previous rows imply; returns whether there was one.
    #[doc(hidden)]
    #[inline(always)]
    fn deliver_pending(&mut self, sink: &mut S) -> Result<bool> {
        let _ = sink;
        Ok(false)
    }

    /// Ends a frame.
    #[doc(hidden)]
    fn frame_end(&mut self, sink: &mut S) -> Result<()> {
        let _ = sink;
        Ok(())
    }

    /// Ends the stream.
    #[doc(hidden)]
    fn stream_end(&mut self, sink: &mut S) -> Result<()>;
}

impl Features {
    /// The features that statements may use: those in the options, or all.
    pub(crate) fn allowed(self, config: &DecodeOptions) -> Self {
        if config.lenient_flags { Features { generalized_statements: true, rdf_star: true } } else { self }
    }
}

impl Context<'_, '_> {
    /// Begins a stream with empty tables of these sizes.
    pub(crate) fn begin_stream<D: DialectState>(&mut self, tables: TableSizes, features: Features) {
        let features = features.allowed(self.config);
        let stream = self.marks.stream().filter(|_| D::NUMBERS_POSITIONS);
        *self.terms = Some(Terms { stream, ..Terms::new(tables, features, self.copies) });
        *self.slots = [super::repeat::Slot::Unset; 4];
    }

    /// Continues with empty tables, in which all ids must be explicit again.
    pub(crate) fn restart_stream<D: DialectState>(&mut self, tables: TableSizes, features: Features) {
        self.begin_stream::<D>(tables, features);
        if let Some(terms) = self.terms {
            terms.forget_ids();
        }
    }

    /// Classifies an options row; `options` are its bytes.
    pub(crate) fn options_row(&mut self, is_first: bool, options: &[u8]) -> Result<OptionsRow, Fault> {
        let concatenated = self.config.framing == Framing::Concatenated;
        let means = self.marks.options_row(self.row, is_first, concatenated);
        if let Ok(OptionsRow::Again) = means {
            self.marks.count_repeated(self.frame);
        }
        means.map_err(|wrong| at_options(wrong, options))
    }

    /// Begins a stream at this options row.
    pub(crate) fn mark_begin(&mut self, before: Counters, options: &[u8]) -> Result<(), Fault> {
        self.marks.begin(before).map_err(|wrong| at_options(wrong, options))
    }

    /// Restarts the stream at this options row.
    pub(crate) fn mark_restart(&mut self, before: Counters, options: &[u8]) -> Result<(), Fault> {
        self.marks.restart(before).map_err(|wrong| at_options(wrong, options))
    }

    /// Checks the kept bytes after a row of which the sink keeps data.
    #[inline(never)]
    pub(crate) fn check_kept<S: Sink>(&self, sink: &S) -> Result<()> {
        let (metadata, most) = self.kept;
        super::check_kept(self.terms.as_ref(), metadata.bytes() + sink.kept_bytes(), most)
    }

    /// Sets an entry of a lookup table.
    #[inline(always)]
    pub(crate) fn entry(&mut self, table: super::lookup::TableKind, bytes: &[u8]) -> Result<(), Fault> {
        let limits = &self.config.limits;
        let terms = self.terms.as_mut().ok_or_else(|| options_missing(bytes))?;
        let within = |fault: Fault| fault.within(table.label());
        let (wire_id, value) = super::lookup::read_entry(bytes, limits.nesting).map_err(within)?;
        let id = terms
            .lookups
            .table(table)
            .entry_id(wire_id, bytes)
            .map_err(|fault| within(at_field(fault, bytes, 1, "id")))?;
        if terms.lookups.table(table).is_set(id) {
            terms
                .held
                .before_overwrite(self.slots, &terms.lookups, table, id, limits.lookup_bytes, bytes)
                .map_err(within)?;
        }
        terms
            .lookups
            .set(table, id, value, bytes, limits)
            .map_err(|fault| within(at_field(fault, bytes, 2, "value")))
    }
}

/// Moves a fault to a field of its message, if the field is there.
#[cold]
#[inline(never)]
fn at_field(fault: Fault, message: &[u8], field: u32, name: &'static str) -> Fault {
    fault.at(last_tag(message, field).unwrap_or(message)).within(name)
}

#[cold]
#[inline(never)]
pub(crate) fn options_missing(row: &[u8]) -> Fault {
    Fault::new(ErrorKind::OptionsMissing, row, "the stream does not begin with its options")
}

#[cold]
#[inline(never)]
pub(crate) fn options_changed(row: &[u8]) -> Fault {
    let message = "a later options row differs from the first";
    Fault::new(ErrorKind::OptionsChanged, row, message).within("options")
}
