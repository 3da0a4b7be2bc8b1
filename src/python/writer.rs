//! Writers for Python: batches, readers and columns of any kind, to bytes of any format.

use arrow_array::RecordBatch;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::capsule::Batches;
use super::destination::Destination;
use super::error::Failure;
use super::guard::Guarded;
use super::keywords;
use super::reader::Reader;
use super::schema::Kind;
use super::signals::{Interrupt, Signals};
use super::write_rows;
use crate::arrow::{PatchRows, RdfRows};
use crate::create::{
    Encode, PlainPatchSink, PlainPatchWriter, PlainRdfWriter, WriteOptions, Writer as Drain,
};
use crate::encode::PlainOp;
use crate::error::Result;
use crate::io::Compression;
use crate::options::doors::Doors;

/// What :class:`jelly.RdfWriter` and :class:`jelly.PatchWriter` stand on.
#[pyclass(frozen, module = "jelly")]
pub(super) struct Writer {
    core: Guarded<Core>,
}

struct Core {
    rows: Rows,
    /// `None` once closed.
    drain: Option<Drain>,
    failed: bool,
    /// Whoever flushes takes what was written for a message of its own: a file object as it is.
    messages: bool,
    interrupt: Interrupt,
    signals: Signals,
}

enum Rows {
    Rdf { settings: Box<WriteOptions>, writer: Option<Box<PlainRdfWriter>>, rows: RdfRows },
    Patch { writer: Box<PlainPatchWriter>, rows: PatchRows },
}

/// The writer of statements, by the first of which the options are chosen where nobody chose them.
fn opened<'w>(
    settings: &WriteOptions,
    writer: &'w mut Option<Box<PlainRdfWriter>>,
    first: Option<&RecordBatch>,
) -> Result<&'w mut PlainRdfWriter> {
    Ok(match writer {
        Some(writer) => writer,
        none => none.insert(Box::new(settings.rdf_writer(first.is_some_and(RdfRows::has_graphs))?)),
    })
}

impl Rows {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Rows::Patch { writer, rows } => rows.write(batch, &mut **writer),
            Rows::Rdf { .. } if batch.num_rows() == 0 => Ok(()),
            Rows::Rdf { settings, writer, rows } => rows.write(batch, opened(settings, writer, Some(batch))?),
        }
    }

    fn encoder(&mut self) -> Result<&mut dyn Encode> {
        Ok(match self {
            Rows::Patch { writer, .. } => writer.encoder(),
            Rows::Rdf { settings, writer, .. } => opened(settings, writer, None)?.encoder(),
        })
    }

    /// Whether frames have a meaning.
    fn keeps_frames(&self) -> bool {
        match self {
            Rows::Patch { writer, .. } => writer.keeps_frames(),
            Rows::Rdf { settings, .. } => settings.keeps_frames(),
        }
    }

    /// Whether anything can have been written yet.
    fn has_begun(&self) -> bool {
        !matches!(self, Rows::Rdf { writer: None, .. })
    }
}

impl Core {
    /// Does work on the rows; a failure gives the destination up.
    fn attempt<R>(
        &mut self,
        work: impl FnOnce(&mut Rows, &mut Drain, &mut Signals) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let Some(drain) = &mut self.drain else {
            let message = if self.failed { "the writer failed before" } else { "the writer is closed" };
            return Err(Failure::Python(PyValueError::new_err(message)));
        };
        // a panic leaves the writer failed
        self.failed = true;
        let done = work(&mut self.rows, drain, &mut self.signals);
        let done = match self.interrupt.take() {
            Some(error) => Err(Failure::Python(error)),
            None => done,
        };
        self.failed = done.is_err();
        if self.failed {
            self.drain = None;
        }
        done
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<usize, Failure> {
        self.attempt(|rows, drain, signals| {
            signals.poll()?;
            rows.write(batch)?;
            if rows.has_begun() {
                drain.take(rows.encoder()?)?;
            }
            Ok(batch.num_rows())
        })
    }

    /// Changes what is written, and hands out what is complete.
    fn change(&mut self, change: impl FnOnce(&mut Rows) -> Result<()>) -> Result<(), Failure> {
        self.attempt(|rows, drain, _| {
            change(rows)?;
            Ok(drain.take(rows.encoder()?)?)
        })
    }

    fn close(&mut self) -> Result<(), Failure> {
        if self.drain.is_none() && !self.failed {
            return Ok(());
        }
        self.change(|rows| rows.encoder()?.finish())?;
        match self.drain.take() {
            Some(drain) => Ok(drain.finish()?),
            None => Ok(()),
        }
    }
}

#[pymethods]
impl Writer {
    #[new]
    fn new(kind: &str, dest: &Bound<'_, PyAny>, keywords: &Bound<'_, PyDict>) -> PyResult<Self> {
        let interrupt = Interrupt::default();
        let destination = Destination::new(dest, &interrupt)?;
        let kind = Kind::of(kind)?;
        let doors = if kind == Kind::Patch { Doors::WRITE_PATCH } else { Doors::WRITE_RDF };
        let values = keywords::values(keywords, doors)?;
        let options = WriteOptions::of(kind == Kind::Patch, &values, destination.name().as_deref());
        let options = options.map_err(Failure::Jelly)?;
        let messages =
            dest.hasattr("write")? && matches!(options.compression, None | Some(Compression::None));
        let output = destination.open(options.compression, options.level)?;
        let rows = match kind {
            Kind::Patch => Rows::Patch {
                writer: Box::new(options.patch_writer().map_err(Failure::Jelly)?),
                rows: PatchRows::default(),
            },
            Kind::Rdf => Rows::Rdf { settings: Box::new(options), writer: None, rows: RdfRows::default() },
        };
        let core = Core {
            rows,
            drain: Some(Drain::new(output)),
            failed: false,
            messages,
            signals: Signals::new(interrupt.clone()),
            interrupt,
        };
        Ok(Writer { core: Guarded::new(core) })
    }

    /// Writes all batches of an object of an Arrow library; returns their rows.
    fn write_arrow(&self, py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<usize> {
        let Some(mut batches) = Batches::of(object)? else {
            return Err(PyValueError::new_err("neither record batches nor a stream of them"));
        };
        let mut written = 0;
        py.detach(|| {
            while let Some(batch) = batches.next().map_err(Failure::Python)? {
                written += self.core.with(|core| core.write(&batch))?;
            }
            Ok::<_, Failure>(())
        })?;
        Ok(written)
    }

    /// Writes the remaining rows of a reader; returns their number.
    fn write_reader(&self, py: Python<'_>, reader: &Bound<'_, Reader>) -> PyResult<usize> {
        let mut written = 0;
        while let Some(batch) = reader.get().next_batch(py)? {
            written += py.detach(|| self.core.with(|core| core.write(&batch)))?;
        }
        Ok(written)
    }

    /// Writes columns by name; returns their rows.
    fn write_columns(&self, py: Python<'_>, columns: &Bound<'_, PyDict>) -> PyResult<usize> {
        let batch = write_rows::batch(columns)?;
        Ok(py.detach(|| self.core.with(|core| core.write(&batch)))?)
    }

    /// Ends the frame.
    fn end_frame(&self, py: Python<'_>, metadata: Vec<(String, Vec<u8>)>) -> PyResult<()> {
        let end = |rows: &mut Rows| match rows {
            Rows::Patch { writer, .. } => writer.encoder().end_frame(),
            Rows::Rdf { settings, writer, .. } => {
                opened(settings, writer, None)?.encoder().end_frame(&metadata)
            }
        };
        Ok(py.detach(|| self.core.with(|core| core.change(end)))?)
    }

    /// Ends the patch.
    fn end_patch(&self, py: Python<'_>) -> PyResult<()> {
        let end = |rows: &mut Rows| match rows {
            Rows::Patch { writer, rows } => {
                rows.forget_patch();
                writer.plain_row(&PlainOp::End)
            }
            Rows::Rdf { .. } => Ok(()),
        };
        Ok(py.detach(|| self.core.with(|core| core.change(end)))?)
    }

    /// Hands on what is complete, as a message of its own where the destination has messages.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let flush = |core: &mut Core| {
            let messages = core.messages;
            core.attempt(|rows, drain, _| {
                drain.flush()?;
                if messages && rows.has_begun() {
                    rows.encoder()?.end_message();
                }
                Ok(())
            })
        };
        Ok(py.detach(|| self.core.with(flush))?)
    }

    /// Whether frames have a meaning: patches, or elements of a grouped stream.
    #[getter]
    fn keeps_frames(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(py.detach(|| self.core.with(|core| Ok(core.rows.keeps_frames())))?)
    }

    /// Ends the stream.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| self.core.with(Core::close))?)
    }

    /// Gives up.
    fn abort(&self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| {
            self.core.with(|core| {
                core.drain = None;
                core.failed = false;
                Ok(())
            })
        })?)
    }

    /// Whether nothing more can be written.
    #[getter]
    fn closed(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(py.detach(|| self.core.with(|core| Ok(core.drain.is_none())))?)
    }
}
