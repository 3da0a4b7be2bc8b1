//! Files that appear complete or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::aside::Aside;

/// A file with a temporary name, which begins with a dot, until it is complete. If dropped before, it is
/// removed.
pub(crate) struct WholeFile {
    file: Aside,
    path: PathBuf,
}

impl WholeFile {
    /// Creates the file beside `path`, with the permissions of the existing file, or those of any new file.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        // the file that a link points to is replaced, not the link
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let existing = fs::metadata(&path).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "a folder with this name exists"));
        }
        if path.file_name().is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a file name"));
        }
        let mut file = Aside::file(folder(&path))?;
        if let Some(existing) = existing {
            file.handle().set_permissions(existing.permissions())?;
        }
        Ok(WholeFile { file, path })
    }

    /// Ends the file: syncs its bytes, renames it, and syncs its name.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.handle().sync_all()?;
        self.file.rename(&self.path)?;
        sync_folder(folder(&self.path))
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.handle().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.handle().flush()
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Syncs a folder. Not every system and file system supports this; then only the rename is done.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let Ok(folder) = File::open(folder) else {
        return Ok(());
    };
    match folder.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        synced => synced,
    }
}
