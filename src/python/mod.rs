//! The native module `jelly._internal`: signatures over the core, no logic.
#![allow(clippy::doc_markdown, reason = "doc comments here are docstrings of Python")]

mod apply;
mod aside;
mod batch;
mod blank_diff;
mod capsule;
mod change;
mod column;
mod compressor;
mod convert;
mod destination;
mod error;
mod gathered;
mod guard;
mod handle;
mod index;
mod input;
mod inspect;
mod job;
mod keys;
mod keywords;
mod log;
mod log_places;
mod open;
mod publish;
mod reader;
mod relay;
mod rows;
mod schema;
mod show;
mod signals;
mod stream_options;
mod update;
mod values;
mod write_rows;
mod writer;

use pyo3::prelude::*;

#[pymodule(gil_used = true)]
mod _internal {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use super::apply::apply;
    #[pymodule_export]
    use super::aside::{WorkFolder, local_path};
    #[pymodule_export]
    use super::batch::RecordBatch;
    #[pymodule_export]
    use super::blank_diff::{BlankDiff, lasting_labels};
    #[pymodule_export]
    use super::change::{canonicalize, diff, invert, same, squash};
    #[pymodule_export]
    use super::column::read_column;
    #[pymodule_export]
    use super::compressor::Compressor;
    #[pymodule_export]
    use super::convert::convert;
    #[pymodule_export]
    use super::error::error_kinds;
    #[pymodule_export]
    use super::gathered::GatheredPatches;
    #[pymodule_export]
    use super::index::{index, is_part, splits};
    #[pymodule_export]
    use super::inspect::{Frequencies, inspect, statistics};
    #[pymodule_export]
    use super::keys::{KeyFilter, QuadKeys, quad_keys};
    #[pymodule_export]
    use super::keywords::option_table;
    #[pymodule_export]
    use super::log::{
        History, LogOrder, backup_base, history, holds_patches, identify, log_head, log_versions, order_log,
        patch_files, refuse_empty_base, refuse_hole, refuse_other_base, refuse_own_file, verify_log,
    };
    #[pymodule_export]
    use super::log_places::LogPlaces;
    #[pymodule_export]
    use super::open::{read, read_any, read_schema};
    #[pymodule_export]
    use super::publish::{RowsDigest, log_known_end, place_patch, refuse_changed, stamp_patch, summarize};
    #[pymodule_export]
    use super::reader::{PatchReader, RdfReader, Reader, state_after_loss};
    #[pymodule_export]
    use super::relay::{RdfRelay, met_options, read_message, write_message, written_options};
    #[pymodule_export]
    use super::rows::RowIterator;
    #[pymodule_export]
    use super::schema::Schema;
    #[pymodule_export]
    use super::show::{show, show_diff, show_style};
    #[pymodule_export]
    use super::update::{StoreLog, Updates};
    #[pymodule_export]
    use super::writer::Writer;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("RESTART_BYTES", crate::create::RESTART_BYTES)
    }
}
