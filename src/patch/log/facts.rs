//! Facts about a log that are collected before its changes are read: ids, chains, outcomes of transactions.

use sha2::Sha256;

use super::digest::RowsDigest;
use super::{LogOptions, PatchFacts};
use crate::blank::label_of;
use crate::error::{Error, ErrorKind, Result};
use crate::matching::is_content_label;
use crate::patch::content::is_content_header;
use crate::sink::{PatchOp, PatchRow, PatchSink, Sink};
use crate::term::{Literal, LiteralKind, Term, TermBuf};
use crate::transaction::{Committed, Irregular, Open};

/// One patch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// The last term of `H id`.
    pub(crate) id: Option<TermBuf>,
    /// The last term of `H prev`.
    pub(crate) prev: Option<TermBuf>,
    /// Number of rows, including the end.
    pub(crate) rows: u64,
    /// The number in `H statements`: the statements of the dataset after the patch, in a backup.
    pub(crate) statements: Option<u64>,
    /// `A` rows minus `D` rows, in committed transactions and outside transactions.
    pub(crate) net: i64,
    /// Whether blank nodes are named by the content of the previous state.
    pub(crate) speaks_content: bool,
    /// Whether a row has a label that looks like a content label.
    pub(crate) has_content_labels: bool,
    /// The digest of the committed rows, if requested.
    pub(crate) digest: Option<[u8; 32]>,
    /// Whether there are changes outside transactions.
    loose: bool,
    /// Whether a transaction was committed.
    committed: bool,
    /// Whether a transaction is unfinished.
    unfinished: bool,
}

/// A fault of a patch.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// 0-based patch in its source.
    pub(crate) patch: usize,
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn of(patch: usize, irregular: Irregular) -> Self {
        Fault { patch, kind: irregular.kind(), message: irregular.message() }
    }

    pub(crate) fn two_ids(patch: usize, one: &TermBuf, other: &TermBuf) -> Self {
        let message = format!("two ids in one patch: {} and {}", one.as_term(), other.as_term());
        Fault { patch, kind: ErrorKind::PatchHeader, message }
    }
}

/// The header of the remainder of a patch in a compacted log: the digest of the rows that it had.
const COMPACTED: &str = "compacted";
/// The hint for an unfinished transaction.
pub(crate) const DROP: &str = "unfinished=\"drop\" leaves unfinished transactions out";

/// The patches of one source.
#[derive(Debug, Default)]
pub(crate) struct SourceFacts {
    pub(crate) patches: Vec<Facts>,
    committed: Committed,
    /// A last patch that was left out, because a crash left nothing of it.
    pub(super) left_out: Option<Facts>,
    /// The faults, if they are not errors.
    pub(crate) faults: Vec<Fault>,
    /// Whether the source ends inside a row and this was accepted.
    pub(crate) cut: bool,
    /// Whether the source could not be read to its end.
    pub(crate) failed: bool,
    /// The fault in its rows, according to the index of its folder.
    pub(crate) other_rows: Option<String>,
    /// Whether unfinished transactions are left out.
    drop_unfinished: bool,
    /// Whether errors omit the hint about leaving transactions out.
    fixed: bool,
    /// Whether faults are not errors.
    tolerant: bool,
    /// Whether the remainder of a patch in a compacted log is accepted.
    pub(super) takes_stubs: bool,
    open: Open,
    /// `A` rows minus `D` rows of the open transaction.
    net: i64,
    aborted: u64,
    /// Number of rows of all patches.
    pub(crate) rows: u64,
    /// The patch that has not ended.
    now: Facts,
    /// The digest of its rows, including those of the open transaction; `None`: not requested.
    digest: Option<RowsDigest>,
    /// The digest before the open transaction.
    before: Sha256,
}

impl SourceFacts {
    pub(crate) fn new(options: LogOptions, tolerant: bool) -> Self {
        let LogOptions { drop_unfinished, fixed, digests, .. } = options;
        let digest = digests.then(RowsDigest::default);
        SourceFacts { drop_unfinished, fixed, tolerant, digest, ..SourceFacts::default() }
    }

    /// Whether a transaction was committed.
    #[inline]
    pub(crate) fn is_committed(&self, txn: u64) -> bool {
        self.committed.contains(txn)
    }

    /// The number of committed and of aborted transactions.
    pub(crate) fn transactions(&self) -> (u64, u64) {
        (self.committed.count(), self.aborted)
    }

    fn fault(&mut self, fault: Fault) -> Result<()> {
        if !self.tolerant {
            let error = Error::new(fault.kind, fault.message);
            return Err(if fault.kind == ErrorKind::PatchUnfinished && !self.fixed {
                error.with_hint(DROP)
            } else {
                error
            });
        }
        self.faults.push(fault);
        Ok(())
    }

    /// The result of a step of a transaction; `None`: the step is invalid, but this is not an error.
    fn judge<T>(&mut self, step: Result<T, Irregular>) -> Result<Option<T>> {
        let irregular = match step {
            Ok(done) => return Ok(Some(done)),
            Err(irregular) => irregular,
        };
        let is_unfinished = matches!(irregular, Irregular::Unfinished(_));
        self.now.unfinished |= is_unfinished;
        if !(is_unfinished && self.drop_unfinished) {
            self.fault(Fault::of(self.patches.len(), irregular))?;
        }
        Ok(None)
    }

    fn header(&mut self, key: &str, value: TermBuf) -> Result<()> {
        if key.eq_ignore_ascii_case("id") {
            if let Some(before) = &self.now.id
                && identity(before) != identity(&value)
            {
                let fault = Fault::two_ids(self.patches.len(), before, &value);
                self.fault(fault)?;
            }
            self.now.id = Some(value);
        } else if is_prev(key) {
            self.now.prev = Some(value);
        } else if is_content_header(key) {
            self.now.speaks_content = true;
        } else if key.eq_ignore_ascii_case(COMPACTED) && !self.takes_stubs {
            let message = format!(
                "the log was compacted, as the header {COMPACTED:?} shows: the rows of this patch are now in the base"
            );
            self.fault(Fault { patch: self.patches.len(), kind: ErrorKind::PatchGap, message })?;
        } else if key.eq_ignore_ascii_case("statements")
            && let Term::Literal(literal) = value.as_term()
        {
            self.now.statements = literal.lex.parse().ok();
        }
        Ok(())
    }

    /// Adds a patch whose rows another program has read.
    pub(super) fn collected(&mut self, patch: &PatchFacts) -> Result<()> {
        for (key, value) in &patch.headers {
            self.header(key, value.clone())?;
        }
        if patch.is_stray {
            self.judge::<()>(Err(Irregular::Stray))?;
        }
        self.open = Open::default();
        let _ = self.open.begin(patch.unfinished);
        self.now.loose = patch.counts;
        self.now.net = patch.net;
        self.end_patch()
    }

    fn end_patch(&mut self) -> Result<()> {
        let is_open = self.open.number().is_some();
        let step = self.open.end_patch();
        self.judge(step)?;
        self.end_digest(is_open);
        self.patches.push(std::mem::take(&mut self.now));
        Ok(())
    }

    /// Ends the digest of a patch, without the rows of a transaction that is open at the end.
    fn end_digest(&mut self, is_open: bool) {
        if let Some(mut digest) = self.digest.take() {
            if is_open {
                digest.go_back(std::mem::take(&mut self.before));
            }
            self.now.digest = Some(digest.finish());
            self.digest = Some(RowsDigest::default());
        }
    }

    /// Handles a source that ends inside a row: accepts it if only uncommitted rows are lost.
    pub(crate) fn cut_off(&mut self) -> bool {
        let lets = self.drop_unfinished && (self.open.number().is_some() || !self.now.loose);
        if lets {
            self.cut = true;
            self.end_digest(self.open.number().is_some());
            self.open = Open::default();
            self.now.unfinished = true;
            self.patches.push(std::mem::take(&mut self.now));
        }
        lets
    }

    /// The identity of the patch that has not ended.
    pub(crate) fn open_id(&self) -> Option<String> {
        self.now.id.as_ref().map(identity)
    }

    /// Ends the source. A last patch of which a crash left nothing is not a version.
    pub(crate) fn end(&mut self) {
        let is_nothing = |last: &Facts| last.unfinished && !last.committed && !last.loose;
        if self.drop_unfinished && self.patches.last().is_some_and(is_nothing) {
            self.left_out = self.patches.pop();
        }
    }
}

impl Sink for SourceFacts {}

impl PatchSink for SourceFacts {
    #[inline]
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        self.now.rows += 1;
        self.rows += 1;
        match row.op {
            PatchOp::Header { key, value } => self.header(key, value.into())?,
            PatchOp::Begin => {
                let step = self.open.begin(row.txn);
                self.judge(step)?;
                self.committed.begin(row.txn);
                self.net = 0;
                if let Some(digest) = &mut self.digest {
                    self.before = digest.state();
                }
            }
            PatchOp::Commit => {
                let step = self.open.close();
                if let Some(txn) = self.judge(step)? {
                    self.committed.insert(txn);
                    self.now.committed = true;
                    self.now.net += self.net;
                }
            }
            PatchOp::Abort => {
                let step = self.open.close();
                self.aborted += u64::from(self.judge(step)?.is_some());
                if let Some(digest) = &mut self.digest {
                    digest.go_back(self.before.clone());
                }
            }
            PatchOp::End(_) => self.end_patch()?,
            _ => {
                self.now.loose |= row.txn.is_none();
                if let Some(digest) = &mut self.digest {
                    digest.add(&row.op);
                }
                let net = if row.txn.is_none() { &mut self.now.net } else { &mut self.net };
                let statement = match &row.op {
                    PatchOp::Add(statement) => {
                        *net += 1;
                        statement
                    }
                    PatchOp::Delete(statement) => {
                        *net -= 1;
                        statement
                    }
                    _ => return Ok(()),
                };
                let has_label = |term| label_of(term, is_content_label).is_some();
                self.now.has_content_labels |= statement.terms.iter().any(has_label);
            }
        }
        Ok(())
    }
}

/// Whether a header names the previous patch.
pub(super) fn is_prev(key: &str) -> bool {
    key.eq_ignore_ascii_case("prev") || key.eq_ignore_ascii_case("previous")
}

/// Parses an id as users write it: a term, or a bare IRI.
pub fn id_from_text(text: &str) -> Result<TermBuf> {
    if text.starts_with(['<', '"', '_']) { TermBuf::from_text(text) } else { Ok(TermBuf::iri(text)) }
}

/// The text by which ids are compared: a UUID is equal to itself as `uuid:`, as `urn:uuid:`, as a string and
/// bare.
pub(crate) fn identity(id: &TermBuf) -> String {
    let uuid = match id.as_term() {
        Term::Iri(iri) if !is_uuid(iri.name()) => {
            let iri = iri.name();
            let text = iri.get(..9).filter(|scheme| scheme.eq_ignore_ascii_case("urn:uuid:"));
            let text = text.or_else(|| iri.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("uuid:")));
            text.map(|scheme| &iri[scheme.len()..])
        }
        Term::Iri(iri) => Some(iri.name()),
        Term::Literal(Literal { lex, kind: LiteralKind::Simple, .. }) => Some(lex),
        _ => None,
    };
    match uuid.filter(|uuid| is_uuid(uuid)) {
        Some(uuid) => uuid.to_ascii_lowercase(),
        None => id.as_term().to_string(),
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
