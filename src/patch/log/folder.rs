//! Folders of patches: their files, and how their logs begin.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::indexed::{INDEX, Indexed, hex_digest};
use super::manifest::{self, Base};
use super::names::{holds_patches, in_order, number_in, shifted};
use super::sources::by_folder;
use super::{Beginning, Log, Problem, is_of_the_data};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::io::{Source, local_path};
use crate::open::OpenOptions;
use crate::patch::again::Again;
use crate::term::TermBuf;

/// How the log of a folder begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Unknown: it can begin at any version.
    Anywhere,
    /// With version 1, as `log.json` says.
    Empty,
    /// After the base of a backup, as `base.json` says.
    Base { version: u64, id: Option<TermBuf>, statements: u64, is_compacted: bool },
    /// A manifest is damaged; the reason.
    Damaged(String),
}

impl Start {
    /// Finds how the log of a distant folder begins from the bytes of its `base.json` and `log.json`. In an
    /// object store, `log.json` describes the base.
    pub(crate) fn of_manifests([base, log]: &[Option<Vec<u8>>; 2]) -> Self {
        let found = match (base, log) {
            (Some(base), _) => manifest::base(base).map(Start::from),
            (None, Some(log)) => manifest::log(log).map(|base| base.map_or(Start::Empty, Start::from)),
            (None, None) => Ok(Start::Anywhere),
        };
        found.unwrap_or_else(Start::Damaged)
    }

    /// Finds how the log of a local folder begins.
    pub(crate) fn of_folder(folder: &Path) -> Self {
        if manifest::read(folder, manifest::BASE) != Ok(None) {
            let damaged = |error: Error| Start::Damaged(error.message().to_owned());
            return backup_base(folder).map_or_else(damaged, Start::from);
        }
        match manifest::read(folder, manifest::LOG) {
            Ok(None) => Start::Anywhere,
            Ok(Some(log)) => manifest::check_log(&log).map_or_else(Start::Damaged, |()| Start::Empty),
            Err(fault) => Start::Damaged(fault),
        }
    }

    /// Whether the base of a compacted log contains the changes of this file in its folder.
    pub(super) fn has_compacted(&self, file: &str) -> bool {
        match self {
            Start::Base { version, is_compacted: true, .. } => {
                number_in(file).is_some_and(|number| number <= *version)
            }
            _ => false,
        }
    }

    /// The version before the first patch and, if known, the id of the patch that made it.
    pub(crate) fn before(&self) -> Option<(u64, Option<&TermBuf>)> {
        match self {
            Start::Anywhere | Start::Damaged(_) => None,
            Start::Empty => Some((0, None)),
            Start::Base { version, id, .. } => Some((*version, id.as_ref())),
        }
    }
}

impl From<Base> for Start {
    fn from(base: Base) -> Self {
        let Base { version, id, statements, is_compacted, .. } = base;
        Start::Base { version, id, statements, is_compacted }
    }
}

/// The files of a folder that hold patches of its log, in order. A broken link is included and cannot be
/// read. Files that the base of a compacted log replaces are left out.
pub fn patch_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in folder.read_dir().map_err(|error| at(folder, error.into()))? {
        let path = entry.map_err(|error| at(folder, error.into()))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_file = path.metadata().map_or_else(|_| path.is_symlink(), |meta| meta.is_file());
        if is_file {
            found.push((name, path));
        }
    }
    let shifts = found.iter().filter_map(|(name, _)| shifted(name));
    let before: HashSet<String> = shifts.map(|(before, _)| before.to_owned()).collect();
    found.retain(|(name, _)| holds_patches(name) || before.contains(name) && !name.starts_with(['.', '_']));
    // a damaged one is reported when the log is read
    let start = Start::of_manifests(&[manifest::read(folder, manifest::BASE).unwrap_or(None), None]);
    found.retain(|(name, _)| !start.has_compacted(name));
    in_order(&mut found, |(name, _)| name);
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Reads a folder, and reads it again if its log was compacted meanwhile: old files do not match a new base.
pub(super) fn steadily<T>(folder: &Path, mut look: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        let before = manifest::read(folder, manifest::BASE);
        let found = look();
        if manifest::read(folder, manifest::BASE) == before {
            return found;
        }
    }
}

/// Reads the beginning of a backup. It is an error if the folder has no `base.json`, or if `base.json` does
/// not match the folder.
pub fn backup_base(folder: &Path) -> Result<Base> {
    let damaged = |message: String| at(folder, Error::new(ErrorKind::PatchDamaged, message));
    let bytes = manifest::read(folder, manifest::BASE).map_err(damaged)?;
    let bytes = bytes.ok_or_else(|| damaged(format!("{} is missing", manifest::BASE)))?;
    let base = manifest::base(&bytes).map_err(damaged)?;
    if !folder.join(&base.file).is_file() {
        let message = format!("the base {} is missing, so no version can be restored", base.file);
        return Err(damaged(message));
    }
    Ok(base)
}

/// Rejects a file that is in the place of the base of a log: a `base.json` beside it names it, but has the
/// digest of another file. Other faults are reported when the log is read.
///
/// # Errors
/// `patch.damaged`: it is another file. Reading failed.
pub fn refuse_other_base(file: &Path) -> Result<()> {
    let Ok(base) = backup_base(file.parent().unwrap_or(file)) else { return Ok(()) };
    let Some(digest) = base.digest.filter(|_| file.ends_with(&base.file)) else { return Ok(()) };
    let (mut bytes, mut buffer, mut hash) = (File::open(file)?, vec![0; 64 << 10], Sha256::new());
    loop {
        match bytes.read(&mut buffer)? {
            0 => break,
            size => hash.update(&buffer[..size]),
        }
    }
    if hex_digest(hash.finalize().into()) == digest {
        return Ok(());
    }
    let message = format!("{} is not the file that {} has the digest of", base.file, manifest::BASE);
    Err(at(file, Error::new(ErrorKind::PatchDamaged, message)))
}

/// Prevents a result from replacing a file of a log or backup, and from being written beside its files under
/// a name that would make it part of the log. `folder` is the folder of a log that is read. Without it, the
/// folder of the result is checked, which has a log if its `base.json` or `log.json` says so.
///
/// # Errors
/// `argument`: the result would be such a file.
pub fn refuse_own_file(dest: &Path, folder: Option<&Path>) -> Result<()> {
    let parent = match dest.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Some(name) = dest.file_name().map(|name| name.to_string_lossy().into_owned()) else { return Ok(()) };
    let has_log =
        |folder: &Path| [manifest::BASE, manifest::LOG].iter().any(|name| folder.join(name).exists());
    let is_log = match folder {
        Some(folder) => match (folder.canonicalize(), parent.canonicalize()) {
            (Ok(folder), Ok(parent)) => folder == parent && folder.is_dir(),
            _ => false,
        },
        None => has_log(parent),
    };
    if !is_log {
        return Ok(());
    }
    let is_own = [manifest::BASE, manifest::LOG, INDEX].contains(&name.as_str())
        || backup_base(parent).is_ok_and(|base| base.file == name)
        || holds_patches(&name)
        || patch_files(parent)?.iter().any(|file| file.file_name() == dest.file_name());
    if is_own {
        let message = format!(
            "{}: the result would become a file of the log in {}; choose another name or folder",
            dest.display(),
            parent.display()
        );
        return Err(Error::new(ErrorKind::Argument, message));
    }
    Ok(())
}

fn at(folder: &Path, error: Error) -> Error {
    error.located(&Position { source: Some(folder.to_string_lossy().into()), ..Position::default() })
}

impl Log {
    /// The faults of files that are in the places of bases.
    pub(crate) fn other_bases(&self) -> Result<Vec<Problem>> {
        let mut problems = Vec::new();
        for folder in &self.folders {
            let Ok(base) = backup_base(&folder.path) else { continue };
            match refuse_other_base(&folder.path.join(&base.file)) {
                Err(error) if is_of_the_data(&error) => problems.push(Problem {
                    kind: error.kind().slug(),
                    source: error.position().source.clone(),
                    patch: None,
                    id: None,
                    message: error.message().to_owned(),
                }),
                checked => checked?,
            }
        }
        Ok(problems)
    }
}

/// The sources of a log, in the given order; the files of a folder in the order of their names.
#[derive(Default)]
pub struct LogSources {
    pub(super) sources: Vec<Again>,
    pub(super) folders: Vec<Folder>,
    /// The sources that are logs elsewhere, and how they begin.
    pub(super) logs: Vec<(usize, Beginning)>,
}

/// A folder among the sources of a log.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    pub(super) start: Start,
    /// How its files are read.
    pub(super) options: OpenOptions,
    /// The last version in its index.
    pub(super) last: Option<u64>,
    /// The entries of its index.
    pub(super) index: Indexed,
    /// The range of its sources.
    pub(super) files: Range<usize>,
}

impl LogSources {
    /// Adds a source.
    pub fn push(&mut self, source: Again) {
        self.sources.push(source);
    }

    /// Adds the patches of a log elsewhere. Their numbers matter only if there is no other source.
    pub fn push_after(&mut self, beginning: Beginning, source: Again) {
        self.logs.push((self.sources.len(), beginning));
        self.sources.push(source);
    }

    /// Adds the files of a folder, which are read with `options`.
    pub fn push_folder(&mut self, folder: &Path, options: &OpenOptions) -> Result<()> {
        let (index, files, start) = steadily(folder, || {
            // before the files: a publisher creates the file first, and then its line
            Ok((Indexed::of(folder), patch_files(folder)?, Start::of_folder(folder)))
        })?;
        if files.is_empty() && start == Start::Anywhere {
            let message =
                format!("{}: the folder has no patches, such as patch-0001 or 1.rdfp", folder.display());
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let first = self.sources.len();
        for path in files {
            let mut options = options.clone();
            options.decode.source = Some(path.to_string_lossy().into());
            self.sources.push(Again::new(Source::Path(path), options)?);
        }
        let files = first..self.sources.len();
        let (path, options, last) = (folder.to_owned(), options.clone(), index.last());
        self.folders.push(Folder { path, start, options, last, index, files });
        Ok(())
    }
}

impl LogSources {
    /// Treats the sources as files of a stream that are a part of a log. They are put in the order of their
    /// names, and no file of a folder may be missing between others. Returns the previous place of each
    /// source.
    pub fn group(&mut self) -> Vec<usize> {
        let names: Vec<_> = self.sources.iter().map(Again::name).collect();
        let (sorted, folders) = by_folder(names.iter().map(Option::as_deref));
        let places: HashMap<_, _> =
            sorted.iter().enumerate().map(|(place, name)| (name.map(str::to_owned), place)).collect();
        let mut placed: Vec<_> = (std::mem::take(&mut self.sources).into_iter().zip(&names).enumerate())
            .map(|(was, (source, name))| (places[&name.as_deref().map(str::to_owned)], was, source))
            .collect();
        placed.sort_by_key(|&(place, was, _)| (place, was));
        self.folders = (folders.into_iter())
            .map(|(path, files)| {
                let index = local_path(Path::new(&path)).map(|path| Indexed::of(&path)).unwrap_or_default();
                let options = OpenOptions::default();
                Folder { path: path.into(), start: Start::Anywhere, options, last: None, index, files }
            })
            .collect();
        let (order, sources) = placed.into_iter().map(|(_, was, source)| (was, source)).unzip();
        self.sources = sources;
        order
    }

    /// The path of each source, if the source is a file.
    pub fn paths(&self) -> impl Iterator<Item = Option<&Path>> {
        self.sources.iter().map(Again::path)
    }
}

impl From<Vec<Again>> for LogSources {
    fn from(sources: Vec<Again>) -> Self {
        LogSources { sources, ..LogSources::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::{manifest, steadily};

    #[test]
    fn a_folder_that_is_compacted_meanwhile_is_looked_at_again() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join(manifest::BASE);
        let mut looks = 0;
        let found = steadily(folder.path(), || {
            looks += 1;
            if looks < 3 {
                std::fs::write(&base, [looks]).unwrap();
            }
            Ok(looks)
        });
        assert_eq!(found.unwrap(), 3);
    }
}
