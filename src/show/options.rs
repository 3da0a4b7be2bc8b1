//! Options for showing changes.

use super::gathered::{RDF, is_iri};
use crate::error::Result;
use crate::options::values::Values;
use crate::patch::id_of;
use crate::term::{Term, TermBuf};

/// The output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Lines for a terminal.
    #[default]
    Text,
    /// Tables, and a diff fence for each subject.
    Markdown,
    /// An HTML page.
    Html,
    /// One JSON object.
    Json,
}

/// How changes are shown.
#[derive(Clone, Debug, Default)]
pub struct ShowOptions {
    /// The output format.
    pub form: Form,
    /// The names of the two sides.
    pub names: [String; 2],
    /// Maximum number of lines (for Markdown: of characters); `None`: the default of the output format.
    pub max_lines: Option<usize>,
    /// Number of columns of a line of text; 116 by default.
    pub width: Option<usize>,
    /// Use terminal colours in text.
    pub colour: bool,
    /// Label properties in addition to the well-known ones; they take precedence.
    pub label_properties: Vec<TermBuf>,
    /// The preferred language of labels.
    pub lang: Option<String>,
    /// Show only these subjects, by IRI or prefixed name.
    pub subjects: Vec<String>,
    /// Show only subjects of these classes.
    pub classes: Vec<String>,
    /// Show only subjects for which one of these predicates changed.
    pub predicates: Vec<String>,
    /// Write only counts.
    pub summary_only: bool,
    /// Write HTML as a fragment of a page.
    pub fragment: bool,
}

const LABELS: [(&str, &str); 4] = [
    ("http://www.w3.org/2000/01/rdf-schema#", "label"),
    ("http://www.w3.org/2004/02/skos/core#", "prefLabel"),
    ("http://schema.org/", "name"),
    ("https://schema.org/", "name"),
];
const DEFINITIONS: [(&str, &str); 5] = [
    ("http://www.w3.org/2004/02/skos/core#", "definition"),
    ("http://www.w3.org/2000/01/rdf-schema#", "comment"),
    ("http://purl.org/dc/terms/", "description"),
    ("http://purl.obolibrary.org/obo/", "IAO_0000115"),
    ("http://schema.org/", "description"),
];
const CLASSES: [(&str, &str); 2] = [(RDF, "type"), ("http://www.w3.org/2000/01/rdf-schema#", "subClassOf")];
const DEPRECATED: (&str, &str) = ("http://www.w3.org/2002/07/owl#", "deprecated");

impl ShowOptions {
    /// Creates the options from option values.
    ///
    /// # Errors
    /// `argument`: a label property is not an IRI.
    pub fn of(values: &Values) -> Result<Self> {
        let list = |name: &str| values.names(name).map(<[String]>::to_vec).unwrap_or_default();
        let text = |name: &str| values.text(name).unwrap_or_default().to_owned();
        Ok(ShowOptions {
            form: values.choice("form", [Form::Text, Form::Markdown, Form::Html, Form::Json]),
            names: [text("old_name"), text("new_name")],
            max_lines: values.number("max_lines"),
            width: values.number("width"),
            colour: values.is_on("colour"),
            label_properties: list("label_properties").iter().map(|iri| id_of(iri)).collect::<Result<_>>()?,
            lang: values.text("lang").map(str::to_lowercase),
            subjects: list("subjects"),
            classes: list("classes"),
            predicates: list("predicates"),
            summary_only: values.is_on("summary_only"),
            fragment: values.is_on("fragment"),
        })
    }

    /// The importance of a row with this predicate; the most important rows are shown if not all fit.
    pub(super) fn weight(&self, predicate: &Term<'_>) -> u8 {
        let is = |&(start, name): &(&str, &str)| is_iri(predicate, start, name);
        match () {
            () if is(&DEPRECATED) => 4,
            () if self.is_label(predicate) || DEFINITIONS.iter().any(is) => 3,
            () if CLASSES.iter().any(is) => 2,
            () => 1,
        }
    }

    /// Whether the values of a property are labels.
    pub(super) fn is_label(&self, predicate: &Term<'_>) -> bool {
        LABELS.iter().any(|(start, name)| is_iri(predicate, start, name))
            || self.label_properties.iter().any(|own| match own.as_term() {
                Term::Iri(iri) => is_iri(predicate, iri.name(), ""),
                _ => false,
            })
    }

    /// The rank of a label property.
    pub(super) fn label_rank(&self, predicate: &Term<'_>) -> usize {
        let own = self.label_properties.iter().position(|own| match own.as_term() {
            Term::Iri(iri) => is_iri(predicate, iri.name(), ""),
            _ => false,
        });
        let known = LABELS.iter().position(|(start, name)| is_iri(predicate, start, name));
        own.unwrap_or(self.label_properties.len() + known.unwrap_or(LABELS.len()))
    }
}
