//! Checks a log for problems.

use super::again::Again;
use super::effect::{Done, Effect};
use super::log::{Change, Log, LogOptions, LogSink, LogSources, Problem};
use super::work::{Watch, Work};
use crate::blank::refuse_position;
use crate::error::Result;
use crate::sink::PatchOp;

/// Maximum number of problems of one kind that are reported row by row.
const REPORTED: usize = 100;

/// A description of a log and its problems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogReport {
    /// Number of patches.
    pub patches: u64,
    /// Number of patches with an id.
    pub ids: u64,
    /// The id of the patch before the first one.
    pub prev: Option<String>,
    /// The id of the last patch.
    pub head: Option<String>,
    /// Number of committed transactions.
    pub committed: u64,
    /// Number of aborted transactions.
    pub aborted: u64,
    /// Number of committed `A` and `D` rows.
    pub changes: u64,
    /// Number of committed `PA` and `PD` rows.
    pub prefixes: u64,
    /// Number of both that change nothing. Without a base, only rows that repeat another row are known to
    /// change nothing. `None`: the order of the log is not known, so these rows cannot be counted.
    pub without_effect: Option<u64>,
    /// The problems, in order.
    pub problems: Vec<Problem>,
    /// The version of the base: 0, unless the folder begins later.
    pub base_version: u64,
    /// Files in the order in which they were read, if only their names decided this order.
    pub order: Vec<String>,
}

/// Checks a log; `base` is the dataset before it.
pub fn verify_log(
    patches: impl Into<LogSources>,
    base: Option<&Again>,
    options: LogOptions,
    watch: Watch<'_>,
) -> Result<LogReport> {
    let mut work = Work::new(watch);
    let log = Log::open_tolerant(patches.into(), options, &mut work)?;
    let text = |id: Option<&crate::term::TermBuf>| id.map(|id| id.as_term().to_string());
    let mut report = LogReport {
        patches: log.versions(),
        ids: log.all().filter(|&version| log.id(version).is_some()).count() as u64,
        prev: text(log.prev(1)),
        head: text(log.id(log.versions())),
        problems: log.problems().to_vec(),
        base_version: log.before(),
        order: log.by_name(),
        ..LogReport::default()
    };
    report.problems.extend(log.other_bases()?);
    (report.committed, report.aborted) = log.transactions();
    if !report.problems.is_empty() {
        return Ok(report);
    }
    let effect = match base {
        None => Effect::unknown()?,
        Some(base) => Effect::of_base(&log, base, false, &mut work)?,
    };
    let mut sink = Verifying {
        log: &log,
        effect,
        changes: 0,
        prefixes: 0,
        without_effect: 0,
        positions: 0,
        row: 0,
        version: 0,
        problems: Vec::new(),
    };
    log.replay_on(base, log.all(), "checking the rows", &mut sink, &mut work)?;
    (report.changes, report.prefixes) = (sink.changes, sink.prefixes);
    report.without_effect = Some(sink.without_effect);
    report.problems = sink.problems;
    Ok(report)
}

struct Verifying<'l> {
    log: &'l Log,
    effect: Effect,
    changes: u64,
    prefixes: u64,
    without_effect: u64,
    /// Number of reported rows that name a node by its position.
    positions: usize,
    /// 0-based row of the patch.
    row: u64,
    version: u64,
    problems: Vec<Problem>,
}

impl LogSink for Verifying<'_> {
    fn change(&mut self, change: &Change<'_>) -> Result<()> {
        self.row = if self.version == change.version { self.row + 1 } else { 0 };
        self.version = change.version;
        if !change.counts {
            return Ok(());
        }
        // content labels were replaced by labels of the base, which may be positions
        let is_content = self.log.speaks_content(change.version..change.version + 1);
        if !is_content
            && self.positions < REPORTED
            && let Err(error) = refuse_position(&change.op)
        {
            self.positions += 1;
            self.problem(error.kind().slug(), error.message());
        }
        match self.effect.row(&change.op) {
            Done::Other => return Ok(()),
            Done::Nothing => self.tell(&change.op),
            Done::Quad | Done::Prefix(_) => {}
        }
        match change.op {
            PatchOp::Add(_) | PatchOp::Delete(_) => self.changes += 1,
            _ => self.prefixes += 1,
        }
        Ok(())
    }
}

impl Verifying<'_> {
    fn tell(&mut self, op: &PatchOp<'_>) {
        self.without_effect += 1;
        if self.without_effect > REPORTED as u64 {
            return;
        }
        let what = match op {
            PatchOp::Add(statement) => format!("A {statement}: the quad exists already"),
            PatchOp::Delete(statement) => format!("D {statement}: the quad does not exist"),
            PatchOp::AddPrefix { name, .. } => format!("PA {name:?}: the prefix already has this namespace"),
            PatchOp::DeletePrefix { name, .. } => format!("PD {name:?}: the prefix does not exist"),
            _ => return,
        };
        self.problem("patch.effect", &what);
    }

    fn problem(&mut self, kind: &'static str, what: &str) {
        let (source, patch) = self.log.place(self.version);
        self.problems.push(Problem {
            kind,
            source,
            patch: Some(patch),
            id: self.log.id(self.version).map(|id| id.as_term().to_string()),
            message: format!("row {}, {what}", self.row),
        });
    }
}
