//! RDF terms, borrowed ([`Term`]) and owned ([`TermBuf`]).
//!
//! Borrowed terms keep the pieces they were read in. Those of decoders are ready for writers of text, which copy
//! slices and build nothing: an IRI is `<prefix` and `name>`, a datatype is `"^^<iri>`.

use crate::buffer::{Padded, PaddedBuf};
use crate::scan::{is_plain_literal, starts_plainly};

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

/// An IRI: in two pieces, as decoders hold it, or in one.
#[derive(Clone, Copy, Debug)]
pub struct Iri<'a>(pub(crate) IriText<'a>);

/// How an IRI lies in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IriText<'a> {
    /// With its angle brackets on, ready to be copied.
    Pieces {
        /// `<` and the prefix.
        open: Padded<'a>,
        /// The name and `>`.
        close: Padded<'a>,
        /// Nothing in it needs an escape in N-Triples.
        plain: bool,
    },
    /// The text alone.
    Bare {
        /// All of it, without brackets.
        iri: &'a str,
        /// As of pieces; `false` where nobody looked.
        plain: bool,
    },
}

impl<'a> Iri<'a> {
    /// An IRI in one piece.
    pub const fn new(iri: &'a str) -> Self {
        Iri(IriText::Bare { iri, plain: false })
    }

    /// An IRI in one piece, in which nothing needs an escape in N-Triples.
    #[inline(always)]
    pub(crate) fn new_plain(iri: &'a str) -> Self {
        Iri(IriText::Bare { iri, plain: true })
    }

    #[inline(always)]
    pub(crate) fn in_pieces(open: Padded<'a>, close: Padded<'a>, plain: bool) -> Self {
        Iri(IriText::Pieces { open, close, plain })
    }

    /// The first piece, without the bracket; empty where the IRI lies in one.
    #[inline(always)]
    pub fn prefix(&self) -> &'a str {
        match self.0 {
            IriText::Pieces { open, .. } => &open.text()[1..],
            IriText::Bare { .. } => "",
        }
    }

    /// The second piece, without the bracket.
    #[inline(always)]
    pub fn name(&self) -> &'a str {
        match self.0 {
            IriText::Pieces { close, .. } => &close.text()[..close.len() - 1],
            IriText::Bare { iri, .. } => iri,
        }
    }

    /// Bytes of it with its brackets.
    #[inline(always)]
    pub(crate) fn bracketed_len(&self) -> usize {
        match self.0 {
            IriText::Pieces { open, close, .. } => open.len() + close.len(),
            IriText::Bare { iri, .. } => iri.len() + 2,
        }
    }

    /// Whether nothing in it needs an escape in N-Triples.
    pub(crate) fn is_plain(&self) -> bool {
        match self.0 {
            IriText::Pieces { plain, .. } => plain,
            IriText::Bare { iri, plain } => plain || is_named_plainly(iri),
        }
    }
}

impl std::fmt::Display for Iri<'_> {
    /// The bare IRI.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.prefix())?;
        f.write_str(self.name())
    }
}

/// Nothing in a bare IRI needs an escape; `<_:` would be a blank node.
#[inline(always)]
pub(crate) fn is_named_plainly(iri: &str) -> bool {
    starts_plainly(iri.as_bytes())
}

/// A literal; lexical form and tag are kept as they came.
#[derive(Clone, Copy, Debug)]
pub struct Literal<'a> {
    /// The lexical form.
    pub lex: &'a str,
    /// Nothing in the lexical form needs an escape in N-Triples; `false` where nobody looked.
    pub(crate) plain: bool,
    /// What kind of literal.
    pub kind: LiteralKind<'a>,
}

impl<'a> Literal<'a> {
    /// A literal of any kind.
    pub const fn new(lex: &'a str, kind: LiteralKind<'a>) -> Self {
        Literal { lex, plain: false, kind }
    }
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

/// A datatype IRI.
#[derive(Clone, Copy, Debug)]
pub struct Datatype<'a>(pub(crate) DatatypeText<'a>);

/// How a datatype lies in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DatatypeText<'a> {
    /// With what comes before it behind a lexical form: `"^^<iri>`.
    Suffix {
        /// Ready to be copied.
        suffix: Padded<'a>,
        /// Nothing in it needs an escape in N-Triples.
        plain: bool,
    },
    /// The IRI alone.
    Bare {
        /// All of it, without brackets.
        iri: &'a str,
        /// As of a suffix; `false` where nobody looked.
        plain: bool,
    },
}

pub(crate) const DATATYPE_OPEN: &str = "\"^^<";

impl<'a> Datatype<'a> {
    /// A datatype in one piece.
    pub const fn new(iri: &'a str) -> Self {
        Datatype(DatatypeText::Bare { iri, plain: false })
    }

    /// A datatype in one piece, in which nothing needs an escape in N-Triples.
    #[inline(always)]
    pub(crate) fn new_plain(iri: &'a str) -> Self {
        Datatype(DatatypeText::Bare { iri, plain: true })
    }

    /// The bare IRI.
    #[inline(always)]
    pub fn iri(&self) -> &'a str {
        match self.0 {
            DatatypeText::Suffix { suffix, .. } => &suffix.text()[DATATYPE_OPEN.len()..suffix.len() - 1],
            DatatypeText::Bare { iri, .. } => iri,
        }
    }

    /// Whether nothing in it needs an escape in N-Triples.
    pub(crate) fn is_plain(&self) -> bool {
        match self.0 {
            DatatypeText::Suffix { plain, .. } => plain,
            DatatypeText::Bare { iri, plain } => plain || is_named_plainly(iri),
        }
    }
}

impl<'a> Term<'a> {
    /// An IRI in one piece.
    pub const fn iri(iri: &'a str) -> Self {
        Term::Iri(Iri::new(iri))
    }

    /// A literal without language and datatype.
    pub const fn simple_literal(lex: &'a str) -> Self {
        Term::Literal(Literal::new(lex, LiteralKind::Simple))
    }

    /// A language-tagged string.
    pub const fn language_literal(lex: &'a str, tag: &'a str) -> Self {
        Term::Literal(Literal::new(lex, LiteralKind::Language(tag)))
    }

    /// A literal with a datatype.
    pub const fn typed_literal(lex: &'a str, datatype: &'a str) -> Self {
        Term::Literal(Literal::new(lex, LiteralKind::Datatype(Datatype::new(datatype))))
    }
}

/// A quoted triple.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Triple {
    /// Subject, predicate and object.
    pub terms: [TermBuf; 3],
}

/// An owned term.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IriBuf {
    /// All of it and `>`.
    close: PaddedBuf,
    plain: bool,
}

/// An owned literal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LiteralBuf {
    lex: String,
    plain: bool,
    kind: LiteralKindBuf,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LiteralKindBuf {
    Simple,
    Language(String),
    Datatype { suffix: PaddedBuf, plain: bool },
}

impl TermBuf {
    /// An IRI.
    pub fn iri(iri: &str) -> Self {
        let plain = is_named_plainly(iri);
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
        let plain = is_named_plainly(datatype);
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
            TermBuf::Iri(iri) => Term::Iri(Iri::in_pieces(Padded::ANGLE, iri.close.as_padded(), iri.plain)),
            TermBuf::BlankNode(label) => Term::BlankNode(label),
            TermBuf::Literal(literal) => Term::Literal(Literal {
                lex: &literal.lex,
                plain: literal.plain,
                kind: match &literal.kind {
                    LiteralKindBuf::Simple => LiteralKind::Simple,
                    LiteralKindBuf::Language(tag) => LiteralKind::Language(tag),
                    LiteralKindBuf::Datatype { suffix, plain } => {
                        let suffix = suffix.as_padded();
                        LiteralKind::Datatype(Datatype(DatatypeText::Suffix { suffix, plain: *plain }))
                    }
                },
            }),
            TermBuf::Triple(triple) => Term::Triple(triple),
            TermBuf::DefaultGraph => Term::DefaultGraph,
        }
    }
}

impl From<Term<'_>> for TermBuf {
    fn from(term: Term<'_>) -> Self {
        match term {
            Term::Iri(Iri(IriText::Bare { iri, .. })) => TermBuf::iri(iri),
            Term::Iri(Iri(IriText::Pieces { open, close, plain })) => {
                TermBuf::Iri(IriBuf { close: PaddedBuf::new(&[&open.text()[1..], close.text()]), plain })
            }
            Term::BlankNode(label) => TermBuf::BlankNode(label.to_owned()),
            Term::Literal(Literal { lex, plain, kind }) => {
                let plain = plain || is_plain_literal(lex);
                let kind = match kind {
                    LiteralKind::Simple => LiteralKindBuf::Simple,
                    LiteralKind::Language(tag) => LiteralKindBuf::Language(tag.to_owned()),
                    LiteralKind::Datatype(Datatype(DatatypeText::Suffix { suffix, plain })) => {
                        LiteralKindBuf::Datatype { suffix: PaddedBuf::new(&[suffix.text()]), plain }
                    }
                    LiteralKind::Datatype(Datatype(DatatypeText::Bare { iri, .. })) => {
                        return TermBuf::typed_literal(lex, iri);
                    }
                };
                TermBuf::Literal(LiteralBuf { lex: lex.to_owned(), plain, kind })
            }
            Term::Triple(triple) => TermBuf::Triple(Box::new(triple.clone())),
            Term::DefaultGraph => TermBuf::DefaultGraph,
        }
    }
}
