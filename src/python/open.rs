//! What opens readers.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::handle::Handle;
use super::input::Input;
use super::keywords;
use super::reader::{PatchReader, RdfReader, Reader};
use super::schema::{Kind, Schema};
use super::signals::Interrupt;
use crate::arrow::{self, ReadBatches, ReadOptions};
use crate::format::AnyFormat;
use crate::open::OpenOptions;
use crate::options::doors::Doors;

/// The options of a reader or decoder of one kind.
pub(super) fn options(
    kind: Kind,
    keywords: &Bound<'_, PyDict>,
    own_name: Option<String>,
) -> PyResult<ReadOptions> {
    let doors = match kind {
        Kind::Rdf => Doors::DECODE_RDF,
        Kind::Patch => Doors::DECODE_PATCH,
    };
    let values = keywords::values(keywords, doors.and(Doors::READ))?;
    Ok(ReadOptions::of(&values, own_name)?)
}

/// Reads statements, or rows of patches; what :func:`jelly.read_rdf` and :func:`jelly.read_patch` stand on.
#[pyfunction]
#[pyo3(signature = (kind, source, keywords, refuse_empty=false))]
pub(super) fn read<'py>(
    kind: &str,
    source: &Bound<'py, PyAny>,
    keywords: &Bound<'py, PyDict>,
    refuse_empty: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let kind = Kind::of(kind)?;
    let is_part = keywords.get_item("split")?.is_some_and(|split| !split.is_none());
    let input = if is_part { Input::seekable(source)? } else { Input::new(source)? };
    let Input { source, name, interrupt } = input;
    let mut options = options(kind, keywords, name)?;
    options.open.refuse_empty = refuse_empty;
    let py = keywords.py();
    // detached: it may have to wait for the source
    let reader = interrupt.run(py, |_| Ok(arrow::read(kind == Kind::Patch, source, &options)?))?;
    object(py, kind, reader, interrupt)
}

/// Reads statements or patches, as the source has them.
#[pyfunction]
pub(super) fn read_any<'py>(
    source: &Bound<'py, PyAny>,
    keywords: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = source.py();
    let Input { source, name, interrupt } = Input::new(source)?;
    let values = keywords::values(keywords, Doors::CONVERT.and(Doors::STATS))?;
    let open = OpenOptions::of(&values, "format", name)?;
    let options = ReadOptions { open, ..ReadOptions::default() };
    let (format, reader) = interrupt.run(py, |_| Ok(arrow::read_any(source, &options)?))?;
    let kind = if let AnyFormat::Rdf(_) = format { Kind::Rdf } else { Kind::Patch };
    object(py, kind, reader, interrupt)
}

/// A reader of a kind.
fn object(
    py: Python<'_>,
    kind: Kind,
    reader: Box<dyn ReadBatches>,
    interrupt: Interrupt,
) -> PyResult<Bound<'_, PyAny>> {
    let schema = Schema { kind, arrow: reader.schema() };
    let reader = Reader::new(Handle::new(reader, interrupt), schema);
    Ok(match kind {
        Kind::Rdf => Bound::new(py, (RdfReader, reader))?.into_any(),
        Kind::Patch => Bound::new(py, (PatchReader, reader))?.into_any(),
    })
}

/// The schema of what readers of a kind give with these options, which are checked as readers check them.
#[pyfunction]
pub(super) fn read_schema(kind: &str, keywords: &Bound<'_, PyDict>) -> PyResult<Schema> {
    let kind = Kind::of(kind)?;
    Ok(Schema { kind, arrow: options(kind, keywords, None)?.schema(kind == Kind::Patch)? })
}
