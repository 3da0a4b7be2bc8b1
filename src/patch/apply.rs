//! A dataset with patches applied: (D minus net deletes) plus net adds.

use super::again::Again;
use super::base_labels::BaseLabels;
use super::key_set::KeySet;
use super::log::{BaseCheck, Log, LogOptions, LogSources, Version, refuse_other_base};
use super::net::Net;
use super::prefixes::Prefix;
use super::quad_key::QuadKey;
use super::quad_text::Nodes;
use super::stored::Stored;
use super::work::{Watch, Work};
use crate::blank::refuse_positions;
use crate::convert::{NodeNames, RdfTarget, Skolem, Skolemized};
use crate::create::{Encode, WriteOptions, Writer};
use crate::error::Result;
use crate::format::RdfFormat;
use crate::io::Source;
use crate::open::{OpenOptions, open_rdf};
use crate::options::RdfOptions;
use crate::sink::{RdfRow, RdfSink, Same, Sink, TermSink};
use crate::term::{Iri, Term, TermBuf};
use crate::text::holds_prefix;
use crate::with::With;

/// What is applied to what.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ApplyOptions {
    /// How the base is read.
    pub base: OpenOptions,
    /// How the log is taken.
    pub log: LogOptions,
    /// The version that is wanted; `None`: the last one.
    pub version: Option<Version>,
    /// A statement that the base has twice is written once.
    pub distinct: bool,
    /// What becomes of the labels of the base's blank nodes. The log speaks of those that they become.
    pub labels: BaseLabels,
}

impl With for ApplyOptions {}

/// What the result needs, so that its encoder can be made.
pub struct Needs {
    /// The format of the base.
    pub format: RdfFormat,
    /// There are named graphs, or may be.
    pub graphs: bool,
    /// Prefixes are to be declared.
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
    /// The encoder of a result with these options, where they leave it open the one of the base.
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

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The version that the result is.
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
    /// Changes of quads in the log, those that were overtaken or without effect included.
    pub changes: u64,
    /// Those of the changes that met nothing: adds of a quad that was there, deletes of one that was not.
    pub without_effect: u64,
    /// Net changes of prefixes.
    pub prefixes: u64,
    /// Prefixes of the base, and changes of prefixes, that the result cannot hold.
    pub prefixes_left_out: u64,
    /// Bytes that were written, without compression.
    pub bytes: u64,
    /// The version of the base: 0, but for folders that begin later.
    pub base_version: u64,
    /// Files in the order in which they were taken, where nothing but their names decided it.
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
    let version = options.version.map_or(Ok(log.versions()), |version| log.number(&version))?;
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
    work.phase("reading the base");
    if let Source::Path(path) = &base {
        refuse_other_base(path)?;
    }
    let mut rows = open_rdf(base, &options.base)?;
    let format = rows.format;
    let has_graphs = format != RdfFormat::NTriples && format != RdfFormat::Turtle;
    let declares = |prefix: &super::prefixes::Prefix| prefix.is_of_the_dataset() && prefix.after().is_some();
    let needs =
        Needs { format, graphs: has_graphs || net.has_graphs, prefixes: net.prefixes.iter().any(declares) };
    let made = make(&needs)?;
    let prefixes = net.prefixes.iter().count() as u64;
    let changes_left_out = net.prefixes.iter().filter(|prefix| !made.holds(prefix)).count() as u64;
    let changes = net.changes();
    let texts = net.texts()?;
    let named = options.labels == BaseLabels::Named;
    let check = log.base_check(1..version + 1);
    let sink = Applying {
        nothing_to_do: net.is_empty() && !options.distinct,
        named,
        nodes: if named || check.refuses_positions() { Nodes::Named } else { Nodes::Any },
        check,
        net,
        texts,
        seen: options.distinct.then(KeySet::new),
        target: made.target,
        began: false,
        log_prefixes_left_out: 0,
        gap: false,
        frame: 0,
        base: 0,
        statements: 0,
        deleted: 0,
    };
    let names = names.map(|names| Skolem::with_labels(names, None).map(NodeNames::Named)).transpose()?;
    let sink = Skolemized::new(sink, names);
    let take = |sink: &mut Skolemized<Applying>| writer.take(&mut sink.inner().target).map(|()| true);
    let mut sink = work.feed(&mut *rows, sink, take)?.into_inner();
    sink.begin()?;
    let base_left_out = sink.target.prefixes_left_out() - sink.log_prefixes_left_out;
    let Applying { net, mut texts, mut target, base, mut statements, deleted, frame, .. } = sink;
    work.phase("writing what is added");
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

/// What becomes of a statement of the base.
enum Fate {
    Goes,
    Stays,
    /// It is written as the log spells it, which is at this place of the texts.
    IsSpelled(u64),
}

/// Passes on what stays of the base.
struct Applying {
    net: Net,
    /// Of the quads of the log.
    texts: Stored,
    nothing_to_do: bool,
    named: bool,
    check: BaseCheck,
    /// Of statements at which nobody has to look.
    nodes: Nodes,
    seen: Option<KeySet>,
    target: RdfTarget,
    /// Prefixes were declared.
    began: bool,
    /// Prefixes of the log that the target cannot hold.
    log_prefixes_left_out: u64,
    /// A statement was left out, or spelled in another way, since the last one.
    gap: bool,
    frame: u64,
    base: u64,
    statements: u64,
    deleted: u64,
}

impl Applying {
    /// Declares the prefixes that the log adds, before everything else.
    fn begin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.began, true) {
            return Ok(());
        }
        for prefix in self.net.prefixes.iter().filter(|prefix| prefix.is_of_the_dataset()) {
            if let Some(iri) = prefix.after().map(TermBuf::iri).as_ref().and_then(TermBuf::as_iri) {
                self.target.namespace(&prefix.name, iri)?;
            }
        }
        self.log_prefixes_left_out = self.target.prefixes_left_out();
        Ok(())
    }

    #[inline]
    fn fate(&mut self, QuadKey { key, folded }: QuadKey) -> Fate {
        let mut spelling = None;
        if let Some(entry) = self.net.entry(key) {
            let is_new = entry.find();
            if !entry.is_added() {
                self.deleted += u64::from(is_new);
                return Fate::Goes;
            }
            spelling = entry.spelling(folded);
        }
        match (self.seen.as_mut().is_none_or(|seen| seen.insert(key)), spelling) {
            (false, _) => Fate::Goes,
            (true, None) => Fate::Stays,
            (true, Some(place)) => Fate::IsSpelled(place),
        }
    }

    /// Writes a statement as the log spells it.
    fn spell(&mut self, place: u64, frame: u64, seq: u64) -> Result<()> {
        let statement = self.texts.get(place)?;
        self.target.statement(&RdfRow { frame, seq, statement })?;
        self.gap = true;
        self.statements += 1;
        Ok(())
    }
}

impl Sink for Applying {
    #[inline]
    fn is_full(&self) -> bool {
        self.target.is_full()
    }

    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        self.target.frame_end(metadata)
    }
}

impl RdfSink for Applying {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        self.target.options(&options.clone().widened(self.net.has_graphs, self.net.features))?;
        self.begin()
    }

    #[inline]
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        if !self.began {
            self.begin()?;
        }
        if self.named {
            refuse_positions(&row.statement)?;
        }
        self.check.statement(&row.statement)?;
        self.base += 1;
        self.frame = row.frame;
        let fate = if self.nothing_to_do {
            Fate::Stays
        } else {
            let key = self.net.keys.of(&row.statement);
            self.fate(key)
        };
        match fate {
            Fate::Goes => self.gap = true,
            Fate::Stays => {
                let mut row = *row;
                if std::mem::take(&mut self.gap) {
                    row.statement.same = Same::NONE;
                }
                self.target.statement(&row)?;
                self.statements += 1;
            }
            Fate::IsSpelled(place) => self.spell(place, row.frame, row.seq)?,
        }
        Ok(())
    }

    /// Where the target takes terms as text, the quad is its key and what is written.
    #[inline(always)]
    fn terms(&mut self, frame: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        let takes_text = self.began && !self.nothing_to_do && self.target.terms(frame).is_some();
        takes_text.then(|| self.net.keys.begin(self.nodes))
    }

    #[inline(always)]
    fn end_statement(&mut self, frame: u64, seq: u64) -> Result<()> {
        self.base += 1;
        self.frame = frame;
        let key = self.net.keys.end();
        match self.fate(QuadKey { key, folded: false }) {
            Fate::Goes => self.gap = true,
            Fate::Stays => {
                let quad = self.net.keys.quad();
                let is_taken = self.target.terms(frame).is_some_and(|out| {
                    let is_taken = quad.hand_over(out);
                    if !is_taken {
                        out.cut();
                    }
                    is_taken
                });
                if is_taken {
                    self.target.end_statement(frame, seq)?;
                } else {
                    self.target.statement(&RdfRow { frame, seq, statement: quad.statement()? })?;
                }
                self.gap = false;
                self.statements += 1;
            }
            Fate::IsSpelled(place) => self.spell(place, frame, seq)?,
        }
        Ok(())
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        self.begin()?;
        match self.net.prefixes.get_mut(name, &Term::DefaultGraph) {
            Some(_) => Ok(()), // deleted, or declared anew at the start
            None => self.target.namespace(name, iri),
        }
    }

    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        self.begin()?;
        self.target.graph_start(graph)
    }

    fn graph_end(&mut self) -> Result<()> {
        self.target.graph_end()
    }
}
