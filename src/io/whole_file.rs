//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::aside::Aside;

/// A file that has another name, beginning with a dot, until it is whole. Dropped before, it is removed.
pub(crate) struct WholeFile {
    file: Aside,
    path: PathBuf,
}

impl WholeFile {
    /// Beside `path`, with the permissions of the file there, or those of any new file.
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

    /// All is written: makes it last, then visible, then makes the name last.
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

/// Not every system and file system can; then the rename is all there is.
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
