//! The order of patches whose facts somebody else collected, as Spark's workers do.

use std::collections::HashMap;
use std::path::Path;

use super::LogOptions;
use super::facts::SourceFacts;
use super::folder::Start;
use super::names::in_order;
use super::order::{FolderRow, IGNORE, Ordered, SourceRow, order, rests_on_names};
use super::replay::refused_content;
use super::version::{Version, Versions};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::io::local_path;
use crate::term::TermBuf;

/// What the rows of one patch say, without its changes.
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
    /// A transaction ends that did not begin.
    pub is_stray: bool,
    /// Something is committed, or stands outside of transactions.
    pub counts: bool,
    /// `A` rows less `D` rows, of those that count.
    pub net: i64,
}

/// The order of the patches of a log.
#[derive(Debug, Default)]
pub struct LogOrder {
    /// The patches of the versions, by their places in what was given.
    pub order: Vec<usize>,
    /// The version that the patches come after.
    pub before: u64,
    /// The sources in the order in which they are taken, where nothing but names decided it.
    pub by_name: Vec<String>,
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
}

/// Puts patches in the order of a log.
///
/// The patches can be given in any order. Sources in one folder are the files of a log that is kept there, of which none
/// may be missing: numbers in names, and the `base.json` or `log.json` of a folder of this machine, must agree with the
/// patches. `sources` are all sources, one by one, in the order in which they are taken instead.
pub fn order_log(
    patches: &[PatchFacts],
    sources: Option<&[String]>,
    options: LogOptions,
) -> Result<LogOrder> {
    let mut places: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
    for (place, patch) in patches.iter().enumerate() {
        places.entry(patch.source.as_deref()).or_default().push(place);
    }
    let names = places.keys().copied();
    let (names, folders) = match sources {
        Some(sources) => (as_given(names, sources)?, Vec::new()),
        None => by_folder(names),
    };
    let mut facts = Vec::with_capacity(names.len());
    for name in &names {
        let places = places.get_mut(name).map(std::mem::take).unwrap_or_default();
        let source = Collected::new(patches, places, options)?;
        if !options.ignore_chain {
            source.require_numbers(patches)?;
        }
        facts.push(source);
    }
    let rows: Vec<_> = (names.iter().zip(&facts))
        .map(|(name, source)| SourceRow {
            name: name.map(Into::into),
            patches: &source.facts.patches,
            is_whole: true,
        })
        .collect();
    let starts: Vec<_> = (folders.iter())
        .map(|(folder, files)| start_of(folder, names[files.clone()].iter().copied().flatten()))
        .collect();
    let folder_rows: Vec<_> = (folders.iter().zip(&starts))
        .map(|((_, files), start)| FolderRow { start, last: None, files: files.clone() })
        .collect();
    let Ordered { order, before, faults, by_name, .. } = order(&rows, &folder_rows, options.ignore_chain);
    if let Some(mut fault) = faults.into_iter().next() {
        let source = match fault.place {
            Some((source, _)) => names[source],
            None => {
                let is_damaged = |(_, start): &(_, &Start)| matches!(start, Start::Damaged(_));
                folders.iter().zip(&starts).find(is_damaged).map(|((folder, _), _)| folder.as_str())
            }
        };
        // the number that the patch has in its source
        let number = |(source, patch): (usize, usize)| patches[facts[source].places[patch]].patch as usize;
        fault.place = fault.place.map(|place| (place.0, number(place)));
        return Err(at(Error::new(fault.kind, fault.text(options.fixed)), source));
    }
    // of one folder, the numbers of its files may say the order
    let is_one = matches!(&folders[..], [(_, files)] if *files == (0..names.len()));
    let rests_on_names =
        if is_one { !by_name.is_empty() } else { order.is_sorted() && rests_on_names(&rows) };
    let by_name = if rests_on_names && sources.is_none() { &names[..] } else { &[] };
    let of = |&(source, patch): &(usize, usize)| &facts[source].facts.patches[patch];
    Ok(LogOrder {
        by_name: by_name.iter().map(|name| name.unwrap_or_default().to_owned()).collect(),
        ids: order.iter().map(|place| of(place).id.clone()).collect(),
        prev: order.first().and_then(|place| of(place).prev.clone()),
        order: order.into_iter().map(|(source, patch)| facts[source].places[patch]).collect(),
        before,
    })
}

/// The patches of one source.
struct Collected {
    facts: SourceFacts,
    /// Their places in what was given.
    places: Vec<usize>,
}

impl Collected {
    fn new(patches: &[PatchFacts], mut places: Vec<usize>, options: LogOptions) -> Result<Self> {
        places.sort_by_key(|&place| patches[place].patch);
        let mut facts = SourceFacts::new(options, false);
        for &place in &places {
            let patch = &patches[place];
            let found = facts.collected(patch).and_then(|()| match facts.patches.last() {
                Some(last) if last.speaks_content => Err(refused_content()),
                _ => Ok(()),
            });
            found.map_err(|error| {
                let message = format!("patch {}: {}", patch.patch, error.message());
                at(Error::new(error.kind(), message), patch.source.as_deref())
            })?;
        }
        facts.end();
        Ok(Collected { facts, places })
    }

    /// Refuses a source that lacks a patch between two others, where no `prev` says what the second one comes after: rows
    /// of the log were filtered away.
    fn require_numbers(&self, patches: &[PatchFacts]) -> Result<()> {
        for (number, pair) in self.places.windows(2).enumerate() {
            let (before, after) = (patches[pair[0]].patch, &patches[pair[1]]);
            if after.patch <= before + 1 || self.facts.patches[number + 1].prev.is_some() {
                continue;
            }
            let missing = match after.patch - before {
                2 => format!("patch {} of this source is", before + 1),
                _ => format!("patches {} to {} of this source are", before + 1, after.patch - 1),
            };
            let message = format!("patch {}: {missing} missing; {IGNORE}", after.patch);
            return Err(at(Error::new(ErrorKind::PatchGap, message), after.source.as_deref()));
        }
        Ok(())
    }
}

/// Names of sources in order, and where those of each folder are among them.
pub(super) type ByFolder<'a> = (Vec<Option<&'a str>>, Vec<(String, std::ops::Range<usize>)>);

/// The sources in the order of their names: one without a name first, then folder by folder.
pub(super) fn by_folder<'a>(names: impl Iterator<Item = Option<&'a str>>) -> ByFolder<'a> {
    let mut of_folders: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut sorted = Vec::new();
    for name in names {
        match name {
            None => sorted.push(None),
            Some(name) => of_folders.entry(folder_of(name)).or_default().push(name),
        }
    }
    let mut folders: Vec<_> = of_folders.into_iter().collect();
    in_order(&mut folders, |(folder, _)| folder);
    let mut ranges = Vec::with_capacity(folders.len());
    for (folder, mut files) in folders {
        in_order(&mut files, |name| name);
        ranges.push((folder.to_owned(), sorted.len()..sorted.len() + files.len()));
        sorted.extend(files.into_iter().map(Some));
    }
    (sorted, ranges)
}

/// The sources in the order of names that were given: whole names, or what they end with.
fn as_given<'a>(
    names: impl Iterator<Item = Option<&'a str>>,
    given: &[String],
) -> Result<Vec<Option<&'a str>>> {
    let refuse = |message| Err(Error::new(ErrorKind::Argument, message));
    let mut left: Vec<_> = names.collect();
    let mut sorted = Vec::with_capacity(left.len());
    for wanted in given {
        let is_it = |name: Option<&str>| {
            let rest = name.and_then(|name| name.strip_suffix(wanted.as_str()));
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', std::path::MAIN_SEPARATOR]))
        };
        let found: Vec<_> = (0..left.len()).filter(|&place| is_it(left[place])).collect();
        match found[..] {
            [place] => sorted.push(left.swap_remove(place)),
            [] => return refuse(format!("order names {wanted:?}, but no other source is called so")),
            _ => return refuse(format!("order names {wanted:?}, but {} sources end with it", found.len())),
        }
    }
    match left.iter().min() {
        None => Ok(sorted),
        Some(name) => refuse(format!(
            "order does not name {:?}: it says the place of each source",
            name.unwrap_or("the source without a name")
        )),
    }
}

fn folder_of(name: &str) -> &str {
    name.rfind(['/', std::path::MAIN_SEPARATOR]).map_or("", |end| &name[..end])
}

/// How the log of a folder begins, if this machine has one of its files.
fn start_of<'a>(folder: &str, mut files: impl Iterator<Item = &'a str>) -> Start {
    let local = |name: &str| local_path(Path::new(name)).ok();
    match local(folder) {
        Some(folder) if files.any(|name| local(name).is_some_and(|file| file.is_file())) => {
            Start::of_folder(&folder)
        }
        _ => Start::Anywhere,
    }
}

fn at(error: Error, source: Option<&str>) -> Error {
    error.located(&Position { source: source.map(Into::into), ..Position::default() })
}
