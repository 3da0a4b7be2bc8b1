//! Finds the end of the log of a folder without reading the whole log.

use std::path::Path;

use super::facts::{Facts, SourceFacts, identity};
use super::folder::{Start, patch_files, steadily};
use super::indexed::Indexed;
use super::names::{file_name, number_in};
use super::order::{SourceRow, check_files, other_count};
use super::{Log, LogOptions, LogSources};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::io::Source;
use crate::open::OpenOptions;
use crate::patch::again::Again;
use crate::patch::work::{Watch, Work};
use crate::term::TermBuf;

/// The end of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The number of the last patch; without patches, the version that the log begins after.
    pub version: u64,
    /// The id of the patch that made the version.
    pub id: Option<TermBuf>,
}

/// Finds the last version of a folder with the files `patch-0001`, `patch-0002` and so on, of which none may
/// be missing. Reads only the last two files if the last file does not match the index, and the files beside
/// a missing number. Reads all files if the last one may not follow the one before it.
pub fn head(folder: &Path, watch: Watch<'_>) -> Result<Head> {
    let mut work = Work::new(watch);
    steadily(folder, || find(folder, &mut work))
}

fn find(folder: &Path, work: &mut Work<'_>) -> Result<Head> {
    // before the files: a publisher creates the file first, and then its line
    let index = Indexed::end_of(folder);
    let files = patch_files(folder)?;
    let start = Start::of_folder(folder);
    let names: Vec<String> = files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let number = |at: usize| number_in(&files.get(at)?.file_name()?.to_string_lossy());
    let mut facts = Vec::with_capacity(files.len());
    // the first file is compared with the start of the log
    let end = files.last().filter(|_| files.len() > 1).and_then(|file| index.patch(file));
    for at in 0..files.len() {
        let is_last = at + 1 == files.len();
        let is_beside_end = at + 2 == files.len() && end.is_none();
        let follows = |one: usize| number(one).and_then(|one| one.checked_add(1)) == number(one + 1);
        let is_beside_gap = at > 0 && !follows(at - 1) || !is_last && !follows(at);
        facts.push(if let (true, false, Some((id, size))) = (is_last, is_beside_gap, &end) {
            let mut facts = Facts::default();
            facts.id.clone_from(id);
            (vec![facts], Some(*size))
        } else if is_last || is_beside_end || is_beside_gap {
            read(&files[at], work)?
        } else {
            (vec![Facts::default()], None)
        });
    }
    let rows: Vec<_> = (names.iter().zip(&facts))
        .map(|(name, (patches, size))| SourceRow {
            name: Some(name.into()),
            patches,
            left_out: None,
            is_whole: true,
            size: *size,
            other_rows: None, // its time matches the index, or it was read
        })
        .collect();
    check_files(&rows, &start, &index).map_err(|fault| {
        let source =
            fault.place.map_or_else(|| folder.to_string_lossy().into(), |(at, _)| names[at].as_str().into());
        let place = Position { source: Some(source), ..Position::default() };
        Error::new(fault.kind, fault.text(false)).located(&place)
    })?;
    if let Some(at) = facts.iter().position(|(patches, _)| patches.len() > 1) {
        let message = other_count(file_name(&names[at]), facts[at].0.len());
        let hint = "the number of a file is the version of its patch; `jelly apply` and other commands that take patches read such files";
        let place = Position { source: Some(names[at].as_str().into()), ..Position::default() };
        return Err(Error::new(ErrorKind::PatchDamaged, message).with_hint(hint).located(&place));
    }
    if let [.., (before, _), (last, _)] = &facts[..]
        && end.is_none()
        && is_doubtful(before.last(), last.first())
    {
        let mut sources = LogSources::default();
        sources.push_folder(folder, &OpenOptions::default())?;
        let options = LogOptions { takes_positions: true, fixed: true, ..LogOptions::default() };
        Log::open(sources, options, work)?;
    }
    let before = start.before().map(|(version, id)| Head { version, id: id.cloned() }).unwrap_or_default();
    Ok(match files.len().checked_sub(1).and_then(number) {
        Some(version) => {
            Head { version, id: facts.last().and_then(|(patches, _)| patches.last()?.id.clone()) }
        }
        None => before,
    })
}

/// Whether the last patch may not follow the one before it, because it may be a copy of another patch.
fn is_doubtful(before: Option<&Facts>, last: Option<&Facts>) -> bool {
    let (Some(before), Some(last)) = (before, last) else { return true };
    match (&before.id, &last.id, &last.prev) {
        (Some(before), Some(_), Some(prev)) => identity(prev) != identity(before),
        // without a prev, only all ids show that it is new
        (before, id, prev) => before.is_some() || id.is_some() || prev.is_some(),
    }
}

/// Reads the patches of a file and its size in bytes.
fn read(file: &Path, work: &mut Work<'_>) -> Result<(Vec<Facts>, Option<u64>)> {
    let mut options = OpenOptions::default();
    options.decode.source = Some(file.to_string_lossy().into());
    let source = Again::new(Source::Path(file.to_path_buf()), options)?;
    let mut facts = SourceFacts::new(LogOptions::default(), true);
    Log::default().scan_source(&source, &mut facts, work)?;
    Ok((facts.patches, source.size()))
}
