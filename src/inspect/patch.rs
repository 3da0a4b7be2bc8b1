//! Counts of a Jelly-Patch stream.

use super::advice::Seen;
use super::count::PATCH_ROWS;
use super::{Inspection, RowCounter, StreamOptions, advise, summary, walk};
use crate::decode::{DecodeOptions, Decoder, Patch};
use crate::error::Result;
use crate::io::Stream;
use crate::limits::Limits;
use crate::namespaces::Namespaces;
use crate::options::{PatchOptions, PatchStreamType};
use crate::reader::Poll;
use crate::sink::{PatchEnd, PatchOp, PatchRow, PatchSink, Sink};
use crate::text::scan::check_prefix_name;

/// Transactions by their outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transactions {
    /// Ended by TC.
    pub committed: u64,
    /// Ended by TA.
    pub aborted: u64,
    /// Ended by another TX or by the end of their patch.
    pub unfinished: u64,
    /// TC and TA rows without a TX.
    pub stray: u64,
}

/// Takes the rows of patches.
#[derive(Default)]
pub(super) struct PatchCounts {
    limits: Limits,
    namespaces: Namespaces,
    patches: u64,
    transactions: Transactions,
    open: Option<u64>,
    punctuated: bool,
    /// The patch has rows other than headers.
    past_headers: bool,
    pub(super) seen: Seen,
}

pub(super) fn inspect(stream: Stream, config: &DecodeOptions, poll: Poll<'_>) -> Result<Inspection> {
    let mut decoder = Decoder::<Patch>::new(config.clone());
    let mut counter = RowCounter::new(config.framing, false, &PATCH_ROWS);
    let mut sink = PatchCounts { limits: config.limits.clone(), ..PatchCounts::default() };
    let error = walk(stream, &mut decoder, &mut sink, &mut counter, poll)?;
    let options = decoder.state().options().copied().map(StreamOptions::Patch);
    let advice = advise(&decoder, &counter, sink.seen, error.is_none());
    Ok(Inspection {
        options,
        namespaces: sink.namespaces.owned(),
        patches: sink.patches,
        transactions: sink.transactions,
        advice,
        ..summary(&decoder, counter, error)
    })
}

impl PatchCounts {
    fn leave_unfinished(&mut self) {
        if let Some(seq) = self.open.take() {
            self.transactions.unfinished += 1;
            self.seen.unfinished.add(seq);
        }
    }

    fn judge_name(&mut self, name: &str, seq: u64) {
        if check_prefix_name(name).is_err() {
            self.seen.names.add(seq);
        }
    }

    /// A TC or TA; tells whether there was a transaction to end.
    fn close(&mut self, row: &PatchRow<'_>) -> bool {
        if self.open.take().is_none() {
            self.transactions.stray += 1;
            self.seen.stray.add(row.seq);
            return false;
        }
        true
    }
}

impl Sink for PatchCounts {
    fn kept_bytes(&self) -> usize {
        self.namespaces.bytes()
    }
}

impl PatchSink for PatchCounts {
    fn options(&mut self, options: &PatchOptions) -> Result<()> {
        self.seen.stream(options.features);
        self.punctuated = options.stream_type == PatchStreamType::Punctuated;
        Ok(())
    }

    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        match &row.op {
            PatchOp::Header { value, .. } => {
                self.seen.header_value(value);
                if self.past_headers {
                    self.seen.late_headers.add(row.seq);
                }
                return Ok(());
            }
            PatchOp::Add(statement) | PatchOp::Delete(statement) => self.seen.statement(statement),
            PatchOp::AddPrefix { name, iri, graph } => {
                self.seen.graph(graph);
                self.namespaces.declare(name, iri, self.limits.lookup_bytes)?;
                self.judge_name(name, row.seq);
            }
            PatchOp::DeletePrefix { name, graph, .. } => {
                self.seen.graph(graph);
                self.namespaces.remove(name);
                self.judge_name(name, row.seq);
            }
            PatchOp::Begin => {
                self.leave_unfinished();
                self.open = Some(row.seq);
            }
            PatchOp::Commit => self.transactions.committed += u64::from(self.close(row)),
            PatchOp::Abort => self.transactions.aborted += u64::from(self.close(row)),
            PatchOp::End(end) => {
                self.leave_unfinished();
                self.patches += 1;
                self.past_headers = false;
                if *end == PatchEnd::Eof && self.punctuated {
                    self.seen.unterminated.add(row.seq);
                }
                return Ok(());
            }
        }
        self.past_headers = true;
        Ok(())
    }
}
