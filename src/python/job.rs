//! What the functions that give patches a meaning have in common.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::error::Failure;
use super::input::{Input, folder_of};
use super::keywords;
use super::signals::{Interrupt, Signals};
use crate::error::Result;
use crate::io::Source;
use crate::open::OpenOptions;
use crate::options::doors::Doors;
use crate::options::values::Values;
use crate::patch::{Beginning, FirstDataset, Head, LogPart, Progress, id_of};

/// A call: its options, and what stops it.
pub(super) struct Job {
    pub(super) values: Values,
    pub(super) interrupt: Interrupt,
    progress: Option<Py<PyAny>>,
}

/// A source and how it is read.
type Opening = (Source, OpenOptions);

impl Job {
    /// A call of a function of these groups, which all read logs or datasets.
    pub(super) fn new(
        keywords: &Bound<'_, PyDict>,
        doors: Doors,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let all = [Doors::DATASET, Doors::LOG, Doors::BASE, Doors::COMPARE, Doors::CALL];
        let values = keywords::values(keywords, all.into_iter().fold(doors, Doors::and))?;
        Ok(Job { values, interrupt: Interrupt::default(), progress })
    }

    /// A source of statements, whose format this option names.
    pub(super) fn dataset(&self, source: &Bound<'_, PyAny>, format: &str) -> PyResult<Opening> {
        let Input { source, name, .. } = Input::sharing(source, &self.interrupt)?;
        Ok((source, self.reading(format, name)?))
    }

    /// The dataset that a log begins with, if it is given.
    pub(super) fn base(&self, base: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Opening>> {
        base.map(|base| self.dataset(base, "base_format")).transpose()
    }

    /// Sources of patches.
    pub(super) fn log(&self, sources: &[Bound<'_, PyAny>]) -> PyResult<Vec<LogPart>> {
        let open = |source| match folder_of(source)? {
            Some(path) => Ok(LogPart::Folder(path, self.reading("patch_format", None)?)),
            None => {
                let after = source.getattr_opt("comes_after")?;
                let beginning = after.map(|after| self.beginning(source, &after)).transpose()?;
                let (source, options) = self.dataset(source, "patch_format")?;
                Ok(match beginning {
                    Some(beginning) => LogPart::After(Box::new(beginning), source, options),
                    None => LogPart::Source(source, options),
                })
            }
        };
        sources.iter().map(open).collect()
    }

    /// What a stream of patches says about the beginning of its log: the version that it comes after, and, if it
    /// knows them, the id of this version, the dataset and where the dataset can be read.
    fn beginning(&self, source: &Bound<'_, PyAny>, version: &Bound<'_, PyAny>) -> PyResult<Beginning> {
        let said = |name| Ok::<_, PyErr>(source.getattr_opt(name)?.filter(|said| !said.is_none()));
        let id = said("begin")?.map(|id| Ok::<_, PyErr>(id_of(id.extract()?)?)).transpose()?;
        let dataset = said("dataset")?.map(|dataset| dataset.extract()).transpose()?;
        let dataset = dataset.map(|(place, statements)| FirstDataset { place, statements });
        let base = said("base")?.map(|base| self.dataset(&base, "patch_format")).transpose()?;
        Ok(Beginning { head: Head { version: version.extract()?, id }, dataset, base })
    }

    /// One source of patches.
    pub(super) fn patch(&self, source: Bound<'_, PyAny>) -> PyResult<LogPart> {
        Ok(self.log(&[source])?.remove(0))
    }

    fn reading(&self, format: &str, name: Option<String>) -> PyResult<OpenOptions> {
        Ok(OpenOptions::of(&self.values, format, name)?)
    }

    /// Works without Python; an exception of a source or handler is what is raised.
    pub(super) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn FnMut(Progress) -> Result<()>) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let mut report = Report { progress: self.progress.as_ref(), phase: "", reported: Instant::now() };
        self.interrupt.run(py, |signals| work(&mut |progress| report.poll(signals, progress)))
    }
}

/// Reports of the progress.
struct Report<'a> {
    progress: Option<&'a Py<PyAny>>,
    /// The last phase that was reported; a new one is reported at once, so that short work is reported too.
    phase: &'static str,
    reported: Instant,
}

/// Between two reports of a phase.
const STEP: Duration = Duration::from_millis(100);

impl Report<'_> {
    fn poll(&mut self, signals: &mut Signals, now: Progress) -> Result<()> {
        signals.poll()?;
        match self.progress {
            Some(progress) if now.phase != self.phase || self.reported.elapsed() >= STEP => {
                (self.phase, self.reported) = (now.phase, Instant::now());
                signals.call(|py| progress.call1(py, (now.phase, now.rows, now.bytes)))
            }
            _ => Ok(()),
        }
    }
}
