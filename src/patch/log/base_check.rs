//! Checks whether a base fits the patches: it has the same labels, and is not empty if the log begins with a dataset.

use std::collections::BTreeMap;
use std::ops::Range;

use super::facts::Facts;
use super::folder::{Folder, Start, backup_base};
use super::{Head, Log};
use crate::blank::refuse_positions;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::io::Source;
use crate::open::OpenOptions;
use crate::patch::dataset::each_statement;
use crate::patch::work::Work;
use crate::sink::Statement;

/// Rejects bases with blank nodes that the patches cannot refer to.
#[derive(Clone, Copy)]
pub(crate) struct BaseCheck {
    /// Whether patches have content labels but no header with which the labels of another base can be found.
    needs_content: bool,
}

impl BaseCheck {
    /// Whether statements with positions are rejected.
    pub(crate) fn refuses_positions(self) -> bool {
        self.needs_content
    }

    /// Checks a statement of the base.
    ///
    /// # Errors
    /// `patch.labels`: it has a node without a label, which may be a node that the patches refer to.
    #[inline]
    pub(crate) fn statement(self, statement: &Statement<'_>) -> Result<()> {
        if self.needs_content { refuse_positions(statement).map_err(with_other_labels) } else { Ok(()) }
    }
}

#[cold]
fn with_other_labels(error: Error) -> Error {
    error.with_hint(
        "the patches have content labels; `jelly convert --blank-nodes content` gives the base content labels too",
    )
}

/// How a log begins that is on a server or in an object store.
#[derive(Default)]
pub struct Beginning {
    /// The version that its patches come after; the id may be known.
    pub head: Head,
    /// The dataset that it begins with, if it says so.
    pub dataset: Option<FirstDataset>,
    /// Where this dataset can be read, once.
    pub base: Option<(Source, OpenOptions)>,
}

/// The dataset that a log begins with, as the `base.json` of its folder or its server says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstDataset {
    /// The folder, or the address of the log.
    pub place: String,
    /// Statements of the dataset.
    pub statements: u64,
}

impl FirstDataset {
    /// Rejects an empty base, given the number of its statements.
    ///
    /// # Errors
    /// `patch.base`: the base has no statement.
    pub fn refuse_empty(&self, base: u64) -> Result<()> {
        if base > 0 {
            return Ok(());
        }
        let FirstDataset { place, statements } = self;
        let message =
            format!("the base is empty, but the log begins with a dataset of {statements} statements");
        let hint = "give this dataset as the base, or let `jelly log dataset` or `jelly restore` find it";
        Err(Error::new(ErrorKind::PatchBase, message).with_hint(hint).located(&place_of(place)))
    }
}

fn place_of(place: &str) -> Position {
    Position { source: Some(place.into()), ..Position::default() }
}

/// Whether a log with these sources is the beginning of all: it has the first patch, or it has no patches and
/// comes before.
fn is_first(sources: Range<usize>, first: Option<usize>) -> bool {
    let first = first.unwrap_or(0);
    sources.contains(&first) || sources.is_empty() && sources.start <= first
}

/// Finds the folder whose dataset a log begins with: its position, and the statements of the dataset.
///
/// `folders` are the ranges of their sources and how they begin; `first` is the source of the first patch.
pub(super) fn first_dataset<'a>(
    folders: impl Iterator<Item = (Range<usize>, &'a Start)>,
    first: Option<usize>,
) -> Option<(usize, u64)> {
    folders.enumerate().find_map(|(at, (files, start))| match start {
        Start::Base { statements: statements @ 1.., .. } if is_first(files, first) => Some((at, *statements)),
        _ => None,
    })
}

/// The options with which the own base of a log is read, given those for its patches.
fn of_base(options: OpenOptions) -> OpenOptions {
    OpenOptions { patch_format: None, ..options }
}

impl Log {
    /// The folder whose dataset the log begins with, and the statements of the dataset.
    fn first_folder(&self) -> Option<(&Folder, u64)> {
        if self.ignores_chain {
            return None;
        }
        let folders = self.folders.iter().map(|folder| (folder.files.clone(), &folder.start));
        let (at, statements) = first_dataset(folders, self.first_source())?;
        Some((&self.folders[at], statements))
    }

    /// The source of the first patch.
    fn first_source(&self) -> Option<usize> {
        self.order.first().map(|&(source, _)| source)
    }

    /// The position of the log elsewhere whose dataset this log begins with, and the dataset.
    fn first_log(&self) -> Option<(usize, &FirstDataset)> {
        if self.ignores_chain {
            return None;
        }
        self.logs.iter().enumerate().find_map(|(at, (source, log))| {
            let patches = self.sources[*source].1.patches.len().min(1);
            let dataset = log.dataset.as_ref().filter(|dataset| dataset.statements > 0)?;
            is_first(*source..source + patches, self.first_source()).then_some((at, dataset))
        })
    }

    /// The dataset that the log begins with; it has statements.
    pub(crate) fn first_dataset(&self) -> Option<FirstDataset> {
        if let Some((folder, statements)) = self.first_folder() {
            return Some(FirstDataset { place: folder.path.to_string_lossy().into(), statements });
        }
        self.first_log().map(|(_, dataset)| dataset.clone())
    }

    /// The dataset that the log begins with, which can be taken once, and how it is read.
    ///
    /// # Errors
    /// `patch.damaged`: the folder has no such file, or the log elsewhere does not give it. `patch.changed`: the log was
    /// compacted after it was read.
    pub(crate) fn own_base(&mut self) -> Result<Option<(Source, OpenOptions)>> {
        if let Some((at, FirstDataset { place, .. })) = self.first_log() {
            let place = place_of(place);
            let Some((source, options)) = self.logs[at].1.base.take() else {
                let message = "the dataset that the log begins with cannot be read";
                return Err(Error::new(ErrorKind::PatchDamaged, message).located(&place));
            };
            let mut options = of_base(options);
            options.decode.source = place.source;
            return Ok(Some((source, options)));
        }
        let Some((folder, _)) = self.first_folder() else { return Ok(None) };
        let base = backup_base(&folder.path)?;
        let is_same = |version, statements| (base.version, base.statements) == (version, statements);
        if !matches!(folder.start, Start::Base { version, statements, .. } if is_same(version, statements)) {
            return Err(Error::new(ErrorKind::PatchChanged, "the log was compacted while it was read")
                .located(&place_of(&folder.path.to_string_lossy())));
        }
        let path = folder.path.join(base.file);
        let mut options = of_base(folder.options.clone());
        options.decode.source = Some(path.to_string_lossy().into());
        Ok(Some((Source::Path(path), options)))
    }

    /// Rejects an empty base for the first version of a log that begins with a dataset.
    ///
    /// # Errors
    /// `patch.base`: the base has no statement, but the dataset has.
    pub(crate) fn refuse_empty_base(&self, versions: Range<u64>, base: u64) -> Result<()> {
        let dataset = self.first_dataset().filter(|_| versions.start == 1);
        dataset.map_or(Ok(()), |dataset| dataset.refuse_empty(base))
    }

    /// Reads the base of some versions: passes each statement to `take` and returns the prefixes.
    ///
    /// # Errors
    /// `patch.labels` and `patch.base`: the base does not fit these patches.
    pub(crate) fn each_of_base(
        &self,
        versions: Range<u64>,
        (source, options): (Source, &OpenOptions),
        work: &mut Work<'_>,
        mut take: impl FnMut(&Statement<'_>) -> Result<()>,
    ) -> Result<BTreeMap<String, String>> {
        work.phase("reading the base")?;
        let check = self.base_check(versions.clone());
        let mut statements = 0;
        let prefixes = each_statement(source, options, work, |statement| {
            statements += 1;
            check.statement(statement)?;
            take(statement)
        })?;
        self.refuse_empty_base(versions, statements)?;
        Ok(prefixes)
    }

    /// The check for each statement of the base of these patches.
    pub(crate) fn base_check(&self, versions: Range<u64>) -> BaseCheck {
        let needs = |facts: &Facts| facts.has_content_labels && !facts.speaks_content;
        BaseCheck {
            needs_content: versions.into_iter().any(|version| self.facts(version).is_some_and(needs)),
        }
    }
}
