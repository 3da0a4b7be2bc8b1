//! `inspect`, on which `jelly.inspect` and `jelly.validate` stand.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::error::{Failure, to_python};
use super::input::Input;
use super::keywords;
use super::signals::Signals;
use super::stream_options;
use crate::decode::DecodeOptions;
use crate::error::catch_panic;
use crate::inspect::{Advice, Format, Inspection};
use crate::options::doors::Doors;

/// What :func:`jelly.inspect` and :func:`jelly.validate` stand on.
#[pyfunction]
pub(super) fn inspect<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    keywords: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let values = keywords::values(keywords, Doors::INSPECT.and(Doors::CALL))?;
    let format = values.choice("format", [None, Some(Format::Rdf), Some(Format::Patch)]);
    let compression = values.compression("compression");
    let lenient = values.is_on("lenient");
    let Input { source, name, interrupt } = Input::new(source)?;
    let config =
        DecodeOptions { lenient_flags: lenient, strict_graphs: !lenient, ..DecodeOptions::of(&values, name) };
    let mut signals = Signals::new(interrupt.clone());
    let found = py.detach(|| {
        catch_panic(|| {
            let mut poll = || signals.poll();
            Ok(crate::inspect::inspect(source, format, compression, &config, &mut poll)?)
        })
    });
    let found = found.map_err(|failure| interrupt.take().map_or(failure, Failure::Python))?;
    object(py, found)
}

/// A `jelly.Inspection`.
fn object(py: Python<'_>, found: Inspection) -> PyResult<Bound<'_, PyAny>> {
    let values = PyDict::new(py);
    let format = found.format.map(|format| match format {
        Format::Rdf => "jelly",
        Format::Patch => "jelly-patch",
    });
    values.set_item("format", format)?;
    values.set_item("compression", found.compression.name())?;
    values.set_item("framing", found.framing.name())?;
    let options = found.options.as_ref();
    let options = options.map(|options| stream_options::object(py, options)).transpose()?;
    values.set_item("options", options)?;
    values.set_item("bytes", found.bytes)?;
    values.set_item("frames", found.frames)?;
    values.set_item("largest_frame", found.largest_frame)?;
    values.set_item("largest_row", found.largest_row)?;
    let rows = PyDict::new(py);
    for (kind, count) in found.rows {
        rows.set_item(kind, count)?;
    }
    values.set_item("rows", rows)?;
    values.set_item("metadata_keys", found.metadata_keys)?;
    let namespaces = PyDict::new(py);
    for (label, iri) in found.namespaces {
        namespaces.set_item(label, iri)?;
    }
    values.set_item("namespaces", namespaces)?;
    values.set_item("patches", found.patches)?;
    let counts = PyDict::new(py);
    counts.set_item("committed", found.transactions.committed)?;
    counts.set_item("aborted", found.transactions.aborted)?;
    counts.set_item("unfinished", found.transactions.unfinished)?;
    counts.set_item("stray", found.transactions.stray)?;
    values.set_item("transactions", counts)?;
    let error = found.error.map(|error| to_python(py, error).into_value(py));
    values.set_item("error", error)?;
    let module = py.import("jelly._inspect")?;
    let advice = PyList::empty(py);
    for Advice { kind, message, count, frame, seq } in found.advice {
        let item = module.getattr("Advice")?.call1((kind, message, count, frame, seq))?;
        advice.append(item)?;
    }
    values.set_item("advice", advice)?;
    module.getattr("Inspection")?.call((), Some(&values))
}
