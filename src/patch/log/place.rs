//! Decides whether a patch can be the next one of a log: the rules of publishing.

use super::facts::identity;
use super::{Head, Version};
use crate::error::{Error, ErrorKind, Result};
use crate::term::TermBuf;

/// The properties of a patch to publish.
#[derive(Clone, Debug, Default)]
pub struct Claim {
    /// The term of `H id`.
    pub id: Option<TermBuf>,
    /// The term of `H prev`.
    pub prev: Option<TermBuf>,
    /// The digest of its rows.
    pub digest: String,
    /// The version that the publisher expects to be the head.
    pub expect: Option<Version>,
}

/// The place of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// It is the next version.
    Next,
    /// It already made this version; the publisher did not receive the answer.
    Replay(u64),
}

/// Finds the place of a patch in a log with this head. `known` is the version with the id of the patch, and
/// the digest of its rows.
///
/// The id is checked first: a retry succeeds without a check of its expected version, because the log has the
/// patch.
pub fn place(claim: &Claim, head: &Head, known: Option<(u64, &str)>) -> Result<Placed> {
    if let Some((version, digest)) = known {
        return if digest == claim.digest {
            Ok(Placed::Replay(version))
        } else {
            let id = claim.id.as_ref().map(|id| id.as_term().to_string()).unwrap_or_default();
            let message = format!("version {version} of the log is a different patch with the same id, {id}");
            Err(Error::new(ErrorKind::PatchDuplicate, message))
        };
    }
    if head.version > 0 && head.id.is_none() {
        let message = "the patches of this log have no ids, so no patch can name one of them as its prev";
        return Err(Error::new(ErrorKind::PatchMixed, message));
    }
    let is_head = |id: &TermBuf| head.id.as_ref().is_some_and(|head| identity(head) == identity(id));
    match &claim.expect {
        Some(Version::Number(number)) if *number != head.version => {
            return Err(conflict(&format!("patch {number}"), head));
        }
        Some(Version::Id(id)) if !is_head(id) => return Err(conflict(&id.as_term().to_string(), head)),
        _ => {}
    }
    match &claim.prev {
        Some(prev) if !is_head(prev) => Err(conflict(&prev.as_term().to_string(), head)),
        _ => Ok(Placed::Next),
    }
}

fn conflict(wanted: &str, head: &Head) -> Error {
    let id = head.id.as_ref().map(|id| format!(", {}", id.as_term())).unwrap_or_default();
    let found = match head.version {
        0 => "no patch: the log is empty".to_owned(),
        version => format!("patch {version}{id}"),
    };
    Error::new(ErrorKind::PatchConflict, format!("the head should be {wanted}, but it is {found}"))
}
