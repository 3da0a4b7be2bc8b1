//! Versions of the dataset that a log makes, by their numbers and ids.

use super::facts::identity;
use crate::error::{Error, ErrorKind, Result};
use crate::term::TermBuf;

/// A version of the dataset that a log makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Version {
    /// By number: 0 is the base, and each patch makes one version.
    Number(u64),
    /// By the id of the patch that made it.
    Id(TermBuf),
}

/// The versions of a log whose patches are in order.
pub(super) struct Versions<'a, I> {
    /// The version before the first patch.
    pub(super) before: u64,
    /// The ids of the patches.
    pub(super) ids: I,
    /// The prev of the first patch, or the id that the folder begins after.
    pub(super) prev: Option<&'a TermBuf>,
}

impl<'a, I: ExactSizeIterator<Item = Option<&'a TermBuf>>> Versions<'a, I> {
    /// The number of patches up to a version.
    ///
    /// # Errors
    /// `patch.gap`: the version is before the first one, so its patches are gone. `patch.version`: the log does not have
    /// the version.
    pub(super) fn number(mut self, version: &Version) -> Result<u64> {
        let (least, most) = (self.before, self.before + self.ids.len() as u64);
        match version {
            Version::Number(number) if (least..=most).contains(number) => Ok(*number - least),
            Version::Number(number) => {
                let (kind, message) = if *number < least {
                    let first = least + 1;
                    let gone = format!("the changes after version {number} are gone");
                    (ErrorKind::PatchGap, format!("the log begins with version {first}: {gone}"))
                } else {
                    let has = format!("the log has versions {least} to {most}");
                    (ErrorKind::PatchVersion, format!("there is no version {number}: {has}"))
                };
                Err(Error::new(kind, message))
            }
            Version::Id(id) => {
                let wanted = identity(id);
                let has_it = |id: &TermBuf| identity(id) == wanted;
                // the state before the first patch is the version made by its previous patch
                let first = self.prev.filter(|prev| has_it(prev)).map(|_| 0);
                let found = self.ids.position(|id| id.is_some_and(has_it)).map(|place| place as u64 + 1);
                found.or(first).ok_or_else(|| {
                    let message = format!(
                        "no patch of the log has the id {}; a version is the id of a patch, or a number from {least} to {most}",
                        id.as_term()
                    );
                    Error::new(ErrorKind::PatchVersion, message)
                })
            }
        }
    }
}

/// Whether the patch after some patches, whose identity is `rest` if it is known, is not the one before them, which is `prev`.
pub(super) fn precede(prev: Option<&TermBuf>, rest: Option<&str>) -> bool {
    prev.is_none_or(|prev| rest.is_some_and(|rest| rest != identity(prev)))
}
