//! Logs: patches of any number of sources, in the order of their chain.
//!
//! A log is read twice: first for its ids and the outcomes of its transactions, without building strings that
//! are not needed, and then for its changes, in order.

mod base_check;
mod chain;
mod collected;
mod digest;
mod facts;
mod folder;
mod gathered;
mod head;
mod indexed;
mod manifest;
mod names;
mod order;
mod parts;
mod place;
mod problem;
mod replay;
mod sources;
mod stamp;
mod summary;
mod version;

use std::ops::Range;
use std::sync::Arc;

use super::again::Again;
use super::work::Work;
use crate::error::{Error, ErrorClass, ErrorKind, Position, Result};
use crate::open::open_patch;
use crate::options::{PatchOptions, StreamOptions};
use crate::term::TermBuf;
use crate::with::With;
pub(crate) use base_check::BaseCheck;
pub use base_check::{Beginning, FirstDataset};
pub use collected::{LogContext, LogOrder, PatchFacts, order_log, refuse_hole};
pub use digest::RowsDigest;
pub use facts::id_from_text;
pub(crate) use facts::identity;
use facts::{Facts, SourceFacts};
use folder::{Folder, Start};
pub use folder::{LogSources, backup_base, patch_files, refuse_other_base, refuse_own_file};
pub use gathered::{GatheredCounts, GatheredPatch, GatheredRow, GatheredTransaction, Outcome};
pub use head::{Head, head};
pub use indexed::{hex_digest, last as known_end, refuse_changed};
pub use manifest::Base;
pub use names::holds_patches;
use order::{FolderRow, Ordered, SourceRow, order, restorable};
pub use parts::{LogPart, Origin};
pub use place::{Claim, Placed, place};
pub use problem::Problem;
pub(crate) use replay::{Change, LogSink};
pub use stamp::{Header, stamp};
pub use summary::{PatchSummary, summarize};
pub use version::Version;
use version::{Versions, precede};

/// How a log is read.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct LogOptions {
    /// Leave out unfinished transactions, which are otherwise an error.
    pub drop_unfinished: bool,
    /// Read patches in the given order and ignore their ids.
    pub ignore_chain: bool,
    /// Accept rows that name blank nodes by their positions, which are otherwise rejected. This is correct
    /// only for a log that is kept with its base, such as a backup that was begun before such rows were
    /// rejected.
    pub takes_positions: bool,
    /// The caller cannot change these options, so errors do not mention them.
    pub fixed: bool,
    /// Compute the digests of patches, which identify a rewritten log.
    pub digests: bool,
}

impl With for LogOptions {}

/// A log whose patches are known.
#[derive(Default)]
pub struct Log {
    sources: Vec<(Again, SourceFacts)>,
    folders: Vec<Folder>,
    /// Source and patch of each version, from 1 on.
    order: Vec<(usize, usize)>,
    /// The sources that are logs elsewhere, and how they begin.
    logs: Vec<(usize, Beginning)>,
    /// The version before the first patch, according to the folder or the only source, and its id if a source
    /// states it.
    before: u64,
    begin: Option<TermBuf>,
    /// The sources whose order was decided by their names.
    by_name: Range<usize>,
    /// Options that fit all patches: those of the first source with options, widened for the other sources.
    options: Option<PatchOptions>,
    /// Whether there are patches of a source without options.
    has_others: bool,
    /// The problems, if they are not errors.
    problems: Vec<Problem>,
    /// Whether rows may name blank nodes by their positions, or the receiver of the rows checks this.
    takes_positions: bool,
    /// Whether the order is the given one, and the folders do not matter.
    ignores_chain: bool,
}

impl Log {
    /// Reads the facts that must be known before the changes. Without ids, the order is that of `sources`.
    pub(crate) fn open(sources: LogSources, options: LogOptions, work: &mut Work<'_>) -> Result<Self> {
        Log::scan(sources, options, false, None, work)
    }

    /// Like [`Log::open`], but ignores faults after the requested version.
    pub(crate) fn open_up_to(
        sources: LogSources,
        options: LogOptions,
        version: Option<&Version>,
        work: &mut Work<'_>,
    ) -> Result<Self> {
        Log::scan(sources, options, false, version, work)
    }

    /// Like [`Log::open`], but reports faults in [`Log::problems`].
    pub(crate) fn open_tolerant(
        sources: LogSources,
        options: LogOptions,
        work: &mut Work<'_>,
    ) -> Result<Self> {
        Log::scan(sources, options, true, None, work)
    }

    fn scan(
        sources: LogSources,
        options: LogOptions,
        tolerant: bool,
        up_to: Option<&Version>,
        work: &mut Work<'_>,
    ) -> Result<Self> {
        let LogSources { sources, folders, logs } = sources;
        let takes_positions = options.takes_positions || tolerant;
        let ignores_chain = options.ignore_chain;
        let mut log = Log { folders, logs, takes_positions, ignores_chain, ..Log::default() };
        work.phase("checking the log")?;
        let mut broken = None;
        let last = sources.len().saturating_sub(1);
        for (number, source) in sources.into_iter().enumerate() {
            let mut facts = SourceFacts::new(options, tolerant);
            match log.scan_source(&source, &mut facts, work) {
                Ok(()) => {
                    if let Some(folder) = log.folders.iter().find(|folder| folder.files.contains(&number)) {
                        facts.other_rows = folder.index.other_rows(&source, tolerant, work)?;
                    }
                }
                Err(error) if tolerant && is_of_the_data(&error) => {
                    facts.failed = true;
                    log.problems.push(Problem {
                        kind: error.kind().slug(),
                        source: source.name(),
                        patch: Some(facts.patches.len() as u64),
                        id: None,
                        message: error.told_apart(),
                    });
                }
                Err(error) if is_of_the_data(&error) && (up_to.is_some() || log.is_backup(number)) => {
                    facts.failed = true;
                    broken = Some((error, facts.open_id().filter(|_| number == last)));
                }
                Err(error) => return Err(error),
            }
            facts.end();
            for fault in &facts.faults {
                log.problems.push(Problem {
                    kind: fault.kind.slug(),
                    source: source.name(),
                    patch: Some(fault.patch as u64),
                    id: facts.patches.get(fault.patch).and_then(|facts| facts.id.as_ref()).map(text),
                    message: fault.message.clone(),
                });
            }
            log.sources.push((source, facts));
            if broken.is_some() {
                break;
            }
        }
        let linked = log.link(options, tolerant, up_to);
        match broken {
            None => linked.map(|()| log),
            Some((_, id)) if linked.is_ok() && log.begins_before(id.as_deref()) && log.has(up_to) => Ok(log),
            Some((error, _)) => Err(log.damaged(error, linked.is_ok())),
        }
    }

    /// Whether a source belongs to a backup.
    fn is_backup(&self, source: usize) -> bool {
        let here = |folder: &&Folder| folder.files.contains(&source);
        self.folders.iter().find(here).is_some_and(|folder| matches!(folder.start, Start::Base { .. }))
    }

    /// The error for the last source that was read; for a backup it includes what can be restored.
    fn damaged(&self, error: Error, is_linked: bool) -> Error {
        let (source, _) = &self.sources[self.sources.len() - 1];
        if !(is_linked && self.is_backup(self.sources.len() - 1)) {
            return error;
        }
        let (place, name) = (error.position().clone(), source.name().unwrap_or_default());
        let file = name.rsplit(std::path::MAIN_SEPARATOR).next().unwrap_or(&name).to_owned();
        let message = format!("{file} is damaged: {}: {}", error.kind().slug(), error.message());
        let hint = restorable(self.before, self.before + self.versions());
        Error::new(ErrorKind::PatchDamaged, message).with_hint(&hint).located(&place)
    }

    fn scan_source(&mut self, source: &Again, facts: &mut SourceFacts, work: &mut Work<'_>) -> Result<()> {
        let (read, stream_options) = {
            let mut rows = open_patch(source.source(), &source.options)?;
            // the facts must outlive an error
            let read = work.feed(&mut *rows, &mut *facts, |_| Ok(true)).map(drop);
            (read, rows.stream_options())
        };
        match read {
            Ok(()) => {}
            Err(error) if error.kind().class() == ErrorClass::Truncated && facts.cut_off() => {}
            Err(error) => return Err(error),
        }
        match (stream_options, self.options) {
            (Some(StreamOptions::Patch(options)), None) => self.options = Some(options),
            (Some(StreamOptions::Patch(options)), Some(all)) => {
                self.options = Some(all.widened(Some(&options)));
            }
            _ => self.has_others |= facts.rows > 0,
        }
        Ok(())
    }

    /// Finds the order of the patches.
    fn link(&mut self, options: LogOptions, tolerant: bool, up_to: Option<&Version>) -> Result<()> {
        let rows: Vec<_> = (self.sources.iter())
            .map(|(source, facts)| SourceRow {
                name: source.name().map(|name| name.to_string().into()),
                patches: &facts.patches,
                left_out: facts.left_out.as_ref(),
                is_whole: !(facts.failed || facts.cut),
                // for a file that could not be read, the error is more specific
                size: source.size().filter(|_| !facts.failed),
                other_rows: facts.other_rows.as_deref(),
            })
            .collect();
        let folders: Vec<_> = (self.folders.iter())
            .map(|folder| {
                let files = folder.files.start.min(rows.len())..folder.files.end.min(rows.len());
                // files after a damaged one were not read
                let last = folder.last.filter(|_| files.end == folder.files.end);
                FolderRow { start: &folder.start, files, last, index: &folder.index }
            })
            .collect();
        let Ordered { mut order, mut before, certain, faults, by_name } =
            order(&rows, &folders, options.ignore_chain);
        let is_alone = rows.len() == 1 && folders.is_empty() && !options.ignore_chain;
        let mut begin = None;
        if is_alone {
            let log = self.logs.first().map_or(Head::default(), |(_, log)| log.head.clone());
            (before, begin) = (log.version, log.id);
        }
        let is_numbered = matches!(&folders[..], [folder] if folder.files == (0..rows.len()));
        let name = |source: usize| self.sources[source].0.name();
        let folder_name = || self.folders.first().map(|folder| folder.path.to_string_lossy().into());
        let mut problems = Vec::new();
        let mut error = None;
        for fault in faults {
            let source = fault.place.map_or_else(folder_name, |(source, _)| name(source));
            if tolerant {
                let facts = fault.place.and_then(|(source, patch)| rows[source].patches.get(patch));
                problems.push(Problem {
                    kind: fault.kind.slug(),
                    source,
                    patch: fault.place.map(|(_, patch)| patch as u64),
                    id: facts.and_then(|facts| facts.id.as_ref()).map(text),
                    message: fault.message,
                });
            } else if error.is_none() {
                let message = fault.text(options.fixed);
                let place = Position { source, ..Position::default() };
                error = Some(Error::new(fault.kind, message).located(&place));
            }
        }
        if error.is_some() {
            order.truncate(certain);
        }
        (self.order, self.before, self.begin, self.by_name) = (order, before, begin, by_name);
        self.problems.append(&mut problems);
        match error {
            // the fault is after the requested version
            Some(_) if is_numbered && self.has(up_to) => Ok(()),
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Number of versions after the base.
    pub fn versions(&self) -> u64 {
        self.order.len() as u64
    }

    /// The problems, if they were requested.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Options that fit all patches, if the format of a source has options.
    pub fn options(&self) -> Option<PatchOptions> {
        self.options.map(|options| if self.has_others { options.widened(None) } else { options })
    }

    /// The id of the patch that made a version.
    pub fn id(&self, version: u64) -> Option<&TermBuf> {
        self.facts(version)?.id.as_ref()
    }

    /// The id of the previous patch, as stated by the patch that made the version.
    pub fn prev(&self, version: u64) -> Option<&TermBuf> {
        self.facts(version)?.prev.as_ref()
    }

    /// The digest of the patch that made a version, if it was requested.
    pub(crate) fn digest(&self, version: u64) -> Option<[u8; 32]> {
        self.facts(version)?.digest
    }

    /// The source name and the 0-based patch of a version.
    pub(crate) fn place(&self, version: u64) -> (Option<Arc<str>>, u64) {
        let Some(&(source, patch)) = self.order.get((version as usize).wrapping_sub(1)) else {
            return (None, 0);
        };
        (self.sources[source].0.name(), patch as u64)
    }

    /// The number of the source and the 0-based patch of an existing version.
    pub(crate) fn spot(&self, version: u64) -> (usize, u64) {
        let (source, patch) = self.order[version as usize - 1];
        (source, patch as u64)
    }

    fn facts(&self, version: u64) -> Option<&Facts> {
        let &(source, patch) = self.order.get((version as usize).checked_sub(1)?)?;
        self.sources[source].1.patches.get(patch)
    }

    /// Whether a patch names blank nodes by the content of the state before it.
    pub(crate) fn speaks_content(&self, versions: Range<u64>) -> bool {
        versions.into_iter().any(|version| self.facts(version).is_some_and(|facts| facts.speaks_content))
    }

    /// The version before the first patch: 0, unless the folder begins later.
    pub fn before(&self) -> u64 {
        self.before
    }

    /// The names of sources in the order in which they are read, if only the names decided this order.
    pub fn by_name(&self) -> Vec<String> {
        let name = |(source, _): &(Again, SourceFacts)| source.name().unwrap_or_default().to_string();
        self.sources[self.by_name.clone()].iter().map(name).collect()
    }

    /// The number of patches up to a version.
    pub fn number(&self, version: &Version) -> Result<u64> {
        let ids = self.order.iter().map(|&(source, patch)| self.sources[source].1.patches[patch].id.as_ref());
        let of_folder = || self.folders.first()?.start.before()?.1;
        let begin = || of_folder().or(self.begin.as_ref());
        Versions { before: self.before, ids, prev: self.prev(1).or_else(begin) }.number(version)
    }

    fn begins_before(&self, rest: Option<&str>) -> bool {
        self.order.is_sorted() && precede(self.prev(1), rest)
    }

    fn has(&self, version: Option<&Version>) -> bool {
        version.is_some_and(|version| self.number(version).is_ok())
    }

    /// The number of committed and of aborted transactions.
    pub(crate) fn transactions(&self) -> (u64, u64) {
        let each = self.sources.iter().map(|(_, facts)| facts.transactions());
        each.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }

    /// Versions, without the base, as a range.
    pub(crate) fn all(&self) -> Range<u64> {
        1..self.versions() + 1
    }
}

fn text(id: &TermBuf) -> String {
    id.as_term().to_string()
}

/// Whether the source can be read, but its content is invalid.
fn is_of_the_data(error: &Error) -> bool {
    !matches!(error.kind().class(), ErrorClass::Io | ErrorClass::Argument | ErrorClass::Internal)
}
