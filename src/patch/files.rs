//! Operations on files: the file names select formats and compressions, and all other options have their
//! defaults.
//!
//! ```
//! use jelly_patch::patch::files;
//! # let folder = tempfile::tempdir()?;
//! # let [old, new, changes, again] = ["old.nq", "new.nq", "changes.jellyp", "again.nq"].map(|name| folder.path().join(name));
//! # std::fs::write(&old, "<urn:s> <urn:p> <urn:1> .\n")?;
//! # std::fs::write(&new, "<urn:s> <urn:p> <urn:2> .\n")?;
//! let compared = files::diff(&old, &new, &changes)?;
//! assert_eq!((compared.patch.added, compared.patch.deleted), (1, 1));
//! let applied = files::apply(&old, [&changes], &again)?;
//! assert_eq!(applied.statements, 1);
//! # assert_eq!(std::fs::read(&again)?, std::fs::read(&new)?);
//! # Ok::<(), jelly_patch::Error>(())
//! ```
//!
//! The functions outside this module take any source, options for each step, and a progress callback.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::apply::{Applied, ApplyOptions, ApplyTarget, Needs};
use super::diff::{Compared, DiffOptions};
use super::emit::{PatchOut, Patched};
use super::invert::InvertOptions;
use super::squash::SquashOptions;
use super::{Again, LogSources};
use crate::convert::{PatchTarget, RdfTarget};
use crate::create::{CreateOptions, RESTART_BYTES, WriteOptions, Writer};
use crate::error::Result;
use crate::format::{PatchFormat, RdfFormat, check_name};
use crate::io::{Output, OutputOptions, Source, Target, by_extension};
use crate::open::OpenOptions;

/// Lists the sources of a log: files of patches, and folders of such files.
///
/// # Errors
/// A folder has no patches, or cannot be read.
pub fn log(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Result<LogSources> {
    let mut sources = LogSources::default();
    for path in paths {
        let path = path.into();
        if path.is_dir() {
            sources.push_folder(&path, &OpenOptions::default())?;
        } else {
            sources.push(Again::new(Source::Path(path.clone()), named(&path))?);
        }
    }
    Ok(sources)
}

/// Applies the patches of a log to the dataset `base` and writes the last version to `dest`. The name of
/// `dest` selects the format; otherwise it is the format of the base.
///
/// # Errors
/// A file cannot be read or written, a file has another format, or the patches are not one log. Then `dest`
/// is not created.
pub fn apply(
    base: impl Into<PathBuf>,
    patches: impl IntoIterator<Item = impl Into<PathBuf>>,
    dest: impl Into<PathBuf>,
) -> Result<Applied> {
    let (base, dest) = (base.into(), dest.into());
    let name = name_of(&dest, false)?;
    let options = ApplyOptions { base: named(&base), ..ApplyOptions::default() };
    let make = |needs: &Needs| {
        let format = RdfFormat::of_file(&name).unwrap_or(needs.format());
        let namespaces = needs.prefixes.then_some(true);
        let create = CreateOptions { namespaces, restart_bytes: Some(RESTART_BYTES), ..Default::default() };
        let graphs = needs.graphs;
        let make = move |source: Option<&_>| create.rdf(format, None, source, graphs);
        Ok(ApplyTarget { target: RdfTarget::new(Box::new(make)), declares: Some(format) })
    };
    super::apply(Source::Path(base), log(patches)?, options, make, writer(dest)?, &mut |_| Ok(()))
}

/// Writes the patch that turns the dataset `old` into `new` to `dest`.
///
/// # Errors
/// A file cannot be read or written, or has another format. Then `dest` is not created.
pub fn diff(old: impl Into<PathBuf>, new: impl Into<PathBuf>, dest: impl Into<PathBuf>) -> Result<Compared> {
    let (old, new) = (old.into(), new.into());
    let options = DiffOptions { old: named(&old), prefixes: true, ..DiffOptions::default() };
    let new = Again::new(Source::Path(new.clone()), named(&new))?;
    super::diff(Source::Path(old), &new, options, PatchOut::create(dest)?, &mut |_| Ok(()))
}

/// Writes the patch that undoes all patches of a log to `dest`.
///
/// # Errors
/// The errors of [`apply`].
pub fn invert(
    patches: impl IntoIterator<Item = impl Into<PathBuf>>,
    dest: impl Into<PathBuf>,
) -> Result<Patched> {
    super::invert(log(patches)?, None, InvertOptions::default(), PatchOut::create(dest)?, &mut |_| Ok(()))
}

/// Writes one patch with the effect of all patches of a log to `dest`.
///
/// # Errors
/// The errors of [`apply`].
pub fn squash(
    patches: impl IntoIterator<Item = impl Into<PathBuf>>,
    dest: impl Into<PathBuf>,
) -> Result<Patched> {
    super::squash(log(patches)?, SquashOptions::default(), PatchOut::create(dest)?, &mut |_| Ok(()))
}

impl PatchOut {
    /// Creates an output with these options, for a file or another target.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn new(target: Target, options: WriteOptions) -> Result<Self> {
        let writer = Writer::new(Output::create(target, &options.output())?);
        let make = move |source: Option<&_>| options.patch_encoder(source);
        Ok(PatchOut { target: PatchTarget::new(Box::new(make)), writer })
    }

    /// Creates a temporary file of patches with these options. The file exists at once and is not flushed to
    /// disk.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn scratch(path: &Path, mut options: WriteOptions) -> Result<Self> {
        options.compression.get_or_insert_with(|| by_extension(path));
        PatchOut::new(Target::Writer(Box::new(File::create(path)?)), options)
    }

    /// Creates a file of patches, which appears when it is complete.
    ///
    /// # Errors
    /// The name has the extension of another format, or the file cannot be created.
    pub fn create(dest: impl Into<PathBuf>) -> Result<Self> {
        let dest = dest.into();
        let format = PatchFormat::of_file(&name_of(&dest, true)?).unwrap_or(PatchFormat::Jelly);
        let create = CreateOptions { restart_bytes: Some(RESTART_BYTES), ..CreateOptions::default() };
        let make = move |source: Option<&_>| create.patch(format, None, source);
        Ok(PatchOut { target: PatchTarget::new(Box::new(make)), writer: writer(dest)? })
    }
}

impl Needs {
    /// The format of a result if none is set: the format of the base, or a similar format that has graphs and
    /// can be written.
    pub fn format(&self) -> RdfFormat {
        match (self.format, self.graphs) {
            (RdfFormat::NTriples, true) => RdfFormat::NQuads,
            (RdfFormat::Turtle, true) => RdfFormat::TriG,
            (RdfFormat::RdfXml | RdfFormat::JsonLd, _) => RdfFormat::Jelly,
            (format, _) => format,
        }
    }
}

/// Options that give a file its name, for errors.
fn named(path: &Path) -> OpenOptions {
    let mut options = OpenOptions::default();
    options.decode.source = Some(path.to_string_lossy().into());
    options
}

/// The name of an output file; its extension must not belong to other data.
fn name_of(dest: &Path, is_patch: bool) -> Result<String> {
    let name = dest.to_string_lossy().into_owned();
    check_name(&name, is_patch)?;
    Ok(name)
}

fn writer(dest: PathBuf) -> Result<Writer> {
    Ok(Writer::new(Output::create(Target::Path(dest), &OutputOptions::default())?))
}
