//! Keywords of writers and of `convert`.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::error::Failure;
use super::keywords::Keywords;
use super::options;
use super::stream_options;
use crate::create::{
    AnyPatchEncoder, AnyRdfEncoder, CreateOptions, PlainPatchWriter, PlainRdfWriter, RESTART_BYTES,
    default_rdf_options,
};
use crate::encode::Framing;
use crate::error::Result;
use crate::format::{PatchFormat, RdfFormat, check_name};
use crate::io::Compression;
use crate::options::{PatchOptions, RdfOptions, StreamOptions};
use crate::sink::RdfSink;
use crate::term::{Term, TermBuf};

/// What is asked of a writer.
pub(super) struct WriteOptions {
    pub(super) create: CreateOptions,
    /// Options of the stream that were told.
    pub(super) stream: Option<StreamOptions>,
    pub(super) rdf: RdfFormat,
    pub(super) patch: PatchFormat,
    /// `None`: told by the file name.
    pub(super) compression: Option<Compression>,
    pub(super) level: Option<i32>,
    /// Labels and IRIs to declare at the start.
    pub(super) declared: Vec<(String, String)>,
}

/// The words of formats that are written.
fn format<T: Copy + PartialEq>(
    word: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
    named: Option<T>,
    found: Option<T>,
    default: T,
) -> PyResult<T> {
    if word == "auto" {
        return Ok(found.unwrap_or(default));
    }
    named.filter(|named| all.contains(named)).ok_or_else(|| {
        let words: Vec<_> = all.iter().map(|&known| format!("{:?}", name(known))).collect();
        PyValueError::new_err(format!("format is {word:?}; it can be \"auto\", {}", words.join(", ")))
    })
}

impl WriteOptions {
    /// Reads the keywords of a conversion, and whether patches come out of it.
    ///
    /// `format` may be a format of either kind, `text`, or `auto`: the file name tells, else it stays as it is.
    pub(super) fn of_conversion(
        is_patch: bool,
        keywords: &Bound<'_, PyDict>,
        name: Option<&str>,
    ) -> PyResult<(Self, bool)> {
        let word = Keywords(keywords).word("format", "auto")?;
        let to_patch = match word.as_str() {
            "text" => {
                keywords.set_item("format", if is_patch { "rdfp" } else { "nq" })?;
                is_patch
            }
            "auto" => match name {
                Some(name) if PatchFormat::of_file(name).is_some() => true,
                Some(name) if RdfFormat::of_file(name).is_some() => false,
                _ => is_patch,
            },
            word => {
                PatchFormat::from_name(word).is_some() || (is_patch && RdfFormat::from_name(word).is_none())
            }
        };
        if is_patch && !to_patch {
            let message =
                "patches are no statements: apply them to a dataset, or write them in a format of patches";
            return Err(PyValueError::new_err(message));
        }
        Ok((Self::read(if to_patch { "patch" } else { "rdf" }, keywords, name)?, to_patch))
    }

    /// Reads the keywords of a writer of `kind` to a file of this name.
    pub(super) fn read(kind: &str, keywords: &Bound<'_, PyDict>, name: Option<&str>) -> PyResult<Self> {
        let told = Keywords(keywords);
        let is_patch = kind == "patch";
        let format_word = told.word("format", "auto")?;
        if let Some(name) = name.filter(|_| format_word == "auto") {
            check_name(name, is_patch).map_err(Failure::Jelly)?;
        }
        let (rdf, patch) = if is_patch {
            let all = [PatchFormat::Jelly, PatchFormat::RdfPatch, PatchFormat::Thrift];
            let found = name.and_then(PatchFormat::of_file);
            let named = PatchFormat::from_name(&format_word);
            (
                RdfFormat::Jelly,
                format(&format_word, &all, PatchFormat::name, named, found, PatchFormat::Jelly)?,
            )
        } else {
            let all = [
                RdfFormat::Jelly,
                RdfFormat::NTriples,
                RdfFormat::NQuads,
                RdfFormat::Turtle,
                RdfFormat::TriG,
            ];
            let found = name.and_then(RdfFormat::of_file);
            let named = RdfFormat::from_name(&format_word);
            (format(&format_word, &all, RdfFormat::name, named, found, RdfFormat::Jelly)?, PatchFormat::Jelly)
        };
        let stream = told.get("options")?.map(|object| stream_options::read(&object)).transpose()?;
        match &stream {
            Some(StreamOptions::Rdf(_)) if is_patch => {
                return Err(PyTypeError::new_err("options must be a jelly.PatchOptions"));
            }
            Some(StreamOptions::Patch(_)) if !is_patch => {
                return Err(PyTypeError::new_err("options must be a jelly.RdfOptions"));
            }
            _ => {}
        }
        let delimited = told.flag("delimited", true)?;
        let restart_bytes: Option<u64> = told.value("restart_bytes")?;
        let is_file = name.is_some() && delimited;
        let frame_rows: Option<i64> = told.value("frame_rows")?;
        let declared: Option<Vec<(String, String)>> = told
            .get("namespaces")?
            .filter(|value| !value.is_instance_of::<pyo3::types::PyBool>())
            .map(|list| list.extract())
            .transpose()?;
        let declares = match (told.get("namespaces")?, &declared) {
            (Some(_), Some(list)) => Some(!list.is_empty()),
            (Some(flag), None) => Some(flag.extract()?),
            (None, _) => None,
        };
        let create = CreateOptions {
            framing: if delimited { Framing::Delimited } else { Framing::Single },
            changes: stream_options::changes(keywords)?,
            frame_rows: frame_rows
                .map(|rows| options::at_least_one("frame_rows", Some(rows), 1))
                .transpose()?,
            namespaces: declares,
            restart_bytes: restart_bytes.or(is_file.then_some(RESTART_BYTES)).filter(|&bytes| bytes > 0),
            abbreviate: told.flag("abbreviate", false)?,
            limits: options::limits(told.get("limits")?.as_ref())?,
        };
        refuse_unused(told, is_patch, rdf, patch)?;
        Ok(WriteOptions {
            create,
            stream,
            rdf,
            patch,
            compression: options::COMPRESSION.read(&told.word("compression", "auto")?)?,
            level: told.value("compression_level")?,
            declared: declared.unwrap_or_default(),
        })
    }
}

impl WriteOptions {
    /// An encoder of patches; `source`: the options of what is read.
    pub(super) fn patch_encoder(&self, source: Option<&PatchOptions>) -> Result<AnyPatchEncoder> {
        let told = match &self.stream {
            Some(StreamOptions::Patch(options)) => Some(options),
            _ => None,
        };
        self.create.patch(self.patch, told, source)
    }

    /// An encoder of statements, with the namespaces declared.
    pub(super) fn rdf_encoder(&self, source: Option<&RdfOptions>, has_graphs: bool) -> Result<AnyRdfEncoder> {
        let told = match &self.stream {
            Some(StreamOptions::Rdf(options)) => Some(options),
            _ => None,
        };
        let mut encoder = self.create.rdf(self.rdf, told, source, has_graphs)?;
        for (label, iri) in &self.declared {
            if let Term::Iri(iri) = TermBuf::iri(iri).as_term() {
                encoder.namespace(label, iri)?;
            }
        }
        Ok(encoder)
    }

    /// A writer of patches whose terms lie in one piece.
    pub(super) fn patch_writer(&self) -> Result<PlainPatchWriter> {
        Ok(PlainPatchWriter::new(self.patch_encoder(None)?))
    }

    /// A writer of statements whose terms lie in one piece.
    pub(super) fn rdf_writer(&self, has_graphs: bool) -> Result<PlainRdfWriter> {
        Ok(PlainRdfWriter::new(self.rdf_encoder(None, has_graphs)?, self.keeps_frames()))
    }

    /// Whether frames of statements are elements of a grouped stream.
    pub(super) fn keeps_frames(&self) -> bool {
        let told = match &self.stream {
            Some(StreamOptions::Rdf(options)) => options.clone(),
            _ => default_rdf_options(false),
        };
        self.create.changes.of_rdf(told).logical_type.is_grouped()
    }
}

/// Keywords of all Jelly streams.
const OF_JELLY: [&str; 9] = [
    "options",
    "delimited",
    "frame_rows",
    "restart_bytes",
    "generalized_statements",
    "rdf_star",
    "max_name_table_size",
    "max_prefix_table_size",
    "max_datatype_table_size",
];
const OF_JELLY_RDF: [&str; 3] = ["stream_name", "physical_type", "logical_type"];
const OF_JELLY_PATCH: [&str; 2] = ["statement_type", "stream_type"];

/// Refuses keywords that the format has no place for: the caller would think that they did something.
fn refuse_unused(told: Keywords<'_, '_>, is_patch: bool, rdf: RdfFormat, patch: PatchFormat) -> PyResult<()> {
    let title = if is_patch { patch.title() } else { rdf.title() };
    let is_jelly = if is_patch { patch == PatchFormat::Jelly } else { rdf == RdfFormat::Jelly };
    let has_namespaces = !is_patch && !matches!(rdf, RdfFormat::NTriples | RdfFormat::NQuads);
    let groups: [(&[&str], bool, &str); 5] = [
        (&OF_JELLY, is_jelly, "Jelly"),
        (&OF_JELLY_RDF, is_jelly && !is_patch, "Jelly-RDF"),
        (&OF_JELLY_PATCH, is_jelly && is_patch, "Jelly-Patch"),
        (&["namespaces"], has_namespaces, "Jelly-RDF, Turtle and TriG"),
        (&["abbreviate"], is_patch && patch == PatchFormat::RdfPatch, "RDF Patch text"),
    ];
    for (names, _, home) in groups.into_iter().filter(|&(_, has_them, _)| !has_them) {
        for &name in names {
            if let Some(value) = told.get(name)?
                && !says_nothing(name, &value)?
            {
                let message = format!("{name} is an option of {home}; the output is {title}");
                return Err(PyValueError::new_err(message));
            }
        }
    }
    Ok(())
}

/// Whether a value asks for what formats without this option do anyway.
fn says_nothing(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(match name {
        "delimited" => value.is_truthy()?,
        "restart_bytes" | "namespaces" | "abbreviate" => !value.is_truthy()?,
        _ => false,
    })
}
