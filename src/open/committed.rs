//! The rows that change a dataset: those of committed transactions.
//!
//! The outcome of a transaction comes after its rows. So two decoders read the stream: the first reads to the
//! end of the patch to learn the outcomes, and the second follows and delivers rows. The source is opened
//! twice if possible; otherwise the bytes between the two decoders are kept in a temporary file.

use super::spool::split;
use crate::decode::DecodeOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Compression, Opened, Stream, open};
use crate::options::{PatchOptions, StreamOptions};
use crate::push::{Push, PushState};
use crate::reader::{Poll, Reader, RowSource, SourceState};
use crate::sink::{PatchOp, PatchRow, PatchSink, RowNumbers, Same, Sink, Statement, TermSink};
use crate::transaction::Outcomes;
use crate::warning::Warning;

/// Feeds A, D, PA and PD rows of committed transactions, and those outside of any transaction.
///
/// A patch with an unfinished or stray transaction is rejected whole, after the rows of the patches before.
pub(super) struct Committed<D> {
    lead: Reader<D>,
    follow: Reader<D>,
    outcomes: Outcomes,
    /// The follower may deliver up to here.
    safe: u64,
    lead_ended: bool,
    failure: Option<Error>,
    /// The error that was given is that of a patch of which no row was.
    refused: bool,
    /// A statement was left out since the last one delivered.
    gap: bool,
}

/// A decoder that can lead and follow.
pub(super) trait PushTwice<S>: Push<S> + Push<Outcomes> + for<'f> Push<Filter<'f, S>>
where
    S: PatchSink,
{
}

impl<S, D> PushTwice<S> for D
where
    S: PatchSink,
    D: Push<S> + Push<Outcomes> + for<'f> Push<Filter<'f, S>>,
{
}

impl<D: PushState> Committed<D> {
    /// Reads an opened source with two decoders that are alike.
    pub(super) fn new(opened: Opened, config: &DecodeOptions, decoders: [D; 2]) -> Result<Self> {
        let Opened { stream, compression, again, .. } = opened;
        let (lead, follow) = match (stream, again) {
            (stream, Some(again)) => (stream, reopen(again, compression, config)?),
            (Stream::Reader(reader), None) => {
                let (tee, kept) = split(reader, config.limits.transaction_bytes);
                (Stream::Reader(Box::new(tee)), Stream::Reader(Box::new(kept)))
            }
            (Stream::Bytes(bytes), None) => (Stream::Bytes(bytes.clone()), Stream::Bytes(bytes)),
        };
        let [leads, follows] = decoders;
        Ok(Committed::of([Reader::new(leads, lead), Reader::new(follows, follow)]))
    }

    /// Reads with two readers of the same bytes, of which no patch is cut.
    pub(super) fn of([lead, follow]: [Reader<D>; 2]) -> Self {
        Committed {
            lead,
            follow,
            outcomes: Outcomes::default(),
            safe: 0,
            lead_ended: false,
            failure: None,
            refused: false,
            gap: false,
        }
    }
}

impl<D: PushState> SourceState for Committed<D> {
    fn decoder(&self) -> &dyn PushState {
        self.follow.decoder()
    }

    /// The options: of what is delivered, or else of what was looked at.
    fn stream_options(&self) -> Option<StreamOptions> {
        self.follow.stream_options().or_else(|| self.lead.stream_options())
    }

    fn refused_a_patch(&self) -> bool {
        self.refused
    }

    fn warnings(&self) -> Vec<Warning> {
        self.decoder().warnings()
    }

    fn snapshot(&self) -> Result<Vec<u8>> {
        Err(Error::new(ErrorKind::Argument, "a snapshot needs rows=\"all\""))
    }

    fn close(&mut self) {
        self.lead.close();
        self.follow.close();
    }
}

fn reopen(again: crate::io::Source, compression: Compression, config: &DecodeOptions) -> Result<Stream> {
    open(again, Some(compression), config.framing, &config.limits, Some(1)).map(|opened| opened.stream)
}

impl<S: PatchSink, D: PushTwice<S> + Send> RowSource<S> for Committed<D> {
    fn advance(&mut self, sink: &mut S, poll: Poll<'_>) -> Result<bool> {
        loop {
            let mut filter = Filter { sink, outcomes: &self.outcomes, gap: &mut self.gap };
            let done = self.follow.advance_to(self.safe, &mut filter, poll)?;
            if done || sink.is_full() {
                return Ok(done);
            }
            if let Some(error) = self.failure.take() {
                self.refused = true;
                return Err(error);
            }
            if self.lead_ended {
                self.safe = u64::MAX;
                continue;
            }
            self.outcomes.next_patch();
            match self.lead.advance(&mut self.outcomes, poll) {
                Ok(ended) => {
                    self.lead_ended = ended;
                    self.safe = if ended { u64::MAX } else { self.lead.decoder().progress().offset };
                }
                Err(error) => self.failure = Some(error),
            }
        }
    }
}

/// Passes on what counts.
pub(super) struct Filter<'f, S> {
    sink: &'f mut S,
    outcomes: &'f Outcomes,
    gap: &'f mut bool,
}

impl<S: Sink> Sink for Filter<'_, S> {
    #[inline]
    fn is_full(&self) -> bool {
        self.sink.is_full()
    }

    fn kept_bytes(&self) -> usize {
        self.sink.kept_bytes()
    }

    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        self.sink.frame_end(metadata)
    }
}

impl<S: PatchSink> PatchSink for Filter<'_, S> {
    fn options(&mut self, options: &PatchOptions) -> Result<()> {
        self.sink.options(options)
    }

    #[inline]
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        let counts = self.counts(row.txn);
        let op = match row.op {
            PatchOp::Add(_) | PatchOp::Delete(_) if !counts => {
                *self.gap = true;
                return Ok(());
            }
            PatchOp::Add(statement) => PatchOp::Add(self.without_gap(statement)),
            PatchOp::Delete(statement) => PatchOp::Delete(self.without_gap(statement)),
            PatchOp::AddPrefix { .. } | PatchOp::DeletePrefix { .. } if counts => row.op,
            _ => return Ok(()),
        };
        self.sink.row(&PatchRow { op, ..*row })
    }

    #[inline]
    fn terms(&mut self, row: RowNumbers) -> Option<&mut impl for<'t> TermSink<'t>> {
        if *self.gap || !self.counts(row.txn) { None } else { self.sink.terms(row) }
    }

    #[inline]
    fn end_change(&mut self, adds: bool, row: RowNumbers) -> Result<()> {
        self.sink.end_change(adds, row)
    }
}

impl<S> Filter<'_, S> {
    /// Whether the rows of a transaction count.
    #[inline]
    fn counts(&self, txn: Option<u64>) -> bool {
        txn.is_none_or(|txn| self.outcomes.is_committed(txn))
    }

    /// After a gap nothing is known to repeat.
    fn without_gap<'a>(&mut self, statement: Statement<'a>) -> Statement<'a> {
        if std::mem::take(self.gap) { Statement { same: Same::NONE, ..statement } } else { statement }
    }
}
