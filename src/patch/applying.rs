//! Reads the base of patches and passes on the remaining statements, in the spelling of the base or of the
//! log.

use super::apply::ApplyOptions;
use super::base_labels::BaseLabels;
use super::dataset::Dataset;
use super::key_set::KeySet;
use super::keyed::KeyedSink;
use super::log::BaseCheck;
use super::net::Net;
use super::quad_block::QuadBlock;
use super::quad_key::{Keys, QuadKey};
use super::quad_text::{Nodes, WholeQuad};
use super::stored::Stored;
use crate::blank::refuse_positions;
use crate::convert::{RdfTarget, Skolemized};
use crate::create::Encode;
use crate::error::Result;
use crate::options::RdfOptions;
use crate::reader::RowSource;
use crate::sink::{RdfRow, RdfSink, Same, Sink, TermSink};
use crate::term::{Iri, Term, TermBuf};

/// The result for a statement of the base.
enum Fate {
    Goes,
    Stays,
    /// The statement is written in the spelling of the log, which is at this place of the texts.
    IsSpelled(u64),
}

/// Reads the base, computes its keys and passes on the remaining statements.
pub(super) struct Applying {
    keys: Keys,
    pub(super) to: Passing,
    nothing_to_do: bool,
    named: bool,
    check: BaseCheck,
    /// The blank nodes of statements that need no check.
    nodes: Nodes,
}

/// Passes on the remaining statements of the base.
pub(super) struct Passing {
    pub(super) net: Net,
    /// The texts of the log's quads.
    pub(super) texts: Stored,
    seen: Option<KeySet>,
    pub(super) target: RdfTarget,
    /// Whether the prefixes were declared.
    began: bool,
    /// Number of prefixes of the log that the target cannot hold.
    log_prefixes_left_out: u64,
    /// Whether a statement was left out or respelled since the last statement that was written.
    gap: bool,
    pub(super) frame: u64,
    /// Number of statements of the base, of statements written, and of statements deleted.
    pub(super) base: u64,
    pub(super) statements: u64,
    pub(super) deleted: u64,
}

impl Applying {
    pub(super) fn new(
        mut net: Net,
        options: &ApplyOptions,
        check: BaseCheck,
        target: RdfTarget,
    ) -> Result<Self> {
        let named = options.labels == BaseLabels::Named;
        Ok(Applying {
            keys: net.keys.again(),
            nothing_to_do: net.is_empty() && !options.distinct,
            named,
            nodes: if named || check.refuses_positions() { Nodes::Named } else { Nodes::Any },
            check,
            to: Passing {
                texts: net.texts()?,
                net,
                seen: options.distinct.then(KeySet::new),
                target,
                began: false,
                log_prefixes_left_out: 0,
                gap: false,
                frame: 0,
                base: 0,
                statements: 0,
                deleted: 0,
            },
        })
    }

    /// The quads of the base, if threads compute their keys: with this secret and these blank nodes.
    pub(super) fn keyed<S: KeyedSink>(&self, base: Dataset<'_>) -> Result<Box<dyn RowSource<S>>> {
        base.keyed(&self.keys, self.nodes, || self.to.net.filter())
    }
}

impl Passing {
    /// Declares the prefixes that the log adds, before all statements.
    pub(super) fn begin(&mut self) -> Result<()> {
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

    /// Number of prefixes of the base that the target cannot hold, once all prefixes are read.
    pub(super) fn base_prefixes_left_out(&self) -> u64 {
        self.target.prefixes_left_out() - self.log_prefixes_left_out
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

    /// Writes a statement in the spelling of the log.
    fn spell(&mut self, place: u64, frame: u64, seq: u64) -> Result<()> {
        let statement = self.texts.get(place)?;
        self.target.statement(&RdfRow { frame, seq, statement })?;
        self.gap = true;
        self.statements += 1;
        Ok(())
    }

    /// Writes a quad unchanged.
    #[inline(always)]
    fn stays(&mut self, frame: u64, seq: u64, quad: WholeQuad<'_>) -> Result<()> {
        let (is_rdf, has_graph) = quad.shape();
        if is_rdf && self.target.lines(quad.line().0, 1, has_graph) {
            return Ok(());
        }
        let is_taken = self.target.terms(frame).is_some_and(|out| {
            let is_taken = quad.hand_over(out);
            if !is_taken {
                out.cut();
            }
            is_taken
        });
        if is_taken {
            return self.target.end_statement(frame, seq);
        }
        self.target.statement(&RdfRow { frame, seq, statement: quad.statement()? })
    }

    /// Passes on the unchanged rows of a block, from this row on.
    #[inline(always)]
    fn lines(&mut self, block: &QuadBlock, row: usize) -> usize {
        if self.seen.is_some() {
            return 0;
        }
        let (count, lines) = block.unchanged(row);
        if count == 0 || !self.target.lines(lines, count, block.has_graphs()) {
            return 0;
        }
        self.base += count as u64;
        self.statements += count as u64;
        self.gap = false;
        count
    }

    /// Passes on a quad without capitals in language tags, unless the log deletes it.
    #[inline(always)]
    fn quad(&mut self, frame: u64, seq: u64, key: u128, quad: WholeQuad<'_>) -> Result<()> {
        self.base += 1;
        self.frame = frame;
        match self.fate(QuadKey { key, folded: false }) {
            Fate::Goes => self.gap = true,
            Fate::Stays => {
                self.stays(frame, seq, quad)?;
                self.gap = false;
                self.statements += 1;
            }
            Fate::IsSpelled(place) => self.spell(place, frame, seq)?,
        }
        Ok(())
    }
}

impl Sink for Applying {
    #[inline]
    fn is_full(&self) -> bool {
        self.to.target.is_full()
    }

    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> Result<()> {
        self.to.target.frame_end(metadata)
    }
}

impl RdfSink for Applying {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        self.to.target.options(&options.clone().widened(self.to.net.has_graphs, self.to.net.features))?;
        self.to.begin()
    }

    #[inline]
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        if !self.to.began {
            self.to.begin()?;
        }
        if self.named {
            refuse_positions(&row.statement)?;
        }
        self.check.statement(&row.statement)?;
        self.to.base += 1;
        self.to.frame = row.frame;
        let fate = if self.nothing_to_do {
            Fate::Stays
        } else {
            let key = self.keys.of(&row.statement);
            self.to.fate(key)
        };
        match fate {
            Fate::Goes => self.to.gap = true,
            Fate::Stays => {
                let mut row = *row;
                if std::mem::take(&mut self.to.gap) {
                    row.statement.same = Same::NONE;
                }
                self.to.target.statement(&row)?;
                self.to.statements += 1;
            }
            Fate::IsSpelled(place) => self.to.spell(place, row.frame, row.seq)?,
        }
        Ok(())
    }

    /// If the target takes terms as text, the same text serves for the key and for the output.
    #[inline(always)]
    fn terms(&mut self, frame: u64) -> Option<&mut impl for<'t> TermSink<'t>> {
        let takes_text = self.to.began && !self.nothing_to_do && self.to.target.terms(frame).is_some();
        takes_text.then(|| self.keys.begin(self.nodes))
    }

    #[inline(always)]
    fn end_statement(&mut self, frame: u64, seq: u64) -> Result<()> {
        let key = self.keys.end();
        self.to.quad(frame, seq, key, self.keys.quad())
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        self.to.begin()?;
        match self.to.net.prefixes.get_mut(name, &Term::DefaultGraph) {
            Some(_) => Ok(()), // deleted, or declared again at the start
            None => self.to.target.namespace(name, iri),
        }
    }

    fn graph_start(&mut self, graph: Term<'_>) -> Result<()> {
        self.to.begin()?;
        self.to.target.graph_start(graph)
    }

    fn graph_end(&mut self) -> Result<()> {
        self.to.target.graph_end()
    }
}

impl KeyedSink for Applying {
    fn block(&mut self, block: &QuadBlock) {
        self.to.net.fetch(block.changed_keys());
    }

    #[inline(always)]
    fn quad(&mut self, frame: u64, seq: u64, key: u128, quad: WholeQuad<'_>) -> Result<()> {
        if !self.to.began {
            self.to.begin()?;
        }
        self.to.quad(frame, seq, key, quad)
    }

    #[inline(always)]
    fn lines(&mut self, block: &QuadBlock, row: usize) -> Result<usize> {
        if !self.to.began {
            self.to.begin()?;
        }
        Ok(self.to.lines(block, row))
    }
}

impl<S: KeyedSink> KeyedSink for Skolemized<S> {
    fn block(&mut self, block: &QuadBlock) {
        self.inner().block(block);
    }

    /// Used only if blank nodes keep their names.
    #[inline(always)]
    fn quad(&mut self, frame: u64, seq: u64, key: u128, quad: WholeQuad<'_>) -> Result<()> {
        self.inner().quad(frame, seq, key, quad)
    }

    #[inline(always)]
    fn lines(&mut self, block: &QuadBlock, row: usize) -> Result<usize> {
        self.inner().lines(block, row)
    }
}
