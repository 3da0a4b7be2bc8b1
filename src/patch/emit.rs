//! Writes patches one after the other.

use super::net::Picked;
use super::prefixes::Prefix;
use super::work::Work;
use crate::convert::PatchTarget;
use crate::create::{Encode, Writer};
use crate::error::Result;
use crate::options::PatchOptions;
use crate::sink::{PatchEnd, PatchOp, PatchSink, Sink, Statement};
use crate::term::{Term, TermBuf};
use crate::transaction::Numbering;

/// The output for patches.
pub struct PatchOut {
    /// Takes the rows.
    pub target: PatchTarget,
    /// Takes the bytes.
    pub writer: Writer,
}

/// The result of writing a patch that was made from other patches or from datasets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patched {
    /// The id of the patch.
    pub id: Option<String>,
    /// Number of patches that it was made from.
    pub patches: u64,
    /// Committed `A` and `D` rows of these patches.
    pub changes: u64,
    /// `A` rows.
    pub added: u64,
    /// `D` rows.
    pub deleted: u64,
    /// `PA` and `PD` rows.
    pub prefixes: u64,
    /// Bytes that were written, without compression.
    pub bytes: u64,
    /// Files in the order in which they were read, if only their names decided this order.
    pub order: Vec<String>,
}

/// The rows to write for a prefix.
pub(crate) struct PrefixChange<'a> {
    pub(crate) name: &'a str,
    pub(crate) graph: Term<'a>,
    /// Write a `PD` row.
    pub(crate) deletes: bool,
    /// The namespace before, if known.
    pub(crate) before: Option<&'a str>,
    /// The namespace of the `PA` row, if any.
    pub(crate) adds: Option<&'a str>,
}

impl<'a> PrefixChange<'a> {
    /// The change from one namespace to another.
    pub(crate) fn between(
        name: &'a str,
        graph: Term<'a>,
        before: Option<&'a str>,
        after: Option<&'a str>,
    ) -> Self {
        let differs = before != after;
        PrefixChange {
            name,
            graph,
            deletes: differs && before.is_some(),
            before,
            adds: after.filter(|_| differs),
        }
    }
}

/// Writes rows and counts them.
pub(crate) struct Emit {
    out: PatchOut,
    numbering: Numbering,
    pub(crate) counts: Patched,
}

impl Emit {
    /// Creates a writer for `out`, with the options of a source if they are given.
    pub(crate) fn new(mut out: PatchOut, options: Option<PatchOptions>) -> Result<Self> {
        if let Some(options) = options {
            out.target.options(&options)?;
        }
        let numbering = Numbering::new(false);
        Ok(Emit { out, numbering, counts: Patched::default() })
    }

    /// Writes a row.
    #[inline]
    pub(crate) fn row(&mut self, op: PatchOp<'_>) -> Result<()> {
        match op {
            PatchOp::Add(_) => self.counts.added += 1,
            PatchOp::Delete(_) => self.counts.deleted += 1,
            PatchOp::AddPrefix { .. } | PatchOp::DeletePrefix { .. } => self.counts.prefixes += 1,
            _ => {}
        }
        self.numbering.row(op, &mut self.out.target)?;
        if self.out.target.is_full() {
            self.out.writer.take(&mut self.out.target)?;
        }
        Ok(())
    }

    /// Writes a header if it has a value.
    pub(crate) fn header(&mut self, key: &str, value: Option<&TermBuf>) -> Result<()> {
        match value {
            Some(value) => self.row(PatchOp::Header { key, value: value.as_term() }),
            None => Ok(()),
        }
    }

    /// Writes a change of a quad, in the single transaction of the patch.
    #[inline]
    pub(crate) fn change(&mut self, statement: Statement<'_>, adds: bool) -> Result<()> {
        self.begin()?;
        self.row(if adds { PatchOp::Add(statement) } else { PatchOp::Delete(statement) })
    }

    /// Writes the rows for a prefix, in the single transaction of the patch.
    pub(crate) fn prefix(&mut self, change: &PrefixChange<'_>) -> Result<()> {
        if change.deletes || change.adds.is_some() {
            self.begin()?;
        }
        self.prefix_rows(change)
    }

    /// Writes the rows for a prefix at the current place.
    pub(crate) fn prefix_rows(&mut self, change: &PrefixChange<'_>) -> Result<()> {
        let PrefixChange { name, graph, deletes, before, adds } = *change;
        if deletes {
            let iri = before.map(TermBuf::iri);
            self.row(PatchOp::DeletePrefix { name, iri: iri.as_ref().and_then(TermBuf::as_iri), graph })?;
        }
        match adds.map(TermBuf::iri).as_ref().and_then(TermBuf::as_iri) {
            Some(iri) => self.row(PatchOp::AddPrefix { name, iri, graph }),
            None => Ok(()),
        }
    }

    #[inline]
    fn begin(&mut self) -> Result<()> {
        if self.numbering.in_transaction() { Ok(()) } else { self.row(PatchOp::Begin) }
    }

    /// Ends the transaction and the patch; a patch without rows is not written.
    pub(crate) fn end_patch(&mut self) -> Result<()> {
        if self.numbering.in_transaction() {
            self.row(PatchOp::Commit)?;
        }
        if self.numbering.has_rows() { self.row(PatchOp::End(PatchEnd::Mark)) } else { Ok(()) }
    }

    /// Writes a net effect: deletes, prefixes, adds; `prefix` selects the rows to write for a prefix.
    pub(crate) fn picked(
        &mut self,
        mut picked: Picked,
        prefix: impl for<'a> Fn(&'a Prefix) -> PrefixChange<'a>,
        work: &mut Work<'_>,
    ) -> Result<()> {
        work.phase("writing the patch")?;
        for &(_, place) in &picked.deletes {
            self.change(picked.stored.get(place)?, false)?;
            self.tell(work)?;
        }
        for changed in picked.prefixes.iter() {
            self.prefix(&prefix(changed))?;
        }
        for &(_, place) in &picked.adds {
            self.change(picked.stored.get(place)?, true)?;
            self.tell(work)?;
        }
        Ok(())
    }

    /// Regularly reports how many rows were written.
    pub(crate) fn tell(&self, work: &mut Work<'_>) -> Result<()> {
        let rows = self.numbering.rows();
        if rows.is_multiple_of(8192) { work.wrote(rows) } else { Ok(()) }
    }

    /// Ends the output and makes it appear, after all rows were written.
    pub(crate) fn finish(mut self) -> Result<Patched> {
        self.out.target.finish()?;
        self.out.writer.take(&mut self.out.target)?;
        self.counts.bytes = self.out.writer.written();
        self.out.writer.finish()?;
        Ok(self.counts)
    }
}

/// Creates an id like those of Jena.
pub(crate) fn new_id() -> Result<TermBuf> {
    let mut bytes = crate::secret::random_secret()?;
    bytes[6] = bytes[6] & 0x0f | 0x40; // version 4
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    Ok(TermBuf::iri(&format!("uuid:{}", parts.join("-"))))
}
