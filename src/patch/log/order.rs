//! The order and the numbers of the versions of a log, and their faults: the only place with these rules, for
//! files, folders, backups, replicas and tables.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::chain::{Chain, Link, chain};
use super::facts::{Facts, identity};
use super::folder::Start;
use super::indexed::{INDEX, Indexed};
use super::names::{file_name, name_like, number_in};
use crate::error::ErrorKind;
use crate::term::TermBuf;

/// Facts about a source without its changes.
pub(super) struct SourceRow<'a> {
    pub(super) name: Option<Cow<'a, str>>,
    pub(super) patches: &'a [Facts],
    /// A last patch that is left out, because a crash left nothing of it.
    pub(super) left_out: Option<&'a Facts>,
    /// Whether no part of it is missing because of damage or a cut.
    pub(super) is_whole: bool,
    /// Size of its file in bytes, if known.
    pub(super) size: Option<u64>,
    /// The fault in its rows, according to the index of its folder.
    pub(super) other_rows: Option<&'a str>,
}

/// A folder of sources in the order of their names.
pub(super) struct FolderRow<'a> {
    pub(super) start: &'a Start,
    /// The last version in the index of the folder.
    pub(super) last: Option<u64>,
    /// The index entries for the files.
    pub(super) index: &'a Indexed,
    /// The range of its sources.
    pub(super) files: Range<usize>,
}

/// A fault in the order of a log.
#[derive(Debug)]
pub(super) struct OrderFault {
    /// The source and the 0-based patch, where the fault has a place.
    pub(super) place: Option<(usize, usize)>,
    pub(super) kind: ErrorKind,
    pub(super) message: String,
    /// For a folder, what remains of its files. Otherwise ids are at fault, and [`IGNORE`] may help.
    pub(super) hint: Option<String>,
}

impl OrderFault {
    /// The fault as an error message.
    pub(super) fn text(&self, is_fixed: bool) -> String {
        match (self.place, &self.hint) {
            (Some((_, patch)), None) if is_fixed => format!("patch {patch}: {}", self.message),
            (Some((_, patch)), None) => format!("patch {patch}: {}; {IGNORE}", self.message),
            (_, Some(hint)) => format!("{}; {hint}", self.message),
            (None, None) => self.message.clone(),
        }
    }
}

/// The hint for a broken chain.
pub(super) const IGNORE: &str = "chain=\"ignore\" applies the patches in the given order";

/// The order of a log.
#[derive(Debug, Default)]
pub(super) struct Ordered {
    /// Source and 0-based patch of each version.
    pub(super) order: Vec<(usize, usize)>,
    /// The version before the first patch.
    pub(super) before: u64,
    /// Number of patches at the start of `order` that are certain, even if others are wrong.
    pub(super) certain: usize,
    pub(super) faults: Vec<OrderFault>,
    /// Sources whose order was decided only by their names: files of folders without `prev` and without
    /// `patch-0001`.
    pub(super) by_name: Range<usize>,
}

/// Finds the order of the patches: as given, unless a `prev` contradicts it.
pub(super) fn order(sources: &[SourceRow<'_>], folders: &[FolderRow<'_>], ignore_chain: bool) -> Ordered {
    let given: Vec<(usize, usize)> = (sources.iter().enumerate())
        .flat_map(|(source, row)| (0..row.patches.len()).map(move |patch| (source, patch)))
        .collect();
    if ignore_chain {
        return Ordered { certain: given.len(), order: given, ..Ordered::default() };
    }
    let mut found = Ordered { certain: given.len(), ..Ordered::default() };
    for folder in folders {
        Numbers { sources, folder }.check(&mut found);
    }
    if let [folder] = folders
        && (folder.files == (0..sources.len()))
    {
        found.before = version_before(sources, folder);
    }
    // in a folder, a `prev` that leads nowhere means a missing file
    let has_gap = found.faults.iter().any(|fault| fault.kind == ErrorKind::PatchGap);
    let facts = |&(source, patch): &(usize, usize)| &sources[source].patches[patch];
    let links: Vec<_> = (given.iter().map(facts))
        .map(|facts| Link { id: facts.id.as_ref(), prev: facts.prev.as_ref() })
        .collect();
    let left_out = sources.iter().filter_map(|row| row.left_out?.id.as_ref());
    let Chain { order, faults, certain } = chain(&links, &left_out.map(identity).collect());
    found.certain = found.certain.min(certain);
    follows_nothing(sources, &given, &mut found);
    for fault in faults.into_iter().filter(|fault| !(has_gap && fault.kind == ErrorKind::PatchGap)) {
        let place = Some(given[fault.patch]);
        found.faults.push(OrderFault { place, kind: fault.kind, message: fault.message, hint: None });
    }
    found.order = order.into_iter().map(|place| given[place]).collect();
    if !found.faults.is_empty() {
        // a patch is certain only if its name and its `prev` give it the same place
        let agreed = found.order.iter().zip(&given).take_while(|(chained, given)| chained == given).count();
        found.certain = found.certain.min(agreed);
        found.order = given;
    }
    // if the chain moved patches, it has the place of each
    if found.order.is_sorted()
        && let Some(folder) = folders.iter().find(|folder| is_by_name(&sources[folder.files.clone()]))
    {
        found.by_name = folder.files.clone();
    }
    for folder in folders {
        Numbers { sources, folder }.check_order(&mut found);
    }
    found.hint();
    found
}

impl Ordered {
    /// Adds to the faults of files what remains.
    fn hint(&mut self) {
        let left = restorable(self.before, self.before + self.certain as u64);
        for hint in
            self.faults.iter_mut().filter_map(|fault| fault.hint.as_mut()).filter(|hint| hint.is_empty())
        {
            hint.clone_from(&left);
        }
    }
}

/// Describes the versions of an incomplete log that can be restored.
pub(super) fn restorable(first: u64, last: u64) -> String {
    if first == last {
        format!("version {last} can be restored: --version {last}")
    } else {
        format!("versions {first} to {last} can be restored: --version {last}")
    }
}

/// Rejects a patch that comes after a patch that is left out and that no source has whole, if no `prev` states
/// the places of both.
fn follows_nothing(sources: &[SourceRow<'_>], given: &[(usize, usize)], found: &mut Ordered) {
    if sources.iter().all(|row| row.left_out.is_none()) {
        return;
    }
    let states_place = |patch: &Facts| patch.prev.is_some();
    let id = |patch: &Facts| patch.id.as_ref().map(identity);
    let whole: HashSet<_> = sources.iter().flat_map(|row| row.patches).filter_map(id).collect();
    let is_lost = |lost: &Facts| !states_place(lost) && id(lost).is_none_or(|id| !whole.contains(&id));
    let Some(lost) = sources.iter().position(|row| row.left_out.is_some_and(is_lost)) else { return };
    let follows =
        |&(source, patch): &(usize, usize)| source > lost && !states_place(&sources[source].patches[patch]);
    let Some(at) = given.iter().position(follows) else { return };
    let place = Some(given[at]);
    let before =
        sources[lost].name.as_deref().map_or("a patch".to_owned(), |name| file_name(name).to_owned());
    let message = format!("this patch comes after {before}, which is left out because it is unfinished");
    found.certain = found.certain.min(at);
    found.faults.push(OrderFault { place, kind: ErrorKind::PatchGap, message, hint: None });
}

fn version_before(sources: &[SourceRow<'_>], folder: &FolderRow<'_>) -> u64 {
    if let Some((version, _)) = folder.start.before() {
        return version;
    }
    let files = &sources[folder.files.clone()];
    let first = files.first().and_then(number_of);
    let all = files.iter().all(|file| number_of(file).is_some());
    first.filter(|_| all).map_or(0, |first| first.saturating_sub(1))
}

/// Whether only names decide the order of the files of a folder.
fn is_by_name(files: &[SourceRow<'_>]) -> bool {
    files.iter().any(|file| number_of(file).is_none()) && rests_on_names(files)
}

/// Whether a source after the first one does not state what precedes it.
pub(super) fn rests_on_names(sources: &[SourceRow<'_>]) -> bool {
    sources.iter().skip(1).filter_map(|source| source.patches.first()).any(|patch| patch.prev.is_none())
}

fn file_of<'a>(source: &'a SourceRow<'_>) -> &'a str {
    file_name(source.name.as_deref().unwrap_or_default())
}

fn number_of(source: &SourceRow<'_>) -> Option<u64> {
    number_in(file_of(source))
}

/// The rules for a folder with `patch-0001`, `patch-0002` and so on.
struct Numbers<'a> {
    sources: &'a [SourceRow<'a>],
    folder: &'a FolderRow<'a>,
}

impl Numbers<'_> {
    fn check(&self, found: &mut Ordered) {
        if let Start::Damaged(message) = self.folder.start {
            found.certain = 0;
            let hint = Some("the patches can be read one by one, as files".to_owned());
            let kind = ErrorKind::PatchDamaged;
            found.faults.push(OrderFault { place: None, kind, message: message.clone(), hint });
            return;
        }
        let start = self.folder.start.before();
        let mut before: Option<(u64, Option<&TermBuf>)> = start;
        let mut statements = match self.folder.start {
            Start::Base { statements, .. } => Some(*statements),
            _ => None,
        };
        for at in self.folder.files.clone() {
            let source = &self.sources[at];
            let Some(number) = number_of(source) else {
                if start.is_some() {
                    let message = format!(
                        "{}: expected a name such as patch-0001, as the other files of this log have",
                        file_of(source)
                    );
                    self.fault(found, at, ErrorKind::PatchDamaged, message);
                }
                before = None;
                continue;
            };
            let joins = self.check_neighbour(found, at, number, before, start.is_some());
            let changed = |size| self.folder.index.fault(number, file_of(source), size);
            let other_rows = || source.other_rows.map(str::to_owned);
            if let Some(message) = source.size.and_then(changed).or_else(other_rows) {
                self.fault(found, at, ErrorKind::PatchDamaged, message);
            }
            let has_none = source.patches.is_empty() && source.left_out.is_none();
            if source.is_whole && (has_none || start.is_some() && source.patches.len() > 1) {
                let message = other_count(file_of(source), source.patches.len());
                self.fault(found, at, ErrorKind::PatchDamaged, message);
            }
            if joins && start.is_some() {
                statements = self.check_count(found, at, statements);
            }
            before = Some((number, source.patches.last().and_then(|patch| patch.id.as_ref())));
        }
        if let (Some(last), Some((number, _))) = (self.folder.last, before)
            && last > number
        {
            self.lost_end(found, number, last);
        }
    }

    /// Handles versions in the index after the last file.
    fn lost_end(&self, found: &mut Ordered, number: u64, last: u64) {
        let files = &self.sources[self.folder.files.clone()];
        let others =
            if last == number + 1 { String::new() } else { format!(" and {} more", last - number - 1) };
        let missing = name_like(number + 1, files.last().map_or("patch-0001.jellyp", file_of));
        let message = format!(
            "{missing}{others} is missing: {INDEX} records versions up to {last}; if it was removed on \
             purpose, remove {INDEX} too"
        );
        let before: usize = files.iter().map(|source| source.patches.len()).sum();
        let place = (!files.is_empty()).then(|| (self.folder.files.end - 1, 0));
        found.certain = found.certain.min(self.folder.files.start + before);
        let hint = Some(String::new());
        found.faults.push(OrderFault { place, kind: ErrorKind::PatchGap, message, hint });
    }

    /// Checks that a file directly follows the previous one.
    fn check_neighbour(
        &self,
        found: &mut Ordered,
        at: usize,
        number: u64,
        before: Option<(u64, Option<&TermBuf>)>,
        is_strict: bool,
    ) -> bool {
        let Some((last, id)) = before else { return true };
        let source = &self.sources[at];
        let is_first = at == self.folder.files.start;
        let prev = source.patches.first().and_then(|patch| patch.prev.as_ref());
        let is_named = |prev: &TermBuf| id.is_some_and(|id| identity(id) == identity(prev));
        let name = file_of(source);
        if number == last + 1 {
            if !(is_first && is_strict) || prev.is_none_or(is_named) {
                return true;
            }
            let what = prev.map(|prev| prev.as_term().to_string()).unwrap_or_default();
            let message = format!(
                "{name} comes after {what}, but the log does not begin with {what}: the patch before {name} is missing"
            );
            self.fault(found, at, ErrorKind::PatchGap, message);
        } else if !is_strict && prev.is_some_and(is_named) {
            return true;
        } else if number <= last && is_first {
            let message = format!("{name} is older than version {last}, with which the log begins");
            self.fault(found, at, ErrorKind::PatchDamaged, message);
        } else if number <= last {
            let message =
                format!("two files have the number {number}: {} and {name}", file_of(&self.sources[at - 1]));
            self.fault(found, at, ErrorKind::PatchFork, message);
        } else {
            let missing = name_like(last + 1, name);
            let others =
                if number == last + 2 { String::new() } else { format!(" and {} more", number - last - 2) };
            let before =
                if is_first { format!("version {last}") } else { file_of(&self.sources[at - 1]).to_owned() };
            let message = format!("{missing}{others} is missing: after {before} comes {name}");
            self.fault(found, at, ErrorKind::PatchGap, message);
        }
        false
    }

    /// Checks the number of statements of the dataset after a patch: it must follow from the number before
    /// and the changes of the patch.
    fn check_count(&self, found: &mut Ordered, at: usize, before: Option<u64>) -> Option<u64> {
        let source = &self.sources[at];
        let [patch] = source.patches else { return None };
        let after = patch.statements?;
        if let Some(before) = before
            && before.checked_add_signed(patch.net) != Some(after)
        {
            let message = format!(
                "{} should lead to {after} statements, but the {before} statements before it and its changes give {}",
                file_of(source),
                i128::from(before) + i128::from(patch.net),
            );
            self.fault(found, at, ErrorKind::PatchDamaged, message);
        }
        Some(after)
    }

    /// Checks that the numbers of the files and the order of the chain agree, if the numbers are the
    /// versions.
    fn check_order(&self, found: &mut Ordered) {
        let mine = |place: &&(usize, usize)| self.folder.files.contains(&place.0);
        let places: Vec<_> = found.order.iter().filter(mine).copied().collect();
        if self.folder.start.before().is_none() || places.is_sorted() || !found.faults.is_empty() {
            return;
        }
        let moved =
            (places.windows(2)).find_map(|pair| (pair[0] > pair[1]).then_some((pair[1].0, pair[0].0)));
        let Some((at, after)) = moved else { return };
        let names = [at, after].map(|at| file_of(&self.sources[at]).to_owned());
        let message =
            format!("{} comes after {} by its prev, but before it by its number", names[0], names[1]);
        self.fault(found, at, ErrorKind::PatchDamaged, message);
    }

    fn fault(&self, found: &mut Ordered, at: usize, kind: ErrorKind, message: String) {
        let before: usize = self.sources[..at].iter().map(|source| source.patches.len()).sum();
        found.certain = found.certain.min(before);
        found.faults.push(OrderFault { place: Some((at, 0)), kind, message, hint: Some(String::new()) });
    }
}

/// The fault of a file whose number is a version, but which does not have one patch.
pub(super) fn other_count(file: &str, patches: usize) -> String {
    format!("{file} has {patches} patches; expected one")
}

/// Finds the faults of the files of a folder, from their names and the facts about their patches.
pub(super) fn check_files(
    sources: &[SourceRow<'_>],
    start: &Start,
    index: &Indexed,
) -> Result<(), OrderFault> {
    let folder = FolderRow { start, last: index.last(), index, files: 0..sources.len() };
    let mut found =
        Ordered { before: version_before(sources, &folder), certain: sources.len(), ..Ordered::default() };
    Numbers { sources, folder: &folder }.check(&mut found);
    found.hint();
    found.faults.into_iter().next().map_or(Ok(()), Err)
}
