//! The options of a writer.

use super::{AnyPatchEncoder, AnyRdfEncoder, Changes, CreateOptions, RESTART_BYTES, default_rdf_options};
use crate::encode::Framing;
use crate::error::{Error, ErrorKind, Result};
use crate::format::{PatchFormat, RdfFormat, check_name};
use crate::io::{Compression, OutputOptions};
use crate::options::formats::FormatWord;
use crate::options::values::{Value, Values};
use crate::options::{PatchOptions, RdfOptions, StreamOptions};
use crate::sink::RdfSink;
use crate::term::{Term, TermBuf};

/// The options of a writer: the format, the compression, and the contents.
pub struct WriteOptions {
    /// How rows become bytes.
    pub create: CreateOptions,
    /// All options of the stream, if they were given.
    pub stream: Option<StreamOptions>,
    /// The format, if statements are written.
    pub rdf: RdfFormat,
    /// The format, if patches are written.
    pub patch: PatchFormat,
    /// Whether neither an option nor the file name sets the format.
    pub is_default: bool,
    /// `None`: by the file name.
    pub compression: Option<Compression>,
    /// Level of the compression.
    pub level: Option<i32>,
    /// Labels and IRIs to declare at the start.
    pub declared: Vec<(String, String)>,
}

fn argument(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

impl WriteOptions {
    /// Options of a conversion of statements or patches to a file of this name, and whether patches are written.
    ///
    /// # Errors
    /// `argument`: patches are to become statements, or as for [`WriteOptions::of`].
    pub fn of_conversion(is_patch: bool, values: &Values, name: Option<&str>) -> Result<(Self, bool)> {
        let to_patch = match (values.format("to"), name) {
            (FormatWord::Patch(_), _) => true,
            (FormatWord::Rdf(_), _) => false,
            (FormatWord::Auto, Some(name)) if PatchFormat::of_file(name).is_some() => true,
            (FormatWord::Auto, Some(name)) if RdfFormat::of_file(name).is_some() => false,
            _ => is_patch,
        };
        if is_patch && !to_patch {
            let message = "patches cannot become statements: apply them to a dataset, or write them in a format of patches";
            return Err(argument(message.to_owned()));
        }
        Ok((Self::of(to_patch, values, name)?, to_patch))
    }

    /// Options of a writer of patches or statements to a file of this name.
    ///
    /// # Errors
    /// `argument`: an option is wrong, or the format has none of this name; `argument.extension`: the
    /// extension belongs to another format.
    pub fn of(is_patch: bool, values: &Values, name: Option<&str>) -> Result<Self> {
        let (format, compression) =
            if values.row("to").is_some() { ("to", "to_compression") } else { ("format", "compression") };
        let word = values.format(format);
        if let (FormatWord::Auto, Some(name)) = (word, name) {
            check_name(name, is_patch)?;
        }
        let (found_rdf, found_patch) =
            (name.and_then(RdfFormat::of_file), name.and_then(PatchFormat::of_file));
        let (rdf, patch) = match (word, is_patch) {
            (FormatWord::Rdf(rdf), false) => (rdf, PatchFormat::Jelly),
            (FormatWord::Patch(patch), true) => (RdfFormat::Jelly, patch),
            (FormatWord::Text, _) => (RdfFormat::NQuads, PatchFormat::RdfPatch),
            (FormatWord::Auto, _) => {
                (found_rdf.unwrap_or(RdfFormat::Jelly), found_patch.unwrap_or(PatchFormat::Jelly))
            }
            (FormatWord::Rdf(_) | FormatWord::Patch(_), _) => {
                let given = values.text(format).unwrap_or_default();
                let what = if is_patch { "patches" } else { "statements" };
                let can = if is_patch { "rdfp, trp or jelly-patch" } else { "nq, nt, ttl, trig or jelly" };
                let message = format!("{format} is {given:?}, but the output has {what}: expected {can}");
                return Err(argument(message));
            }
        };
        let is_default =
            word == FormatWord::Auto && if is_patch { found_patch.is_none() } else { found_rdf.is_none() };
        let stream = values.stream().cloned();
        if stream.as_ref().is_some_and(|stream| matches!(stream, StreamOptions::Patch(_)) != is_patch) {
            let right = if is_patch { "PatchOptions" } else { "RdfOptions" };
            return Err(argument(format!("options must be a jelly.{right}")));
        }
        let delimited = values.flag("delimited") != Some(false);
        let is_file = name.is_some() && delimited;
        let declared = values.pairs("namespaces").map(<[_]>::to_vec);
        let restart_bytes = values.number("restart_bytes").or(is_file.then_some(RESTART_BYTES));
        let create = CreateOptions {
            framing: if delimited { Framing::Delimited } else { Framing::Single },
            changes: Changes::of(values)?,
            frame_rows: values.number("frame_rows"),
            frame_bytes: values.number("frame_bytes"),
            namespaces: declared.as_ref().map(|list| !list.is_empty()).or(values.flag("namespaces")),
            restart_bytes: restart_bytes.filter(|&bytes| bytes > 0),
            abbreviate: values.is_on("abbreviate"),
            limits: values.limits(),
        };
        refuse_unused(values, is_patch, rdf, patch)?;
        Ok(WriteOptions {
            create,
            stream,
            rdf,
            patch,
            is_default,
            compression: values.compression(compression),
            level: values.number("compression_level"),
            declared: declared.unwrap_or_default(),
        })
    }

    /// How the bytes are written.
    pub fn output(&self) -> OutputOptions {
        OutputOptions { compression: self.compression, level: self.level }
    }

    /// An encoder of patches; `source`: the options of what is read.
    pub fn patch_encoder(&self, source: Option<&PatchOptions>) -> Result<AnyPatchEncoder> {
        let given = match &self.stream {
            Some(StreamOptions::Patch(options)) => Some(options),
            _ => None,
        };
        self.create.patch(self.patch, given, source)
    }

    /// Declares the prefixes of a source in this format, unless the options say otherwise. Those of Jelly say it in
    /// the options of the stream.
    pub fn keep_prefixes_of(&mut self, source: RdfFormat) {
        if source != RdfFormat::Jelly && source.holds_prefixes() {
            self.create.namespaces.get_or_insert(true);
        }
    }

    /// An encoder of statements, with the namespaces declared.
    pub fn rdf_encoder(&self, source: Option<&RdfOptions>, has_graphs: bool) -> Result<AnyRdfEncoder> {
        let given = match &self.stream {
            Some(StreamOptions::Rdf(options)) => Some(options),
            _ => None,
        };
        let mut encoder = self.create.rdf(self.rdf, given, source, has_graphs)?;
        for (label, iri) in &self.declared {
            if let Term::Iri(iri) = TermBuf::iri(iri).as_term() {
                encoder.namespace(label, iri)?;
            }
        }
        Ok(encoder)
    }

    /// Whether frames of statements are elements of a grouped stream.
    pub fn keeps_frames(&self) -> bool {
        let given = match &self.stream {
            Some(StreamOptions::Rdf(options)) => options.clone(),
            _ => default_rdf_options(false),
        };
        self.create.changes.of_rdf(given).logical_type.is_grouped()
    }
}

/// Options of all Jelly streams.
const OF_JELLY: [&str; 10] = [
    "options",
    "delimited",
    "frame_rows",
    "frame_bytes",
    "restart_bytes",
    "generalized_statements",
    "rdf_star",
    "max_name_table_size",
    "max_prefix_table_size",
    "max_datatype_table_size",
];
const OF_JELLY_RDF: [&str; 3] = ["stream_name", "physical_type", "logical_type"];
const OF_JELLY_PATCH: [&str; 2] = ["statement_type", "stream_type"];

/// Rejects options that the format does not have: the caller would think that they did something.
fn refuse_unused(values: &Values, is_patch: bool, rdf: RdfFormat, patch: PatchFormat) -> Result<()> {
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
            if values.get(name).is_some_and(|value| !is_as_without(name, value)) {
                return Err(argument(format!("{name} is an option of {home}; the output is {title}")));
            }
        }
    }
    Ok(())
}

/// Whether a value asks for what formats without this option do anyway.
fn is_as_without(name: &str, value: &Value) -> bool {
    match (name, value) {
        ("delimited", Value::Flag(on)) => *on,
        ("namespaces" | "abbreviate", Value::Flag(on)) => !on,
        ("namespaces", Value::Pairs(pairs)) => pairs.is_empty(),
        ("restart_bytes", Value::Number(bytes)) => *bytes == 0,
        _ => false,
    }
}
