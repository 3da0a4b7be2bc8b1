//! What batches hold, and what readers need of whoever makes them.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::namespaces::Namespaces;
use crate::open::Identity;
use crate::with::With;

/// How terms are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TermStyle {
    /// As canonical N-Triples text.
    #[default]
    Text,
    /// As structs of kind, value, datatype and language.
    Struct,
}

/// The Arrow type of columns of strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StringType {
    /// Each row has its own text.
    #[default]
    Utf8,
    /// Rows with the same text share it.
    View,
    /// Rows have the places of their texts.
    Dictionary,
}

/// What becomes of blank node labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlankNodes {
    /// `Scoped` in formats where most blank nodes have no label, `Positions` in others; `Keep` in patches.
    #[default]
    Auto,
    /// Kept as they came.
    Keep,
    /// Made unique for the source, and for the frame where the logical type says that frames are elements.
    Scoped,
    /// A label that is the position of a node in its file is made unique for the source; others are kept as they came.
    Positions,
    /// Kept as they came; a label that is the position of a node in its file is an error.
    Named,
    /// Labels that depend on the graph alone; of statements, and of whole sources.
    Content,
    /// Kept as they came if they last, else `Content`.
    Lasting,
}

/// What batches hold.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct BatchSettings {
    /// Columns in the order wanted; `None`: all.
    pub columns: Option<Vec<String>>,
    /// How terms are given.
    pub terms: TermStyle,
    /// The type of columns of strings.
    pub strings: StringType,
    /// What becomes of blank node labels.
    pub blank_nodes: BlankNodes,
    /// What distinguishes this source from others where labels are scoped.
    pub identity: Identity,
    /// Adds the column `_corrupt_record`.
    pub corrupt_record: bool,
    /// Name of the stream, for the column `source`.
    pub source: Option<Arc<str>>,
    /// Bounds on batches and terms.
    pub limits: Limits,
    /// A batch ends with each frame of Jelly that has rows.
    pub ends_with_frames: bool,
}

impl With for BatchSettings {}

/// A sink that makes batches.
pub trait Batches: Send {
    /// Namespaces that were declared so far.
    fn namespaces(&self) -> &Namespaces;

    /// These, to be taken or put there.
    fn namespaces_mut(&mut self) -> &mut Namespaces;

    /// The schema of every batch.
    fn schema(&self) -> SchemaRef;

    /// Rows waiting to be taken.
    fn rows(&self) -> usize;

    /// Bytes of text written since the start.
    fn text_bytes(&self) -> u64;

    /// Makes the sink full as soon as the options come, or no more.
    fn pause_at_options(&mut self, pause: bool);

    /// Takes the waiting rows.
    fn take(&mut self) -> Result<RecordBatch>;

    /// Adds the row of an error (permissive mode).
    fn push_corrupt(&mut self, error: &Error);
}
