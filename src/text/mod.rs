//! Text: terms as canonical N-Triples (RDF 1.2), and the formats that consist of such terms.

mod blocks;
mod canonical;
mod fold;
pub(crate) mod lex;
mod nquads;
mod other;
mod out;
mod patch_words;
mod places;
mod rdf_patch;
mod row_writer;
mod rows;
pub(crate) mod slot;
mod v1;
pub(crate) mod write;
mod write_lines;
mod write_patch;
mod write_update;

pub(crate) use blocks::{Block, Blocks};
pub(crate) use fold::fold_tags;
pub(crate) use nquads::is_generalized;
pub use nquads::{Lines, LinesOptions};
pub(crate) use other::holds_prefix;
pub use other::{OtherRdf, TurtleWriter};
pub(crate) use places::{HEAD, Place, Places, TextKind};
pub use rdf_patch::{PatchDialect, RdfPatch};
pub use rows::TextRows;
pub use write_lines::LinesWriter;
pub use write_patch::PatchTextWriter;
pub use write_update::{StoreLog, StoreVersion, UpdateWriter};

#[cfg(feature = "arrow")]
pub(crate) use write::TermWriter;
