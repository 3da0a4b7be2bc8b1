//! `convert`: any format in, any format out.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::destination::Destination;
use super::error::Failure;
use super::input::Input;
use super::keywords;
use super::signals::{Interrupt, Signals};
use crate::convert::{Adds, PatchTarget, RdfTarget, Skolem, Skolemized, Tally, convert as run};
use crate::create::{Encode, WriteOptions, Writer};
use crate::error::{Error, Result, catch_panic};
use crate::format::{AnyFormat, RdfFormat};
use crate::open::{Input as OpenInput, OpenOptions};
use crate::options::doors::Doors;
use crate::patch::{self, Again};
use crate::reader::RowSource;

/// What is told of the progress, at most so often.
pub(super) struct Report<'a> {
    signals: Signals,
    progress: Option<&'a Py<PyAny>>,
    told: u64,
}

/// Bytes between two reports.
const STEP: u64 = 1 << 20;

impl<'a> Report<'a> {
    pub(super) fn new(interrupt: &Interrupt, progress: Option<&'a Py<PyAny>>) -> Self {
        Report { signals: Signals::new(interrupt.clone()), progress, told: 0 }
    }

    pub(super) fn poll(&mut self, tally: Tally) -> Result<()> {
        self.signals.poll()?;
        match self.progress {
            Some(progress) if tally.bytes_in >= self.told + STEP => {
                self.told = tally.bytes_in;
                self.signals.call(|py| progress.call1(py, (tally.rows, tally.bytes_in, tally.bytes_out)))
            }
            _ => Ok(()),
        }
    }
}

/// Converts a source; returns rows, bytes read and bytes written, both without compression.
#[pyfunction]
#[pyo3(signature = (source, dest, read, write, progress=None))]
pub(super) fn convert(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    dest: &Bound<'_, PyAny>,
    read: &Bound<'_, PyDict>,
    write: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, u64, u64)> {
    let Input { source, name, interrupt } = Input::new(source)?;
    let read = keywords::values(read, Doors::CONVERT.and(Doors::CALL))?;
    let write = keywords::values(write, Doors::CONVERTED.and(Doors::CALL))?;
    let open = OpenOptions::of(&read, "format", name).map_err(Failure::Jelly)?;
    let destination = Destination::new(dest, &interrupt)?;
    let name = destination.name();
    let mut report = Report::new(&interrupt, progress.as_ref());
    let has_content_labels = read.choice("blank_nodes", [false, true]);
    let known = py.detach(|| {
        catch_panic(|| {
            if !has_content_labels {
                return Ok::<_, Failure>((source, open, None));
            }
            // all of it is read before the first label is known
            let again = Again::new(source, open)?;
            let format = OpenInput::open(again.source(), &again.options)?.format()?;
            let labels = match format {
                AnyFormat::Patch(_) => None,
                AnyFormat::Rdf(_) => Some(patch::content_names(&again, &mut |_| report.signals.poll())?),
            };
            Ok((again.source(), again.options, labels))
        })
    });
    let (source, open, labels) =
        known.map_err(|failure| interrupt.take().map_or(failure, Failure::Python))?;
    let opened = py.detach(|| catch_panic(|| Ok::<_, Failure>(OpenInput::open(source, &open)?)));
    let input = opened.map_err(|failure| interrupt.take().map_or(failure, Failure::Python))?;
    let format = input.format().map_err(Failure::Jelly)?;
    let is_patch = matches!(format, AnyFormat::Patch(_));
    let skolem = read.text("skolemize").map(str::to_owned);
    if is_patch && (skolem.is_some() || has_content_labels) {
        let what = if skolem.is_some() { "skolemize is" } else { "blank_nodes=\"content\" is" };
        let message = format!("{what} for statements: patches tell blank nodes by their labels");
        return Err(PyValueError::new_err(message));
    }
    let skolem = match labels {
        Some(labels) => Some(Skolem::with_labels(labels, skolem).map_err(Failure::Jelly)?),
        None => skolem.map(Skolem::new).transpose().map_err(Failure::Jelly)?,
    };
    let (mut write, to_patch) =
        WriteOptions::of_conversion(is_patch, &write, name.as_deref()).map_err(Failure::Jelly)?;
    let done = py.detach(|| {
        catch_panic(|| {
            let output = destination.open(write.compression, write.level)?;
            let writer = Writer::new(output);
            match format {
                AnyFormat::Patch(format) => {
                    let target = PatchTarget::new(Box::new(move |source| write.patch_encoder(source)));
                    all(input.patches(format)?.into_rows(), target, writer, report)
                }
                AnyFormat::Rdf(format) if to_patch => {
                    let target = PatchTarget::new(Box::new(move |source| write.patch_encoder(source)));
                    all(
                        input.statements(format)?.into_rows(),
                        Skolemized::new(Adds::new(target), skolem),
                        writer,
                        report,
                    )
                }
                AnyFormat::Rdf(format) => {
                    let has_graphs = format != RdfFormat::NTriples && format != RdfFormat::Turtle;
                    write.keep_prefixes_of(format);
                    let target =
                        RdfTarget::new(Box::new(move |source| write.rdf_encoder(source, has_graphs)));
                    all(
                        input.statements(format)?.into_rows(),
                        Skolemized::new(target, skolem),
                        writer,
                        report,
                    )
                }
            }
        })
    });
    let done = done.map_err(|failure| interrupt.take().map_or(failure, Failure::Python))?;
    Ok((done.rows, done.bytes_in, done.bytes_out))
}

fn all<T: Encode>(
    mut rows: Box<dyn RowSource<T>>,
    mut target: T,
    mut writer: Writer,
    mut report: Report<'_>,
) -> Result<Tally, Failure> {
    let tally = run(&mut *rows, &mut target, &mut writer, &mut |tally| report.poll(tally));
    let tally = tally.map_err(|error: Error| Failure::Jelly(error))?;
    writer.finish()?;
    Ok(tally)
}
