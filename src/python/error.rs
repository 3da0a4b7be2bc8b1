//! Errors as Python exceptions; the classes are defined in `jelly.errors`.

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Error, ErrorClass, ErrorKind};
use crate::warning::Warning;

/// What stops a call.
pub(super) enum Failure {
    /// An error of the core.
    Jelly(Error),
    /// An exception of a Python object that the call uses, or Ctrl-C.
    Python(PyErr),
    /// The reader was closed.
    Closed,
    /// The source called its own reader.
    Reentered,
}

const CLOSED: &str = "the reader is closed";
const REENTERED: &str = "this thread is already using the reader: the source of the reader calls it";

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Jelly(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Jelly(error) => error.into(),
            Failure::Python(error) => error,
            Failure::Closed => PyValueError::new_err(CLOSED),
            Failure::Reentered => PyRuntimeError::new_err(REENTERED),
        }
    }
}

impl Failure {
    /// One line, and the `errno` that fits, for the Arrow C stream.
    pub(super) fn to_line(&self) -> (String, i32) {
        const EIO: i32 = 5;
        const EINVAL: i32 = 22;
        match self {
            Failure::Jelly(error) if error.kind().class() == ErrorClass::Io => (error.to_string(), EIO),
            Failure::Jelly(error) => (error.to_string(), EINVAL),
            // "KeyboardInterrupt: " needs no colon
            Failure::Python(error) => (error.to_string().trim_end_matches(": ").to_owned(), EIO),
            Failure::Closed => (CLOSED.to_owned(), EINVAL),
            Failure::Reentered => (REENTERED.to_owned(), EINVAL),
        }
    }
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Argument => {
                let source = error.position().source.as_ref();
                let source = source.map_or_else(String::new, |source| format!(" ({source})"));
                PyValueError::new_err(format!("{}{source}", error.message()))
            }
            ErrorKind::Io => io_error(error),
            _ => Python::attach(|py| jelly_error(py, &error)).unwrap_or_else(|failed| failed),
        }
    }
}

fn jelly_error(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let position = error.position();
    let attributes = PyDict::new(py);
    attributes.set_item("kind", error.kind().slug())?;
    attributes.set_item("source", position.source.as_deref())?;
    attributes.set_item("frame", position.frame)?;
    attributes.set_item("row", position.row)?;
    attributes.set_item("offset", position.offset)?;
    attributes.set_item("field", error.field())?;
    attributes.set_item("limit", error.limit_name())?;
    attributes.set_item("line", position.line)?;
    attributes.set_item("column", position.column)?;
    let class = py.import("jelly.errors")?.getattr(error.kind().class().python())?;
    let exception = class.call((error.to_string(),), Some(&attributes))?;
    Ok(PyErr::from_value(exception))
}

/// Every kind of error: name, meaning, advice; class in Python, and what that rejects and why.
#[pyfunction]
pub(super) fn error_kinds() -> Vec<(&'static str, &'static str, &'static str, &'static str, String)> {
    let facts = |kind: &ErrorKind| {
        let class = kind.class();
        let why = format!("{} {}", class.meaning(), class.why());
        (kind.slug(), kind.meaning(), kind.advice(), class.python(), why)
    };
    ErrorKind::ALL.iter().map(facts).collect()
}

/// Gives a warning; one that the caller turned into an exception is that.
pub(super) fn warn(py: Python<'_>, warning: &Warning) -> PyResult<()> {
    let class = py.import("jelly.errors")?.getattr("JellyWarning")?;
    py.import("warnings")?.call_method1("warn", (warning.to_string(), class)).map(drop)
}

/// The source's own exception, or an `OSError` with its number and file name.
fn io_error(error: Error) -> PyErr {
    let text = error.message().to_owned();
    let source = error.position().source.clone();
    let Some(cause) = error.into_io_error() else {
        return PyOSError::new_err(text);
    };
    let Some(number) = cause.raw_os_error() else {
        return cause.into();
    };
    let text = text.split(" (os error").next().unwrap_or_default().to_owned();
    match source {
        Some(source) => PyOSError::new_err((number, text, source.to_string())),
        None => PyOSError::new_err((number, text)),
    }
}

/// Whether an exception wants to end the program, so that nothing may come before it.
pub(super) fn is_interrupt(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyKeyboardInterrupt>(py)
        || !error.is_instance_of::<pyo3::exceptions::PyException>(py)
}
