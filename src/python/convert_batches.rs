//! `convert` from record batches, as Parquet and Arrow files hold them.

use arrow_array::{Array, RecordBatch};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::capsule::Batches;
use super::convert::Report;
use super::destination::Destination;
use super::error::Failure;
use super::keywords;
use super::signals::Interrupt;
use crate::arrow::{PatchRows, RdfRows};
use crate::convert::{PlainAdds, Tally};
use crate::create::{Encode, PlainPatchWriter, PlainRdfWriter, WriteOptions, Writer};
use crate::error::{Result, catch_panic};
use crate::options::doors::Doors;

enum Target {
    Rdf(RdfRows, PlainRdfWriter),
    Adds(RdfRows, PlainAdds),
    Patch(PatchRows, PlainPatchWriter),
}

impl Target {
    fn new(is_patch: bool, to_patch: bool, options: &WriteOptions) -> Result<Self> {
        Ok(match (is_patch, to_patch) {
            (true, _) => Target::Patch(PatchRows::default(), options.patch_writer()?),
            (false, true) => Target::Adds(RdfRows::default(), PlainAdds::new(options.patch_writer()?)),
            // rows that come later may have graphs
            (false, false) => Target::Rdf(RdfRows::default(), options.rdf_writer(true)?),
        })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Target::Rdf(rows, writer) => rows.write(batch, writer),
            Target::Adds(rows, writer) => rows.write(batch, writer),
            Target::Patch(rows, writer) => rows.write(batch, writer),
        }
    }

    fn encoder(&mut self) -> &mut dyn Encode {
        match self {
            Target::Rdf(_, writer) => writer,
            Target::Adds(_, writer) => writer,
            Target::Patch(_, writer) => writer,
        }
    }
}

/// Converts record batches; returns rows, bytes of the columns, and bytes written without compression.
#[pyfunction]
#[pyo3(signature = (batches, is_patch, dest, write, progress=None))]
pub(super) fn convert_batches(
    py: Python<'_>,
    batches: &Bound<'_, PyAny>,
    is_patch: bool,
    dest: &Bound<'_, PyAny>,
    write: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, u64, u64)> {
    let interrupt = Interrupt::default();
    let destination = Destination::new(dest, &interrupt)?;
    let write = keywords::values(write, Doors::CONVERTED.and(Doors::CALL))?;
    let name = destination.name();
    let (options, to_patch) =
        WriteOptions::of_conversion(is_patch, &write, name.as_deref()).map_err(Failure::Jelly)?;
    let mut target = Target::new(is_patch, to_patch, &options).map_err(Failure::Jelly)?;
    let mut writer = Writer::new(destination.open(options.compression, options.level)?);
    let mut report = Report::new(&interrupt, progress.as_ref());
    let mut tally = Tally::default();
    let detached = |work: &mut (dyn FnMut() -> Result<(), Failure> + Send)| {
        let done = py.detach(|| catch_panic(work));
        done.map_err(|failure| interrupt.take().map_or(failure, Failure::Python))
    };
    for batch in batches.try_iter()? {
        let Some(mut batch) = Batches::of(&batch?)? else {
            return Err(PyValueError::new_err("no record batches"));
        };
        detached(&mut || {
            while let Some(batch) = batch.next().map_err(Failure::Python)? {
                target.write(&batch)?;
                writer.take(target.encoder())?;
                tally.rows += batch.num_rows() as u64;
                tally.bytes_in += bytes(&batch);
                tally.bytes_out = writer.written();
                report.poll(tally)?;
            }
            Ok(())
        })?;
    }
    detached(&mut || {
        target.encoder().finish()?;
        Ok(writer.take(target.encoder())?)
    })?;
    let written = writer.written();
    let mut writer = Some(writer);
    detached(&mut || Ok(writer.take().map_or(Ok(()), Writer::finish)?))?;
    Ok((tally.rows, tally.bytes_in, written))
}

/// Bytes of the columns.
fn bytes(batch: &RecordBatch) -> u64 {
    let sizes = batch.columns().iter().map(|column| column.to_data().get_slice_memory_size());
    sizes.filter_map(|size| size.ok()).map(|size| size as u64).sum()
}
