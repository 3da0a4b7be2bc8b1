//! The parts of a log, as callers specify them.

use std::path::PathBuf;

use super::base_check::Beginning;
use super::folder::LogSources;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::open::OpenOptions;
use crate::patch::again::Again;

/// A part of a log, and how its patches are read.
pub enum LogPart {
    /// A source of patches.
    Source(Source, OpenOptions),
    /// The patches of a log elsewhere, and how it begins.
    After(Box<Beginning>, Source, OpenOptions),
    /// The files of a folder.
    Folder(PathBuf, OpenOptions),
}

/// The number of the part that a source belongs to, and its file if the part is a folder.
pub type Origin = (usize, Option<PathBuf>);

impl LogPart {
    /// Returns the source of this part.
    ///
    /// # Errors
    /// `argument`: the part is a folder or a part of a log.
    pub fn into_source(self) -> Result<Again> {
        match self {
            LogPart::Source(source, options) => Again::new(source, options),
            LogPart::After(..) | LogPart::Folder(..) => {
                let message =
                    "expected one source of patches, found a log or a folder; give its files one by one";
                Err(Error::new(ErrorKind::Argument, message))
            }
        }
    }
}

impl LogSources {
    /// Opens the parts of a log.
    pub fn open(parts: Vec<LogPart>) -> Result<Self> {
        Ok(Self::with_origins(parts, None)?.0)
    }

    /// Like [`Self::open`], and also returns the origin of each source. With `names`, the parts are files
    /// with these names from a stream, and the names decide their order.
    pub fn with_origins(
        mut parts: Vec<LogPart>,
        names: Option<&[Option<String>]>,
    ) -> Result<(Self, Vec<Origin>)> {
        for (part, name) in parts.iter_mut().zip(names.into_iter().flatten()) {
            if let LogPart::Source(_, options) = part {
                options.decode.source = name.as_deref().map(Into::into);
            }
        }
        let (mut log, mut origins) = (LogSources::default(), Vec::new());
        for (given, part) in parts.into_iter().enumerate() {
            let is_folder = matches!(part, LogPart::Folder(..));
            match part {
                LogPart::Source(source, options) => log.push(Again::new(source, options)?),
                LogPart::After(beginning, source, options) => {
                    log.push_after(*beginning, Again::new(source, options)?);
                }
                LogPart::Folder(path, options) => log.push_folder(&path, &options)?,
            }
            let paths = log.paths().skip(origins.len()).map(|path| path.filter(|_| is_folder));
            origins.extend(paths.map(|path| (given, path.map(PathBuf::from))).collect::<Vec<_>>());
        }
        if names.is_some() {
            origins = log.group().into_iter().map(|given| (given, None)).collect();
        }
        Ok((log, origins))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn bytes() -> LogPart {
        LogPart::Source(Source::Bytes(Arc::new(b"TX .\nTC .\n".to_vec())), OpenOptions::default())
    }

    #[test]
    fn each_source_has_an_origin() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["patch-0002", "patch-0001"] {
            std::fs::write(folder.path().join(name), "TX .\nTC .\n").unwrap();
        }
        let parts =
            || vec![bytes(), LogPart::Folder(folder.path().to_owned(), OpenOptions::default()), bytes()];
        let (_, origins) = LogSources::with_origins(parts(), None).unwrap();
        let file = |name: &str| (1, Some(folder.path().join(name)));
        assert_eq!(origins, [(0, None), file("patch-0001"), file("patch-0002"), (2, None)]);
        assert!(parts().swap_remove(1).into_source().is_err_and(|error| error.kind() == ErrorKind::Argument));
        assert!(bytes().into_source().is_ok());
    }

    #[test]
    fn names_say_the_order_of_files_of_a_stream() {
        let names = ["log/patch-0003", "log/patch-0001", "log/patch-0002"].map(|name| Some(name.to_owned()));
        let parts = vec![bytes(), bytes(), bytes()];
        let (_, origins) = LogSources::with_origins(parts, Some(&names)).unwrap();
        assert_eq!(origins, [(1, None), (2, None), (0, None)]);
    }
}
