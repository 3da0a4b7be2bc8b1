//! `read_rdf` and `read_patch`.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;

use super::convert::open_options;
use super::error::Failure;
use super::handle::Handle;
use super::input::Input;
use super::options;
use super::reader::{PatchReader, RdfReader, Reader};
use super::schema::{Kind, Schema};
use crate::arrow::{self, BatchSettings, ReadBatches, ReadOptions};
use crate::decode::DecodeOptions;
use crate::error::catch_panic;
use crate::format::AnyFormat;
use crate::open::{OpenOptions, PartOf};

/// What both functions take.
struct Keywords<'a, 'py> {
    format: &'a str,
    framing: &'a str,
    compression: &'a str,
    columns: Option<Bound<'py, PyAny>>,
    rows: &'a str,
    terms: &'a str,
    blank_nodes: &'a str,
    mode: &'a str,
    strict: bool,
    lenient_flags: bool,
    strict_graphs: bool,
    batch_rows: Option<i64>,
    batch_bytes: Option<i64>,
    limits: Option<Bound<'py, PyAny>>,
    resume: Option<PyBackedBytes>,
    start: Option<u64>,
    end: Option<u64>,
    split: Option<PyBackedBytes>,
    source_name: Option<String>,
    refuse_empty: bool,
}

impl Keywords<'_, '_> {
    /// A part is read of what can be read anywhere.
    fn input(&self, source: &Bound<'_, PyAny>) -> PyResult<Input> {
        if self.split.is_none() && self.start.is_none() && self.end.is_none() {
            return Input::new(source);
        }
        Input::seekable(source)
    }

    fn read(self, kind: Kind, own_name: Option<String>) -> PyResult<ReadOptions> {
        let (rdf_format, patch_format) = match kind {
            Kind::Rdf => (options::RDF_FORMAT.read(self.format)?, None),
            Kind::Patch => (None, options::PATCH_FORMAT.read(self.format)?),
        };
        let mut limits = options::limits(self.limits.as_ref())?;
        limits.batch_rows = options::at_least_one("batch_rows", self.batch_rows, limits.batch_rows)?;
        limits.batch_bytes = options::batch_bytes(self.batch_bytes, limits.batch_bytes)?;
        let mut read = ReadOptions {
            open: OpenOptions {
                rdf_format,
                patch_format,
                decode: DecodeOptions {
                    framing: options::FRAMING.read(self.framing)?,
                    strict: self.strict,
                    lenient_flags: self.lenient_flags,
                    strict_graphs: self.strict_graphs,
                    limits,
                    source: None,
                },
                compression: options::COMPRESSION.read(self.compression)?,
                committed: options::ROWS.read(self.rows)?,
                refuse_empty: self.refuse_empty,
                resume: self.resume.map(|bytes| bytes.to_vec()),
                start: self.start,
                end: self.end,
                split: self.split.map(|state| PartOf::decode(&state)).transpose().map_err(Failure::Jelly)?,
            },
            batch: BatchSettings {
                columns: options::columns(self.columns.as_ref())?,
                terms: options::TERMS.read(self.terms)?,
                blank_nodes: options::BLANK_NODES.read(self.blank_nodes)?,
                ..BatchSettings::default()
            },
            mode: options::MODE.read(self.mode)?,
        };
        options::name(&mut read, self.source_name, own_name);
        Ok(read)
    }
}

/// Opens the source while detached: it may have to wait for it.
fn open(py: Python<'_>, input: Input, kind: Kind, options: ReadOptions) -> PyResult<Reader> {
    let Input { source, interrupt, .. } = input;
    let opened = py.detach(|| {
        catch_panic(|| {
            Ok::<Box<dyn ReadBatches>, _>(match kind {
                Kind::Rdf => Box::new(arrow::read_rdf(source, &options)?),
                Kind::Patch => Box::new(arrow::read_patch(source, &options)?),
            })
        })
    });
    let reader = opened.map_err(|failure| interrupt.take().map_or(failure, Failure::Python))?;
    let schema = Schema::of_batches(kind, &options, reader.schema());
    Ok(Reader::new(Handle::new(reader, interrupt), schema, options))
}

/// Reads statements or patches, whatever the source holds.
#[pyfunction]
pub(super) fn read_any<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    keywords: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let Input { source, name, interrupt } = Input::new(source)?;
    let options = ReadOptions { open: open_options(keywords, name)?, ..ReadOptions::default() };
    let opened = py.detach(|| catch_panic(|| Ok(arrow::read_any(source, &options)?)));
    let (format, reader) = opened.map_err(|failure| interrupt.take().map_or(failure, Failure::Python))?;
    let kind = if let AnyFormat::Rdf(_) = format { Kind::Rdf } else { Kind::Patch };
    let schema = Schema::of_batches(kind, &options, reader.schema());
    let reader = Reader::new(Handle::new(reader, interrupt), schema, options);
    Ok(match kind {
        Kind::Rdf => Py::new(py, (RdfReader, reader))?.into_bound(py).into_any(),
        Kind::Patch => Py::new(py, (PatchReader, reader))?.into_bound(py).into_any(),
    })
}

/// What :func:`jelly.read_rdf` stands on.
#[pyfunction]
#[pyo3(signature = (source, *, format="auto", framing="auto", compression="auto", columns=None, terms="text",
    blank_nodes="auto", mode="failfast", strict=false, lenient_flags=false, strict_graphs=true, batch_rows=None,
    batch_bytes=None, limits=None, resume=None, start=None, end=None, split=None, source_name=None,
    refuse_empty=false))]
#[expect(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub(super) fn read_rdf<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    format: &str,
    framing: &str,
    compression: &str,
    columns: Option<Bound<'py, PyAny>>,
    terms: &str,
    blank_nodes: &str,
    mode: &str,
    strict: bool,
    lenient_flags: bool,
    strict_graphs: bool,
    batch_rows: Option<i64>,
    batch_bytes: Option<i64>,
    limits: Option<Bound<'py, PyAny>>,
    resume: Option<PyBackedBytes>,
    start: Option<u64>,
    end: Option<u64>,
    split: Option<PyBackedBytes>,
    source_name: Option<String>,
    refuse_empty: bool,
) -> PyResult<Py<RdfReader>> {
    let keywords = Keywords {
        format,
        framing,
        compression,
        columns,
        rows: "all",
        terms,
        blank_nodes,
        mode,
        strict,
        lenient_flags,
        strict_graphs,
        batch_rows,
        batch_bytes,
        limits,
        resume,
        start,
        end,
        split,
        source_name,
        refuse_empty,
    };
    let mut input = keywords.input(source)?;
    let options = keywords.read(Kind::Rdf, input.name.take())?;
    let reader = open(py, input, Kind::Rdf, options)?;
    Py::new(py, (RdfReader, reader))
}

/// What :func:`jelly.read_patch` stands on.
#[pyfunction]
#[pyo3(signature = (source, *, format="auto", framing="auto", compression="auto", columns=None, rows="all", terms="text",
    blank_nodes="auto", mode="failfast", strict=false, lenient_flags=false, batch_rows=None, batch_bytes=None,
    limits=None, resume=None, start=None, end=None, split=None, source_name=None,
    refuse_empty=false))]
#[expect(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub(super) fn read_patch<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    format: &str,
    framing: &str,
    compression: &str,
    columns: Option<Bound<'py, PyAny>>,
    rows: &str,
    terms: &str,
    blank_nodes: &str,
    mode: &str,
    strict: bool,
    lenient_flags: bool,
    batch_rows: Option<i64>,
    batch_bytes: Option<i64>,
    limits: Option<Bound<'py, PyAny>>,
    resume: Option<PyBackedBytes>,
    start: Option<u64>,
    end: Option<u64>,
    split: Option<PyBackedBytes>,
    source_name: Option<String>,
    refuse_empty: bool,
) -> PyResult<Py<PatchReader>> {
    let keywords = Keywords {
        format,
        framing,
        compression,
        columns,
        rows,
        terms,
        blank_nodes,
        mode,
        strict,
        lenient_flags,
        strict_graphs: true,
        batch_rows,
        batch_bytes,
        limits,
        resume,
        start,
        end,
        split,
        source_name,
        refuse_empty,
    };
    let mut input = keywords.input(source)?;
    let options = keywords.read(Kind::Patch, input.name.take())?;
    let reader = open(py, input, Kind::Patch, options)?;
    Py::new(py, (PatchReader, reader))
}
