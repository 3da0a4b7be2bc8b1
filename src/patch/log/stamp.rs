//! Prepares a patch for a log: reads it once, checks it, and writes it with the headers that it lacks.

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

/// Reads a source of one patch to its end, as [`summarize`](super::summarize) does, and writes the patch.
///
/// The headers of `more` whose keys the patch lacks are written before its own headers. `skip` is the number
/// of headers at the start of the patch to leave out, which an earlier call wrote. `out` opens the
/// destination; it is called again if a header comes so late that the source must be read again.
///
/// Returns the summary of the patch without the skipped headers, and the headers of `more` that were added.
pub fn stamp(
    source: &Again,
    more: Vec<Header>,
    skip: usize,
    out: &mut dyn FnMut() -> Result<PatchOut>,
    watch: Watch<'_>,
) -> Result<(PatchSummary, Vec<Header>)> {
    let mut work = Work::new(watch);
    work.phase("reading the patch")?;
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
    /// Headers that the patch lacks, as far as it was read.
    more: Vec<Header>,
    /// Number of headers at the start that are left out.
    skip: usize,
    /// Headers before the first other row, which was not read yet.
    waiting: Option<Vec<Header>>,
    /// Whether the patch has a header that was already written.
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
    /// Processes a header of the patch, which replaces a header to be added.
    fn header(&mut self, key: &str) {
        let before = self.more.len();
        if self.seen.is_in_first() {
            self.more.retain(|(own, _)| !is_same(own, key));
        }
        self.is_late |= self.waiting.is_none() && self.more.len() < before;
    }
}

/// Whether two keys name the same header.
fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other) || is_prev(one) && is_prev(other)
}
