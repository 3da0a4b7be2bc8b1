//! Destinations: paths and file objects.

use std::io::{self, Write};
use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::error::{Failure, is_interrupt};
use super::signals::Interrupt;
use crate::io::{Compression, Output, OutputOptions, Target, local_path};

/// Where bytes go.
pub(super) enum Destination {
    /// A file, which appears whole.
    Path(PathBuf),
    /// Anything with `write`.
    File(PythonFile),
}

impl Destination {
    /// Takes what the caller gave; files are opened later.
    pub(super) fn new(dest: &Bound<'_, PyAny>, interrupt: &Interrupt) -> PyResult<Self> {
        let py = dest.py();
        if dest.is_instance_of::<PyString>() || dest.hasattr(intern!(py, "__fspath__"))? {
            let text: PathBuf = py.import("os")?.call_method1("fsdecode", (dest,))?.extract()?;
            if text.as_os_str() != "-" {
                return Ok(Destination::Path(local_path(&text).map_err(Failure::Jelly)?));
            }
            let file = py.import("sys")?.getattr("stdout")?.getattr("buffer")?;
            return Ok(Destination::File(PythonFile::new(&file, interrupt)));
        }
        if dest.hasattr(intern!(py, "write"))? {
            return Ok(Destination::File(PythonFile::new(dest, interrupt)));
        }
        Err(PyTypeError::new_err(format!(
            "a destination is a path or a binary file object, not {}",
            dest.get_type().name()?
        )))
    }

    /// The file name, by which formats are told.
    pub(super) fn name(&self) -> Option<String> {
        match self {
            Destination::Path(path) => Some(path.to_string_lossy().into_owned()),
            Destination::File(_) => None,
        }
    }

    /// Opens it; `None`: the compression is told by the file name.
    pub(super) fn open(
        self,
        compression: Option<Compression>,
        level: Option<i32>,
    ) -> Result<Output, Failure> {
        let target = match self {
            Destination::Path(path) => Target::Path(path),
            Destination::File(file) => Target::Writer(Box::new(file)),
        };
        Ok(Output::create(target, &OutputOptions { compression, level })?)
    }
}

/// A Python file object, attached to Python only while it is written.
pub(super) struct PythonFile {
    file: Py<PyAny>,
    interrupt: Interrupt,
}

impl PythonFile {
    fn new(file: &Bound<'_, PyAny>, interrupt: &Interrupt) -> Self {
        PythonFile { file: file.clone().unbind(), interrupt: interrupt.clone() }
    }

    fn attached<R>(&self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<R>) -> io::Result<R> {
        let attached = Python::try_attach(|py| {
            call(self.file.bind(py)).map_err(|error| {
                if is_interrupt(py, &error) {
                    self.interrupt.set(error.clone_ref(py));
                }
                io::Error::other(error)
            })
        });
        attached.unwrap_or_else(|| Err(io::Error::other("the Python interpreter has ended")))
    }
}

/// Bytes of one call: objects of this size use the memory of the one before.
const PIECE: usize = 64 << 10;

impl Write for PythonFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(PIECE)];
        self.attached(|file| {
            let written =
                file.call_method1(intern!(file.py(), "write"), (PyBytes::new(file.py(), bytes),))?;
            // raw files tell how much they took; others take all, and may say nothing
            if written.is_none() { Ok(bytes.len()) } else { written.extract() }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attached(|file| {
            if file.hasattr(intern!(file.py(), "flush"))? {
                file.call_method0(intern!(file.py(), "flush"))?;
            }
            Ok(())
        })
    }
}
