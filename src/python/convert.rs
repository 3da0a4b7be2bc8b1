//! `convert`: any format in, any format out.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::destination::Destination;
use super::error::Failure;
use super::input::Input;
use super::keywords::Keywords;
use super::options;
use super::signals::{Interrupt, Signals};
use super::write_options::WriteOptions;
use crate::convert::{Adds, PatchTarget, RdfTarget, Skolemized, Tally, convert as run};
use crate::create::{Encode, Writer};
use crate::decode::DecodeOptions;
use crate::error::{Error, Result, catch_panic};
use crate::format::{AnyFormat, PatchFormat, RdfFormat};
use crate::open::{Input as OpenInput, OpenOptions};
use crate::reader::RowSource;

/// Reads the keywords about the source.
pub(super) fn open_options(keywords: &Bound<'_, PyDict>, name: Option<String>) -> PyResult<OpenOptions> {
    let format = Keywords(keywords).word("format", "auto")?;
    open_options_of(&format, keywords, name)
}

/// As [`open_options`], for a source of this format.
pub(super) fn open_options_of(
    format: &str,
    keywords: &Bound<'_, PyDict>,
    name: Option<String>,
) -> PyResult<OpenOptions> {
    let keywords = Keywords(keywords);
    let (rdf_format, patch_format) = (RdfFormat::from_name(format), PatchFormat::from_name(format));
    if format != "auto" && rdf_format.is_none() && patch_format.is_none() {
        let known = RdfFormat::ALL.iter().map(|format| format.name());
        let known: Vec<_> = known.chain(PatchFormat::ALL.iter().map(|format| format.name())).collect();
        let message = format!("format is {format:?}; it can be auto, {}", known.join(", "));
        return Err(PyValueError::new_err(message));
    }
    let told: Option<String> = keywords.value("source_name")?;
    Ok(OpenOptions {
        rdf_format,
        patch_format,
        decode: DecodeOptions {
            framing: options::FRAMING.read(&keywords.word("framing", "auto")?)?,
            strict: keywords.flag("strict", false)?,
            lenient_flags: keywords.flag("lenient_flags", false)?,
            strict_graphs: keywords.flag("strict_graphs", true)?,
            limits: options::limits(keywords.get("limits")?.as_ref())?,
            source: told.or(name).map(Into::into),
        },
        compression: options::COMPRESSION.read(&keywords.word("compression", "auto")?)?,
        committed: options::ROWS.read(&keywords.word("rows", "all")?)?,
        refuse_empty: false,
        resume: None,
        start: None,
        end: None,
        split: None,
    })
}

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
    let open = open_options(read, name)?;
    let destination = Destination::new(dest, &interrupt)?;
    let name = destination.name();
    let opened = py.detach(|| catch_panic(|| Ok::<_, Failure>(OpenInput::open(source, &open)?)));
    let input = opened.map_err(|failure| interrupt.take().map_or(failure, Failure::Python))?;
    let format = input.format().map_err(Failure::Jelly)?;
    let is_patch = matches!(format, AnyFormat::Patch(_));
    let skolem: Option<String> = Keywords(read).value("skolemize")?;
    if is_patch && skolem.is_some() {
        let message = "skolemize is for statements: patches tell blank nodes by their labels";
        return Err(PyValueError::new_err(message));
    }
    let (write, to_patch) = WriteOptions::of_conversion(is_patch, write, name.as_deref())?;
    let report = Report::new(&interrupt, progress.as_ref());
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
