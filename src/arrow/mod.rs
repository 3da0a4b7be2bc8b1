//! Rows as Arrow record batches; the only place that names Arrow.

mod column;
mod columns;
mod distinct;
pub mod foreign;
mod frame;
mod input;
mod joined;
mod labels;
mod open;
mod options;
mod patch;
mod piece;
mod pieces;
mod pool;
mod rdf;
mod reader;
pub mod schema;
mod settings;
mod side_by_side;
mod statement_columns;
mod term_columns;

pub use crate::open::Identity;
pub use column::ColumnStreams;
pub use input::{
    BatchDigest, BatchIter, BatchSource, BatchWriter, GatheredPatches, KeyColumn, KeyFilter, Labels,
    LogPlaces, PatchRows, RdfRows, Required, each_statement, lasting_labels,
};
pub use joined::{Joined, numbered};
pub use open::{PatchReader, RdfReader, ReadOptions, read, read_any, read_patch, read_rdf};
pub use patch::PatchBatches;
pub use rdf::RdfBatches;
pub use reader::{BatchReader, Mode, ReadBatches};
pub use settings::{BatchSettings, Batches, BlankNodes, StringType, TermStyle};
