//! `convert`: any format in, any format out.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::capsule::PythonBatches;
use super::destination::target;
use super::input::Input;
use super::keywords;
use super::schema::Kind;
use super::signals::{Interrupt, Signals};
use crate::arrow::BatchSource;
use crate::conversion::Conversion;
use crate::convert::Tally;
use crate::error::Result;
use crate::options::doors::Doors;

/// Reports of the progress, at most so often.
pub(super) struct Report<'a> {
    progress: Option<&'a Py<PyAny>>,
    reported: u64,
}

/// Bytes between two reports.
const STEP: u64 = 1 << 20;

impl<'a> Report<'a> {
    pub(super) fn new(progress: Option<&'a Py<PyAny>>) -> Self {
        Report { progress, reported: 0 }
    }

    pub(super) fn poll(&mut self, signals: &mut Signals, tally: Tally) -> Result<()> {
        signals.poll()?;
        match self.progress {
            Some(progress) if tally.bytes_in >= self.reported + STEP => {
                self.reported = tally.bytes_in;
                signals.call(|py| progress.call1(py, (tally.rows, tally.bytes_in, tally.bytes_out)))
            }
            _ => Ok(()),
        }
    }
}

/// Converts a source; returns the numbers of `jelly.Tally`.
///
/// `batches` says that it is an iterable of record batches, of rows of "rdf" or "patch".
#[pyfunction]
#[pyo3(signature = (source, dest, read, write, progress=None, batches=None))]
pub(super) fn convert(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    dest: &Bound<'_, PyAny>,
    read: &Bound<'_, PyDict>,
    write: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
    batches: Option<&str>,
) -> PyResult<(u64, u64, u64, u64)> {
    let interrupt = Interrupt::default();
    let write = keywords::values(write, Doors::CONVERTED.and(Doors::CALL))?;
    let mut report = Report::new(progress.as_ref());
    let done = if let Some(kind) = batches {
        let is_patch = Kind::of(kind)? == Kind::Patch;
        let batches = Box::new(PythonBatches::new(source, &interrupt)?);
        let target = target(dest, &interrupt)?;
        interrupt.run(py, |signals| {
            let source = BatchSource { is_patch, batches };
            Ok(source.convert(&write, target, &mut |tally| report.poll(signals, tally))?)
        })?
    } else {
        let Input { source, name, .. } = Input::sharing(source, &interrupt)?;
        let read = keywords::values(read, Doors::CONVERT.and(Doors::CALL))?;
        let target = target(dest, &interrupt)?;
        let conversion = Conversion::of(&read, write, name)?;
        interrupt.run(py, |signals| {
            Ok(conversion.run(source, target, &mut |tally| report.poll(signals, tally))?)
        })?
    };
    Ok((done.rows, done.bytes_in, done.bytes_out, done.prefixes_left_out))
}
