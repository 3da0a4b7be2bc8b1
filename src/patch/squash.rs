//! Merges many patches into one with the same net effect.

use super::checked_net::{CheckedNet, Checks};
use super::emit::{Emit, PatchOut, Patched, PrefixChange, new_id};
use super::log::{Log, LogOptions, LogSources, Version};
use super::net::Net;
use super::prefixes::{Prefix, PrefixOp};
use super::work::{Watch, Work};
use crate::error::{Error, ErrorKind, Result};
use crate::term::TermBuf;
use crate::with::With;

/// How patches are merged.
#[derive(Default)]
#[non_exhaustive]
pub struct SquashOptions {
    /// How the log is read.
    pub log: LogOptions,
    /// Drop changes that cancel each other out. They are known if every row changes something; the merged
    /// patch then has the same property.
    pub drops_cancelled: bool,
    /// Merge only the changes after the first version and up to the second one: the result turns the first
    /// version into the second one.
    pub between: Option<(Version, Version)>,
    /// Write no headers.
    pub bare: bool,
    /// The term of `H id`. The default is a new id if the patches have ids, and with `between` the id of the
    /// second version.
    pub id: Option<TermBuf>,
    /// The term of `H prev`; the default is that of the first patch.
    pub prev: Option<TermBuf>,
}

impl With for SquashOptions {}

/// Merges `patches` into one patch with the same net effect and writes it.
pub fn squash(
    patches: impl Into<LogSources>,
    options: SquashOptions,
    out: PatchOut,
    watch: Watch<'_>,
) -> Result<Patched> {
    let mut work = Work::new(watch);
    let log =
        Log::open_up_to(patches.into(), options.log, options.between.as_ref().map(|(_, to)| to), &mut work)?;
    let (from, to) = match &options.between {
        None => (0, log.versions()),
        Some((from, to)) => (log.number(from)?, log.number(to)?),
    };
    if from > to {
        let (from, to) = (log.before() + from, log.before() + to);
        let message = format!("version {from} comes after version {to}; use invert to undo changes");
        return Err(Error::new(ErrorKind::PatchVersion, message));
    }
    let hint = "mode \"net\" needs a log in which each row changes something: use mode \"last\", or canonicalize first";
    let checks = if options.drops_cancelled { Checks::Rows } else { Checks::None };
    let mut checked = CheckedNet { net: Net::new(true)?, checks, hint };
    log.replay(from + 1..to + 1, "reading the patches", &mut checked, &mut work)?;
    let net = checked.net;
    let changes = net.changes();
    let mut emit = Emit::new(out, log.options())?;
    // a patch that changes nothing is not a version of its own
    let id = if options.bare || from == to { None } else { headers(&mut emit, &log, &options, from..to)? };
    let is_canonical = options.drops_cancelled;
    let picked = net.pick(|entry| {
        let cancelled = is_canonical && entry.first_adds() != entry.is_added();
        (!cancelled).then(|| entry.is_added())
    })?;
    let prefix = if is_canonical { whole_change } else { last_change };
    emit.picked(picked, prefix, &mut work)?;
    emit.end_patch()?;
    let counts = emit.finish()?;
    Ok(Patched {
        id: id.map(|id| id.as_term().to_string()),
        patches: to - from,
        changes,
        order: log.by_name(),
        ..counts
    })
}

/// Writes the headers and returns the id.
fn headers(
    emit: &mut Emit,
    log: &Log,
    options: &SquashOptions,
    versions: std::ops::Range<u64>,
) -> Result<Option<TermBuf>> {
    let is_range = options.between.is_some();
    let (first, last) = (log.id(versions.start + 1), log.id(versions.end));
    let id = match (&options.id, last) {
        (Some(id), _) => Some(id.clone()),
        (None, Some(last)) if is_range => Some(last.clone()),
        (None, Some(_)) => Some(new_id()?),
        (None, None) => None,
    };
    let before = log.id(versions.start).or(log.prev(versions.start + 1));
    emit.header("id", id.as_ref())?;
    emit.header("prev", options.prev.as_ref().or(before))?;
    if !is_range {
        emit.header("squashed-from", first)?;
        emit.header("squashed-to", last)?;
    }
    Ok(id)
}

/// The row for the last change of a prefix.
fn last_change(prefix: &Prefix) -> PrefixChange<'_> {
    let (before, adds) = match &prefix.last {
        PrefixOp::Add(iri) => (None, Some(iri.as_str())),
        PrefixOp::Delete(iri) => (iri.as_deref(), None),
    };
    let graph = prefix.graph.as_term();
    PrefixChange { name: &prefix.name, graph, deletes: adds.is_none(), before, adds }
}

/// The change from the namespace before the first change to the namespace after the last one.
fn whole_change(prefix: &Prefix) -> PrefixChange<'_> {
    let before = match &prefix.first {
        PrefixOp::Add(_) => None,
        PrefixOp::Delete(Some(iri)) => Some(iri.as_str()),
        PrefixOp::Delete(None) => return last_change(prefix),
    };
    PrefixChange::between(&prefix.name, prefix.graph.as_term(), before, prefix.after())
}
