//! What Python writes beside its place: local paths, and folders to work in.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;

use super::error::Failure;
use crate::error::{Error, Position};
use crate::io::{self, Aside};

/// The local path that a name means.
#[pyfunction]
pub(super) fn local_path(name: PathBuf) -> PyResult<PathBuf> {
    Ok(io::local_path(&name)?)
}

/// A folder that is removed when it is closed, and by the next process if this one is killed.
#[pyclass(frozen, module = "jelly")]
pub(super) struct WorkFolder {
    aside: std::sync::Mutex<Option<Aside>>,
    path: PathBuf,
}

#[pymethods]
impl WorkFolder {
    #[new]
    fn new(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let at = || Position { source: Some(folder.to_string_lossy().into()), ..Position::default() };
        let aside = py
            .detach(|| Aside::folder(&folder))
            .map_err(|error| Failure::Jelly(Error::from(error).located(&at())))?;
        Ok(WorkFolder { path: aside.path().to_owned(), aside: std::sync::Mutex::new(Some(aside)) })
    }

    /// Where it is.
    #[getter]
    fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder and what is in it.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.aside.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()));
    }
}
