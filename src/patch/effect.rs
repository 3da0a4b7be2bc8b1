//! Finds the rows of a log that change the dataset, row by row.

use super::again::Again;
use super::key_set::KeySet;
use super::log::{Change, Log, LogSink};
use super::prefixes::{PrefixOp, Prefixes};
use super::quad_key::Keys;
use super::work::Work;
use crate::blank::refuse_positions;
use crate::error::Result;
use crate::sink::PatchOp;
use crate::term::Term;

/// The current state of the quads and prefixes that a log changes; a quad is marked while it exists.
pub(crate) struct Effect {
    keys: Keys,
    quads: KeySet,
    prefixes: Prefixes,
    /// There is a base, so quads that are not in this set do not exist.
    knows_all: bool,
}

/// The effect of a row on the dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// The row changes a quad.
    Quad,
    /// The row changes a prefix that stood for this namespace.
    Prefix(Option<String>),
    /// The row changes nothing.
    Nothing,
    /// Rows of this kind have no effect.
    Other,
}

impl Effect {
    /// Creates a state without a base: only rows that repeat another row are known to change nothing.
    pub(crate) fn unknown() -> Result<Self> {
        Ok(Effect {
            keys: Keys::random()?,
            quads: KeySet::new(),
            prefixes: Prefixes::default(),
            knows_all: false,
        })
    }

    /// Looks up in `base` everything that `log` changes; `named` rejects a base whose labels are positions.
    pub(crate) fn of_base(log: &Log, base: &Again, named: bool, work: &mut Work<'_>) -> Result<Self> {
        let mut effect = Effect { knows_all: true, ..Effect::unknown()? };
        log.replay_on(Some(base), log.all(), "reading the patches", &mut Touched(&mut effect), work)?;
        let Effect { keys, quads, prefixes, .. } = &mut effect;
        let found = log.each_of_base(log.all(), (base.source(), &base.options), work, |statement| {
            if named {
                refuse_positions(statement)?;
            }
            quads.mark(keys.of(statement).key, true);
            Ok(())
        })?;
        prefixes.look_up(&found);
        Ok(effect)
    }

    /// Processes the next row.
    pub(crate) fn row(&mut self, op: &PatchOp<'_>) -> Done {
        let (statement, adds) = match op {
            PatchOp::Add(statement) => (statement, true),
            PatchOp::Delete(statement) => (statement, false),
            other => return self.prefix(other),
        };
        let key = self.keys.of(statement).key;
        let was = match self.quads.mark(key, adds) {
            Some(was) => was,
            None => {
                self.quads.insert(key);
                self.quads.mark(key, adds);
                // with a base, the quad was in the set
                !adds
            }
        };
        if was == adds { Done::Nothing } else { Done::Quad }
    }

    fn prefix(&mut self, op: &PatchOp<'_>) -> Done {
        let Some((name, graph, op)) = PrefixOp::of(op) else { return Done::Other };
        let Some(prefix) = self.prefixes.get_mut(name, &graph) else {
            self.prefixes.change(name, &graph, op.clone());
            self.now(name, &graph, &op);
            return Done::Prefix(None);
        };
        let was = prefix.in_base.clone();
        let is_known = self.knows_all || was.is_some() || matches!(prefix.last, PrefixOp::Delete(_));
        self.now(name, &graph, &op);
        match op {
            PrefixOp::Add(iri) if was.as_ref() == Some(&iri) => Done::Nothing,
            PrefixOp::Delete(_) if was.is_none() && is_known => Done::Nothing,
            _ => Done::Prefix(was),
        }
    }

    fn now(&mut self, name: &str, graph: &Term<'_>, op: &PrefixOp) {
        if let Some(prefix) = self.prefixes.get_mut(name, graph) {
            prefix.last = op.clone();
            prefix.in_base = match op {
                PrefixOp::Add(iri) => Some(iri.clone()),
                PrefixOp::Delete(_) => None,
            };
        }
    }
}

/// Collects what a log changes.
struct Touched<'e>(&'e mut Effect);

impl LogSink for Touched<'_> {
    fn change(&mut self, change: &Change<'_>) -> Result<()> {
        let effect = &mut *self.0;
        if !change.counts {
            return Ok(());
        }
        match &change.op {
            PatchOp::Add(statement) | PatchOp::Delete(statement) => {
                effect.quads.insert(effect.keys.of(statement).key);
            }
            other => {
                if let Some((name, graph, op)) = PrefixOp::of(other) {
                    effect.prefixes.change(name, &graph, op);
                }
            }
        }
        Ok(())
    }
}
