//! The order of the patches of a log.

use super::log::{FirstDataset, Log, LogOptions, LogSources, Version, identity};
use super::work::{Watch, Work};
use crate::error::Result;
use crate::term::TermBuf;

/// The patch that makes a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogVersion {
    /// Number of its source, in the given order.
    pub source: usize,
    /// 0-based patch in its source.
    pub patch: u64,
    /// The term of `H id`.
    pub id: Option<TermBuf>,
    /// The term of `H prev`.
    pub prev: Option<TermBuf>,
    /// SHA-256 of the committed rows, if [`LogOptions::digests`] requests it.
    pub digest: Option<[u8; 32]>,
}

/// The patches of a log in order, and how the log begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogVersions {
    /// The patches.
    pub versions: Vec<LogVersion>,
    /// The version before the first patch.
    pub before: u64,
    /// The dataset that the log begins with.
    pub dataset: Option<FirstDataset>,
}

/// Reads a log and puts its patches in order; an invalid log is an error. Faults after `up_to` do not matter;
/// patches after a fault are left out.
pub fn log_versions(
    patches: impl Into<LogSources>,
    options: LogOptions,
    up_to: Option<&Version>,
    watch: Watch<'_>,
) -> Result<LogVersions> {
    let mut work = Work::new(watch);
    let log = Log::open_up_to(patches.into(), options, up_to, &mut work)?;
    // a replica may have the wanted version already, and the log may begin after it
    let last = up_to.and_then(|version| log.number(version).ok()).unwrap_or(log.versions());
    log.refuse_content(1..last + 1)?;
    let version = |version| {
        let (source, patch) = log.spot(version);
        let digest = log.digest(version);
        LogVersion { source, patch, id: log.id(version).cloned(), prev: log.prev(version).cloned(), digest }
    };
    let versions = log.all().map(version).collect();
    Ok(LogVersions { versions, before: log.before(), dataset: log.first_dataset() })
}

/// The text by which ids are compared: a UUID is equal to itself as `uuid:`, as `urn:uuid:` and as a string.
pub fn id_identity(id: &TermBuf) -> String {
    identity(id)
}
