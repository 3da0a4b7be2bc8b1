//! The patch that takes back what others did.
//!
//! Of each quad the first and the last committed operation count: if the last one adds and the first one does too, it
//! was not there before, and is deleted; if both delete, it was there, and is added. That is true of patches whose
//! every row changes something. Of others it is true once the base says what was there.

use super::again::Again;
use super::dataset::each_statement;
use super::emit::{Emit, PatchOut, Patched, PrefixChange, new_id};
use super::log::{Change, Log, LogOptions, LogSink, LogSources};
use super::net::Net;
use super::prefixes::{Prefix, PrefixOp};
use super::work::{Watch, Work};
use crate::blank::refuse_positions;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::open::OpenOptions;
use crate::sink::{PatchOp, Statement};
use crate::term::{Term, TermBuf};

/// How patches are taken back.
#[derive(Default)]
pub struct InvertOptions {
    /// How the log is taken.
    pub log: LogOptions,
    /// `H id`; a new one if the patches have ids.
    pub id: Option<TermBuf>,
    /// `H prev`; the id of the last patch otherwise.
    pub prev: Option<TermBuf>,
}

/// Writes the patch that takes `patches` back; `base` is the dataset before them.
pub fn invert(
    patches: impl Into<LogSources>,
    base: Option<(Source, OpenOptions)>,
    options: InvertOptions,
    out: PatchOut,
    watch: Watch<'_>,
) -> Result<Patched> {
    let mut work = Work::new(watch);
    let log = Log::open(patches.into(), options.log, &mut work)?;
    let mut sink = Inverting { net: Net::new(true)?, checks: base.is_none() };
    let base = base.map(|(source, read)| Again::new(source, read)).transpose()?;
    log.replay_on(base.as_ref(), log.all(), "reading the patches", &mut sink, &mut work)?;
    let mut net = sink.net;
    let has_base = base.is_some();
    // the result has the labels of the base where the log has others
    let names_base = log.speaks_content(log.all());
    if let Some(base) = base {
        work.phase("reading the base");
        let prefixes = each_statement(base.source(), &base.options, &mut work, |statement| {
            if names_base {
                refuse_positions(statement)?;
            }
            let key = net.keys.of(statement).key;
            if let Some(entry) = net.entry(key) {
                entry.find();
            }
            Ok(())
        })?;
        net.prefixes.look_up(&prefixes);
    }
    let last = log.id(log.versions());
    let id = match options.id {
        None if last.is_some() => Some(new_id()?),
        id => id,
    };
    let changes = net.changes();
    let mut emit = Emit::new(out, log.options())?;
    emit.header("id", id.as_ref())?;
    emit.header("prev", options.prev.as_ref().or(last))?;
    let picked = net.pick(|entry| {
        let before = if has_base { entry.in_base() } else { !entry.first_adds() };
        (before != entry.is_added()).then_some(before)
    })?;
    emit.picked(picked, |prefix| taken_back(prefix, has_base), &mut work)?;
    emit.end_patch()?;
    let counts = emit.finish()?;
    Ok(Patched {
        id: id.map(|id| id.as_term().to_string()),
        patches: log.versions(),
        changes,
        order: log.by_name(),
        ..counts
    })
}

fn taken_back(prefix: &Prefix, has_base: bool) -> PrefixChange<'_> {
    let before = match &prefix.first {
        _ if has_base => prefix.in_base.as_deref(),
        PrefixOp::Add(_) => None,
        PrefixOp::Delete(iri) => iri.as_deref(),
    };
    PrefixChange::between(&prefix.name, prefix.graph.as_term(), prefix.after(), before)
}

/// Learns the net effect, and refuses rows that provably change nothing.
struct Inverting {
    net: Net,
    checks: bool,
}

impl Inverting {
    fn quad(&mut self, statement: &Statement<'_>, adds: bool) -> Result<()> {
        if !self.net.change(statement, adds)? || !self.checks {
            return Ok(());
        }
        let (letter, done) = if adds { ('A', "added") } else { ('D', "deleted") };
        let [s, p, o, g] = statement.terms.map(|term| term.to_string());
        let dot = if g.is_empty() { "." } else { " ." };
        let message =
            format!("{letter} {s} {p} {o} {g}{dot} changes nothing, for the quad was {done} before");
        Err(Error::new(ErrorKind::PatchCanonical, message).with_hint(HINT))
    }

    fn check_prefix(&mut self, name: &str, graph: &Term<'_>, op: &PrefixOp) -> Result<()> {
        let known = self.net.prefixes.get_mut(name, graph).map(|prefix| prefix.last.clone());
        let (kind, message) = match (op, known) {
            (PrefixOp::Delete(None), None) => {
                (ErrorKind::PatchPrefix, format!("PD {name:?} does not say what the prefix stood for"))
            }
            (PrefixOp::Delete(_), Some(PrefixOp::Delete(_))) => (
                ErrorKind::PatchCanonical,
                format!("PD {name:?} changes nothing, for the prefix was deleted before"),
            ),
            (PrefixOp::Add(iri), Some(PrefixOp::Add(before))) if *iri == before => (
                ErrorKind::PatchCanonical,
                format!("PA {name:?} <{iri}> changes nothing, for the prefix was added before"),
            ),
            _ => return Ok(()),
        };
        Err(Error::new(kind, message).with_hint(HINT))
    }
}

const HINT: &str = "give the base, and such rows are left out";

impl LogSink for Inverting {
    fn change(&mut self, change: &Change<'_>) -> Result<()> {
        if !change.counts {
            return Ok(());
        }
        match change.op {
            PatchOp::Add(statement) => self.quad(&statement, true),
            PatchOp::Delete(statement) => self.quad(&statement, false),
            op => {
                if let Some((name, graph, prefix)) = PrefixOp::of(&op)
                    && self.checks
                {
                    self.check_prefix(name, &graph, &prefix)?;
                }
                self.net.row(&op)
            }
        }
    }
}
