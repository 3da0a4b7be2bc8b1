//! What becomes of the labels of blank nodes on their way into columns.

use super::settings::{BatchSettings, BlankNodes};
use crate::blank::{Scope, SourceScope, is_bare_position};
use crate::error::{Error, ErrorKind, Result};
use crate::open::Identity;
use crate::options::LogicalType;

/// What stands before labels now.
pub(super) struct ColumnLabels {
    rule: BlankNodes,
    identity: Identity,
    name: Option<std::sync::Arc<str>>,
    scope: SourceScope,
}

impl ColumnLabels {
    pub(super) fn new(settings: &BatchSettings) -> Result<Self> {
        let mut labels = ColumnLabels {
            rule: settings.blank_nodes,
            identity: settings.identity.clone(),
            name: settings.source.clone(),
            scope: SourceScope::NONE,
        };
        if matches!(labels.rule, BlankNodes::Content | BlankNodes::Lasting) {
            let message = "blank_nodes=\"content\" and \"lasting\" work only with readers of statements, \
                           which read the whole source";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        if labels.rule == BlankNodes::Scoped {
            labels.scope_source()?;
        }
        Ok(labels)
    }

    /// From here on labels have the scope of the source.
    #[cold]
    pub(super) fn scope_source(&mut self) -> Result<()> {
        self.scope = SourceScope::of(self.identity.number(self.name.as_deref())?);
        Ok(())
    }

    /// Whether the first position needs the scope of the source, which may cost a reading of its bytes.
    #[inline]
    pub(super) fn waits_for_a_position(&self) -> bool {
        self.rule == BlankNodes::Positions && self.stay()
    }

    /// Whether this is the position that it waits for.
    #[inline(always)]
    pub(super) fn waits_for(&self, label: &str) -> bool {
        self.waits_for_a_position() && is_bare_position(label)
    }

    /// Whether labels go into columns as they are.
    #[inline(always)]
    pub(super) fn stay(&self) -> bool {
        self.scope.text().is_empty()
    }

    /// What stands before labels.
    #[inline(always)]
    pub(super) fn scope(&self) -> Scope<'_> {
        Scope { text: self.scope.text(), only_positions: self.rule == BlankNodes::Positions }
    }

    /// Whether each frame may have a scope of its own.
    #[inline(always)]
    pub(super) fn depend_on_frames(&self) -> bool {
        self.rule == BlankNodes::Scoped
    }

    /// Blank nodes of this frame get a scope of their own where frames are elements, else that of the source;
    /// says whether the scope is another than before.
    pub(super) fn scope_frame(&mut self, frame: u64, logical_type: LogicalType) -> bool {
        self.depend_on_frames() && self.scope.frame(frame, logical_type)
    }

    /// Whether positions are rejected.
    #[inline]
    pub(super) fn wants_names(&self) -> bool {
        self.rule == BlankNodes::Named
    }
}
