//! What the functions that give patches a meaning have in common.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::convert::open_options_of;
use super::error::Failure;
use super::input::{Input, folder_of};
use super::keywords::Keywords;
use super::signals::{Interrupt, Signals};
use crate::error::{Result, catch_panic};
use crate::io::Source;
use crate::open::OpenOptions;
use crate::patch::{self, Again, LogOptions, LogSources, Progress, Version};
use crate::term::TermBuf;

/// A call: its keywords, and what stops it.
pub(super) struct Job<'a, 'py> {
    keywords: &'a Bound<'py, PyDict>,
    pub(super) interrupt: Interrupt,
    progress: Option<Py<PyAny>>,
}

/// A source and how it is read.
pub(super) struct Opening {
    pub(super) source: Source,
    pub(super) options: OpenOptions,
}

/// A source of a log.
pub(super) enum LogPart {
    Source(Opening),
    /// A folder, and how its files are read.
    Folder(PathBuf, OpenOptions),
}

impl LogPart {
    pub(super) fn open(self, log: &mut LogSources) -> Result<()> {
        match self {
            LogPart::Source(Opening { source, options }) => log.push(Again::new(source, options)?),
            LogPart::Folder(path, options) => log.push_folder(&path, &options)?,
        }
        Ok(())
    }
}

/// Opens what a log is made of.
pub(super) fn gather(parts: Vec<LogPart>) -> Result<LogSources> {
    let mut log = LogSources::default();
    parts.into_iter().try_for_each(|part| part.open(&mut log))?;
    Ok(log)
}

impl<'a, 'py> Job<'a, 'py> {
    pub(super) fn new(keywords: &'a Bound<'py, PyDict>, progress: Option<Py<PyAny>>) -> Self {
        Job { keywords, interrupt: Interrupt::default(), progress }
    }

    pub(super) fn told(&self) -> Keywords<'a, 'py> {
        Keywords(self.keywords)
    }

    /// A source of statements.
    pub(super) fn dataset(&self, source: &Bound<'_, PyAny>, format: &str) -> PyResult<Opening> {
        self.opening(source, format, |options| options.patch_format.is_some())
    }

    /// Sources of patches.
    pub(super) fn log(&self, sources: &[Bound<'_, PyAny>]) -> PyResult<Vec<LogPart>> {
        let is_wrong = |options: &OpenOptions| options.rdf_format.is_some();
        let open = |source| match folder_of(source)? {
            Some(path) => Ok(LogPart::Folder(path, self.reading("patch_format", None, is_wrong)?)),
            None => self.opening(source, "patch_format", is_wrong).map(LogPart::Source),
        };
        sources.iter().map(open).collect()
    }

    fn opening(
        &self,
        source: &Bound<'_, PyAny>,
        format: &str,
        is_wrong: impl Fn(&OpenOptions) -> bool,
    ) -> PyResult<Opening> {
        let Input { source, name, .. } = Input::sharing(source, &self.interrupt)?;
        Ok(Opening { source, options: self.reading(format, name, is_wrong)? })
    }

    fn reading(
        &self,
        format: &str,
        name: Option<String>,
        is_wrong: impl Fn(&OpenOptions) -> bool,
    ) -> PyResult<OpenOptions> {
        let word = self.told().word(format, "auto")?;
        let options = open_options_of(&word, self.keywords, name)?;
        if is_wrong(&options) {
            return Err(PyValueError::new_err(format!("{format} cannot be {word:?}")));
        }
        Ok(options)
    }

    /// How a log is taken.
    pub(super) fn log_options(&self) -> PyResult<LogOptions> {
        Ok(LogOptions {
            drop_unfinished: self.choice("unfinished", ["refuse", "drop"])?,
            ignore_chain: self.choice("chain", ["check", "ignore"])?,
            takes_positions: self.told().flag("takes_positions", false)?,
            fixed: false,
        })
    }

    /// Whether the second of two words is told; the first is the default.
    pub(super) fn choice(&self, name: &str, words: [&str; 2]) -> PyResult<bool> {
        let word = self.told().word(name, words[0])?;
        match words.iter().position(|known| *known == word) {
            Some(place) => Ok(place == 1),
            None => Err(PyValueError::new_err(format!(
                "{name} is {word:?}; it can be {:?} or {:?}",
                words[0], words[1]
            ))),
        }
    }

    /// The keywords as a writer takes them; `text` is what the word `text` means.
    pub(super) fn write_keywords(&self, text: &str) -> PyResult<Bound<'py, PyDict>> {
        let write = self.keywords.copy()?;
        let word = self.told().word("to", "auto")?;
        write.set_item("format", if word == "text" { text } else { &word })?;
        write.set_item("compression", self.told().word("to_compression", "auto")?)?;
        Ok(write)
    }

    /// A version: a number, or an id as a term or a bare IRI.
    pub(super) fn version(&self, name: &str) -> PyResult<Option<Version>> {
        self.told().get(name)?.map(|value| version(&value, name)).transpose()
    }

    /// An id to be written.
    pub(super) fn id(&self, name: &str) -> PyResult<Option<TermBuf>> {
        self.told().value::<String>(name)?.map(|text| id_term(&text)).transpose()
    }

    /// Works without Python; an exception of a source or handler is what is raised.
    pub(super) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn FnMut(Progress) -> Result<()>) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let mut report = Report {
            signals: Signals::new(self.interrupt.clone()),
            progress: self.progress.as_ref(),
            told: Instant::now(),
        };
        let done = py.detach(|| catch_panic(|| work(&mut |progress| report.poll(progress))));
        done.map_err(|failure| self.interrupt.take().map_or(failure, Failure::Python).into())
    }
}

/// A version: a number, or an id as a term or a bare IRI.
pub(super) fn version(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Version> {
    if let Ok(number) = value.extract::<u64>() {
        return Ok(Version::Number(number));
    }
    match value.extract::<String>() {
        Ok(text) => Ok(Version::Id(id_term(&text)?)),
        Err(_) => {
            let message = format!("{name} is the number of a version or the id of its patch");
            Err(PyValueError::new_err(message))
        }
    }
}

/// A term as text, or a bare IRI.
pub(super) fn id_term(text: &str) -> PyResult<TermBuf> {
    patch::id_from_text(text).map_err(|error| PyValueError::new_err(error.message().to_owned()))
}

/// A term as canonical N-Triples; the empty text is the default graph.
pub(super) fn term(text: &str) -> PyResult<TermBuf> {
    if !text.is_empty() && !text.starts_with(['<', '"', '_']) {
        let message =
            format!("{text:?} is no term: those are written <https://example.org/a>, _:label, \"text\"@en");
        return Err(PyValueError::new_err(message));
    }
    TermBuf::from_text(text).map_err(|error| PyValueError::new_err(error.message().to_owned()))
}

/// What is told of the progress.
struct Report<'a> {
    signals: Signals,
    progress: Option<&'a Py<PyAny>>,
    told: Instant,
}

/// Between two reports.
const STEP: Duration = Duration::from_millis(100);

impl Report<'_> {
    fn poll(&mut self, now: Progress) -> Result<()> {
        self.signals.poll()?;
        match self.progress {
            Some(progress) if self.told.elapsed() >= STEP => {
                self.told = Instant::now();
                self.signals.call(|py| progress.call1(py, (now.phase, now.rows, now.bytes)))
            }
            _ => Ok(()),
        }
    }
}
