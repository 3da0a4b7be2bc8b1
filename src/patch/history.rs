//! The periods in which quads existed, as versions of a log.

use std::collections::{HashMap, HashSet};

use super::log::{Change, Log, LogOptions, LogSink, LogSources};
use super::net::ByKey;
use super::quad_key::{Keys, QuadKey};
use super::stored::{Store, Stored};
use super::work::{Watch, Work};
use crate::blank::refuse_term;
use crate::error::Result;
use crate::io::Source;
use crate::open::OpenOptions;
use crate::sink::{PatchOp, Statement};
use crate::term::{Term, TermBuf};
use crate::text::fold_tags;

/// Terms to match: one or more per position; `None` matches any term.
pub type Pattern = [Option<Vec<TermBuf>>; 4];

/// A period in which a quad existed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    /// Subject, predicate, object and graph as canonical N-Triples.
    pub terms: [String; 4],
    /// The version that added the quad; 0 if it was in the base.
    pub valid_from: u64,
    /// The version that deleted the quad; `None` if it still exists.
    pub valid_to: Option<u64>,
}

/// Periods of quads, in the order of the first appearance of the quads, then of time.
pub struct History {
    periods: std::vec::IntoIter<(u64, u64, u64, u64)>,
    stored: Stored,
    /// The version of the base.
    before: u64,
    headers: Headers,
    /// Files in the order in which they were read, if only their names decided this order.
    pub order: Vec<String>,
}

/// The headers of the patches that changed quads of the pattern, by version.
type Headers = HashMap<u64, Vec<(String, String)>>;

const STILL: u64 = u64::MAX;

/// Follows the quads of a pattern through a log. Without a base, the base is the dataset that the folder of the
/// log begins with, if there is one and `options` check the chain; otherwise it is empty.
pub fn history(
    patches: impl Into<LogSources>,
    base: Option<(Source, OpenOptions)>,
    pattern: &Pattern,
    options: LogOptions,
    watch: Watch<'_>,
) -> Result<History> {
    let mut work = Work::new(watch);
    for term in pattern.iter().flatten().flatten().map(TermBuf::as_term) {
        refuse_term(&term)?;
    }
    let mut log = Log::open(patches.into(), options, &mut work)?;
    let mut sink = Following {
        pattern: pattern.each_ref().map(|terms| {
            terms.as_ref().map(|terms| terms.iter().map(|term| folded(&term.as_term())).collect())
        }),
        keys: Keys::random()?,
        quads: ByKey::default(),
        store: Store::new(),
        version: 0,
        touched: Vec::new(),
        periods: Vec::new(),
        now: Vec::new(),
        headers: Headers::new(),
    };
    let base = base.map_or_else(|| log.own_base(), |base| Ok(Some(base)))?;
    if let Some((base, options)) = base {
        log.each_of_base(log.all(), (base, &options), &mut work, |statement| sink.quad(statement, true))?;
        sink.end_version();
    }
    log.replay(log.all(), "reading the log", &mut sink, &mut work)?;
    sink.end_version();
    let Following { quads, store, mut periods, headers, .. } = sink;
    for quad in quads.into_values() {
        if let Some(from) = quad.since {
            periods.push((quad.order, quad.place, from, STILL));
        }
    }
    periods.sort_unstable();
    Ok(History {
        periods: periods.into_iter(),
        stored: store.read()?,
        before: log.before(),
        headers,
        order: log.by_name(),
    })
}

impl History {
    /// The number of periods that were not returned yet.
    pub fn left(&self) -> usize {
        self.periods.len()
    }

    /// The headers of the patch that made a version, if it changed quads of the pattern: the key, and the
    /// term as canonical N-Triples.
    pub fn headers(&self, version: u64) -> &[(String, String)] {
        let known = version.checked_sub(self.before).and_then(|version| self.headers.get(&version));
        known.map_or(&[], Vec::as_slice)
    }

    /// Returns the next period.
    pub fn next_period(&mut self) -> Result<Option<Period>> {
        let Some((_, place, valid_from, to)) = self.periods.next() else { return Ok(None) };
        let terms = self.stored.get(place)?.terms.map(|term| term.to_string());
        let valid_to = (to != STILL).then(|| self.before + to);
        Ok(Some(Period { terms, valid_from: self.before + valid_from, valid_to }))
    }
}

/// A quad of the pattern.
struct Quad {
    order: u64,
    /// The text in its spelling at the end of the previous version.
    place: u64,
    /// The text of the last add.
    added: u64,
    /// Whether the text has capitals in a language tag.
    folded: bool,
    /// Whether the quad exists now.
    now: bool,
    /// The version since which the quad exists, if it existed at the end of the previous version.
    since: Option<u64>,
}

struct Following {
    pattern: [Option<HashSet<String>>; 4],
    keys: Keys,
    quads: ByKey<Quad>,
    store: Store,
    version: u64,
    /// The quads that this version changed.
    touched: Vec<u128>,
    /// Periods as (order, place, from, to).
    periods: Vec<(u64, u64, u64, u64)>,
    /// The headers of this version.
    now: Vec<(String, String)>,
    headers: Headers,
}

impl Following {
    fn quad(&mut self, statement: &Statement<'_>, adds: bool) -> Result<()> {
        let is_wanted = |(term, wanted): (&Term<'_>, &Option<HashSet<String>>)| {
            wanted.as_ref().is_none_or(|wanted| wanted.contains(&folded(term)))
        };
        if !statement.terms.iter().zip(&self.pattern).all(is_wanted) {
            return Ok(());
        }
        let QuadKey { key, folded } = self.keys.of(statement);
        let order = self.quads.len() as u64;
        match self.quads.get_mut(&key) {
            Some(quad) => {
                if adds && (!quad.now || folded || quad.folded) {
                    // the spelling of the last add
                    (quad.added, quad.folded) = (self.store.push(statement)?, folded);
                }
                quad.now = adds;
            }
            None if adds => {
                let place = self.store.push(statement)?;
                self.quads.insert(key, Quad { order, place, added: place, folded, now: true, since: None });
            }
            None => return Ok(()), // nothing to delete
        }
        self.touched.push(key);
        Ok(())
    }

    fn end_version(&mut self) {
        let headers = std::mem::take(&mut self.now);
        if !self.touched.is_empty() {
            self.headers.insert(self.version, headers);
        }
        for key in self.touched.drain(..) {
            let Some(quad) = self.quads.get_mut(&key) else { continue };
            if quad.now {
                quad.place = quad.added;
            }
            match (quad.since, quad.now) {
                (None, true) => quad.since = Some(self.version),
                (Some(from), false) => {
                    self.periods.push((quad.order, quad.place, from, self.version));
                    quad.since = None;
                }
                _ => {}
            }
        }
    }
}

impl LogSink for Following {
    fn change(&mut self, change: &Change<'_>) -> Result<()> {
        if change.version != self.version {
            self.end_version();
            self.version = change.version;
        }
        match &change.op {
            PatchOp::Add(statement) if change.counts => self.quad(statement, true),
            PatchOp::Delete(statement) if change.counts => self.quad(statement, false),
            PatchOp::Header { key, value } => {
                self.now.push(((*key).to_owned(), value.to_string()));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The text of a term, with language tags in lower case.
fn folded(term: &Term<'_>) -> String {
    let mut text = term.to_string().into_bytes();
    if !matches!(term, Term::Iri(_) | Term::BlankNode(_)) {
        fold_tags(&mut text);
    }
    String::from_utf8_lossy(&text).into_owned()
}
