//! The labels of the blank nodes of the base of a log.

use std::collections::HashMap;

use super::again::Again;
use super::content::labels_of;
use super::dataset::Dataset;
use super::rdfc10::rdfc10_labels;
use super::work::Work;
use crate::blank::refuse_positions;
use crate::error::{ErrorKind, Result};

/// How the labels of a base are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseLabels {
    /// Keeps all labels.
    #[default]
    Keep,
    /// Keeps all labels and rejects positions, because the result will be compared with other datasets.
    Named,
    /// Keeps all labels if they are stable; otherwise every node gets a content label.
    Lasting,
    /// Gives every node its content label.
    Content,
    /// Gives every node its RDFC-1.0 label.
    Rdfc10,
}

impl BaseLabels {
    /// The variants for logs, in the order of the table of options.
    pub(crate) const ALL: [Self; 4] =
        [BaseLabels::Keep, BaseLabels::Named, BaseLabels::Lasting, BaseLabels::Content];

    /// Whether the base may have to be read before its labels are known.
    pub(crate) fn reads_first(self) -> bool {
        matches!(self, BaseLabels::Lasting | BaseLabels::Content | BaseLabels::Rdfc10)
    }

    /// Returns the new label for each label of the base; `None`: labels stay.
    pub(crate) fn names(
        self,
        base: &Again,
        work: &mut Work<'_>,
    ) -> Result<Option<HashMap<Box<str>, String>>> {
        let wanted = match self {
            BaseLabels::Keep | BaseLabels::Named => false,
            BaseLabels::Lasting => !labels_last(base, work)?,
            BaseLabels::Content => true,
            BaseLabels::Rdfc10 => return rdfc10_labels(base, work).map(Some),
        };
        wanted.then(|| labels_of(base, work)).transpose()
    }
}

/// Whether the blank nodes of a dataset have labels that other files with the same data also have.
pub(crate) fn labels_last(source: &Again, work: &mut Work<'_>) -> Result<bool> {
    let dataset = Dataset::open(source.source(), &source.options)?;
    if dataset.format.has_unlabelled_nodes() {
        return Ok(false);
    }
    work.phase("looking for blank nodes without a label")?;
    match dataset.each(work, refuse_positions) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::PatchLabels => Ok(false),
        Err(error) => Err(error),
    }
}
