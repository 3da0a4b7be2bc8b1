//! The net effect of patches in which each row changes something; rows that provably change nothing are
//! rejected.

use super::log::{Change, LogSink};
use super::net::Net;
use super::prefixes::PrefixOp;
use crate::error::{Error, ErrorKind, Result};
use crate::sink::{PatchOp, Statement};
use crate::term::Term;

/// The rows to reject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checks {
    /// None.
    None,
    /// Rows that provably change nothing.
    Rows,
    /// Rows that provably change nothing, and deletions of prefixes without the namespace.
    PrefixesToo,
}

/// The net effect of a log in which every row changes something.
pub(super) struct CheckedNet {
    pub(super) net: Net,
    pub(super) checks: Checks,
    /// The hint of the error when a row is rejected.
    pub(super) hint: &'static str,
}

impl CheckedNet {
    fn quad(&mut self, statement: &Statement<'_>, adds: bool) -> Result<()> {
        if !self.net.change(statement, adds)? || self.checks == Checks::None {
            return Ok(());
        }
        let (letter, done) = if adds { ('A', "added") } else { ('D', "deleted") };
        let [s, p, o, g] = statement.terms.map(|term| term.to_string());
        let dot = if g.is_empty() { "." } else { " ." };
        let message =
            format!("{letter} {s} {p} {o} {g}{dot} changes nothing, because the quad was {done} before");
        Err(Error::new(ErrorKind::PatchCanonical, message).with_hint(self.hint))
    }

    fn check_prefix(&mut self, name: &str, graph: &Term<'_>, op: &PrefixOp) -> Result<()> {
        let known = self.net.prefixes.get_mut(name, graph).map(|prefix| prefix.last.clone());
        let (kind, message) = match (op, known) {
            (PrefixOp::Delete(None), None) if self.checks == Checks::PrefixesToo => {
                (ErrorKind::PatchPrefix, format!("PD {name:?} does not contain the namespace of the prefix"))
            }
            (PrefixOp::Delete(_), Some(PrefixOp::Delete(_))) => (
                ErrorKind::PatchCanonical,
                format!("PD {name:?} changes nothing, because the prefix was deleted before"),
            ),
            (PrefixOp::Add(iri), Some(PrefixOp::Add(before))) if *iri == before => (
                ErrorKind::PatchCanonical,
                format!("PA {name:?} <{iri}> changes nothing, because the prefix was added before"),
            ),
            _ => return Ok(()),
        };
        Err(Error::new(kind, message).with_hint(self.hint))
    }
}

impl LogSink for CheckedNet {
    fn change(&mut self, change: &Change<'_>) -> Result<()> {
        if !change.counts {
            return Ok(());
        }
        match change.op {
            PatchOp::Add(statement) => self.quad(&statement, true),
            PatchOp::Delete(statement) => self.quad(&statement, false),
            op => {
                if let Some((name, graph, prefix)) = PrefixOp::of(&op)
                    && self.checks != Checks::None
                {
                    self.check_prefix(name, &graph, &prefix)?;
                }
                self.net.row(&op)
            }
        }
    }
}
