//! A dataset with patches applied: (D minus net deletes) plus net adds.

use super::again::Again;
use super::applying::{Applying, Passing};
use super::base_labels::BaseLabels;
use super::dataset::Dataset;
use super::log::{Log, LogOptions, LogSources, Version};
use super::net::Net;
use super::prefixes::Prefix;
use super::work::{Watch, Work};
use crate::convert::{NodeNames, RdfTarget, Skolem, Skolemized};
use crate::create::{Encode, WriteOptions, Writer};
use crate::error::Result;
use crate::format::RdfFormat;
use crate::io::Source;
use crate::open::OpenOptions;
use crate::sink::{RdfRow, RdfSink, Sink};
use crate::text::holds_prefix;
use crate::with::With;

/// Options of [`apply`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ApplyOptions {
    /// How the base is read.
    pub base: OpenOptions,
    /// How the log is read.
    pub log: LogOptions,
    /// The version to write; `None`: the last one.
    pub version: Option<Version>,
    /// Write a statement only once if the base has it twice.
    pub distinct: bool,
    /// How the labels of the base's blank nodes are handled. The log uses the resulting labels.
    pub labels: BaseLabels,
}

impl With for ApplyOptions {}

/// What the result needs, so that its encoder can be made.
pub struct Needs {
    /// The format of the base.
    pub format: RdfFormat,
    /// Whether there are, or may be, named graphs.
    pub graphs: bool,
    /// Whether prefixes are declared.
    pub prefixes: bool,
}

/// The encoder of the result.
pub struct ApplyTarget {
    /// Takes the statements.
    pub target: RdfTarget,
    /// The format, if prefixes are declared.
    pub declares: Option<RdfFormat>,
}

impl ApplyTarget {
    /// The encoder of a result with these options; options that are not set come from the base.
    pub fn of(mut write: WriteOptions, needs: &Needs) -> Self {
        if write.is_default {
            write.rdf = needs.format();
        }
        if needs.prefixes {
            write.create.namespaces.get_or_insert(true);
        }
        write.keep_prefixes_of(needs.format);
        let declares = (write.create.namespaces != Some(false)).then_some(write.rdf);
        let has_graphs = needs.graphs;
        let target = RdfTarget::new(Box::new(move |source| write.rdf_encoder(source, has_graphs)));
        ApplyTarget { target, declares }
    }

    /// Whether the result can have a prefix as a change leaves it.
    fn holds(&self, prefix: &Prefix) -> bool {
        let Some(format) = self.declares.filter(|format| format.holds_prefixes()) else { return false };
        let is_turtle = matches!(format, RdfFormat::Turtle | RdfFormat::TriG);
        let fits = |iri| !is_turtle || holds_prefix(&prefix.name, iri);
        prefix.is_of_the_dataset() && prefix.after().is_none_or(fits)
    }
}

/// The result of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The version of the result.
    pub version: u64,
    /// The id of its patch.
    pub id: Option<String>,
    /// Statements of the base.
    pub base: u64,
    /// Statements of the result.
    pub statements: u64,
    /// Quads that were not in the base and are in the result.
    pub added: u64,
    /// Quads that were in the base and are not in the result.
    pub deleted: u64,
    /// Changes of quads in the log, including those that later changes replace and those without effect.
    pub changes: u64,
    /// Changes without effect: an added quad existed already, or a deleted quad did not exist.
    pub without_effect: u64,
    /// Net changes of prefixes.
    pub prefixes: u64,
    /// Prefixes of the base, and changes of prefixes, that the result cannot hold.
    pub prefixes_left_out: u64,
    /// Bytes that were written, without compression.
    pub bytes: u64,
    /// The version of the base: 0, unless the folder begins later.
    pub base_version: u64,
    /// Files in the order in which they were read, if only their names decided this order.
    pub order: Vec<String>,
    /// The blank nodes of the base got content labels.
    pub has_content_labels: bool,
}

/// Applies `patches` to `base` and writes the result.
pub fn apply(
    base: Source,
    patches: impl Into<LogSources>,
    options: ApplyOptions,
    make: impl FnOnce(&Needs) -> Result<ApplyTarget>,
    mut writer: Writer,
    watch: Watch<'_>,
) -> Result<Applied> {
    let mut work = Work::new(watch);
    let log = Log::open_up_to(patches.into(), options.log, options.version.as_ref(), &mut work)?;
    let version = options.version.as_ref().map_or(Ok(log.versions()), |version| log.number(version))?;
    let mut net = Net::new(false)?;
    let versions = 1..version + 1;
    let speaks_content = log.speaks_content(versions.clone());
    let mut names = None;
    let base = if speaks_content || options.labels.reads_first() {
        let base = Again::new(base, options.base.clone())?;
        log.replay_on(Some(&base), versions, "reading the log", &mut net, &mut work)?;
        names = options.labels.names(&base, &mut work)?;
        base.source()
    } else {
        log.replay(versions, "reading the log", &mut net, &mut work)?;
        base
    };
    let has_content_labels = names.is_some();
    work.phase("reading the base")?;
    let base = Dataset::open(base, &options.base)?;
    let format = base.format;
    let has_graphs = format != RdfFormat::NTriples && format != RdfFormat::Turtle;
    let declares = |prefix: &super::prefixes::Prefix| prefix.is_of_the_dataset() && prefix.after().is_some();
    let needs =
        Needs { format, graphs: has_graphs || net.has_graphs, prefixes: net.prefixes.iter().any(declares) };
    let made = make(&needs)?;
    let prefixes = net.prefixes.iter().count() as u64;
    let changes_left_out = net.prefixes.iter().filter(|prefix| !made.holds(prefix)).count() as u64;
    let changes = net.changes();
    let sink = Applying::new(net, &options, log.base_check(1..version + 1), made.target)?;
    let names = names.map(|names| Skolem::with_labels(names, None).map(NodeNames::Named)).transpose()?;
    let mut rows = if names.is_some() { base.rows()?.into_rows() } else { sink.keyed(base)? };
    let sink = Skolemized::new(sink, names);
    let take = |sink: &mut Skolemized<Applying>| writer.take(&mut sink.inner().to.target).map(|()| true);
    let mut sink = work.feed(&mut *rows, sink, take)?.into_inner();
    sink.to.begin()?;
    let base_left_out = sink.to.base_prefixes_left_out();
    let Passing { net, mut texts, mut target, base, mut statements, deleted, frame, .. } = sink.to;
    log.refuse_empty_base(1..version + 1, base)?;
    work.phase("writing what is added")?;
    let without_effect = net.without_effect();
    let adds = net.pick(|entry| (entry.is_added() && !entry.in_base()).then_some(true))?.adds;
    for &(_, place) in &adds {
        let statement = texts.get(place)?;
        target.statement(&RdfRow { frame, seq: statements, statement })?;
        statements += 1;
        if target.is_full() {
            writer.take(&mut target)?;
            work.wrote(statements)?;
        }
    }
    let added = adds.len() as u64;
    target.finish()?;
    writer.take(&mut target)?;
    let bytes = writer.written();
    writer.finish()?;
    Ok(Applied {
        version: log.before() + version,
        id: log.id(version).map(|id| id.as_term().to_string()),
        base,
        statements,
        added,
        deleted,
        changes,
        without_effect,
        prefixes,
        prefixes_left_out: changes_left_out + base_left_out,
        bytes,
        base_version: log.before(),
        order: log.by_name(),
        has_content_labels,
    })
}
