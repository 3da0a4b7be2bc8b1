//! Converts patches that name blank nodes by the content of the state before them to the labels of a base.
//!
//! These patches have the header `blank-nodes`. The content labels of the state before the patch are
//! computed. Each row gets the labels of the base and is checked: a deleted statement must exist, an added
//! statement must not. Nodes that are equal to other nodes have labels with numbers, which are valid only if
//! the digest is that of the state.

use std::collections::{HashMap, HashSet};

use super::again::Again;
use super::blank_parts::BlankReading;
use super::blank_rows::{BLANK_DIGEST, BLANK_NODES, another};
use super::dataset::each_statement;
use super::log::{Change, LogSink};
use super::quad_key::Keys;
use super::work::Work;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::matching::{CONTENT, ContentLabels, Gathered, Renamed, Templates, has_nodes};
use crate::sink::{PatchOp, Statement};
use crate::term::{Term, TermBuf};

/// The content label of each label of a dataset.
pub(super) fn labels_of(source: &Again, work: &mut Work<'_>) -> Result<HashMap<Box<str>, String>> {
    let limits = &source.options.decode.limits;
    let mut reading = BlankReading::new(limits);
    work.phase("reading the blank nodes")?;
    each_statement(source.source(), &source.options, work, |statement| reading.take(statement).map(drop))?;
    let content = ContentLabels::new(&mut reading.finish()?, limits.blank_work, None, false)?;
    Ok(content.of.into_iter().map(|(label, content)| (label, content.text)).collect())
}

/// Whether a header declares that nodes are named by content.
pub(crate) fn is_content_header(key: &str) -> bool {
    key.eq_ignore_ascii_case(BLANK_NODES)
}

/// Converts a log to the labels of its base, whose statements with blank nodes are kept.
pub(crate) struct InBaseLabels {
    limits: Limits,
    keys: Keys,
    state: HashMap<u128, [TermBuf; 4]>,
    /// The version of the patch that is read.
    version: u64,
    speaks_content: bool,
    digest: Option<String>,
    /// The names in the patch that is read, once a row needs them.
    names: Option<Names>,
    renamed: Renamed,
}

/// The meaning of the labels of a patch.
struct Names {
    /// The base label of each content label, and whether other nodes are equal.
    known: HashMap<String, (Box<str>, bool)>,
    /// The labels of new nodes.
    fresh: HashMap<String, Box<str>>,
    taken: HashSet<Box<str>>,
    /// Whether the digest of the patch is that of the state.
    is_its_base: bool,
}

impl InBaseLabels {
    /// Reads the statements with blank nodes of a base.
    pub(crate) fn new(base: &Again, work: &mut Work<'_>) -> Result<Self> {
        let mut state = HashMap::new();
        let mut keys = Keys::random()?;
        let limits = base.options.decode.limits.clone();
        // counts the memory of the statements
        let (mut gathered, mut templates) = (Gathered::new(&limits), Templates::new());
        work.phase("reading the blank nodes of the base")?;
        each_statement(base.source(), &base.options, work, |statement| {
            if gathered.add(statement, &mut templates)? {
                state.insert(keys.of(statement).key, statement.terms.map(TermBuf::from));
            }
            Ok(())
        })?;
        Ok(InBaseLabels {
            limits,
            keys,
            state,
            version: 0,
            speaks_content: false,
            digest: None,
            names: None,
            renamed: Renamed::new(),
        })
    }

    /// Returns a sink that passes the rows on with the labels of the base.
    pub(crate) fn to<'s>(&'s mut self, sink: &'s mut dyn LogSink) -> impl LogSink + 's {
        Translated { labels: self, sink }
    }

    fn header(&mut self, key: &str, value: &Term<'_>) -> Result<bool> {
        let value = TermBuf::from(*value);
        let Term::Literal(literal) = value.as_term() else { return Ok(false) };
        let text = literal.lex;
        if is_content_header(key) {
            if text != CONTENT {
                let message = format!(
                    "the header {BLANK_NODES} is {text:?}, but this version of the library knows only \
                     {CONTENT:?}, so it cannot find the blank nodes of the patch"
                );
                return Err(Error::new(ErrorKind::PatchBlank, message));
            }
            self.speaks_content = true;
            return Ok(true);
        }
        if key.eq_ignore_ascii_case(BLANK_DIGEST) {
            self.digest = Some(text.to_owned());
            return Ok(true);
        }
        Ok(false)
    }

    /// Computes the content labels of the state.
    fn learn(&mut self) -> Result<Names> {
        let mut reading = BlankReading::new(&self.limits);
        // the order decides the numbers of equal nodes, so it must be the same for every reader of this state
        let mut state: Vec<_> = self.state.values().collect();
        state.sort_unstable();
        for terms in state {
            reading.take(&Statement::of(terms.each_ref().map(TermBuf::as_term)))?;
        }
        let content = ContentLabels::new(&mut reading.finish()?, self.limits.blank_work, None, true)?;
        let is_its_base = self.digest.as_deref() == Some(&format!("{:032x}", content.digest));
        let taken = content.of.keys().cloned().collect();
        let settled = content.of.into_iter().filter(|(_, content)| !content.is_unsettled);
        let known = settled.map(|(label, content)| (content.text, (label, content.is_tied))).collect();
        Ok(Names { known, fresh: HashMap::new(), taken, is_its_base })
    }
}

impl Names {
    /// Returns the base label for a label of the patch.
    fn get(&mut self, label: &str, adds: bool) -> Result<TermBuf> {
        if let Some((found, is_tied)) = self.known.get(label) {
            if *is_tied && !self.is_its_base {
                return Err(refused(&format!(
                    "_:{label} is one of several equal blank nodes, and the patch was made from another \
                     base, so it is unknown which of them is meant"
                )));
            }
            return Ok(TermBuf::blank_node(found));
        }
        if !adds || !label.starts_with('n') {
            let why = match label.as_bytes().first() {
                Some(b'u') => "is in a component so symmetric that its nodes have no stable order",
                _ => "is not in the base",
            };
            return Err(refused(&format!("the blank node _:{label} {why}")));
        }
        if let Some(found) = self.fresh.get(label) {
            return Ok(TermBuf::blank_node(found));
        }
        let name: Box<str> = another(label.to_owned(), |name| self.taken.contains(name)).into();
        let term = TermBuf::blank_node(&name);
        self.taken.insert(name.clone());
        self.fresh.insert(label.to_owned(), name);
        Ok(term)
    }
}

#[cold]
fn refused(message: &str) -> Error {
    Error::new(ErrorKind::PatchBlank, message).with_hint("make the patch from this base")
}

struct Translated<'s> {
    labels: &'s mut InBaseLabels,
    sink: &'s mut dyn LogSink,
}

impl LogSink for Translated<'_> {
    fn knows_base(&self) -> bool {
        true
    }

    fn change(&mut self, change: &Change<'_>) -> Result<()> {
        let labels = &mut *self.labels;
        if labels.version != change.version {
            labels.version = change.version;
            (labels.speaks_content, labels.digest, labels.names) = (false, None, None);
        }
        let (statement, adds) = match &change.op {
            PatchOp::Header { key, value } if labels.header(key, value)? => return Ok(()),
            PatchOp::Add(statement) if change.counts && has_nodes(statement) => (statement, true),
            PatchOp::Delete(statement) if change.counts && has_nodes(statement) => (statement, false),
            _ => return self.sink.change(change),
        };
        if labels.speaks_content && labels.names.is_none() {
            labels.names = Some(labels.learn()?);
        }
        let statement = match &mut labels.names {
            None => *statement,
            Some(names) => labels.renamed.statement(statement, |label| names.get(label, adds))?,
        };
        let key = labels.keys.of(&statement).key;
        let was_there = if adds {
            labels.state.insert(key, statement.terms.map(TermBuf::from)).is_some()
        } else {
            labels.state.remove(&key).is_some()
        };
        if labels.speaks_content && was_there == adds {
            let what = if adds {
                "the base already has this statement"
            } else {
                "the base does not have this statement"
            };
            let row = match &change.op {
                PatchOp::Add(row) => format!("A {row}"),
                PatchOp::Delete(row) => format!("D {row}"),
                _ => String::new(),
            };
            return Err(refused(&format!("{row}: {what}")));
        }
        let op = if adds { PatchOp::Add(statement) } else { PatchOp::Delete(statement) };
        self.sink.change(&Change { op, ..*change })
    }

    fn look(&mut self) -> Result<()> {
        self.sink.look()
    }
}
