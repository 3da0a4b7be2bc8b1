//! Files and folders with temporary names until they are complete, and the removal of those that killed
//! processes left behind.
//!
//! The process that works on such a file holds a lock on it, which the system releases when the process ends
//! for any reason. A file that can be locked is therefore a leftover.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const START: &str = ".jelly-";
const DIGITS: usize = 16;
const END: &str = ".tmp";
/// Maximum number of folders that are remembered as cleaned.
const REMEMBERED: usize = 1000;

/// A file or folder that is removed when this value is dropped, or by the next process if this process is
/// killed.
pub struct Aside {
    path: PathBuf,
    /// The locked file or folder.
    handle: File,
    is_folder: bool,
}

impl Aside {
    /// Creates an empty file in `folder`, with the permissions of any new file.
    pub fn file(folder: &Path) -> io::Result<Self> {
        Aside::create(folder, false)
    }

    /// Creates an empty folder in `folder`.
    pub fn folder(folder: &Path) -> io::Result<Self> {
        Aside::create(folder, true)
    }

    fn create(folder: &Path, is_folder: bool) -> io::Result<Self> {
        sweep_once(folder);
        loop {
            let number = RandomState::new().build_hasher().finish();
            let path = folder.join(format!("{START}{number:0DIGITS$x}{END}"));
            let handle = match make(&path, is_folder) {
                Ok(Some(handle)) => handle,
                Ok(None) => continue,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            // without locks there is no cleaning
            let is_taken = matches!(handle.try_lock(), Err(TryLockError::WouldBlock));
            if !is_taken && is_at(&handle, &path) {
                return Ok(Aside { path, handle, is_folder });
            }
        }
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open file.
    pub fn handle(&mut self) -> &mut File {
        &mut self.handle
    }

    /// Renames the file to its final name.
    pub fn rename(mut self, to: &Path) -> io::Result<()> {
        fs::rename(&self.path, to)?;
        self.path = PathBuf::new();
        Ok(())
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if self.path.as_os_str().is_empty() {
            return;
        }
        // if it cannot be removed now, it is removed later
        let _ = remove(&self.path, self.is_folder);
    }
}

/// Creates and opens it; `None`: another process removed it as a leftover before it could be locked.
fn make(path: &Path, is_folder: bool) -> io::Result<Option<File>> {
    if !is_folder {
        return File::options().read(true).write(true).create_new(true).open(path).map(Some);
    }
    fs::create_dir(path)?;
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some),
    }
}

fn remove(path: &Path, is_folder: bool) -> io::Result<()> {
    if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// Removes what killed processes left in a folder, when this process first writes there.
fn sweep_once(folder: &Path) {
    static SWEPT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let Ok(folder) = fs::canonicalize(folder) else { return };
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let swept = swept.get_or_insert_default();
    if swept.len() >= REMEMBERED {
        swept.clear();
    }
    if swept.insert(folder.clone()) {
        sweep(&folder);
    }
}

/// Removes what killed processes left in a folder. Entries that cannot be read or removed stay.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(is_name);
        let Ok(kind) = entry.file_type() else { continue };
        if !is_ours || !(kind.is_file() || kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        let Ok(handle) = File::open(&path) else { continue };
        if handle.try_lock().is_ok() && is_at(&handle, &path) {
            let _ = remove(&path, kind.is_dir());
        }
    }
}

fn is_name(name: &str) -> bool {
    let digits = name.strip_prefix(START).and_then(|rest| rest.strip_suffix(END));
    digits.is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether a path still is the file that was opened: its process may have renamed or removed it.
#[cfg(unix)]
fn is_at(handle: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let facts = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (handle.metadata(), fs::symlink_metadata(path)) {
        (Ok(opened), Ok(there)) => facts(opened) == facts(there),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dead_are_swept_and_the_living_stay() {
        let folder = tempfile::tempdir().unwrap();
        let names = || {
            let entries = fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            names.sort();
            names
        };
        let dead = [".jelly-0123456789abcdef.tmp", ".jelly-fedcba9876543210.tmp"]
            .map(|name| folder.path().join(name));
        fs::write(&dead[0], "half").unwrap();
        fs::create_dir(&dead[1]).unwrap();
        fs::write(dead[1].join("x.nt"), "half").unwrap();
        let others = [".jelly-0123456789abcdef.tmp.jellyindex", ".jelly-0123.tmp", "x.nt"];
        for name in others {
            fs::write(folder.path().join(name), "kept").unwrap();
        }
        let (file, work) = (Aside::file(folder.path()).unwrap(), Aside::folder(folder.path()).unwrap());
        assert_eq!(names().len(), 2 + others.len());
        sweep(folder.path());
        assert!(file.path().is_file() && work.path().is_dir());
        let to = folder.path().join("to.nt");
        file.rename(&to).unwrap();
        drop(work);
        sweep(folder.path());
        assert!(to.is_file());
        assert_eq!(names().len(), 1 + others.len());
    }
}
