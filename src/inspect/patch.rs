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
use crate::scan::check_prefix_name;
use crate::sink::{PatchEnd, PatchOp, PatchRow, PatchSink, Sink};
use crate::transaction::{Irregular, Open};

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
    /// The transaction that is open, by the row that began it.
    open: Open,
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
    /// Counts what is wrong with a step of a transaction in this row; says whether nothing is.
    fn judge<T>(&mut self, seq: u64, step: Result<T, Irregular>) -> bool {
        match step {
            Ok(_) => return true,
            Err(Irregular::Unfinished(began)) => {
                self.transactions.unfinished += 1;
                self.seen.unfinished.add(began);
            }
            Err(Irregular::Stray) => {
                self.transactions.stray += 1;
                self.seen.stray.add(seq);
            }
        }
        false
    }

    /// A TC or TA; whether there was a transaction to end.
    fn close(&mut self, row: &PatchRow<'_>) -> bool {
        let step = self.open.close();
        self.judge(row.seq, step)
    }

    fn judge_name(&mut self, name: &str, seq: u64) {
        if check_prefix_name(name).is_err() {
            self.seen.names.add(seq);
        }
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
                let step = self.open.begin(Some(row.seq));
                self.judge(row.seq, step);
            }
            PatchOp::Commit => self.transactions.committed += u64::from(self.close(row)),
            PatchOp::Abort => self.transactions.aborted += u64::from(self.close(row)),
            PatchOp::End(end) => {
                let step = self.open.end_patch();
                self.judge(row.seq, step);
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
