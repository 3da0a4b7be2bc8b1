//! Owned rows: statements and rows of patches that own their terms.

use std::fmt;

use crate::sink::{PatchEnd, PatchOp, PatchRow, Statement};
use crate::term::{Term, TermBuf};

/// A statement that owns its terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementBuf {
    /// Subject, predicate, object, graph; the graph of a triple is [`TermBuf::DefaultGraph`].
    pub terms: [TermBuf; 4],
}

impl StatementBuf {
    /// The statement, borrowed; no term is marked as a repetition.
    pub fn as_statement(&self) -> Statement<'_> {
        Statement::of(self.terms.each_ref().map(TermBuf::as_term))
    }
}

impl From<&Statement<'_>> for StatementBuf {
    fn from(statement: &Statement<'_>) -> Self {
        StatementBuf { terms: statement.terms.map(TermBuf::from) }
    }
}

impl fmt::Display for StatementBuf {
    /// The terms as canonical N-Triples, without a dot.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_statement().fmt(f)
    }
}

/// A row of a patch that owns its terms; see [`PatchRow`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchRowBuf {
    /// 0-based patch in the stream.
    pub patch: u64,
    /// 0-based transaction in the stream, on TX, TC, TA and the rows between.
    pub txn: Option<u64>,
    /// 0-based row in the stream.
    pub seq: u64,
    /// What the row does.
    pub op: PatchOpBuf,
}

/// What a row of a patch does; see [`PatchOp`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants and fields are those of `PatchOp`")]
pub enum PatchOpBuf {
    Header { key: String, value: TermBuf },
    AddPrefix { name: String, iri: TermBuf, graph: TermBuf },
    DeletePrefix { name: String, iri: Option<TermBuf>, graph: TermBuf },
    Add(StatementBuf),
    Delete(StatementBuf),
    Begin,
    Commit,
    Abort,
    End(PatchEnd),
}

impl From<&PatchRow<'_>> for PatchRowBuf {
    fn from(row: &PatchRow<'_>) -> Self {
        let op = match row.op {
            PatchOp::Header { key, value } => PatchOpBuf::Header { key: key.to_owned(), value: value.into() },
            PatchOp::AddPrefix { name, iri, graph } => PatchOpBuf::AddPrefix {
                name: name.to_owned(),
                iri: Term::Iri(iri).into(),
                graph: graph.into(),
            },
            PatchOp::DeletePrefix { name, iri, graph } => PatchOpBuf::DeletePrefix {
                name: name.to_owned(),
                iri: iri.map(|iri| Term::Iri(iri).into()),
                graph: graph.into(),
            },
            PatchOp::Add(ref statement) => PatchOpBuf::Add(statement.into()),
            PatchOp::Delete(ref statement) => PatchOpBuf::Delete(statement.into()),
            PatchOp::Begin => PatchOpBuf::Begin,
            PatchOp::Commit => PatchOpBuf::Commit,
            PatchOp::Abort => PatchOpBuf::Abort,
            PatchOp::End(end) => PatchOpBuf::End(end),
        };
        PatchRowBuf { patch: row.patch, txn: row.txn, seq: row.seq, op }
    }
}
