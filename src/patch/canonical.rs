//! Removes the rows of patches that change nothing.

use super::again::Again;
use super::effect::{Done, Effect};
use super::emit::{Emit, PatchOut, Patched, PrefixChange};
use super::log::{Change, Log, LogOptions, LogSink, LogSources};
use super::work::{Watch, Work};
use crate::error::Result;
use crate::options::{PatchOptions, PatchStreamType};
use crate::sink::PatchOp;

/// Writes `patches` with only the rows that change the dataset `base`.
///
/// Patches, headers and transactions stay, except aborted transactions. A `PD` gets the namespace that it
/// deletes, and a `PA` that replaces a namespace gets a `PD` of the old namespace before it. The result can
/// therefore be undone.
pub fn canonicalize(
    patches: impl Into<LogSources>,
    base: &Again,
    options: LogOptions,
    out: PatchOut,
    watch: Watch<'_>,
) -> Result<Patched> {
    let mut work = Work::new(watch);
    let log = Log::open(patches.into(), options, &mut work)?;
    let effect = Effect::of_base(&log, base, true, &mut work)?;
    let options = log.options().map(|options| match options.stream_type {
        PatchStreamType::Flat if log.versions() > 1 => {
            PatchOptions { stream_type: PatchStreamType::Punctuated, ..options }
        }
        _ => options,
    });
    let emit = Emit::new(out, options)?;
    let mut sink = Canonical { effect, emit, changes: 0 };
    log.replay_on(Some(base), log.all(), "writing the patches", &mut sink, &mut work)?;
    let counts = sink.emit.finish()?;
    let id = log.id(log.versions()).map(|id| id.as_term().to_string());
    Ok(Patched { id, patches: log.versions(), changes: sink.changes, order: log.by_name(), ..counts })
}

struct Canonical {
    effect: Effect,
    emit: Emit,
    changes: u64,
}

impl LogSink for Canonical {
    fn change(&mut self, change: &Change<'_>) -> Result<()> {
        match change.op {
            PatchOp::Header { .. } | PatchOp::End(_) => return self.emit.row(change.op),
            _ if !change.counts => return Ok(()),
            PatchOp::Add(_) | PatchOp::Delete(_) => self.changes += 1,
            _ => {}
        }
        match self.effect.row(&change.op) {
            Done::Nothing => Ok(()),
            Done::Quad | Done::Other => self.emit.row(change.op),
            Done::Prefix(before) => {
                let (name, graph, adds) = match change.op {
                    PatchOp::AddPrefix { name, iri, graph } => (name, graph, Some(iri.to_string())),
                    PatchOp::DeletePrefix { name, graph, .. } => (name, graph, None),
                    _ => return Ok(()),
                };
                let rows = PrefixChange::between(name, graph, before.as_deref(), adds.as_deref());
                self.emit.prefix_rows(&rows)
            }
        }
    }
}
