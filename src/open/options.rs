//! How a source is read, by options that were given.

use super::{OpenOptions, PartOf};
use crate::decode::DecodeOptions;
use crate::error::Result;
use crate::options::formats::FormatWord;
use crate::options::values::Values;

impl OpenOptions {
    /// What the options say, of which `format` names the format; `own_name`: what the source is called where nobody
    /// names it.
    ///
    /// # Errors
    /// `argument`: the split is none that this version made.
    pub fn of(values: &Values, format: &str, own_name: Option<String>) -> Result<Self> {
        let (rdf_format, patch_format) = match values.format(format) {
            FormatWord::Rdf(format) => (Some(format), None),
            FormatWord::Patch(format) => (None, Some(format)),
            FormatWord::Auto | FormatWord::Text => (None, None),
        };
        Ok(OpenOptions {
            rdf_format,
            patch_format,
            decode: DecodeOptions::of(values, own_name),
            compression: values.compression("compression"),
            committed: values.choice("rows", [false, true]),
            resume: values.bytes("resume").map(<[u8]>::to_vec),
            threads: values.number("threads"),
            split: values.bytes("split").map(PartOf::decode).transpose()?,
            ..OpenOptions::default()
        })
    }
}
