//! Destinations: paths and file objects.

use std::io::{self, Write};

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::input::{is_path, path_of};
use super::signals::Interrupt;
use crate::io::Target;

/// Where bytes go: a path or a file object. Files are opened later.
pub(super) fn target(dest: &Bound<'_, PyAny>, interrupt: &Interrupt) -> PyResult<Target> {
    let py = dest.py();
    let file = if is_path(dest)? {
        let path = path_of(dest)?;
        if path.as_os_str() != "-" {
            return Ok(Target::Path(path));
        }
        py.import("sys")?.getattr("stdout")?.getattr("buffer")?
    } else if dest.hasattr(intern!(py, "write"))? {
        dest.clone()
    } else {
        let kind = dest.get_type().name()?;
        let message = format!("dest must be a path or a binary file object, not {kind}");
        return Err(PyTypeError::new_err(message));
    };
    Ok(Target::Writer(Box::new(PythonWriter { file: file.unbind(), interrupt: interrupt.clone() })))
}

/// A Python file object, attached to Python only while it is written.
struct PythonWriter {
    file: Py<PyAny>,
    interrupt: Interrupt,
}

/// Bytes of one call: objects of this size use the memory of the one before.
const PIECE: usize = 64 << 10;

impl Write for PythonWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(PIECE)];
        self.interrupt.call(|py| {
            let written = self.file.call_method1(py, intern!(py, "write"), (PyBytes::new(py, bytes),))?;
            // raw files say how much they took; others take all, and may say nothing
            if written.is_none(py) { Ok(bytes.len()) } else { written.extract(py) }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.interrupt.call(|py| {
            if self.file.bind(py).hasattr(intern!(py, "flush"))? {
                self.file.call_method0(py, intern!(py, "flush"))?;
            }
            Ok(())
        })
    }
}
