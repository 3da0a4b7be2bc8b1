//! Sources: paths, bytes, file objects, iterables of bytes.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyIterator, PyString};

use super::signals::Interrupt;
use crate::io::{SharedFile, Source, local_path};

/// The least that is asked of a file object at a time.
const READ: usize = 256 << 10;

/// A source, and the name it has of its own.
pub(super) struct Input {
    pub(super) source: Source,
    pub(super) name: Option<String>,
    pub(super) interrupt: Interrupt,
}

impl Input {
    /// Takes what the caller gave; files are opened later.
    pub(super) fn new(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        Input::sharing(source, &Interrupt::default())
    }

    /// As [`Input::new`], one of several of a call.
    pub(super) fn sharing(source: &Bound<'_, PyAny>, interrupt: &Interrupt) -> PyResult<Self> {
        let (source, name) = find(source, interrupt)?;
        Ok(Input { source, name, interrupt: interrupt.clone() })
    }
}

impl Input {
    /// Takes what will be read anywhere, where that can be.
    pub(super) fn seekable(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = source.py();
        let is_file = !is_path(source)? && source.hasattr(intern!(py, "read"))?;
        if !is_file || !source.hasattr(intern!(py, "seek"))? {
            return Input::new(source);
        }
        if source.hasattr(intern!(py, "seekable"))?
            && !source.call_method0(intern!(py, "seekable"))?.is_truthy()?
        {
            return Input::new(source);
        }
        let interrupt = Interrupt::default();
        let pieces = PythonSource::new(Pieces::file(source)?, &interrupt);
        let file = PythonFile { pieces, seek: source.getattr(intern!(py, "seek"))?.unbind() };
        let file = SharedFile::new(Box::new(file))
            .map_err(|error| interrupt.take().unwrap_or_else(|| error.into()))?;
        Ok(Input { source: Source::File(file), name: None, interrupt })
    }
}

fn find(source: &Bound<'_, PyAny>, interrupt: &Interrupt) -> PyResult<(Source, Option<String>)> {
    let py = source.py();
    let pieces = if source.is_instance_of::<PyString>() {
        return path(source, interrupt);
    } else if source.hasattr(intern!(py, "read"))? {
        Pieces::file(source)?
    } else if source.hasattr(intern!(py, "__fspath__"))? {
        return path(source, interrupt);
    } else if let Some(bytes) = as_bytes(source)? {
        return Ok((Source::Bytes(Arc::new(bytes)), None));
    } else {
        Pieces::Iterable(source.try_iter().or_else(|error| not_a_source(source, error))?.unbind())
    };
    Ok((PythonSource::new(pieces, interrupt).into(), None))
}

/// What cannot be iterated is no source; another exception of its ``__iter__`` is that of the source.
fn not_a_source<T>(source: &Bound<'_, PyAny>, error: PyErr) -> PyResult<T> {
    let py = source.py();
    if !error.is_instance_of::<PyTypeError>(py) {
        return Err(error);
    }
    let message = "source must be a path, bytes, a binary file object or an iterable of bytes, not";
    let refused = PyTypeError::new_err(format!("{message} {}", source.get_type().name()?));
    refused.set_cause(py, Some(error));
    Err(refused)
}

/// The folder that a source is, if it is one.
pub(super) fn folder_of(source: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    let py = source.py();
    if !source.is_instance_of::<PyString>()
        && (source.hasattr(intern!(py, "read"))? || !source.hasattr(intern!(py, "__fspath__"))?)
    {
        return Ok(None);
    }
    let path = path_of(source)?;
    Ok(path.is_dir().then_some(path))
}

/// Whether this is a path.
pub(super) fn is_path(source: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(source.is_instance_of::<PyString>() || source.hasattr(intern!(source.py(), "__fspath__"))?)
}

/// The path that a source or destination names; `-` stays.
pub(super) fn path_of(source: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let py = source.py();
    let text = py.import("os")?.call_method1("fsdecode", (source,))?;
    Ok(local_path(&text.extract::<PathBuf>()?)?)
}

fn path(source: &Bound<'_, PyAny>, interrupt: &Interrupt) -> PyResult<(Source, Option<String>)> {
    let py = source.py();
    let path = path_of(source)?;
    let name = path.to_string_lossy().into_owned();
    if name == "-" {
        let file = py.import("sys")?.getattr("stdin")?.getattr("buffer")?;
        let pieces = Pieces::file(&file)?;
        return Ok((PythonSource::new(pieces, interrupt).into(), Some(name)));
    }
    if path.is_file() {
        return Ok((Source::Path(path), Some(name)));
    }
    // Python can be interrupted while it waits for a pipe, and has the best errors
    let file = py.import("io")?.getattr("FileIO")?.call1((path.as_os_str(),))?;
    let mut source = PythonSource::new(Pieces::file(&file)?, interrupt);
    source.owned = Some(file.unbind());
    Ok((source.into(), Some(name)))
}

/// Where pieces of bytes come from.
enum Pieces {
    /// The bound method that reads.
    File(Py<PyAny>),
    Iterable(Py<PyIterator>),
}

/// A Python file that can be read anywhere.
struct PythonFile {
    pieces: PythonSource,
    /// The bound method.
    seek: Py<PyAny>,
}

impl Read for PythonFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.pieces.read_least(buffer, 1)
    }
}

impl Seek for PythonFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.pieces.left = None;
        let (offset, whence) = match to {
            SeekFrom::Start(offset) => (i128::from(offset), 0),
            SeekFrom::Current(offset) => (offset.into(), 1),
            SeekFrom::End(offset) => (offset.into(), 2),
        };
        self.pieces.interrupt.call(|py| match self.seek.call1(py, (offset, whence))?.extract(py) {
            Ok(Some(offset)) => Ok(offset),
            _ => Err(PyTypeError::new_err("seek() of the source must return the new position")),
        })
    }
}

/// Reads a Python object, attached to Python only while it does.
struct PythonSource {
    pieces: Pieces,
    interrupt: Interrupt,
    /// A piece and how much of it was read.
    left: Option<(PyBackedBytes, usize)>,
    /// The file, where it is ours to close.
    owned: Option<Py<PyAny>>,
}

impl From<PythonSource> for Source {
    fn from(source: PythonSource) -> Self {
        Source::Reader(Box::new(source))
    }
}

impl Drop for PythonSource {
    fn drop(&mut self) {
        if let Some(file) = self.owned.take() {
            // nobody is left to hear of an error
            drop(Python::try_attach(|py| file.call_method0(py, "close")));
        }
    }
}

impl Read for PythonSource {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_least(buffer, READ)
    }
}

impl PythonSource {
    /// Asks for so many bytes at least.
    fn read_least(&mut self, buffer: &mut [u8], least: usize) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let (piece, at) = match self.left.take() {
            Some(left) => left,
            None => match self.next_piece(buffer.len().max(least))? {
                Some(piece) => (piece, 0),
                None => return Ok(0),
            },
        };
        let n = buffer.len().min(piece.len() - at);
        buffer[..n].copy_from_slice(&piece[at..at + n]);
        if at + n < piece.len() {
            self.left = Some((piece, at + n));
        }
        Ok(n)
    }
}

impl PythonSource {
    fn new(pieces: Pieces, interrupt: &Interrupt) -> Self {
        PythonSource { pieces, interrupt: interrupt.clone(), left: None, owned: None }
    }

    /// The next piece that is not empty; `None` at the end.
    fn next_piece(&self, wanted: usize) -> io::Result<Option<PyBackedBytes>> {
        self.interrupt.call(|py| self.pieces.next(py, wanted))
    }
}

impl Pieces {
    fn file(file: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = file.py();
        if file.is_instance(&py.import("io")?.getattr("TextIOBase")?)? {
            let message = "the file is open in text mode; open it in binary mode, with \"rb\"";
            return Err(PyTypeError::new_err(message));
        }
        // read() of a buffered pipe waits until all is there that was requested
        let buffered = py.import("io")?.getattr("BufferedReader")?;
        let name = if file.get_type().is(&buffered) { intern!(py, "read1") } else { intern!(py, "read") };
        Ok(Pieces::File(file.getattr(name)?.unbind()))
    }

    fn next(&self, py: Python<'_>, wanted: usize) -> PyResult<Option<PyBackedBytes>> {
        match self {
            Pieces::File(read) => {
                let bytes = given(read.call1(py, (wanted,))?.bind(py), "read() of the source")?;
                Ok(Some(bytes).filter(|bytes| !bytes.is_empty()))
            }
            Pieces::Iterable(iterator) => loop {
                let Some(piece) = iterator.bind(py).clone().next() else { return Ok(None) };
                let bytes = given(&piece?, "the source")?;
                if !bytes.is_empty() {
                    return Ok(Some(bytes));
                }
            },
        }
    }
}

/// A piece of a source.
fn given(piece: &Bound<'_, PyAny>, giver: &str) -> PyResult<PyBackedBytes> {
    match as_bytes(piece)? {
        Some(bytes) => Ok(bytes),
        None => {
            Err(PyTypeError::new_err(format!("{giver} must return bytes, not {}", piece.get_type().name()?)))
        }
    }
}

/// Bytes as they are; a copy of other buffers, whose memory others may change while it is read.
fn as_bytes(object: &Bound<'_, PyAny>) -> PyResult<Option<PyBackedBytes>> {
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Some(bytes.clone().into()));
    }
    if PyUntypedBuffer::get(object).is_err() {
        return Ok(None);
    }
    let copy = object.py().get_type::<PyBytes>().call1((object,))?;
    Ok(Some(copy.cast_into::<PyBytes>()?.into()))
}
