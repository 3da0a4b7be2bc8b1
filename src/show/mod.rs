//! Shows changes to people: grouped by subject, with blank nodes and lists shown where they belong.
//!
//! The rows of a patch and, if available, the dataset before it are gathered. Blocks are built from them, one
//! for each subject, and written in one of the output formats. If not all subjects fit, those with the most
//! important changes are shown, and the rest is counted.

mod asked;
mod block;
mod build;
mod gathered;
mod html;
mod index;
mod json;
mod lists;
mod markdown;
mod names;
mod options;
mod owners;
mod pages;
mod summary;
mod text;

use std::cmp::Reverse;

use asked::{Asked, Wanted};
use block::Entry;
use build::Builder;
use gathered::{Gathered, Mark, Side};
pub use html::STYLE;
use names::Names;
pub use options::{Form, ShowOptions};
use owners::Owners;
use pages::Page;
use summary::Summary;

use crate::convert::PatchTarget;
use crate::create::{CreateOptions, Writer};
use crate::decode::DecodeOptions;
use crate::error::Result;
use crate::format::PatchFormat;
use crate::io::{Output, OutputOptions, SharedFile, Source, Target};
use crate::limits::Limits;
use crate::open::OpenOptions;
use crate::options::values::Values;
use crate::patch::{
    Again, Compared, DiffOptions, Log, LogOptions, LogSources, NodeCounts, PatchOut, Version, Watch, Work,
};

/// The counts of what was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// `A` rows with an effect.
    pub added: u64,
    /// `D` rows with an effect.
    pub deleted: u64,
    /// Number of changed prefixes.
    pub prefixes: u64,
    /// Numbers of changed, gone and new subjects.
    pub subjects: [u64; 3],
    /// Numbers of changed, gone and new subjects that are not shown.
    pub left_out: [u64; 3],
}

/// The patches of a log to show.
pub struct Selection {
    /// How the log is read.
    pub log: LogOptions,
    /// Only the changes after the first version and up to the second one; `None`: all changes.
    pub between: Option<(Version, Version)>,
}

impl Selection {
    /// Creates the selection from option values.
    ///
    /// # Errors
    /// `argument`: a version is invalid.
    pub fn of(values: &Values) -> Result<Self> {
        let between = Version::given(values, "from_version")?.zip(Version::given(values, "to_version")?);
        Ok(Selection { log: LogOptions::of(values), between })
    }
}

/// Shows the changes of patches.
///
/// With the dataset before the patches, rows without effect are left out, and nested blank nodes and labels
/// are shown. Without it, only the content of the rows is shown.
pub fn show(
    patches: LogSources,
    base: Option<&Again>,
    selection: &Selection,
    options: &ShowOptions,
    out: Output,
    watch: Watch<'_>,
) -> Result<Shown> {
    let mut work = Work::new(watch);
    let to = selection.between.as_ref().map(|(_, to)| to);
    let log = Log::open_up_to(patches, selection.log, to, &mut work)?;
    let versions = match &selection.between {
        None => log.all(),
        Some((from, to)) => log.number(from)? + 1..log.number(to)? + 1,
    };
    let gathered = Gathered::new(&log, versions, base, false, options, &mut work)?;
    write(gathered, options, None, out, &mut work)
}

/// Shows the differences between two datasets. The numbers of blank nodes are those of
/// [`diff`](crate::patch::diff).
pub fn show_diff(
    old: Source,
    new: &Again,
    mut diff: DiffOptions,
    options: &ShowOptions,
    out: Output,
    watch: Watch<'_>,
) -> Result<(Shown, Compared)> {
    let old = Again::new(old, diff.old.clone())?;
    let read = old.options.clone();
    diff.names_as_read = true;
    let file = tempfile::tempfile()?;
    let target = Target::Writer(Box::new(file.try_clone()?));
    let limits = read.decode.limits;
    let patch = rows_to(Output::create(target, &OutputOptions::default())?, limits.clone());
    let compared = crate::patch::diff(old.source(), new, diff, patch, watch)?;
    let mut work = Work::new(watch);
    let source = Source::File(SharedFile::new(Box::new(file))?);
    let decode = DecodeOptions { limits, ..DecodeOptions::default() };
    let format = Some(PatchFormat::Jelly);
    let mut patches = LogSources::default();
    patches.push(Again::new(source, OpenOptions { patch_format: format, decode, ..OpenOptions::default() })?);
    let takes = LogOptions { takes_positions: true, ..LogOptions::default() };
    let log = Log::open(patches, takes, &mut work)?;
    let gathered = Gathered::new(&log, log.all(), Some(&old), true, options, &mut work)?;
    let shown = write(gathered, options, Some(compared.nodes), out, &mut work)?;
    Ok((shown, compared))
}

/// Creates an output that writes rows as Jelly-Patch.
fn rows_to(out: Output, limits: Limits) -> PatchOut {
    let create = CreateOptions { limits, ..CreateOptions::default() };
    let make = move |source: Option<&_>| create.patch(PatchFormat::Jelly, None, source);
    PatchOut { target: PatchTarget::new(Box::new(make)), writer: Writer::new(out) }
}

/// Writes the gathered changes.
fn write(
    mut gathered: Gathered,
    options: &ShowOptions,
    nodes: Option<NodeCounts>,
    out: Output,
    work: &mut Work<'_>,
) -> Result<Shown> {
    work.phase("showing the changes")?;
    let names = Names::new(&gathered.prefixes);
    let asked = Asked::of(options, &names)?;
    let owners = Owners::new(&gathered);
    let summary = Summary::new(&mut gathered, &names, &owners, options, nodes)?;
    let mut shown = Shown {
        added: summary.totals.added,
        deleted: summary.totals.deleted,
        prefixes: summary.prefixes.len() as u64,
        subjects: summary.subjects,
        left_out: [0; 3],
    };
    let mut page = Page::begin(options, &names, &summary, out)?;
    let keys = if options.summary_only {
        Vec::new()
    } else {
        wanted(&mut gathered, &names, &owners, options, &asked)?
    };
    let mut builder = Builder::new(&mut gathered, &names, &owners, options);
    for (done, key) in keys.into_iter().enumerate() {
        if done.is_multiple_of(256) {
            work.wrote(done as u64)?;
        }
        if page.is_full() {
            page.leave_out(builder.mark_of(key)?);
        } else if let Some(block) = builder.block(key)?
            && !block.is_empty()
            && has_predicate(&block.entries, &asked.predicates)
        {
            page.take(block)?;
        }
    }
    if page.is_empty()
        && !options.summary_only
        && let Some(line) = nothing(&mut gathered, &names, &asked)?
    {
        page.say(line);
    }
    shown.left_out = page.finish()?;
    Ok(shown)
}

/// The reason why nothing of the requested changes is shown. Users often request a class with the option for
/// its instances.
fn nothing(gathered: &mut Gathered, names: &Names, asked: &Asked) -> Result<Option<String>> {
    if [&asked.subjects, &asked.classes, &asked.predicates].iter().all(|wanted| wanted.is_all()) {
        return Ok(None);
    }
    let mut line = "No change matches the filters.".to_owned();
    let keys: Vec<u128> = gathered.subjects.keys().copied().collect();
    for key in keys.into_iter().filter(|_| !asked.classes.is_all()) {
        if let Some(class) = gathered.term_of(key)?.filter(|term| asked.classes.has(term)) {
            let class = names.term(&class);
            line = format!(
                "No subject of the class {class} changed. The class itself changed: --subject {class} shows how."
            );
        }
    }
    Ok(Some(line))
}

/// The subjects to show, the most important first; for JSON in their original order.
fn wanted(
    gathered: &mut Gathered,
    names: &Names,
    owners: &Owners,
    options: &ShowOptions,
    asked: &Asked,
) -> Result<Vec<u128>> {
    let subjects = gathered.subjects.iter().map(|(&key, one)| {
        let rows = one.added + one.deleted;
        let meaning = (Reverse(one.weight), Reverse(rows), one.place);
        let in_order = (gathered.mark(one), one.place);
        (key, meaning, in_order)
    });
    let nodes = owners.roots.iter().map(|&key| {
        let place = gathered.place_of(key);
        (key, (Reverse(0), Reverse(0), place), (Mark::Changed, place))
    });
    let mut all: Vec<_> = subjects.chain(nodes).collect();
    if options.form == Form::Json {
        all.sort_unstable_by_key(|(_, _, in_order)| *in_order);
    } else {
        all.sort_unstable_by_key(|(_, meaning, _)| *meaning);
    }
    let mut keys: Vec<_> = all.into_iter().map(|(key, ..)| key).collect();
    if !asked.subjects.is_all() {
        let mut found = Vec::new();
        for key in keys {
            if gathered.term_of(key)?.is_some_and(|term| asked.subjects.has(&term)) {
                found.push(key);
            }
        }
        keys = found;
    }
    if !asked.classes.is_all() {
        let mut builder = Builder::new(gathered, names, owners, options);
        let mut found = Vec::new();
        for key in keys {
            let mut classes = builder.classes(key, Side::Old)?;
            classes.extend(builder.classes(key, Side::New)?);
            if classes.iter().any(|class| asked.classes.has(class)) {
                found.push(key);
            }
        }
        keys = found;
    }
    Ok(keys)
}

/// Whether one of the requested predicates changed; true if none is requested.
fn has_predicate(entries: &[Entry], wanted: &Wanted) -> bool {
    wanted.is_all()
        || entries.iter().any(|entry| match entry {
            Entry::Change { path, .. } | Entry::See { path, .. } => {
                path.as_ref().is_some_and(|path| wanted.has(path))
            }
            Entry::Moved(_) => false,
            Entry::Inside { path, entries, .. } => {
                path.as_ref().is_some_and(|path| wanted.has(path)) || has_predicate(entries, wanted)
            }
        })
}
