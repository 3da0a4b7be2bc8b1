//! The numbers of changes: subjects, classes, predicates, and likely renames.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::block::Value;
use super::build::Builder;
use super::gathered::{Counts, Gathered, Mark, Said, Side};
use super::index::is_blank;
use super::names::Names;
use super::options::ShowOptions;
use super::owners::Owners;
use crate::error::Result;
use crate::patch::NodeCounts;
use crate::term::TermBuf;

/// Maximum number of subjects per side among which renames are searched, and of their rows.
const RENAMED: usize = 5_000;
const RENAMED_ROWS: u64 = 200_000;
/// A property that this many subjects share identifies none of them.
const COMMON: usize = 20;

/// The numbers of changes.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) names: [String; 2],
    pub(super) totals: Counts,
    /// Numbers of changed, gone and new subjects.
    pub(super) subjects: [u64; 3],
    pub(super) nodes: Option<NodeCounts>,
    /// A class and its numbers of changed, gone and new subjects. The class with the most subjects comes
    /// first; subjects without a class come last among equals.
    pub(super) classes: Vec<(Option<TermBuf>, [u64; 3])>,
    pub(super) predicates: Vec<(TermBuf, Counts)>,
    /// A prefix, its old namespace, and its new namespace.
    pub(super) prefixes: Vec<(String, Option<String>, Option<String>)>,
    /// Old and new subject, and the common part of their statements in percent. `None`: there were too many
    /// subjects.
    pub(super) renamed: Option<Vec<(TermBuf, TermBuf, u32)>>,
}

impl Summary {
    pub(super) fn new(
        gathered: &mut Gathered,
        names: &Names,
        owners: &Owners,
        options: &ShowOptions,
        nodes: Option<NodeCounts>,
    ) -> Result<Self> {
        let mut summary = Summary {
            names: options.names.clone(),
            totals: gathered.totals,
            nodes,
            prefixes: std::mem::take(&mut gathered.prefix_rows),
            ..Summary::default()
        };
        let mut predicates = std::mem::take(&mut gathered.predicates);
        predicates.sort_by_cached_key(|(predicate, counts)| {
            (std::cmp::Reverse(counts.added + counts.deleted), names.predicate(predicate))
        });
        summary.predicates = predicates;
        let mut marks: Vec<_> =
            gathered.subjects.iter().map(|(&key, subject)| (key, gathered.mark(subject))).collect();
        let mut builder = Builder::new(gathered, names, owners, options);
        for &root in &owners.roots {
            marks.push((root, builder.mark_of(root)?));
        }
        let mut classes: HashMap<Option<String>, (Option<TermBuf>, [u64; 3])> = HashMap::new();
        for &(key, mark) in &marks {
            summary.subjects[mark as usize] += 1;
            let side = if mark == Mark::Gone { Side::Old } else { Side::New };
            let first = builder.classes(key, side)?.into_iter().next();
            let text = first.as_ref().map(|class| class.as_term().to_string());
            classes.entry(text).or_insert((first, [0; 3])).1[mark as usize] += 1;
        }
        let mut classes: Vec<_> = classes.into_values().collect();
        classes.sort_by_cached_key(|(class, counts)| {
            let name = class.as_ref().map(|class| names.term(class));
            (std::cmp::Reverse(counts.iter().sum::<u64>()), name.is_none(), name)
        });
        summary.classes = classes;
        summary.renamed = renamed(builder, &marks)?;
        Ok(summary)
    }
}

/// Pairs of a gone and a new subject that share at least half of their statements.
fn renamed(mut builder: Builder<'_>, marks: &[(u128, Mark)]) -> Result<Option<Vec<(TermBuf, TermBuf, u32)>>> {
    let of = |wanted| {
        marks.iter().filter(move |(key, mark)| *mark == wanted && !is_blank(*key)).map(|(key, _)| *key)
    };
    let [gone, new] = [Mark::Gone, Mark::New].map(|mark| of(mark).collect::<Vec<_>>());
    if gone.is_empty() || new.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let count = |key: &u128| builder.gathered.subjects.get(key).map_or(0, |one| one.added + one.deleted);
    let rows: u64 = gone.iter().chain(&new).map(count).sum();
    if gone.len().max(new.len()) > RENAMED || rows > RENAMED_ROWS {
        return Ok(None);
    }
    let mut olds = Vec::new();
    let mut by_feature: HashMap<u128, Vec<usize>> = HashMap::new();
    for key in gone {
        let features = builder.features(key, Side::Old)?;
        for &feature in &features {
            by_feature.entry(feature).or_default().push(olds.len());
        }
        olds.push((key, features));
    }
    let mut found = Vec::new();
    for key in new {
        let features = builder.features(key, Side::New)?;
        let mut common: BTreeMap<usize, usize> = BTreeMap::new();
        for old in features.iter().filter_map(|one| by_feature.get(one)).filter(|list| list.len() <= COMMON) {
            for &old in old {
                *common.entry(old).or_default() += 1;
            }
        }
        for old in common.into_keys() {
            let same = features.intersection(&olds[old].1).count();
            let percent = same * 100 / (features.len() + olds[old].1.len() - same);
            if percent >= 50
                && let (Some(from), Some(to)) =
                    (builder.gathered.term_of(olds[old].0)?, builder.gathered.term_of(key)?)
            {
                found.push((percent as u32, from, to));
            }
        }
    }
    let text = |term: &TermBuf| term.as_term().to_string();
    found.sort_by_cached_key(|(percent, from, to)| (std::cmp::Reverse(*percent), text(from), text(to)));
    let mut used = [HashSet::new(), HashSet::new()];
    let pairs = found.into_iter().filter(|(_, from, to)| {
        let (from, to) = (text(from), text(to));
        let is_free = !used[0].contains(&from) && !used[1].contains(&to);
        if is_free {
            used[0].insert(from);
            used[1].insert(to);
        }
        is_free
    });
    Ok(Some(pairs.map(|(percent, from, to)| (from, to, percent)).collect()))
}

impl Builder<'_> {
    /// The statements about a subject that is gone or new, as keys.
    fn features(&mut self, key: u128, side: Side) -> Result<HashSet<u128>> {
        let ([deletes, adds], _) = self.gathered.rows_of(key)?;
        let rows = if side == Side::Old { deletes } else { adds };
        let mut features = HashSet::new();
        for Said { predicate, object, .. } in rows {
            let value: Value = self.value(&object, side)?;
            let text = format!("{}\t{}", predicate.as_term(), value.text(self.names));
            features.insert(self.gathered.keys.of_text(&text));
        }
        Ok(features)
    }
}
