//! Formats terms as people write them: prefixed names, bare numbers, `a`.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::gathered::RDF;
use crate::term::{Literal, LiteralKind, Term, TermBuf};

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// Well-known prefixes, for datasets that declare none.
const KNOWN: [(&str, &str); 34] = [
    ("bacnet", "http://data.ashrae.org/bacnet/2020#"),
    ("brick", "https://brickschema.org/schema/Brick#"),
    ("bsh", "https://brickschema.org/schema/BrickShape#"),
    ("dash", "http://datashapes.org/dash#"),
    ("dc", "http://purl.org/dc/elements/1.1/"),
    ("dcat", "http://www.w3.org/ns/dcat#"),
    ("dcterms", "http://purl.org/dc/terms/"),
    ("foaf", "http://xmlns.com/foaf/0.1/"),
    ("geo", "http://www.opengis.net/ont/geosparql#"),
    ("obo", "http://purl.obolibrary.org/obo/"),
    ("oboInOwl", "http://www.geneontology.org/formats/oboInOwl#"),
    ("odrl", "http://www.w3.org/ns/odrl/2/"),
    ("org", "http://www.w3.org/ns/org#"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("prov", "http://www.w3.org/ns/prov#"),
    ("quantitykind", "http://qudt.org/vocab/quantitykind/"),
    ("qudt", "http://qudt.org/schema/qudt/"),
    ("rdf", RDF),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("rec", "https://w3id.org/rec#"),
    ("ref", "https://brickschema.org/schema/Brick/ref#"),
    ("s223", "http://data.ashrae.org/standard223#"),
    ("schema", "http://schema.org/"),
    ("sdo", "https://schema.org/"),
    ("sh", "http://www.w3.org/ns/shacl#"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("sosa", "http://www.w3.org/ns/sosa/"),
    ("ssn", "http://www.w3.org/ns/ssn/"),
    ("tag", "https://brickschema.org/schema/BrickTag#"),
    ("time", "http://www.w3.org/2006/time#"),
    ("unit", "http://qudt.org/vocab/unit/"),
    ("vann", "http://purl.org/vocab/vann/"),
    ("void", "http://rdfs.org/ns/void#"),
    ("xsd", XSD),
];

/// Namespaces and their prefixes.
pub(super) struct Names {
    /// Namespaces, the longest first.
    spaces: Vec<(String, String)>,
    /// Prefixes and namespaces that the new and the old side declare.
    declared: Vec<(String, String)>,
}

impl Names {
    /// Uses the prefixes of the new side, then of the old side, then well-known ones.
    pub(super) fn new([old, new]: &[BTreeMap<String, String>; 2]) -> Self {
        let mut spaces: Vec<(String, String)> = Vec::new();
        let known = KNOWN.iter().map(|&(label, iri)| (label, iri));
        let given = [new, old].into_iter().flatten().map(|(label, iri)| (label.as_str(), iri.as_str()));
        for (label, iri) in given.chain(known) {
            let is_taken = spaces.iter().any(|(space, other)| other == label || space == iri);
            if !iri.is_empty() && !is_taken {
                spaces.push((iri.to_owned(), label.to_owned()));
            }
        }
        spaces.sort_by_key(|(iri, _)| std::cmp::Reverse(iri.len()));
        let declared = [new, old].into_iter().flatten();
        Names { spaces, declared: declared.map(|(label, iri)| (label.clone(), iri.clone())).collect() }
    }

    /// The namespaces of a prefix, on either side; if neither declares the prefix, the well-known one.
    pub(super) fn spaces_of<'n>(&'n self, label: &'n str) -> impl Iterator<Item = &'n str> {
        let is_declared = self.declared.iter().any(|(own, _)| own == label);
        let known: &[(&str, &str)] = if is_declared { &[] } else { &KNOWN };
        let declared = self.declared.iter().map(|(own, iri)| (own.as_str(), iri.as_str()));
        declared.chain(known.iter().copied()).filter(move |(own, _)| *own == label).map(|(_, iri)| iri)
    }

    /// The prefixes of both sides, sorted.
    pub(super) fn declared(&self) -> Vec<&str> {
        let mut labels: Vec<_> = self.declared.iter().map(|(label, _)| label.as_str()).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// An IRI as a prefixed name, if a prefix stands for its beginning.
    pub(super) fn prefixed(&self, iri: &str) -> Option<String> {
        let is_name = |rest: &str| {
            rest.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) && !rest.ends_with('.')
        };
        let named = |(space, label): &(String, String)| {
            iri.strip_prefix(space.as_str())
                .filter(|rest| is_name(rest))
                .map(|rest| format!("{}:{rest}", visible(label)))
        };
        self.spaces.iter().find_map(named)
    }

    /// Formats a predicate.
    pub(super) fn predicate(&self, term: &TermBuf) -> String {
        match term.as_term() {
            Term::Iri(iri) if iri.name().strip_prefix(RDF) == Some("type") => "a".to_owned(),
            _ => self.term(term),
        }
    }

    /// Formats any term; a blank node has no name.
    pub(super) fn term(&self, term: &TermBuf) -> String {
        match term.as_term() {
            Term::Iri(iri) => {
                self.prefixed(iri.name()).unwrap_or_else(|| visible(&term.as_term().to_string()))
            }
            Term::BlankNode(_) => "[ … ]".to_owned(),
            Term::Literal(Literal { lex, kind: LiteralKind::Datatype(datatype), .. }) => {
                self.typed(term, lex, datatype.iri())
            }
            Term::Literal(_) => visible(&term.as_term().to_string()),
            Term::Triple(triple) => {
                let [subject, predicate, object] = triple.terms.each_ref().map(|term| self.term(term));
                format!("<<( {subject} {predicate} {object} )>>")
            }
            Term::DefaultGraph => String::new(),
        }
    }

    fn typed(&self, term: &TermBuf, lex: &str, datatype: &str) -> String {
        let is_bare = match datatype.strip_prefix(XSD) {
            Some("integer") => is_number(lex, false),
            Some("decimal") => is_number(lex, true),
            Some("boolean") => matches!(lex, "true" | "false"),
            _ => false,
        };
        if is_bare {
            return lex.to_owned();
        }
        let whole = term.as_term().to_string();
        let Some(prefixed) = self.prefixed(datatype) else { return visible(&whole) };
        let literal = &whole[..whole.rfind("^^<").unwrap_or(whole.len())];
        format!("{}^^{prefixed}", visible(literal))
    }
}

fn is_number(lex: &str, has_point: bool) -> bool {
    let digits = lex.strip_prefix(['+', '-']).unwrap_or(lex);
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let is = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    is(whole)
        && is(rest)
        && has_point == digits.contains('.')
        && !(whole.is_empty() && rest.is_empty())
        && !digits.ends_with('.')
}

/// Makes all characters visible: those that move the cursor or change the text direction are written as
/// `\uXXXX`.
pub(super) fn visible(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if !text.contains(is_hidden) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            // writing to a string cannot fail
            let _ = write!(shown, "\\u{:04X}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown
}
