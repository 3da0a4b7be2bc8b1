//! `index`, `restart_points` and `splits`.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::convert::open_options;
use super::error::{Failure, warn};
use super::input::Input;
use super::options;
use super::signals::{Interrupt, Signals};
use crate::decode::DecodeOptions;
use crate::error::catch_panic;
use crate::index::{ScanOptions, restart_points as points_of, scan};
use crate::io::{Content, local_path};
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
///     every: Bytes between two restart points, uncompressed.
///     format: As it is read, where the first bytes do not tell.
///     framing: As it will be read.
///     compression: As it will be read.
///     lenient_flags: As it will be read.
///     strict_graphs: As it will be read.
///     limits: Bounds on what the file may ask for.
///
/// Returns:
///     The path of the sidecar and the number of restart points.
///
/// Raises:
///     OSError: The file cannot be read, or the sidecar not written.
///     DecodeError: The file is not as it should be; there is no sidecar then.
///     ValueError: The file cannot be entered in the middle.
#[pyfunction]
#[pyo3(signature = (path, *, every=67_108_864, format="auto", framing="auto", compression="auto", lenient_flags=false,
    strict_graphs=true, limits=None))]
#[expect(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub(super) fn index(
    py: Python<'_>,
    path: PathBuf,
    every: u64,
    format: &str,
    framing: &str,
    compression: &str,
    lenient_flags: bool,
    strict_graphs: bool,
    limits: Option<Bound<'_, PyAny>>,
) -> PyResult<(String, usize)> {
    let path = local_path(&path).map_err(Failure::Jelly)?;
    if every == 0 {
        return Err(PyValueError::new_err("every is 0; it must be at least 1"));
    }
    let options = ScanOptions {
        every,
        decode: DecodeOptions {
            framing: options::FRAMING.read(framing)?,
            lenient_flags,
            strict_graphs,
            limits: options::limits(limits.as_ref())?,
            source: Some(path.to_string_lossy().into()),
            ..DecodeOptions::default()
        },
        format: FORMAT.read(format)?,
        compression: options::COMPRESSION.read(compression)?,
    };
    let interrupt = Interrupt::default();
    let mut signals = Signals::new(interrupt.clone());
    let scanned = py.detach(|| catch_panic(|| Ok(scan(&path, &options, &mut || signals.poll())?)));
    let scanned = scanned.map_err(|failure| interrupt.take().map_or(failure, Failure::Python))?;
    Ok((scanned.path.to_string_lossy().into_owned(), scanned.points))
}

const FORMAT: options::Choice<Option<Content>> = options::Choice {
    keyword: "format",
    words: &[("auto", None), ("jelly", Some(Content::JellyRdf)), ("jelly-patch", Some(Content::JellyPatch))],
};

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
    let options = SplitOptions { open: open_options(keywords, name)?, split_bytes, whole_patches };
    let mut signals = Signals::new(interrupt.clone());
    let found = py.detach(|| catch_panic(|| Ok(split_source(source, &options, &mut || signals.poll())?)));
    let found = found.map_err(|failure| interrupt.take().map_or(failure, Failure::Python))?;
    found.warnings.iter().try_for_each(|warning| warn(py, warning))?;
    let part = |split: &Split| (split.start, split.end, split.rows, PyBytes::new(py, &split.state).unbind());
    Ok((found.format.name(), found.compression.name(), found.splits.iter().map(part).collect()))
}

/// What tells where a file can be entered; each place: byte, and rows, frames, patches, transactions before.
#[pyfunction]
#[pyo3(signature = (path, *, compression="auto"))]
pub(super) fn restart_points(
    py: Python<'_>,
    path: PathBuf,
    compression: &str,
) -> PyResult<(&'static str, Vec<Place>)> {
    let path = local_path(&path).map_err(Failure::Jelly)?;
    let compression = options::COMPRESSION.read(compression)?;
    let found = py.detach(|| catch_panic(|| Ok::<_, Failure>(points_of(&path, compression)?)))?;
    found.warnings.iter().try_for_each(|warning| warn(py, warning))?;
    let place = |point: &crate::index::Point| {
        let counters = point.counters;
        (point.offset, counters.seq, counters.frame, counters.patch, counters.txns)
    };
    Ok((found.how.name(), found.points.iter().map(place).collect()))
}
