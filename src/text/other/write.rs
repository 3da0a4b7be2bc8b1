//! Turtle and `TriG`, written by the crate `oxttl`.
//!
//! The prefixes are those that were declared before the first statement; those that end in a path shorten
//! IRIs. An IRI without a scheme is an error, because Turtle would resolve it against a base. A quoted triple
//! is written where RDF 1.2 allows it, as an object. Elsewhere it is an error, and so is generalized RDF.

use oxrdf::{
    BaseDirection, BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term as Written,
};
use oxttl::TriGSerializer;
use oxttl::trig::LowLevelTriGSerializer;

use super::super::out::{at_row, check};
use super::iris::is_whole;
use crate::error::{Error, ErrorKind, Result, excerpt};
use crate::scan::is_prefix_name;
use crate::sink::{RdfRow, RdfSink, Sink};
use crate::term::{Iri, LiteralKind, Term};

/// Size of the output at which the writer asks to be drained.
const FULL: usize = 256 << 10;
/// Maximum number of prefixes that shorten IRIs, because each is checked for each term. Others are only
/// declared.
const PREFIXES: usize = 256;
/// How often prefixes between statements are declared together with all others; after that, new prefixes do
/// not shorten IRIs.
const BLOCKS: usize = 16;

/// Writes statements as Turtle or `TriG`.
pub struct TurtleWriter {
    triples: bool,
    prefixes: Vec<(String, String)>,
    /// Maximum number of prefixes that shorten IRIs; 0: no prefix is declared.
    most_prefixes: usize,
    /// How often prefixes came between statements.
    blocks: usize,
    writer: Option<LowLevelTriGSerializer>,
    out: Vec<u8>,
}

impl TurtleWriter {
    /// Creates a writer of Turtle, for which a graph is an error.
    pub fn turtle() -> Self {
        TurtleWriter {
            triples: true,
            prefixes: Vec::new(),
            most_prefixes: PREFIXES,
            blocks: 0,
            writer: None,
            out: Vec::new(),
        }
    }

    /// Creates a writer of `TriG`.
    pub fn trig() -> Self {
        TurtleWriter { triples: false, ..TurtleWriter::turtle() }
    }

    /// Writes whole IRIs, even if there are prefixes.
    #[must_use]
    pub fn without_prefixes(self) -> Self {
        TurtleWriter { most_prefixes: 0, ..self }
    }

    /// Whether a prefix can be declared, or no prefixes are requested.
    pub(crate) fn holds(&self, name: &str, iri: &str) -> bool {
        self.most_prefixes == 0 || holds_prefix(name, iri)
    }

    /// The text that was written; the caller takes it away.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Ends the output after all statements.
    pub fn finish(&mut self) -> Result<()> {
        if let Some(mut writer) = self.writer.take() {
            return Ok(writer.finish(&mut self.out)?);
        }
        // without a statement the library writes no prefixes
        self.declare(|_| true);
        Ok(())
    }

    /// Writes the prefixes that the library does not write.
    fn declare(&mut self, which: impl Fn(&str) -> bool) {
        for (name, iri) in self.prefixes.iter().filter(|(_, iri)| which(iri)) {
            declare(&mut self.out, name, iri);
        }
    }

    fn write(&mut self, terms: &[Term<'_>; 4]) -> Result<()> {
        if self.triples && !matches!(terms[3], Term::DefaultGraph) {
            return Err(Error::new(ErrorKind::EncodeGraph, "Turtle has no graphs; TriG has"));
        }
        terms.iter().try_for_each(|term| check(term, false))?;
        let [subject, predicate, object, graph] = terms;
        let graph_name = match graph {
            Term::DefaultGraph => GraphName::DefaultGraph,
            graph => node(graph, "the graph")?.into(),
        };
        let quad = Quad {
            subject: node(subject, "the subject")?,
            predicate: predicate_of(predicate)?,
            object: object_of(object)?,
            graph_name,
        };
        if self.writer.is_none() {
            self.declare(|iri| !has_path(iri));
        }
        let writer = self.writer.get_or_insert_with(|| {
            let prefixes = self.prefixes.iter().filter(|(_, iri)| has_path(iri));
            // all of them were checked, so that no prefix invalidates the others
            prefixes
                .fold(TriGSerializer::new(), |all, (name, iri)| {
                    all.with_prefix(name, iri).unwrap_or_default()
                })
                .low_level()
        });
        Ok(writer.serialize_quad(&quad, &mut self.out)?)
    }
}

impl Sink for TurtleWriter {
    fn is_full(&self) -> bool {
        self.out.len() >= FULL
    }
}

impl RdfSink for TurtleWriter {
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.write(&row.statement.terms).map_err(|error| at_row(error, row.seq))
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        let iri = iri.to_string();
        // prefixes that Turtle does not allow are not needed
        if self.most_prefixes == 0 || !self.holds(name, &iri) {
            return Ok(());
        }
        if self.prefixes.iter().any(|(known, stands_for)| known == name && *stands_for == iri) {
            return Ok(());
        }
        if let Some(mut writer) = self.writer.take() {
            writer.finish(&mut self.out)?;
            self.blocks += 1;
            if self.blocks > BLOCKS {
                self.prefixes.clear();
            }
        }
        self.prefixes.retain(|(known, _)| known != name);
        if self.prefixes.len() < self.most_prefixes {
            self.prefixes.push((name.to_owned(), iri));
        } else {
            declare(&mut self.out, name, &iri);
        }
        Ok(())
    }
}

/// Whether Turtle and `TriG` can declare a prefix.
pub(crate) fn holds_prefix(name: &str, iri: &str) -> bool {
    is_prefix_name(name) && NamedNode::new(iri).is_ok()
}

fn declare(out: &mut Vec<u8>, name: &str, iri: &str) {
    out.extend_from_slice(format!("@prefix {name}: <{iri}> .\n").as_bytes());
}

/// Whether the IRI has a host followed by a path; the library rejects some names that continue a host.
fn has_path(iri: &str) -> bool {
    let Some((_, rest)) = iri.split_once(':') else { return false };
    let path = rest
        .strip_prefix("//")
        .map_or(rest, |rest| &rest[rest.find(['/', '?', '#']).unwrap_or(rest.len())..]);
    !path.is_empty() && !path.starts_with(['?', '#'])
}

/// The IRI between the brackets, with escapes, because the library writes it unchanged.
fn iri_of(iri: &Iri<'_>) -> Result<NamedNode> {
    let made = if iri.is_plain() { iri.to_string() } else { escaped(&Term::Iri(*iri)) };
    absolute(made)
}

fn absolute(iri: String) -> Result<NamedNode> {
    if is_whole(&iri) {
        return Ok(NamedNode::new_unchecked(iri));
    }
    let message = format!(
        "the IRI {} has no scheme, and Turtle and TriG would resolve it to another IRI",
        excerpt(&iri)
    );
    Err(Error::new(ErrorKind::EncodeTerm, message))
}

#[cold]
fn generalized(what: &str) -> Error {
    Error::new(ErrorKind::EncodeGeneralized, format!("Turtle and TriG do not allow this term as {what}"))
}

fn node(term: &Term<'_>, what: &str) -> Result<NamedOrBlankNode> {
    match term {
        Term::Iri(iri) => Ok(iri_of(iri)?.into()),
        Term::BlankNode(label) => Ok(BlankNode::new_unchecked(*label).into()),
        _ => Err(generalized(what)),
    }
}

fn predicate_of(term: &Term<'_>) -> Result<NamedNode> {
    match term {
        Term::Iri(iri) => iri_of(iri),
        _ => Err(generalized("the predicate")),
    }
}

/// Converts an object; the reader has limited its depth.
fn object_of(term: &Term<'_>) -> Result<Written> {
    Ok(match term {
        Term::Literal(literal) => literal_of(literal.lex, literal.kind)?.into(),
        Term::Triple(triple) => {
            let [subject, predicate, object] = triple.terms.each_ref().map(|term| term.as_term());
            oxrdf::Triple {
                subject: node(&subject, "the subject of a quoted triple")?,
                predicate: predicate_of(&predicate)?,
                object: object_of(&object)?,
            }
            .into()
        }
        Term::DefaultGraph => return Err(generalized("the object")),
        term => node(term, "the object")?.into(),
    })
}

fn literal_of(lex: &str, kind: LiteralKind<'_>) -> Result<Literal> {
    Ok(match kind {
        LiteralKind::Simple => Literal::new_simple_literal(lex),
        LiteralKind::Language(tag) => {
            let (tag, direction) = match (tag.strip_suffix("--ltr"), tag.strip_suffix("--rtl")) {
                (Some(tag), _) => (tag, BaseDirection::Ltr),
                (_, Some(tag)) => (tag, BaseDirection::Rtl),
                _ => return Ok(Literal::new_language_tagged_literal_unchecked(lex, tag)),
            };
            Literal::new_directional_language_tagged_literal_unchecked(lex, tag, direction)
        }
        LiteralKind::Datatype(datatype) => {
            let iri = datatype.iri();
            let made = if datatype.is_plain() {
                iri.to_owned()
            } else {
                escaped(&crate::term::TermBuf::iri(iri).as_term())
            };
            Literal::new_typed_literal(lex, absolute(made)?)
        }
    })
}

fn escaped(iri: &Term<'_>) -> String {
    let text = iri.to_string();
    text[1..text.len() - 1].to_owned()
}
