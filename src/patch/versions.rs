//! The order of the patches of a log.

use super::log::{Log, LogOptions, LogSources, identity};
use super::work::{Watch, Work};
use crate::error::Result;
use crate::term::TermBuf;

/// The patch that makes a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogVersion {
    /// Number of its source, in the order that was given.
    pub source: usize,
    /// 0-based in its source.
    pub patch: u64,
    /// The term behind `H id`.
    pub id: Option<TermBuf>,
    /// The term behind `H prev`.
    pub prev: Option<TermBuf>,
    /// SHA-256 of the rows that count, where [`LogOptions::digests`] asks for it.
    pub digest: Option<[u8; 32]>,
}

/// Reads a log and puts its patches in order; one that has no meaning is an error. Returns the version that the patches
/// come after, too.
pub fn log_versions(
    patches: impl Into<LogSources>,
    options: LogOptions,
    watch: Watch<'_>,
) -> Result<(u64, Vec<LogVersion>)> {
    let mut work = Work::new(watch);
    let log = Log::open(patches.into(), options, &mut work)?;
    log.refuse_content(log.all())?;
    let version = |version| {
        let (source, patch) = log.spot(version);
        let digest = log.digest(version);
        LogVersion { source, patch, id: log.id(version).cloned(), prev: log.prev(version).cloned(), digest }
    };
    Ok((log.before(), log.all().map(version).collect()))
}

/// By which ids are compared: a UUID is the same one as `uuid:`, as `urn:uuid:` and as a string.
pub fn id_identity(id: &TermBuf) -> String {
    identity(id)
}
