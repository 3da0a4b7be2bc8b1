//! `convert` from record batches, as Parquet and Arrow files hold them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::capsule::Batches;
use super::convert::Report;
use super::destination::target;
use super::error::Failure;
use super::keywords;
use super::signals::Interrupt;
use crate::arrow::BatchWriter;
use crate::options::doors::Doors;

/// Converts record batches; returns the numbers of `jelly.Tally`.
#[pyfunction]
#[pyo3(signature = (batches, is_patch, dest, write, progress=None))]
pub(super) fn convert_batches(
    py: Python<'_>,
    batches: &Bound<'_, PyAny>,
    is_patch: bool,
    dest: &Bound<'_, PyAny>,
    write: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, u64, u64, u64)> {
    let interrupt = Interrupt::default();
    let target = target(dest, &interrupt)?;
    let write = keywords::values(write, Doors::CONVERTED.and(Doors::CALL))?;
    let mut writer = BatchWriter::of_conversion(is_patch, &write, target).map_err(Failure::Jelly)?;
    let mut report = Report::new(progress.as_ref());
    for batch in batches.try_iter()? {
        let Some(mut batch) = Batches::of(&batch?)? else {
            return Err(PyValueError::new_err("no record batches"));
        };
        interrupt.run(py, |signals| {
            while let Some(batch) = batch.next().map_err(Failure::Python)? {
                writer.write(&batch, &mut |tally| report.poll(signals, tally))?;
            }
            Ok(())
        })?;
    }
    let done = interrupt.run(py, |_| Ok(writer.close()?))?;
    Ok((done.rows, done.bytes_in, done.bytes_out, done.prefixes_left_out))
}
