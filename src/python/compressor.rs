//! Compression of bytes that Python sends, such as the answers of a server.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::guard::Guarded;
use crate::io::{Compression, Output, OutputOptions, Target};

/// Compresses bytes piece by piece, with `gzip`; any other name means `zstd`.
#[pyclass(frozen, module = "jelly")]
pub(super) struct Compressor {
    out: Guarded<Option<Output>>,
    made: Made,
}

/// What came out and was not taken yet.
#[derive(Clone, Default)]
struct Made(Arc<Mutex<Vec<u8>>>);

impl Made {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Made {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[pymethods]
impl Compressor {
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        let made = Made::default();
        let gzip = name == Compression::Gzip.name();
        let compression = Some(if gzip { Compression::Gzip } else { Compression::Zstd });
        let options = OutputOptions { compression, level: None };
        let out = Output::create(Target::Writer(Box::new(made.clone())), &options);
        Ok(Compressor { out: Guarded::new(Some(out?)), made })
    }

    /// Takes bytes, and gives those that are ready; after the end none.
    #[pyo3(signature = (data, *, last = false))]
    fn write<'py>(&self, py: Python<'py>, data: &[u8], last: bool) -> PyResult<Bound<'py, PyBytes>> {
        self.out.detached(py, |open| {
            if let Some(out) = open {
                out.write(data)?;
            }
            if last && let Some(out) = open.take() {
                out.finish()?;
            }
            Ok(())
        })?;
        Ok(PyBytes::new(py, &self.made.take()))
    }
}
