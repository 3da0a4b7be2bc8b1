//! Messages between peers: streams that are checked and encoded again, the options of requests, small messages.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyType};

use super::guard::Guarded;
use super::stream_options;
use crate::encode::{write_patch_options, write_rdf_options};
use crate::limits::Limits;
use crate::options::{RdfOptions, StreamOptions};
use crate::relay::{Relay, RelayOptions, met};
use crate::wire::{Value, read_fields, write_fields};

/// Checks a Jelly-RDF stream frame by frame, and encodes it again.
#[pyclass(module = "jelly._internal", frozen)]
pub(super) struct RdfRelay(Guarded<Relay>);

#[pymethods]
impl RdfRelay {
    /// A relay at the start of a stream.
    #[new]
    #[pyo3(signature = (options=None, *, same_type=false, stream_name=None, frame_bytes=u64::MAX, stream=0))]
    fn new(
        options: Option<&Bound<'_, PyAny>>,
        same_type: bool,
        stream_name: Option<String>,
        frame_bytes: u64,
        stream: u64,
    ) -> PyResult<Self> {
        let options = options.map(rdf_options).transpose()?;
        let given = RelayOptions { options, same_type, stream_name, frame_bytes, stream };
        Ok(RdfRelay(Guarded::new(Relay::new(given))))
    }

    /// Takes a frame without its length; returns those that it became, each after its length.
    #[pyo3(signature = (message, *, passed=false))]
    fn push<'py>(&self, py: Python<'py>, message: &[u8], passed: bool) -> PyResult<Bound<'py, PyBytes>> {
        let done = self.0.detached(py, |relay| Ok(relay.push(message, passed)?))?;
        Ok(PyBytes::new(py, &done))
    }

    /// What is written next is a stream of its own.
    fn restart(&self, py: Python<'_>) -> PyResult<()> {
        self.0.detached(py, |relay| {
            relay.restart();
            Ok(())
        })
    }

    /// The options of the stream, once they came.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.0.detached(py, |relay| Ok(relay.options().cloned()))?;
        found.map(|options| stream_options::object(py, &StreamOptions::Rdf(options))).transpose()
    }

    /// The options of what is written, once they are known.
    #[getter]
    fn written_options<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.0.detached(py, |relay| Ok(relay.written_options().cloned()))?;
        found.map(|options| stream_options::object(py, &StreamOptions::Rdf(options))).transpose()
    }
}

fn rdf_options(object: &Bound<'_, PyAny>) -> PyResult<RdfOptions> {
    match stream_options::read(object)? {
        StreamOptions::Rdf(options) => Ok(options),
        StreamOptions::Patch(_) => Err(PyValueError::new_err("options must be a jelly.RdfOptions")),
    }
}

/// The options with which a subscriber that asks for so much gets a stream; whether it can go out as it is.
#[pyfunction]
pub(super) fn met_options<'py>(
    py: Python<'py>,
    have: &Bound<'py, PyAny>,
    asked: &[u8],
) -> PyResult<(Bound<'py, PyAny>, bool)> {
    let have = stream_options::read(have)?;
    let options = met(&have, asked)?;
    Ok((stream_options::object(py, &options)?, options == have))
}

/// `RdfStreamOptions` or `RdfPatchOptions` on the wire.
#[pyfunction]
pub(super) fn written_options<'py>(
    options: &Bound<'py, PyAny>,
    wanted: &Bound<'py, PyType>,
) -> PyResult<Bound<'py, PyBytes>> {
    if !options.is_instance(wanted)? {
        let (wanted, found) = (wanted.name()?, options.get_type().name()?);
        return Err(PyTypeError::new_err(format!("options must be a jelly.{wanted}, not {found}")));
    }
    let message = match stream_options::read(options)? {
        StreamOptions::Rdf(options) => write_rdf_options(&options),
        StreamOptions::Patch(options) => write_patch_options(&options),
    };
    Ok(PyBytes::new(options.py(), message.as_bytes()))
}

/// The fields of a message: number, and an int or bytes.
#[pyfunction]
pub(super) fn read_message<'py>(py: Python<'py>, message: &[u8]) -> PyResult<Vec<(u32, Bound<'py, PyAny>)>> {
    let fields = read_fields(message, Limits::default().nesting).map_err(|fault| fault.locate(message, 0))?;
    let object = |(field, value)| {
        Ok(match value {
            Value::Number(number) => (field, number.into_pyobject(py)?.into_any()),
            Value::Bytes(bytes) => (field, PyBytes::new(py, bytes).into_any()),
        })
    };
    fields.into_iter().map(object).collect()
}

/// The value of a field of a message.
#[derive(FromPyObject)]
pub(super) enum Field {
    Number(u64),
    Text(String),
    Bytes(PyBackedBytes),
}

/// The message of these fields, each a number and an int, str or bytes.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments of Python are owned")]
pub(super) fn write_message(py: Python<'_>, fields: Vec<(u32, Field)>) -> Bound<'_, PyBytes> {
    let value = |field| match field {
        &Field::Number(number) => Value::Number(number),
        Field::Text(text) => Value::Bytes(text.as_bytes()),
        Field::Bytes(bytes) => Value::Bytes(bytes),
    };
    let fields: Vec<_> = fields.iter().map(|(number, field)| (*number, value(field))).collect();
    PyBytes::new(py, &write_fields(&fields))
}
