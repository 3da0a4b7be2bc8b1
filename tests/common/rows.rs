//! Plain rows, as any decoder may give them, and the trait by which tests take them.

use std::collections::HashMap;

use super::lexer::Lexer;
use super::term::{Kind, Term};

/// A row of `PATCH_SCHEMA`, without its source. Columns hold canonical text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchRow {
    pub patch: i64,
    /// 0 for the first TX of the source.
    pub txn: Option<i64>,
    pub seq: i64,
    pub op: String,
    pub subject: Option<String>,
    pub predicate: Option<String>,
    pub object: Option<String>,
    pub graph: Option<String>,
    pub name: Option<String>,
    pub value: Option<String>,
}

/// A row of `RDF_SCHEMA`, without its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RdfRow {
    pub frame: i64,
    pub seq: i64,
    pub subject: String,
    pub predicate: String,
    pub object: String,
    pub graph: String,
}

/// What a decoder made of some bytes: the rows before the error, if there is one, are delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<R> {
    /// As the `.rows` files of the vectors print it, without `OPTIONS`. Compared where given.
    pub options: Option<String>,
    pub rows: Vec<R>,
    /// Declarations of a Jelly-RDF stream in order: name, canonical IRI.
    pub namespaces: Vec<(String, String)>,
    /// Frame, key, value; by frame, then by key.
    pub metadata: Vec<(i64, String, Vec<u8>)>,
    pub error: Option<Fault>,
}

impl<R> Default for Decoded<R> {
    fn default() -> Self {
        Decoded { options: None, rows: Vec::new(), namespaces: Vec::new(), metadata: Vec::new(), error: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub class: Class,
    pub what: String,
}

/// The kind of a fault. Decoders agree on whether and after which row; on the class only as far as
/// a row has one fault, because they may look at its parts in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Truncated,
    Wire,
    Table,
    Options,
    Limit,
    /// Rows of no known kind, terms that are missing, rows that the stream's type or state forbids.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    Delimited,
    Single,
    /// By the 3-byte rule.
    Auto,
}

/// The read options that change the rows.
#[derive(Clone, Copy, Debug)]
pub struct How {
    pub framing: Framing,
    pub lenient_flags: bool,
    pub strict_graphs: bool,
}

impl Default for How {
    fn default() -> Self {
        How::new(Framing::Auto)
    }
}

impl How {
    pub fn new(framing: Framing) -> Self {
        How { framing, lenient_flags: false, strict_graphs: true }
    }
}

pub trait Decoder {
    fn rdf(&self, bytes: &[u8], how: How) -> Decoded<RdfRow>;
    fn patch(&self, bytes: &[u8], how: How) -> Decoded<PatchRow>;
}

/// Renames blank nodes by their first occurrence. Two ordered lists of rows are equal up to a
/// bijection of blank nodes if and only if they are equal after this.
#[derive(Default)]
pub struct Relabel {
    labels: HashMap<String, usize>,
    fold_languages: bool,
}

/// A row's columns that hold terms.
pub trait Terms: Clone {
    fn terms(&mut self) -> Vec<&mut String>;
}

impl Terms for RdfRow {
    fn terms(&mut self) -> Vec<&mut String> {
        vec![&mut self.subject, &mut self.predicate, &mut self.object, &mut self.graph]
    }
}

impl Terms for PatchRow {
    fn terms(&mut self) -> Vec<&mut String> {
        [&mut self.subject, &mut self.predicate, &mut self.object, &mut self.graph, &mut self.value]
            .into_iter()
            .flatten()
            .collect()
    }
}

impl Relabel {
    /// Writes language tags in lower case, too: Jena changes their case.
    pub fn folding_languages() -> Self {
        Relabel { fold_languages: true, ..Relabel::default() }
    }

    pub fn rows<R: Terms>(mut self, rows: &[R]) -> Vec<R> {
        let mut rows = rows.to_vec();
        rows.iter_mut().flat_map(R::terms).for_each(|text| self.text(text));
        rows
    }

    fn text(&mut self, text: &mut String) {
        if text.contains("_:") || text.contains("\"@") {
            let mut lexer = Lexer::new(text);
            let renamed = self.term(lexer.term()).to_string();
            *text = renamed;
        }
    }

    fn term(&mut self, term: Term) -> Term {
        match term {
            Term::Blank(label) => {
                let next = self.labels.len();
                Term::Blank(format!("b{}", *self.labels.entry(label).or_insert(next)))
            }
            Term::Literal(lexical, Kind::Language(tag)) if self.fold_languages => {
                Term::Literal(lexical, Kind::Language(tag.to_lowercase()))
            }
            Term::Triple(terms) => Term::Triple(Box::new((*terms).map(|t| self.term(t)))),
            other => other,
        }
    }
}
