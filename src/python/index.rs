//! `index`, `restart_points` and `splits`.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::error::warn;
use super::input::Input;
use super::keywords;
use super::signals::Interrupt;
use crate::index::{ScanOptions, restart_points as points_of, scan};
use crate::io::local_path;
use crate::open::OpenOptions;
use crate::options::doors::Doors;
use crate::split::{Split, SplitOptions, splits as split_source};

/// A place at which a file can be entered.
type Place = (u64, u64, u64, u64, u64);

/// Makes the sidecar of a Jelly file that has no footer, so that it can be read in parts.
///
/// Decodes the file once and keeps a snapshot of the decoder every so many bytes, in ``.NAME.jellyindex``
/// beside it. A file that grew uses it for its old part; after any other change it is not used: size, times and
/// inode are compared, and where they differ the checksum of all bytes. zstd files need a seek table; gzip cannot
/// be entered in the middle.
///
/// Args:
///     path: The file.
///     **options: See ``docs/options.md``; as the file will be read.
///
/// Returns:
///     The path of the sidecar and the number of sync points.
///
/// Raises:
///     OSError: The file cannot be read, or the sidecar not written.
///     DecodeError: The file is not as it should be; there is no sidecar then.
///     ValueError: The file cannot be entered in the middle.
#[pyfunction]
#[pyo3(signature = (path, **options))]
pub(super) fn index(
    py: Python<'_>,
    path: PathBuf,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(String, usize)> {
    let path = local_path(&path)?;
    let values = keywords::values(options.unwrap_or(&PyDict::new(py)), Doors::INDEX)?;
    let options = ScanOptions::of(&values, &path);
    let scanned =
        Interrupt::default().run(py, |signals| Ok(scan(&path, &options, &mut || signals.poll())?))?;
    Ok((scanned.path.to_string_lossy().into_owned(), scanned.points))
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

/// What tells where a file can be entered; each place: byte, and rows, frames, patches, transactions before.
#[pyfunction]
pub(super) fn restart_points(py: Python<'_>, path: PathBuf) -> PyResult<(&'static str, Vec<Place>)> {
    let path = local_path(&path)?;
    let found = Interrupt::default().run(py, |_| Ok(points_of(&path, None)?))?;
    found.warnings.iter().try_for_each(|warning| warn(py, warning))?;
    let place = |point: &crate::index::Point| {
        let counters = point.counters;
        (point.offset, counters.seq, counters.frame, counters.patch, counters.txns)
    };
    Ok((found.how.name(), found.points.iter().map(place).collect()))
}
