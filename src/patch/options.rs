//! Creates the options of operations from option values.

use super::{
    ApplyOptions, BaseLabels, BlankNodes, DiffOptions, Header, InvertOptions, LogOptions, SquashOptions,
    Version, id_from_text,
};
use crate::error::{Error, ErrorKind, Result};
use crate::open::OpenOptions;
use crate::options::values::{Value, Values};
use crate::term::TermBuf;

fn argument(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

/// Parses an id: a term or a bare IRI.
///
/// # Errors
/// `argument`: the text is neither.
pub fn id_of(text: &str) -> Result<TermBuf> {
    id_from_text(text).map_err(|error| argument(error.message().to_owned()))
}

/// Parses a term as canonical N-Triples; the empty text is the default graph.
///
/// # Errors
/// `argument`: the text is not a term.
pub fn term_of(text: &str) -> Result<TermBuf> {
    if !text.is_empty() && !text.starts_with(['<', '"', '_']) {
        return Err(argument(format!(
            "{text:?} is not a term; expected a term such as <https://example.org/a>, _:label or \
             \"text\"@en, without prefixes"
        )));
    }
    TermBuf::from_text(text).map_err(|error| argument(error.message().to_owned()))
}

/// Parses headers whose values are terms as in [`term_of`].
///
/// # Errors
/// `argument`: a value is not a term.
pub fn headers_of(texts: Vec<(String, String)>) -> Result<Vec<Header>> {
    texts.into_iter().map(|(key, value)| Ok((key, term_of(&value)?))).collect()
}

fn id(values: &Values, name: &str) -> Result<Option<TermBuf>> {
    values.text(name).map(id_of).transpose()
}

impl Version {
    /// Parses a number, or an id as a term or a bare IRI.
    ///
    /// # Errors
    /// `argument`: the value is neither.
    pub fn of(value: &Value, name: &str) -> Result<Self> {
        match value {
            Value::Number(number @ 0..) => Ok(Version::Number(number.unsigned_abs())),
            Value::Text(id) => Ok(Version::Id(id_of(id)?)),
            _ => Err(argument(format!("{name} must be the number of a version or the id of its patch"))),
        }
    }

    pub(crate) fn given(values: &Values, name: &str) -> Result<Option<Self>> {
        values.get(name).map(|value| Version::of(value, name)).transpose()
    }
}

impl LogOptions {
    /// Creates the options from option values.
    pub fn of(values: &Values) -> Self {
        LogOptions {
            drop_unfinished: values.choice("unfinished", [false, true]),
            ignore_chain: values.choice("chain", [false, true]),
            takes_positions: values.is_on("takes_positions"),
            digests: false,
            fixed: false,
        }
    }
}

impl ApplyOptions {
    /// Creates the options from option values, for a base that is read with `base`.
    ///
    /// # Errors
    /// `argument`: the version is invalid.
    pub fn of(values: &Values, base: OpenOptions) -> Result<Self> {
        Ok(ApplyOptions {
            base,
            log: LogOptions::of(values),
            version: Version::given(values, "version")?,
            distinct: values.is_on("distinct"),
            labels: values.choice("base_labels", BaseLabels::ALL),
        })
    }
}

impl DiffOptions {
    /// Creates the options from option values, for an old dataset that is read with `old`.
    ///
    /// # Errors
    /// `argument`: an id is invalid.
    pub fn of(values: &Values, old: OpenOptions) -> Result<Self> {
        Ok(DiffOptions {
            old,
            id: id(values, "id")?,
            prev: id(values, "prev")?,
            prefixes: values.flag("prefixes") != Some(false),
            skolemize: values.text("skolemize").map(str::to_owned),
            blank_nodes: values.choice("blank_nodes", BlankNodes::ALL),
            names_as_read: false,
        })
    }
}

impl InvertOptions {
    /// Creates the options from option values.
    ///
    /// # Errors
    /// `argument`: an id is invalid.
    pub fn of(values: &Values) -> Result<Self> {
        Ok(InvertOptions { log: LogOptions::of(values), id: id(values, "id")?, prev: id(values, "prev")? })
    }
}

impl SquashOptions {
    /// Creates the options from option values.
    ///
    /// # Errors
    /// `argument`: a version or an id is invalid.
    pub fn of(values: &Values) -> Result<Self> {
        let (from, to) = (Version::given(values, "from_version")?, Version::given(values, "to_version")?);
        Ok(SquashOptions {
            log: LogOptions::of(values),
            drops_cancelled: values.choice("mode", [false, true]),
            between: from.zip(to),
            bare: values.is_on("bare"),
            id: id(values, "id")?,
            prev: id(values, "prev")?,
        })
    }
}
