//! Converts terms of the library to terms of this crate.

use std::collections::HashMap;

use oxrdf::vocab::rdf;
use oxrdf::{BaseDirection, BlankNode, GraphName, Literal, NamedOrBlankNode, Quad, Term as Found};

use super::tags::Tags;
use super::written::Written;
use crate::blank::{ANONYMOUS, is_position};
use crate::error::{Error, ErrorKind, Result};
use crate::term::{TermBuf, Triple};

/// Memory of an entry of a map.
pub(super) const ENTRY: usize = 64;

pub(super) fn too_many(what: &str, most: usize) -> Error {
    Error::limit(ErrorKind::LimitLookup, "lookup_bytes", format!("{what} of more than {most} bytes"))
}

pub(super) fn too_deep(what: &str, nesting: usize, times: usize) -> Error {
    let most = nesting.saturating_mul(times);
    let why = if times > 1 { format!(", {times} times limits.nesting") } else { String::new() };
    let message = format!("{what} nested deeper than {most}{why}");
    Error::limit(ErrorKind::LimitNesting, "nesting", message)
}

/// Gives labels to blank nodes without labels, because the library uses random ones.
#[derive(Debug)]
pub(super) struct Labels {
    known: HashMap<u128, u64>,
    most: usize,
    tags: Tags,
    written: Written,
}

impl Labels {
    pub(super) fn new(most: usize, tags: Tags, written: Written) -> Self {
        Labels { known: HashMap::new(), most, tags, written }
    }

    pub(super) fn terms(&mut self, quad: Quad) -> Result<[TermBuf; 4]> {
        let subject = self.node(&quad.subject)?;
        let predicate = self.iri(quad.predicate.as_str())?;
        let object = self.term(&quad.object)?;
        let graph = match &quad.graph_name {
            GraphName::NamedNode(iri) => self.iri(iri.as_str())?,
            GraphName::BlankNode(node) => self.blank_node(node)?,
            GraphName::DefaultGraph => TermBuf::DefaultGraph,
        };
        Ok([subject, predicate, object, graph])
    }

    /// Bytes of the labels that are known.
    pub(super) fn bytes(&self) -> usize {
        self.known.len() * ENTRY
    }

    fn node(&mut self, node: &NamedOrBlankNode) -> Result<TermBuf> {
        match node {
            NamedOrBlankNode::NamedNode(iri) => self.iri(iri.as_str()),
            NamedOrBlankNode::BlankNode(node) => self.blank_node(node),
        }
    }

    /// Converts a term; the depth of quoted triples was limited when they were read.
    fn term(&mut self, term: &Found) -> Result<TermBuf> {
        Ok(match term {
            Found::NamedNode(iri) => self.iri(iri.as_str())?,
            Found::BlankNode(node) => self.blank_node(node)?,
            Found::Literal(literal) => self.literal(literal)?,
            Found::Triple(triple) => {
                let subject = self.node(&triple.subject)?;
                let predicate = self.iri(triple.predicate.as_str())?;
                let terms = [subject, predicate, self.term(&triple.object)?];
                TermBuf::Triple(Box::new(Triple { terms }))
            }
        })
    }

    fn blank_node(&mut self, node: &BlankNode) -> Result<TermBuf> {
        let label = node.as_str();
        if let Some(label) = self.written.label(label)? {
            // a label in the document that looks like a generated one
            let escape = if is_position(label) { ANONYMOUS } else { "" };
            return Ok(TermBuf::blank_node(&[escape, label].concat()));
        }
        let id = node.as_ref().unique_id().unwrap_or_default();
        let next = self.known.len() as u64;
        if self.bytes() > self.most {
            return Err(too_many("blank nodes", self.most));
        }
        let number = *self.known.entry(id).or_insert(next);
        Ok(TermBuf::blank_node(&format!("{ANONYMOUS}{number}")))
    }

    fn iri(&self, iri: &str) -> Result<TermBuf> {
        self.written.check_base(iri)?;
        Ok(TermBuf::iri(iri))
    }

    fn literal(&self, literal: &Literal) -> Result<TermBuf> {
        let unmarked = self.written.unmarked(literal.value());
        let lex = unmarked.as_deref().unwrap_or_else(|| literal.value());
        let Some(language) = literal.language() else {
            let datatype = literal.datatype();
            let spelled = if datatype == rdf::JSON { self.tags.spelled_in(lex) } else { None };
            self.iri(datatype.as_str())?;
            return Ok(TermBuf::typed_literal(spelled.as_deref().unwrap_or(lex), datatype.as_str()));
        };
        let spelled = self.tags.spelled(language);
        let tag = spelled.as_deref().unwrap_or(language);
        Ok(match literal.direction() {
            _ if tag.is_empty() => TermBuf::simple_literal(lex),
            None => TermBuf::language_literal(lex, tag),
            Some(BaseDirection::Ltr) => TermBuf::language_literal(lex, &format!("{tag}--ltr")),
            Some(BaseDirection::Rtl) => TermBuf::language_literal(lex, &format!("{tag}--rtl")),
        })
    }
}
