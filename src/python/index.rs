//! `index` and `splits`, and how files of logs start.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::error::warn;
use super::input::Input;
use super::keywords;
use super::signals::Interrupt;
use crate::create::default_patch_options;
use crate::index::{ScanOptions, scan};
use crate::io::local_path;
use crate::open::OpenOptions;
use crate::options::doors::Doors;
use crate::split::{Split, SplitOptions, splits as split_source};

/// What :func:`jelly.index` stands on: the path of the sidecar and the number of sync points.
#[pyfunction]
pub(super) fn index(
    py: Python<'_>,
    path: PathBuf,
    keywords: &Bound<'_, PyDict>,
) -> PyResult<(PathBuf, usize)> {
    let path = local_path(&path)?;
    let values = keywords::values(keywords, Doors::INDEX)?;
    let options = ScanOptions::of(&values, &path);
    let scanned =
        Interrupt::default().run(py, |signals| Ok(scan(&path, &options, &mut || signals.poll())?))?;
    Ok((scanned.path, scanned.points))
}

/// A part: start, end, rows, state.
type Part = (u64, Option<u64>, Option<u64>, Py<PyBytes>);

/// What :func:`jelly.splits` stands on: format, compression, parts.
#[pyfunction]
pub(super) fn splits(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    split_bytes: u64,
    whole_patches: bool,
    keywords: &Bound<'_, PyDict>,
) -> PyResult<(&'static str, &'static str, Vec<Part>)> {
    let Input { source, name, interrupt } = Input::seekable(source)?;
    let values = keywords::values(keywords, Doors::SPLITS)?;
    let open = OpenOptions::of(&values, "format", name)?;
    let options = SplitOptions { open, split_bytes, whole_patches };
    let found = interrupt.run(py, |signals| Ok(split_source(source, &options, &mut || signals.poll())?))?;
    found.warnings.iter().try_for_each(|warning| warn(py, warning))?;
    let part = |split: &Split| (split.start, split.end, split.rows, PyBytes::new(py, &split.state).unbind());
    Ok((found.format.name(), found.compression.name(), found.splits.iter().map(part).collect()))
}

/// Whether a file that starts so is Jelly-Patch as logs keep it: end to end, files of these are one stream.
#[pyfunction]
pub(super) fn is_part(start: &[u8]) -> bool {
    crate::index::is_part(start, &default_patch_options())
}
