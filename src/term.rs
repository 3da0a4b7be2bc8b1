//! RDF terms, borrowed ([`Term`]) and owned ([`TermBuf`]).
//!
//! Borrowed terms keep the pieces they were read in, so that a writer of text copies slices and
//! builds nothing: an IRI is `<prefix` and `name>`, a datatype is `"^^<iri>`.

use crate::buffer::{Padded, PaddedBuf};
use crate::scan::{is_plain_iri, is_plain_literal};

/// The datatype that a literal has when it says nothing; never written.
pub const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// An RDF term or graph node.
#[derive(Clone, Copy, Debug)]
pub enum Term<'a> {
    /// An IRI.
    Iri(Iri<'a>),
    /// A blank node, by its label without `_:`.
    BlankNode(&'a str),
    /// A literal.
    Literal(Literal<'a>),
    /// A quoted triple (RDF-star).
    Triple(&'a Triple),
    /// The default graph; only in graph position.
    DefaultGraph,
}

/// An IRI in two pieces with its angle brackets on.
#[derive(Clone, Copy, Debug)]
pub struct Iri<'a> {
    /// `<` and the prefix.
    pub(crate) open: Padded<'a>,
    /// The name and `>`.
    pub(crate) close: Padded<'a>,
    /// Nothing in it needs an escape in N-Triples.
    pub(crate) plain: bool,
}

impl<'a> Iri<'a> {
    /// The first piece, without the bracket.
    pub fn prefix(&self) -> &'a str {
        &self.open.text()[1..]
    }

    /// The second piece, without the bracket.
    pub fn name(&self) -> &'a str {
        &self.close.text()[..self.close.len() - 1]
    }
}

impl std::fmt::Display for Iri<'_> {
    /// The bare IRI.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.prefix())?;
        f.write_str(self.name())
    }
}

/// A literal; lexical form and tag are kept as they came.
#[derive(Clone, Copy, Debug)]
pub struct Literal<'a> {
    /// The lexical form.
    pub lex: &'a str,
    /// Nothing in the lexical form needs an escape in N-Triples.
    pub(crate) plain: bool,
    /// What kind of literal.
    pub kind: LiteralKind<'a>,
}

/// What a literal has beside its lexical form.
#[derive(Clone, Copy, Debug)]
pub enum LiteralKind<'a> {
    /// Nothing: an `xsd:string`.
    Simple,
    /// A language tag.
    Language(&'a str),
    /// A datatype other than `xsd:string`.
    Datatype(Datatype<'a>),
}

/// A datatype IRI, kept as what follows the lexical form: `"^^<iri>`.
#[derive(Clone, Copy, Debug)]
pub struct Datatype<'a> {
    pub(crate) suffix: Padded<'a>,
    pub(crate) plain: bool,
}

pub(crate) const DATATYPE_OPEN: &str = "\"^^<";

impl<'a> Datatype<'a> {
    /// The bare IRI.
    pub fn iri(&self) -> &'a str {
        &self.suffix.text()[DATATYPE_OPEN.len()..self.suffix.len() - 1]
    }
}

/// A term whose strings lie in one piece, without escapes: what readers of text find and encoders split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainTerm<'a> {
    /// A bare IRI.
    Iri(&'a str),
    /// A blank node, by its label without `_:`.
    BlankNode(&'a str),
    /// A literal: its lexical form and what kind it is.
    Literal(&'a str, PlainKind<'a>),
    /// A quoted triple.
    Triple(&'a Triple),
    /// The default graph; only in graph position.
    DefaultGraph,
}

/// What a literal has beside its lexical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainKind<'a> {
    /// Nothing: an `xsd:string`.
    Simple,
    /// A language tag.
    Language(&'a str),
    /// A bare datatype IRI other than `xsd:string`.
    Datatype(&'a str),
}

/// A quoted triple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triple {
    /// Subject, predicate and object.
    pub terms: [TermBuf; 3],
}

/// An owned term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermBuf {
    /// An IRI.
    Iri(IriBuf),
    /// A blank node label.
    BlankNode(String),
    /// A literal.
    Literal(LiteralBuf),
    /// A quoted triple.
    Triple(Box<Triple>),
    /// The default graph.
    DefaultGraph,
}

/// An owned IRI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IriBuf {
    /// All of it and `>`.
    close: PaddedBuf,
    plain: bool,
}

/// An owned literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralBuf {
    lex: String,
    plain: bool,
    kind: LiteralKindBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum LiteralKindBuf {
    Simple,
    Language(String),
    Datatype { suffix: PaddedBuf, plain: bool },
}

impl TermBuf {
    /// An IRI.
    pub fn iri(iri: &str) -> Self {
        let plain = is_plain_iri(iri) && !iri.starts_with("_:");
        TermBuf::Iri(IriBuf { close: PaddedBuf::new(&[iri, ">"]), plain })
    }

    /// A blank node, by its label without `_:`.
    pub fn blank_node(label: &str) -> Self {
        TermBuf::BlankNode(label.to_owned())
    }

    /// A literal without language and datatype.
    pub fn simple_literal(lex: &str) -> Self {
        TermBuf::literal(lex, LiteralKindBuf::Simple)
    }

    /// A language-tagged string.
    pub fn language_literal(lex: &str, tag: &str) -> Self {
        TermBuf::literal(lex, LiteralKindBuf::Language(tag.to_owned()))
    }

    /// A literal with a datatype; `xsd:string` makes it a simple one.
    pub fn typed_literal(lex: &str, datatype: &str) -> Self {
        if datatype == XSD_STRING {
            return TermBuf::simple_literal(lex);
        }
        let plain = is_plain_iri(datatype) && !datatype.starts_with("_:");
        let suffix = PaddedBuf::new(&[DATATYPE_OPEN, datatype, ">"]);
        TermBuf::literal(lex, LiteralKindBuf::Datatype { suffix, plain })
    }

    fn literal(lex: &str, kind: LiteralKindBuf) -> Self {
        let plain = is_plain_literal(lex);
        TermBuf::Literal(LiteralBuf { lex: lex.to_owned(), plain, kind })
    }

    /// This term, if it is an IRI.
    pub(crate) fn as_iri(&self) -> Option<Iri<'_>> {
        match self.as_term() {
            Term::Iri(iri) => Some(iri),
            _ => None,
        }
    }

    /// Bytes of the text that this term holds; those of triples are elsewhere.
    pub(crate) fn text_bytes(&self) -> usize {
        match self {
            TermBuf::Iri(iri) => iri.close.as_padded().len(),
            TermBuf::BlankNode(label) => label.len(),
            TermBuf::Literal(literal) => {
                literal.lex.len()
                    + match &literal.kind {
                        LiteralKindBuf::Simple => 0,
                        LiteralKindBuf::Language(tag) => tag.len(),
                        LiteralKindBuf::Datatype { suffix, .. } => suffix.as_padded().len(),
                    }
            }
            TermBuf::Triple(_) | TermBuf::DefaultGraph => 0,
        }
    }

    /// Bytes that this term takes beside its own, nested ones included.
    pub(crate) fn size(&self) -> usize {
        match self {
            TermBuf::Triple(triple) => {
                size_of::<Triple>() + triple.terms.iter().map(TermBuf::size).sum::<usize>()
            }
            leaf => leaf.text_bytes(),
        }
    }

    /// This term, borrowed.
    pub fn as_term(&self) -> Term<'_> {
        match self {
            TermBuf::Iri(iri) => {
                Term::Iri(Iri { open: Padded::ANGLE, close: iri.close.as_padded(), plain: iri.plain })
            }
            TermBuf::BlankNode(label) => Term::BlankNode(label),
            TermBuf::Literal(literal) => Term::Literal(Literal {
                lex: &literal.lex,
                plain: literal.plain,
                kind: match &literal.kind {
                    LiteralKindBuf::Simple => LiteralKind::Simple,
                    LiteralKindBuf::Language(tag) => LiteralKind::Language(tag),
                    LiteralKindBuf::Datatype { suffix, plain } => {
                        LiteralKind::Datatype(Datatype { suffix: suffix.as_padded(), plain: *plain })
                    }
                },
            }),
            TermBuf::Triple(triple) => Term::Triple(triple),
            TermBuf::DefaultGraph => Term::DefaultGraph,
        }
    }
}

impl TermBuf {
    /// This term in one piece.
    pub fn as_plain(&self) -> PlainTerm<'_> {
        match self.as_term() {
            Term::Iri(iri) => PlainTerm::Iri(iri.name()),
            Term::BlankNode(label) => PlainTerm::BlankNode(label),
            Term::Literal(literal) => PlainTerm::from(literal),
            Term::Triple(triple) => PlainTerm::Triple(triple),
            Term::DefaultGraph => PlainTerm::DefaultGraph,
        }
    }
}

impl<'a> From<Literal<'a>> for PlainTerm<'a> {
    fn from(literal: Literal<'a>) -> Self {
        let kind = match literal.kind {
            LiteralKind::Simple => PlainKind::Simple,
            LiteralKind::Language(tag) => PlainKind::Language(tag),
            LiteralKind::Datatype(datatype) => PlainKind::Datatype(datatype.iri()),
        };
        PlainTerm::Literal(literal.lex, kind)
    }
}

impl From<PlainTerm<'_>> for TermBuf {
    fn from(term: PlainTerm<'_>) -> Self {
        match term {
            PlainTerm::Iri(iri) => TermBuf::iri(iri),
            PlainTerm::BlankNode(label) => TermBuf::blank_node(label),
            PlainTerm::Literal(lex, PlainKind::Simple) => TermBuf::simple_literal(lex),
            PlainTerm::Literal(lex, PlainKind::Language(tag)) => TermBuf::language_literal(lex, tag),
            PlainTerm::Literal(lex, PlainKind::Datatype(iri)) => TermBuf::typed_literal(lex, iri),
            PlainTerm::Triple(triple) => TermBuf::Triple(Box::new(triple.clone())),
            PlainTerm::DefaultGraph => TermBuf::DefaultGraph,
        }
    }
}

impl From<Term<'_>> for TermBuf {
    fn from(term: Term<'_>) -> Self {
        match term {
            Term::Iri(iri) => TermBuf::Iri(IriBuf {
                close: PaddedBuf::new(&[iri.prefix(), iri.close.text()]),
                plain: iri.plain,
            }),
            Term::BlankNode(label) => TermBuf::BlankNode(label.to_owned()),
            Term::Literal(Literal { lex, plain, kind }) => TermBuf::Literal(LiteralBuf {
                lex: lex.to_owned(),
                plain,
                kind: match kind {
                    LiteralKind::Simple => LiteralKindBuf::Simple,
                    LiteralKind::Language(tag) => LiteralKindBuf::Language(tag.to_owned()),
                    LiteralKind::Datatype(Datatype { suffix, plain }) => {
                        LiteralKindBuf::Datatype { suffix: PaddedBuf::new(&[suffix.text()]), plain }
                    }
                },
            }),
            Term::Triple(triple) => TermBuf::Triple(Box::new(triple.clone())),
            Term::DefaultGraph => TermBuf::DefaultGraph,
        }
    }
}
