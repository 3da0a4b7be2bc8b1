//! The order of patches whose facts another program collected, such as Spark's workers.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use super::LogOptions;
use super::base_check::{FirstDataset, first_dataset};
use super::facts::{SourceFacts, identity};
use super::folder::Start;
use super::indexed::Indexed;
use super::names::{file_name, name_like};
use super::order::{FolderRow, IGNORE, Ordered, SourceRow, order, rests_on_names};
use super::replay::refused_content;
use super::sources::{as_given, by_folder, without_compacted};
use super::version::{Version, Versions, precede};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::io::{Source, local_path};
use crate::open::OpenOptions;
use crate::patch::again::Again;
use crate::patch::work::Work;
use crate::term::TermBuf;

/// Facts about one patch, without its changes.
#[derive(Clone, Debug, Default)]
pub struct PatchFacts {
    /// The name of its source.
    pub source: Option<String>,
    /// Its number in the source; the patches of a source are in the order of their numbers.
    pub patch: u64,
    /// Keys and values of its headers, in order. `id`, `prev`, `previous` and `statements` matter here.
    pub headers: Vec<(String, TermBuf)>,
    /// The first transaction that is neither committed nor aborted.
    pub unfinished: Option<u64>,
    /// Whether a transaction ends that did not begin.
    pub is_stray: bool,
    /// Whether a row is committed or outside transactions.
    pub counts: bool,
    /// Committed `A` rows minus committed `D` rows.
    pub net: i64,
}

/// The order of the patches of a log.
#[derive(Debug, Default)]
pub struct LogOrder {
    /// The patches of the versions, by their positions in the input.
    pub order: Vec<usize>,
    /// The version that the patches come after.
    pub before: u64,
    /// The sources in the order in which they are read, if only their names decided this order.
    pub by_name: Vec<String>,
    /// The dataset that the log begins with.
    pub dataset: Option<FirstDataset>,
    /// Whether the sources come one after the other.
    is_sorted: bool,
    ids: Vec<Option<TermBuf>>,
    prev: Option<TermBuf>,
}

impl LogOrder {
    /// The number of a version.
    pub fn number(&self, version: &Version) -> Result<u64> {
        let ids = self.ids.iter().map(Option::as_ref);
        let versions = Versions { before: self.before, ids, prev: self.prev.as_ref() };
        Ok(self.before + versions.number(version)?)
    }

    fn begins_before(&self, rest: Option<&str>) -> bool {
        self.is_sorted && precede(self.prev.as_ref(), rest)
    }
}

/// Facts about a log in addition to its patches.
#[derive(Clone, Debug, Default)]
pub struct LogContext {
    /// All sources in order, instead of the order of their names.
    pub sources: Option<Vec<String>>,
    /// The version to make; errors after it do not matter.
    pub up_to: Option<Version>,
    /// The bytes of `base.json` and `log.json` of remote folders.
    pub manifests: HashMap<String, [Option<Vec<u8>>; 2]>,
}

/// Puts patches in the order of a log.
///
/// The patches can be given in any order. Sources in one folder are the files of the log in this folder, and
/// none may be missing: the numbers in their names, and the `base.json` or `log.json` of the folder, must
/// agree with the patches.
pub fn order_log(patches: &[PatchFacts], context: &LogContext, options: LogOptions) -> Result<LogOrder> {
    let mut places: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
    for (place, patch) in patches.iter().enumerate() {
        places.entry(patch.source.as_deref()).or_default().push(place);
    }
    let names = places.keys().copied();
    let (names, folders) = match &context.sources {
        Some(sources) => (as_given(names, sources)?, Vec::new()),
        None => without_compacted(by_folder(names), context),
    };
    let mut facts = Vec::with_capacity(names.len());
    let mut broken = None;
    for (number, name) in names.iter().enumerate() {
        let places = places.get_mut(name).map(std::mem::take).unwrap_or_default();
        let (source, fault) = OneSource::new(patches, places, options);
        facts.push(source);
        if let Some((error, id)) = fault {
            broken = Some((error, id.filter(|_| number + 1 == names.len())));
            break;
        }
    }
    let found = linked(patches, &names, &folders, &facts, context, options);
    let Some((error, id)) = broken else { return found };
    let is_enough = |log: &LogOrder| {
        log.begins_before(id.as_deref())
            && context.up_to.as_ref().is_some_and(|version| log.number(version).is_ok())
    };
    match found {
        Ok(log) if is_enough(&log) => Ok(log),
        _ => Err(error),
    }
}

/// The order of the patches of sources; sources at the end may be missing.
fn linked(
    patches: &[PatchFacts],
    names: &[Option<&str>],
    folders: &[(String, Range<usize>)],
    facts: &[OneSource],
    context: &LogContext,
    options: LogOptions,
) -> Result<LogOrder> {
    let known: Vec<_> = (folders.iter())
        .map(|(folder, files)| {
            let files = names[files.clone()].iter().copied().flatten();
            Beside::of(folder, files, context.manifests.get(folder))
        })
        .collect();
    let mut other_rows = vec![None; names.len()];
    for ((_, files), beside) in folders.iter().zip(&known) {
        for at in files.clone().filter(|&at| facts.get(at).is_some_and(|source| source.is_whole)) {
            other_rows[at] = names[at].map(|name| beside.other_rows(name)).transpose()?.flatten();
        }
    }
    let rows: Vec<_> = (names.iter().zip(facts).zip(&other_rows))
        .map(|((name, source), other_rows)| SourceRow {
            name: name.map(Into::into),
            patches: &source.facts.patches,
            left_out: source.facts.left_out.as_ref(),
            is_whole: source.is_whole,
            size: name.and_then(size_of).filter(|_| source.is_whole),
            other_rows: other_rows.as_deref(),
        })
        .collect();
    let folder_rows: Vec<_> = (folders.iter().zip(&known))
        .map(|((_, files), beside)| {
            let end = files.end.min(rows.len());
            let last = beside.last.filter(|_| end == files.end);
            FolderRow { start: beside.start(), last, index: &beside.index, files: files.start.min(end)..end }
        })
        .collect();
    let Ordered { mut order, before, certain, faults, by_name } =
        order(&rows, &folder_rows, options.ignore_chain);
    let is_one = matches!(&folder_rows[..], [folder] if folder.files == (0..rows.len()));
    let fault = faults.into_iter().next();
    if fault.is_some() {
        order.truncate(certain);
    }
    let of = |&(source, patch): &(usize, usize)| &facts[source].facts.patches[patch];
    let starts = folder_rows.iter().map(|folder| (folder.files.clone(), folder.start));
    let first = first_dataset(starts, order.first().map(|&(source, _)| source));
    let dataset = first.filter(|_| !options.ignore_chain).map(|(at, statements)| {
        let folder = folders[at].0.clone();
        FirstDataset { place: folder, statements }
    });
    let mut log = LogOrder {
        by_name: Vec::new(),
        dataset,
        ids: order.iter().map(|place| of(place).id.clone()).collect(),
        prev: order.first().and_then(|place| of(place).prev.clone()),
        is_sorted: order.is_sorted(),
        order: order.iter().map(|&(source, patch)| facts[source].places[patch]).collect(),
        before,
    };
    let has_wanted = context.up_to.as_ref().is_some_and(|version| log.number(version).is_ok());
    let is_behind = is_one && has_wanted;
    if let Some(mut fault) = fault.filter(|_| !is_behind) {
        let source = match fault.place {
            Some((source, _)) => names[source],
            None => {
                let is_damaged = |(_, beside): &(_, &Beside)| matches!(beside.start(), Start::Damaged(_));
                folders.iter().zip(&known).find(is_damaged).map(|((folder, _), _)| folder.as_str())
            }
        };
        // the number of the patch in its source
        let number = |(source, patch): (usize, usize)| patches[facts[source].places[patch]].patch as usize;
        fault.place = fault.place.map(|place| (place.0, number(place)));
        return Err(at(Error::new(fault.kind, fault.text(options.fixed)), source));
    }
    // for a single folder, the numbers of its files may decide the order
    let rests_on_names = if is_one { !by_name.is_empty() } else { log.is_sorted && rests_on_names(&rows) };
    if rests_on_names && context.sources.is_none() {
        log.by_name = names.iter().map(|name| name.unwrap_or_default().to_owned()).collect();
    }
    Ok(log)
}

/// The patches of one source.
struct OneSource {
    facts: SourceFacts,
    /// Their places in the input.
    places: Vec<usize>,
    is_whole: bool,
}

/// The fault of a patch, and the id of the patch.
type Broken = (Error, Option<String>);

impl OneSource {
    /// The patches before the first patch that is invalid or that follows a gap.
    fn new(patches: &[PatchFacts], mut places: Vec<usize>, options: LogOptions) -> (Self, Option<Broken>) {
        places.sort_by_key(|&place| patches[place].patch);
        let mut facts = SourceFacts::new(options, false);
        let mut before = None;
        let mut broken = None;
        for &place in &places {
            let patch = &patches[place];
            let count = facts.patches.len();
            let found = facts.collected(patch).and_then(|()| match facts.patches.last() {
                Some(last) if last.speaks_content => Err(refused_content()),
                Some(last) if !options.ignore_chain && last.prev.is_none() => joins(before, patch.patch),
                _ => Ok(()),
            });
            if let Err(error) = found {
                let hint =
                    if error.kind() == ErrorKind::PatchGap { format!("; {IGNORE}") } else { String::new() };
                let message = format!("patch {}: {}{hint}", patch.patch, error.message());
                let error = at(Error::new(error.kind(), message), patch.source.as_deref());
                let id = facts
                    .patches
                    .get(count)
                    .map_or_else(|| facts.open_id(), |patch| patch.id.as_ref().map(identity));
                facts.patches.truncate(count);
                broken = Some((error, id));
                break;
            }
            before = Some(patch.patch);
        }
        if broken.is_none() {
            facts.end();
        }
        (OneSource { facts, places, is_whole: broken.is_none() }, broken)
    }
}

/// Rejects rows of a source that lack a patch between two others. `numbers` has the number of each patch, and
/// whether the patch names the one before it.
pub fn refuse_hole(source: Option<&str>, mut numbers: Vec<(u64, bool)>) -> Result<()> {
    numbers.sort_unstable();
    for pair in numbers.windows(2).filter(|pair| !pair[1].1) {
        joins(Some(pair[0].0), pair[1].0).map_err(|error| {
            at(Error::new(error.kind(), format!("patch {}: {}", pair[1].0, error.message())), source)
        })?;
    }
    Ok(())
}

/// Rejects a patch without a `prev` that does not directly follow the previous patch in its source, because
/// rows of the log were filtered out.
fn joins(before: Option<u64>, number: u64) -> Result<()> {
    let Some(before) = before.filter(|before| number > before + 1) else { return Ok(()) };
    let missing = match number - before {
        2 => format!("patch {} of this source is", before + 1),
        _ => format!("patches {} to {} of this source are", before + 1, number - 1),
    };
    Err(Error::new(ErrorKind::PatchGap, format!("{missing} missing")))
}

/// Facts about a folder in addition to its patches: from the folder itself if it is local and has one of the
/// files, or from its manifests.
#[derive(Default)]
struct Beside {
    start: Option<Start>,
    /// The last version that its index knows and that is lost.
    last: Option<u64>,
    index: Indexed,
}

impl Beside {
    fn of<'a>(
        folder: &str,
        files: impl Iterator<Item = &'a str> + Clone,
        manifests: Option<&[Option<Vec<u8>>; 2]>,
    ) -> Self {
        if let Some(manifests) = manifests {
            return Beside { start: Some(Start::of_manifests(manifests)), ..Beside::default() };
        }
        let last = files.clone().last().map(file_name);
        match local_path(Path::new(folder)) {
            // if no file is left, the base of the folder has replaced all of them
            Ok(folder) if last.is_none() || files.clone().any(|name| size_of(name).is_some()) => {
                let index = Indexed::of(&folder);
                // a caller may read only the first files of a log; files that exist are not lost
                let is_lost = |&number: &u64| {
                    let other = last.or_else(|| index.name(number)).unwrap_or_default();
                    !folder.join(name_like(number, other)).exists()
                };
                let last = index.last().filter(is_lost);
                Beside { start: Some(Start::of_folder(&folder)), last, index }
            }
            _ => Beside::default(),
        }
    }

    /// The fault in the rows of a local file, according to the index.
    fn other_rows(&self, name: &str) -> Result<Option<String>> {
        let Ok(path) = local_path(Path::new(name)) else { return Ok(None) };
        let source = Again::new(Source::Path(path), OpenOptions::default())?;
        self.index.other_rows(&source, false, &mut Work::new(&mut |_| Ok(())))
    }

    fn start(&self) -> &Start {
        self.start.as_ref().unwrap_or(&Start::Anywhere)
    }
}

/// The size of a source in bytes, if it is a local file.
fn size_of(name: &str) -> Option<u64> {
    let meta = local_path(Path::new(name)).ok()?.metadata().ok()?;
    meta.is_file().then_some(meta.len())
}

fn at(error: Error, source: Option<&str>) -> Error {
    error.located(&Position { source: source.map(Into::into), ..Position::default() })
}
