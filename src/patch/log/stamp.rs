//! A patch on its way into a log: read once, checked, and written with the headers that it lacks.

use super::facts::is_prev;
use super::summary::{PatchSummary, Summarizing};
use crate::error::Result;
use crate::open::open_patch;
use crate::patch::again::Again;
use crate::patch::emit::{Emit, PatchOut};
use crate::patch::work::{Watch, Work};
use crate::sink::{PatchEnd, PatchOp, PatchRow, PatchSink, Sink};
use crate::term::TermBuf;

/// A header: its key and its term.
pub type Header = (String, TermBuf);

/// Reads a source of one patch to its end, as [`summarize`](super::summarize) does, and writes it.
///
/// The headers of `more` whose keys the patch does not have stand before its own. `skip` leaves out so many of the
/// headers that the patch begins with: those that an earlier call put there. `out` opens the destination, again where
/// a header came so late that it had to be read again.
///
/// Returns what the patch says, without the headers that were skipped, and those of `more` that it has now.
pub fn stamp(
    source: &Again,
    more: Vec<Header>,
    skip: usize,
    out: &mut dyn FnMut() -> Result<PatchOut>,
    watch: Watch<'_>,
) -> Result<(PatchSummary, Vec<Header>)> {
    let mut work = Work::new(watch);
    work.phase("reading the patch");
    let mut more = more;
    loop {
        let sink = Stamping {
            seen: Summarizing::new(false),
            emit: Emit::new(out()?, None)?,
            more,
            skip,
            waiting: Some(Vec::new()),
            is_late: false,
        };
        let mut rows = open_patch(source.source(), &source.options)?;
        let Stamping { seen, emit, more: added, is_late, .. } =
            work.feed(&mut *rows, sink, |sink| Ok(!sink.is_late))?;
        if !is_late {
            emit.finish()?;
            return Ok((seen.finish(), added));
        }
        more = added;
    }
}

struct Stamping {
    seen: Summarizing,
    emit: Emit,
    /// Headers that the patch does not have, as far as it was read.
    more: Vec<Header>,
    /// Headers at the start that are left out.
    skip: usize,
    /// Headers before the first other row, which is not there yet.
    waiting: Option<Vec<Header>>,
    /// The patch has one of the headers that were written already.
    is_late: bool,
}

impl Sink for Stamping {
    fn is_full(&self) -> bool {
        self.is_late
    }
}

impl PatchSink for Stamping {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        if let PatchOp::Header { key, value } = row.op {
            if self.skip > 0 {
                self.skip -= 1;
                return Ok(());
            }
            self.header(key);
            if let Some(waiting) = &mut self.waiting {
                self.seen.row(row)?;
                waiting.push((key.to_owned(), value.into()));
                return Ok(());
            }
        }
        if let Some(waiting) = self.waiting.take() {
            for (key, value) in self.more.iter().chain(&waiting) {
                self.emit.row(PatchOp::Header { key, value: value.as_term() })?;
            }
        }
        self.seen.row(row)?;
        match row.op {
            PatchOp::End(_) => self.emit.row(PatchOp::End(PatchEnd::Mark)),
            op => self.emit.row(op),
        }
    }
}

impl Stamping {
    /// Looks at a header of the patch: it counts, not the one that was to be added.
    fn header(&mut self, key: &str) {
        let before = self.more.len();
        if self.seen.is_in_first() {
            self.more.retain(|(own, _)| !is_same(own, key));
        }
        self.is_late |= self.waiting.is_none() && self.more.len() < before;
    }
}

/// Whether two keys name one header.
fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other) || is_prev(one) && is_prev(other)
}
