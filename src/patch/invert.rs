//! The patch that undoes other patches.
//!
//! For each quad, the first and the last committed operation matter. If both add the quad, it did not exist
//! before, and is deleted. If both delete it, it existed, and is added. This is correct for patches in which
//! each row changes something. For other patches, the base is needed to know which quads existed.

use super::again::Again;
use super::checked_net::{CheckedNet, Checks};
use super::emit::{Emit, PatchOut, Patched, PrefixChange, new_id};
use super::log::{Log, LogOptions, LogSources};
use super::net::Net;
use super::prefixes::{Prefix, PrefixOp};
use super::work::{Watch, Work};
use crate::blank::refuse_positions;
use crate::error::Result;
use crate::io::Source;
use crate::open::OpenOptions;
use crate::term::TermBuf;
use crate::with::With;

/// Options of [`invert`].
#[derive(Default)]
#[non_exhaustive]
pub struct InvertOptions {
    /// How the log is read.
    pub log: LogOptions,
    /// The term of `H id`; the default is a new id if the patches have ids.
    pub id: Option<TermBuf>,
    /// The term of `H prev`; the default is the id of the last patch.
    pub prev: Option<TermBuf>,
}

impl With for InvertOptions {}

/// Writes the patch that undoes `patches`; `base` is the dataset before them.
pub fn invert(
    patches: impl Into<LogSources>,
    base: Option<(Source, OpenOptions)>,
    options: InvertOptions,
    out: PatchOut,
    watch: Watch<'_>,
) -> Result<Patched> {
    let mut work = Work::new(watch);
    let log = Log::open(patches.into(), options.log, &mut work)?;
    let hint = "give the base, and these rows are left out";
    let checks = if base.is_none() { Checks::PrefixesToo } else { Checks::None };
    let mut sink = CheckedNet { net: Net::new(true)?, checks, hint };
    let base = base.map(|(source, read)| Again::new(source, read)).transpose()?;
    log.replay_on(base.as_ref(), log.all(), "reading the patches", &mut sink, &mut work)?;
    let mut net = sink.net;
    let has_base = base.is_some();
    // the result has the labels of the base if the log has other labels
    let names_base = log.speaks_content(log.all());
    if let Some(base) = base {
        let prefixes =
            log.each_of_base(log.all(), (base.source(), &base.options), &mut work, |statement| {
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
