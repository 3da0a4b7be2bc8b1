//! How a source becomes batches, by options that were given.

use arrow_schema::SchemaRef;

use super::schema::{PATCH_COLUMNS, RDF_COLUMNS, choose, schema};
use super::{BatchSettings, BlankNodes, Mode, ReadOptions, StringType, TermStyle};
use crate::error::{Error, ErrorKind, Result};
use crate::open::OpenOptions;
use crate::options::values::Values;

impl ReadOptions {
    /// What the options say; `own_name`: what the source is called where nobody names it.
    ///
    /// # Errors
    /// `argument`: options do not go together.
    pub fn of(values: &Values, own_name: Option<String>) -> Result<Self> {
        let nodes = [
            BlankNodes::Auto,
            BlankNodes::Keep,
            BlankNodes::Scoped,
            BlankNodes::Named,
            BlankNodes::Content,
            BlankNodes::Lasting,
        ];
        let options = ReadOptions {
            open: OpenOptions::of(values, "format", own_name)?,
            batch: BatchSettings {
                columns: values.names("columns").map(<[String]>::to_vec),
                terms: values.choice("terms", [TermStyle::Text, TermStyle::Struct]),
                strings: values
                    .choice("strings", [StringType::Utf8, StringType::View, StringType::Dictionary]),
                blank_nodes: values.choice("blank_nodes", nodes),
                ends_with_frames: values.is_on("batch_frames"),
                ..BatchSettings::default()
            },
            mode: values.choice("mode", [Mode::FailFast, Mode::Permissive]),
        };
        options.check_committed()?;
        options.check_content()?;
        Ok(options)
    }

    /// The schema of what is read: rows of patches, or statements.
    ///
    /// # Errors
    /// `argument`: a column does not exist, or is given twice.
    pub fn schema(&self, is_patch: bool) -> Result<SchemaRef> {
        let all: &[_] = if is_patch { &PATCH_COLUMNS } else { &RDF_COLUMNS };
        let BatchSettings { columns, terms, strings, .. } = &self.batch;
        let columns = choose(all, columns.as_deref())?;
        Ok(schema(&columns, *terms, *strings, self.mode == Mode::Permissive))
    }

    /// Whether labels may be those of the content.
    pub(super) fn wants_content(&self) -> bool {
        matches!(self.batch.blank_nodes, BlankNodes::Content | BlankNodes::Lasting)
    }

    /// Rejects what does not go with labels of the content.
    pub(super) fn check_content(&self) -> Result<()> {
        let message = if !self.wants_content() {
            return Ok(());
        } else if self.mode == Mode::Permissive {
            "blank_nodes=\"content\" and \"lasting\" work only with mode=\"failfast\": labels depend on the whole source"
        } else if self.open.is_part() || self.open.resume.is_some() {
            "blank_nodes=\"content\" and \"lasting\" work only with whole sources: labels depend on all statements about a node"
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Argument, message))
    }

    /// Rejects what does not go with `rows="committed"`.
    pub(super) fn check_committed(&self) -> Result<()> {
        let message = if !self.open.committed {
            return Ok(());
        } else if self.mode == Mode::Permissive {
            "rows=\"committed\" works only with mode=\"failfast\": what follows an error is unknown"
        } else if self.open.resume.is_some() {
            "resume works only with rows=\"all\""
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Argument, message))
    }
}
