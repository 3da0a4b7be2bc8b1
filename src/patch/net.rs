//! The net effect of patches: the last committed operation of each quad and each prefix.
//!
//! In memory a quad takes 48 bytes, independent of the length of its terms; their text is in a temporary
//! file.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::key_filter::KeyFilter;
use super::log::{Change, LogSink};
use super::prefixes::{PrefixOp, Prefixes};
use super::quad_key::{Keys, QuadKey};
use super::stored::{Store, Stored};
use crate::error::Result;
use crate::options::Features;
use crate::sink::{PatchOp, Statement};
use crate::term::Term;

/// The operations on a quad.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The place of its text in the store: the text of the last change that had one.
    place: u64,
    /// The order of quads: by their first add, or by their first delete if they were never added.
    order: u64,
    flags: u8,
}

const FIRST_ADDS: u8 = 1;
const LAST_ADDS: u8 = 2;
const HAS_TEXT: u8 = 4;
/// The stored text has capitals in a language tag.
const FOLDED: u8 = 8;
const WAS_ADDED: u8 = 16;
const IN_BASE: u8 = 32;

impl Entry {
    fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Whether the last operation adds the quad.
    pub(crate) fn is_added(self) -> bool {
        self.has(LAST_ADDS)
    }

    /// Whether the first operation adds the quad.
    pub(crate) fn first_adds(self) -> bool {
        self.has(FIRST_ADDS)
    }

    /// Whether the quad was found in the base.
    pub(crate) fn in_base(self) -> bool {
        self.has(IN_BASE)
    }

    /// The place of the text that replaces the text of a base quad that the log adds, if the spelling may
    /// differ. Only language tags with capitals have several spellings. `folded` says whether the base has
    /// capitals.
    pub(crate) fn spelling(self, folded: bool) -> Option<u64> {
        (self.is_added() && (folded || self.has(FOLDED))).then_some(self.place)
    }

    /// Marks the quad as found in the base; returns whether this is the first time.
    pub(crate) fn find(&mut self) -> bool {
        let is_new = !self.in_base();
        self.flags |= IN_BASE;
        is_new
    }
}

/// Uses keys unchanged, because they are hashes.
#[derive(Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }
}

/// A map from the key of a quad.
pub(crate) type ByKey<V> = HashMap<u128, V, BuildHasherDefault<AsItIs>>;

/// The net effect, updated with each change.
pub(crate) struct Net {
    pub(crate) keys: Keys,
    quads: ByKey<Entry>,
    pub(crate) prefixes: Prefixes,
    store: Store,
    /// Whether the text of deleted quads is kept too.
    keeps_deletes: bool,
    /// Number of changes of quads so far.
    changes: u64,
    /// Number of changes that repeat the previous change of the same quad.
    repeats: u64,
    /// Whether a quad of a named graph is added.
    pub(crate) has_graphs: bool,
    /// The features that the added quads need.
    pub(crate) features: Features,
}

impl Net {
    /// Creates a net effect without changes; set `keeps_deletes` to write deleted quads later.
    pub(crate) fn new(keeps_deletes: bool) -> Result<Self> {
        Ok(Net {
            keys: Keys::random()?,
            quads: ByKey::default(),
            prefixes: Prefixes::default(),
            store: Store::new(),
            keeps_deletes,
            changes: 0,
            repeats: 0,
            has_graphs: false,
            features: Features::default(),
        })
    }

    /// Number of changes of quads so far.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// Number of changes that had no effect, once all changed quads of the base are found.
    pub(crate) fn without_effect(&self) -> u64 {
        let vain = |entry: &&Entry| entry.first_adds() == entry.in_base();
        self.repeats + self.quads.values().filter(vain).count() as u64
    }

    /// Whether no quad was changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.quads.is_empty()
    }

    /// The operations on the quad with this key.
    #[inline]
    pub(crate) fn entry(&mut self, key: u128) -> Option<&mut Entry> {
        self.quads.get_mut(&key)
    }

    /// Creates a filter of the quads' keys, after all changes.
    pub(crate) fn filter(&self) -> KeyFilter {
        KeyFilter::of(self.quads.keys().copied())
    }

    /// Looks up many keys at once whose entries are needed soon, so that the single lookups do not wait for
    /// memory.
    pub(crate) fn fetch(&self, keys: impl Iterator<Item = u128>) {
        std::hint::black_box(keys.filter(|key| self.quads.contains_key(key)).count());
    }

    /// Adds a change of a quad; returns whether it repeats the previous change of the quad.
    pub(crate) fn change(&mut self, statement: &Statement<'_>, adds: bool) -> Result<bool> {
        let QuadKey { key, folded } = self.keys.of(statement);
        let order = self.changes;
        self.changes += 1;
        let first = if adds { FIRST_ADDS } else { 0 };
        let mut repeats = true;
        let entry = self.quads.entry(key).or_insert_with(|| {
            repeats = false;
            Entry { place: 0, order, flags: first }
        });
        repeats &= entry.is_added() == adds;
        self.repeats += u64::from(repeats);
        if adds && !entry.has(WAS_ADDED) {
            entry.order = order;
            entry.flags |= WAS_ADDED;
        }
        if (adds || self.keeps_deletes) && (!entry.has(HAS_TEXT) || folded || entry.has(FOLDED)) {
            entry.place = self.store.push(statement)?;
            entry.flags = (entry.flags & !FOLDED) | HAS_TEXT | if folded { FOLDED } else { 0 };
        }
        entry.flags = (entry.flags & !LAST_ADDS) | if adds { LAST_ADDS } else { 0 };
        if adds {
            self.has_graphs |= !matches!(statement.terms[3], Term::DefaultGraph);
            self.features = self.features.and(Features::of(&statement.terms));
        }
        Ok(repeats)
    }

    /// Adds a committed row.
    pub(crate) fn row(&mut self, op: &PatchOp<'_>) -> Result<()> {
        match op {
            PatchOp::Add(statement) => drop(self.change(statement, true)?),
            PatchOp::Delete(statement) => drop(self.change(statement, false)?),
            other => {
                if let Some((name, graph, op)) = PrefixOp::of(other) {
                    self.prefixes.change(name, &graph, op);
                }
            }
        }
        Ok(())
    }

    /// The texts of the quads, after all changes, for a caller that needs them before [`Self::pick`].
    pub(crate) fn texts(&mut self) -> Result<Stored> {
        std::mem::replace(&mut self.store, Store::new()).read()
    }

    /// The quads to delete and to add, in order. `wanted` returns for each quad whether it is added, or
    /// `None` to skip it.
    pub(crate) fn pick(mut self, wanted: impl Fn(Entry) -> Option<bool>) -> Result<Picked> {
        let stored = self.texts()?;
        let (mut deletes, mut adds) = (Vec::new(), Vec::new());
        for entry in self.quads.into_values() {
            match wanted(entry) {
                Some(true) => adds.push((entry.order, entry.place)),
                Some(false) => deletes.push((entry.order, entry.place)),
                None => {}
            }
        }
        deletes.sort_unstable();
        adds.sort_unstable();
        Ok(Picked { deletes, adds, prefixes: self.prefixes, stored })
    }
}

impl LogSink for Net {
    fn change(&mut self, change: &Change<'_>) -> Result<()> {
        if change.counts { self.row(&change.op) } else { Ok(()) }
    }
}

/// The selected part of a net effect: quads with their order and their place in the store.
pub(crate) struct Picked {
    pub(crate) deletes: Vec<(u64, u64)>,
    pub(crate) adds: Vec<(u64, u64)>,
    pub(crate) prefixes: Prefixes,
    pub(crate) stored: Stored,
}
