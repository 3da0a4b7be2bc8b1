//! `apply` and `as_of`: a dataset with patches applied.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::destination::Destination;
use super::job::{Job, gather};
use super::write_options::WriteOptions;
use crate::convert::RdfTarget;
use crate::create::Writer;
use crate::format::RdfFormat;
use crate::patch::{self, Applied, ApplyOptions, ApplyTarget, Needs};

/// The fields of `jelly.Applied`: version, id, the numbers after them, the version of the base and the order of files.
type Fields = (u64, Option<String>, [u64; 9], (u64, Vec<String>));

/// Applies patches to a dataset; returns version and id of the result, the numbers of Applied, and how the log was taken.
#[pyfunction]
#[pyo3(signature = (base, patches, dest, keywords, progress=None))]
pub(super) fn apply(
    py: Python<'_>,
    base: &Bound<'_, PyAny>,
    patches: Vec<Bound<'_, PyAny>>,
    dest: &Bound<'_, PyAny>,
    keywords: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Fields> {
    let job = Job::new(keywords, progress);
    let base = job.dataset(base, "base_format")?;
    let log = job.log(&patches)?;
    let options = ApplyOptions {
        base: base.options.clone(),
        log: job.log_options()?,
        version: job.version("version")?,
        distinct: job.told().flag("distinct", false)?,
        named: job.told().flag("named", false)?,
    };
    let destination = Destination::new(dest, &job.interrupt)?;
    let name = destination.name();
    let write = DatasetWriting::read(&job, name.as_deref())?;
    let done = job.run(py, |watch| {
        let log = gather(log)?;
        let output = destination.open(write.options.compression, write.options.level)?;
        let make = |needs: &Needs| Ok(write.target(needs));
        Ok(patch::apply(base.source, log, options, make, Writer::new(output), watch)?)
    })?;
    let Applied { version, id, base, statements, added, deleted, changes, .. } = done;
    let Applied { prefixes, prefixes_left_out, bytes, without_effect, base_version, order, .. } = done;
    let counts =
        [base, statements, added, deleted, changes, prefixes, prefixes_left_out, bytes, without_effect];
    Ok((version, id, counts, (base_version, order)))
}

/// How a dataset is written.
struct DatasetWriting {
    options: WriteOptions,
    /// The format of the base is that of the result.
    as_base: bool,
    /// Somebody said whether namespaces are declared.
    namespaces_told: bool,
}

impl DatasetWriting {
    fn read(job: &Job<'_, '_>, name: Option<&str>) -> PyResult<Self> {
        let options = WriteOptions::read("rdf", &job.write_keywords("nq")?, name)?;
        let word = job.told().word("to", "auto")?;
        Ok(DatasetWriting {
            as_base: word == "auto" && name.and_then(RdfFormat::of_file).is_none(),
            namespaces_told: options.create.namespaces.is_some(),
            options,
        })
    }

    fn target(mut self, needs: &Needs) -> ApplyTarget {
        if self.as_base {
            self.options.rdf = needs.format();
        }
        if !self.namespaces_told && needs.prefixes {
            self.options.create.namespaces = Some(true);
        }
        let holds_prefixes =
            self.options.rdf.holds_prefixes() && self.options.create.namespaces != Some(false);
        let (write, has_graphs) = (self.options, needs.graphs);
        let target = RdfTarget::new(Box::new(move |source| write.rdf_encoder(source, has_graphs)));
        ApplyTarget { target, holds_prefixes }
    }
}
