//! Keyword arguments as options of the core.

use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arrow::{BlankNodes, Mode, ReadOptions, TermStyle};
use crate::decode::Framing;
use crate::format::{PatchFormat, RdfFormat};
use crate::inspect::Format;
use crate::io::Compression;
use crate::limits::Limits;

/// A keyword that takes one of a few words.
pub(super) struct Choice<T: 'static> {
    pub(super) keyword: &'static str,
    pub(super) words: &'static [(&'static str, T)],
}

impl<T: Copy> Choice<T> {
    /// The value of a word; another word is a `ValueError` that lists them.
    pub(super) fn read(&self, word: &str) -> PyResult<T> {
        let found = self.words.iter().find(|(known, _)| *known == word);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let words: Vec<_> = self.words.iter().map(|(word, _)| format!("{word:?}")).collect();
            PyValueError::new_err(format!("{} is {word:?}; it can be {}", self.keyword, words.join(", ")))
        })
    }
}

pub(super) const FRAMING: Choice<Framing> = Choice {
    keyword: "framing",
    words: &[
        ("auto", Framing::Auto),
        ("delimited", Framing::Delimited),
        ("single", Framing::Single),
        ("concatenated", Framing::Concatenated),
    ],
};
pub(super) const COMPRESSION: Choice<Option<Compression>> = Choice {
    keyword: "compression",
    words: &[
        ("auto", None),
        ("none", Some(Compression::None)),
        ("gzip", Some(Compression::Gzip)),
        ("zstd", Some(Compression::Zstd)),
    ],
};
pub(super) const ROWS: Choice<bool> =
    Choice { keyword: "rows", words: &[("all", false), ("committed", true)] };
pub(super) const TERMS: Choice<TermStyle> =
    Choice { keyword: "terms", words: &[("text", TermStyle::Text), ("struct", TermStyle::Struct)] };
pub(super) const BLANK_NODES: Choice<BlankNodes> = Choice {
    keyword: "blank_nodes",
    words: &[
        ("auto", BlankNodes::Auto),
        ("keep", BlankNodes::Keep),
        ("scoped", BlankNodes::Scoped),
        ("named", BlankNodes::Named),
    ],
};
pub(super) const MODE: Choice<Mode> =
    Choice { keyword: "mode", words: &[("failfast", Mode::FailFast), ("permissive", Mode::Permissive)] };
pub(super) const RDF_FORMAT: Choice<Option<RdfFormat>> = Choice {
    keyword: "format",
    words: &[
        ("auto", None),
        ("jelly", Some(RdfFormat::Jelly)),
        ("nt", Some(RdfFormat::NTriples)),
        ("nq", Some(RdfFormat::NQuads)),
        ("ttl", Some(RdfFormat::Turtle)),
        ("trig", Some(RdfFormat::TriG)),
        ("rdfxml", Some(RdfFormat::RdfXml)),
        ("jsonld", Some(RdfFormat::JsonLd)),
    ],
};
pub(super) const PATCH_FORMAT: Choice<Option<PatchFormat>> = Choice {
    keyword: "format",
    words: &[
        ("auto", None),
        ("jelly-patch", Some(PatchFormat::Jelly)),
        ("rdfp", Some(PatchFormat::RdfPatch)),
        ("rdfp-v1", Some(PatchFormat::RdfPatchV1)),
        ("trp", Some(PatchFormat::Thrift)),
    ],
};
/// What `inspect` looks at.
pub(super) const ANY_FORMAT: Choice<Option<Format>> = Choice {
    keyword: "format",
    words: &[("auto", None), ("jelly", Some(Format::Rdf)), ("jelly-patch", Some(Format::Patch))],
};

/// Reads a `jelly.Limits`.
pub(super) fn limits(object: Option<&Bound<'_, PyAny>>) -> PyResult<Limits> {
    let Some(object) = object else {
        return Ok(Limits::default());
    };
    let class = object.py().import("jelly.types")?.getattr("Limits")?;
    if !object.is_instance(&class)? {
        let name = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!("limits must be a jelly.Limits, not {name}")));
    }
    macro_rules! read {
        ($($field:ident),*) => { Limits { $($field: object.getattr(stringify!($field))?.extract()?,)* } };
    }
    Ok(read!(
        row_bytes,
        frame_bytes,
        name_table,
        prefix_table,
        datatype_table,
        lookup_bytes,
        term_bytes,
        nesting,
        batch_rows,
        batch_bytes,
        expansion,
        zstd_window,
        transaction_bytes
    ))
}

/// A number of rows or bytes that a batch may have.
pub(super) fn at_least_one(keyword: &str, value: Option<i64>, default: usize) -> PyResult<usize> {
    match value {
        None => Ok(default),
        Some(value) => usize::try_from(value)
            .ok()
            .filter(|&value| value > 0)
            .ok_or_else(|| PyValueError::new_err(format!("{keyword} is {value}; it must be at least 1"))),
    }
}

/// Bytes of text at which a batch is closed, within the range of `jelly.Limits`.
pub(super) fn batch_bytes(value: Option<i64>, default: usize) -> PyResult<usize> {
    const MOST: usize = 1 << 30;
    match at_least_one("batch_bytes", value, default)? {
        bytes if value.is_some() && bytes > MOST => {
            Err(PyValueError::new_err(format!("batch_bytes is {bytes}; it must be from 1 to {MOST}")))
        }
        bytes => Ok(bytes),
    }
}

/// Names of columns; a single string is a mistake.
pub(super) fn columns(object: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<String>>> {
    match object {
        None => Ok(None),
        Some(object) if object.is_instance_of::<PyString>() => {
            Err(PyTypeError::new_err("columns must be a sequence of names, not one string"))
        }
        Some(object) => object.try_iter()?.map(|name| name?.extract()).collect::<PyResult<_>>().map(Some),
    }
}

/// Puts a name on the source: the caller's, else its own.
pub(super) fn name(options: &mut ReadOptions, told: Option<String>, own: Option<String>) {
    options.open.decode.source = told.or(own).map(Arc::from);
}
