//! `inspect`, on which `jelly.inspect` and `jelly.validate` stand, and what counts rows: `statistics`, `Frequencies`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyList};

use super::convert::Report;
use super::input::Input;
use super::keywords;
use super::stream_options;
use crate::convert::Tally;
use crate::format::AnyFormat;
use crate::inspect::{self as core, Advice, Format, InspectOptions, Inspection, Statistics, ValueCounts};
use crate::open::OpenOptions;
use crate::options::doors::Doors;

/// What :func:`jelly.inspect` and :func:`jelly.validate` stand on.
#[pyfunction]
pub(super) fn inspect<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    keywords: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let values = keywords::values(keywords, Doors::INSPECT.and(Doors::CALL))?;
    let Input { source, name, interrupt } = Input::new(source)?;
    let options = InspectOptions::of(&values, name);
    let found = interrupt.run(py, |signals| Ok(core::inspect(source, &options, &mut || signals.poll())?))?;
    object(py, found)
}

/// A `jelly.Inspection`.
fn object(py: Python<'_>, found: Inspection) -> PyResult<Bound<'_, PyAny>> {
    let values = PyDict::new(py);
    values.set_item("format", found.format.map(Format::name))?;
    values.set_item("compression", found.compression.name())?;
    values.set_item("framing", found.framing.name())?;
    let options = found.options.as_ref();
    let options = options.map(|options| stream_options::object(py, options)).transpose()?;
    values.set_item("options", options)?;
    values.set_item("bytes", found.bytes)?;
    values.set_item("frames", found.frames)?;
    values.set_item("largest_frame", found.largest_frame)?;
    values.set_item("largest_row", found.largest_row)?;
    values.set_item("rows", found.rows.into_py_dict(py)?)?;
    values.set_item("metadata_keys", found.metadata_keys)?;
    values.set_item("namespaces", found.namespaces.into_py_dict(py)?)?;
    values.set_item("patches", found.patches)?;
    let counts = found.transactions;
    let counts = [
        ("committed", counts.committed),
        ("aborted", counts.aborted),
        ("unfinished", counts.unfinished),
        ("stray", counts.stray),
    ];
    values.set_item("transactions", counts.into_py_dict(py)?)?;
    let error = found.error.map(|error| PyErr::from(error).into_value(py));
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

/// The fields of `jelly.Statistics`, except the time that it took.
#[pyfunction]
pub(super) fn statistics<'py>(
    source: &Bound<'py, PyAny>,
    keywords: &Bound<'py, PyDict>,
    top: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = source.py();
    let Input { source, name, interrupt } = Input::new(source)?;
    let values = keywords::values(keywords, Doors::STATS)?;
    let options = OpenOptions::of(&values, "format", name)?;
    let mut report = Report::new(progress.as_ref());
    let found = interrupt.run(py, |signals| {
        let mut poll = |rows, bytes_in| report.poll(signals, Tally { rows, bytes_in, ..Tally::default() });
        Ok(core::statistics(source, &options, top, &mut poll)?)
    })?;
    let Statistics { format, rows, bytes, ops, subjects, objects, namespaces, .. } = found;
    let all = PyDict::new(py);
    all.set_item("kind", if matches!(format, AnyFormat::Rdf(_)) { "rdf" } else { "patch" })?;
    all.set_item("rows", rows)?;
    all.set_item("bytes", bytes)?;
    for (name, counts) in [("ops", ops), ("subjects", subjects), ("objects", objects)] {
        all.set_item(name, counts.into_py_dict(py)?)?;
    }
    for (name, ValueCounts { top, different }) in [
        ("datatypes", found.datatypes),
        ("languages", found.languages),
        ("predicates", found.predicates),
        ("graphs", found.graphs),
    ] {
        all.set_item(name, top.into_py_dict(py)?)?;
        if matches!(name, "predicates" | "graphs") {
            all.set_item(format!("different_{name}"), different)?;
        }
    }
    all.set_item("namespaces", namespaces.into_py_dict(py)?)?;
    Ok(all)
}

/// How often terms are in rows that add and in rows that delete; of too many terms the rare ones are forgotten.
#[pyclass(module = "jelly._internal", frozen)]
#[derive(Default)]
pub(super) struct Frequencies(Mutex<core::Frequencies<2>>);

impl Frequencies {
    fn lock(&self) -> MutexGuard<'_, core::Frequencies<2>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Frequencies {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Counts a term of a row.
    fn add(&self, term: &str, is_deleted: bool) {
        self.lock().add(usize::from(is_deleted), false, |text| text.push_str(term));
    }

    /// The terms with most rows, and how many add and delete.
    fn top(&self, most: usize) -> Vec<(String, u64, u64)> {
        let all = self.lock();
        all.top(most).into_iter().map(|(term, [added, deleted])| (term.to_owned(), added, deleted)).collect()
    }

    /// How many terms there are; None: some were forgotten.
    #[getter]
    fn different(&self) -> Option<usize> {
        self.lock().different()
    }
}
