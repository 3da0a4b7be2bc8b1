//! The operations on patches: apply, compare, undo, merge, and the versions of a log.

mod again;
mod apply;
mod applying;
mod base_labels;
mod blank_diff;
mod blank_parts;
mod blank_rows;
mod canonical;
mod checked_net;
mod content;
mod dataset;
mod diff;
mod effect;
mod emit;
pub mod files;
mod history;
mod invert;
mod key_filter;
mod key_set;
mod keyed;
mod keyed_lines;
mod keyed_parts;
mod keyed_pieces;
mod log;
mod net;
mod options;
mod prefixes;
mod quad_block;
mod quad_key;
mod quad_recorder;
mod quad_text;
mod rdfc10;
mod same;
mod squash;
mod stored;
mod updates;
mod verify;
mod versions;
mod work;

pub use again::Again;
pub use apply::{Applied, ApplyOptions, ApplyTarget, Needs, apply};
pub use base_labels::BaseLabels;
pub use blank_diff::BlankDiff;
pub use blank_rows::{BlankNodes, NodeCounts};
pub use canonical::canonicalize;
pub(crate) use dataset::each_statement;
pub use diff::{Compared, DiffOptions, diff};
pub use emit::{PatchOut, Patched};
pub use history::{History, Pattern, Period, history};
pub use invert::{InvertOptions, invert};
pub(crate) use key_set::KeySet;
pub use log::{
    Base, Beginning, Claim, FirstDataset, GatheredCounts, GatheredPatch, GatheredRow, GatheredTransaction,
    Head, Header, Log, LogContext, LogOptions, LogOrder, LogPart, LogSources, Origin, Outcome, PatchFacts,
    PatchSummary, Placed, Problem, RowsDigest, Version, backup_base, head, hex_digest, holds_patches,
    id_from_text, known_end, order_log, patch_files, place, refuse_changed, refuse_hole, refuse_other_base,
    refuse_own_file, stamp, summarize,
};
pub(crate) use log::{Change, LogSink};
pub(crate) use net::{ByKey, Net};
pub use options::{headers_of, id_of, term_of};
pub use quad_key::{Keys, QuadKey};
pub use same::same;
pub use squash::{SquashOptions, squash};
pub(crate) use stored::{Store, Stored};
pub use updates::Updates;
pub use verify::{LogReport, verify_log};
pub use versions::{LogVersion, LogVersions, id_identity, log_versions};
pub(crate) use work::Work;
pub use work::{Progress, Watch};
