//! Orders the sources of collected patches: folder by folder, or as the caller names them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::collected::LogContext;
use super::folder::Start;
use super::names::{file_name, in_order};
use crate::error::{Error, ErrorKind, Result};
use crate::io::local_path;

/// Names of sources in order, and the range of each folder among them.
pub(super) type ByFolder<'a> = (Vec<Option<&'a str>>, Vec<(String, Range<usize>)>);

/// Orders the sources by name: first a source without a name, then folder by folder. A local folder is one
/// folder, however its path is written.
pub(super) fn by_folder<'a>(names: impl Iterator<Item = Option<&'a str>>) -> ByFolder<'a> {
    let mut spelled: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut sorted = Vec::new();
    for name in names {
        match name {
            None => sorted.push(None),
            Some(name) => spelled.entry(folder_of(name)).or_default().push(name),
        }
    }
    let mut of_folders: HashMap<PathBuf, (String, Vec<&str>)> = HashMap::new();
    for (folder, mut files) in spelled {
        let (path, place) = same_folder(folder);
        of_folders.entry(place).or_insert_with(|| (path, Vec::new())).1.append(&mut files);
    }
    let mut folders: Vec<_> = of_folders.into_values().collect();
    in_order(&mut folders, |(folder, _)| folder);
    let mut ranges = Vec::with_capacity(folders.len());
    for (folder, mut files) in folders {
        in_order(&mut files, |name| file_name(name));
        ranges.push((folder, sorted.len()..sorted.len() + files.len()));
        sorted.extend(files.into_iter().map(Some));
    }
    (sorted, ranges)
}

/// The sources without those that the base of a compacted log replaces.
pub(super) fn without_compacted<'a>((names, folders): ByFolder<'a>, context: &LogContext) -> ByFolder<'a> {
    let mut left: Vec<_> = names.iter().copied().take_while(Option::is_none).collect();
    let ranges = folders.into_iter().map(|(folder, files)| {
        let start = match context.manifests.get(&folder) {
            Some(manifests) => Start::of_manifests(manifests),
            None => {
                local_path(Path::new(&folder)).map_or(Start::Anywhere, |folder| Start::of_folder(&folder))
            }
        };
        let first = left.len();
        let named = names[files].iter().copied().flatten();
        left.extend(named.filter(|name| !start.has_compacted(file_name(name))).map(Some));
        (folder, first..left.len())
    });
    let ranges = ranges.collect();
    (left, ranges)
}

/// A folder in a uniform spelling, and the value by which it is compared: for a local folder, the path
/// without links.
fn same_folder(folder: &str) -> (String, PathBuf) {
    let Ok(local) = local_path(Path::new(folder)) else { return (folder.to_owned(), folder.into()) };
    let written: PathBuf = local.components().collect();
    let place = if written.as_os_str().is_empty() { Path::new(".") } else { &written };
    let place = place.canonicalize().unwrap_or_else(|_| written.clone());
    (written.to_string_lossy().into_owned(), place)
}

/// Orders the sources by given names: whole names, or their ends.
pub(super) fn as_given<'a>(
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
            [] => return refuse(format!("order names {wanted:?}, but no other source has this name")),
            _ => {
                return refuse(format!(
                    "order names {wanted:?}, but the names of {} sources end with it",
                    found.len()
                ));
            }
        }
    }
    match left.iter().min() {
        None => Ok(sorted),
        Some(name) => refuse(format!(
            "order does not name {:?}; it must name each source",
            name.unwrap_or("the source without a name")
        )),
    }
}

fn folder_of(name: &str) -> &str {
    name.rfind(['/', std::path::MAIN_SEPARATOR]).map_or("", |end| &name[..end.max(1)])
}
