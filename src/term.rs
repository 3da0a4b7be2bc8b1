//! RDF terms, borrowed ([`Term`]) and owned ([`TermBuf`]).
//!
//! Borrowed terms keep the pieces in which they were read. The pieces of decoders are ready for text writers,
//! which copy slices and build nothing: an IRI is `<prefix` and `name>`, a datatype is `"^^<iri>`.

use crate::buffer::{Padded, PaddedBuf};
use crate::scan::{is_plain_literal, starts_plainly};

/// The datatype of a literal that states no datatype; never written.
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
    /// The default graph; valid only as a graph.
    DefaultGraph,
}

/// An IRI, in two pieces as decoders store it, or in one piece.
#[derive(Clone, Copy, Debug)]
pub struct Iri<'a>(pub(crate) IriText<'a>);

/// The representation of an IRI in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IriText<'a> {
    /// Two pieces with angle brackets, ready to be copied.
    Pieces {
        /// `<` and the prefix.
        open: Padded<'a>,
        /// The name and `>`.
        close: Padded<'a>,
        /// No character needs an escape in N-Triples.
        plain: bool,
    },
    /// The IRI without brackets.
    Bare {
        /// The whole IRI, without brackets.
        iri: &'a str,
        /// As in `Pieces`; `false` if unchecked.
        plain: bool,
    },
}

impl<'a> Iri<'a> {
    /// Creates an IRI in one piece.
    pub const fn new(iri: &'a str) -> Self {
        Iri(IriText::Bare { iri, plain: false })
    }

    /// Creates an IRI in one piece that needs no escapes in N-Triples.
    #[inline(always)]
    pub(crate) fn new_plain(iri: &'a str) -> Self {
        Iri(IriText::Bare { iri, plain: true })
    }

    #[inline(always)]
    pub(crate) fn in_pieces(open: Padded<'a>, close: Padded<'a>, plain: bool) -> Self {
        Iri(IriText::Pieces { open, close, plain })
    }

    /// The first piece, without the bracket; empty if the IRI is in one piece.
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

    /// Number of bytes of the IRI with its brackets.
    #[inline(always)]
    pub(crate) fn bracketed_len(&self) -> usize {
        match self.0 {
            IriText::Pieces { open, close, .. } => open.len() + close.len(),
            IriText::Bare { iri, .. } => iri.len() + 2,
        }
    }

    /// Whether the IRI needs no escapes in N-Triples.
    pub(crate) fn is_plain(&self) -> bool {
        match self.0 {
            IriText::Pieces { plain, .. } => plain,
            IriText::Bare { iri, plain } => plain || is_named_plainly(iri),
        }
    }
}

impl std::fmt::Display for Iri<'_> {
    /// Writes the IRI without brackets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.prefix())?;
        f.write_str(self.name())
    }
}

/// Whether a bare IRI needs no escapes and does not begin with `_:`, because `<_:` would be a blank node.
#[inline(always)]
pub(crate) fn is_named_plainly(iri: &str) -> bool {
    starts_plainly(iri.as_bytes())
}

/// A literal; the lexical form and the language tag are kept unchanged.
#[derive(Clone, Copy, Debug)]
pub struct Literal<'a> {
    /// The lexical form.
    pub lex: &'a str,
    /// The lexical form needs no escapes in N-Triples; `false` if unchecked.
    pub(crate) plain: bool,
    /// The kind of literal.
    pub kind: LiteralKind<'a>,
}

impl<'a> Literal<'a> {
    /// Creates a literal of any kind.
    pub const fn new(lex: &'a str, kind: LiteralKind<'a>) -> Self {
        Literal { lex, plain: false, kind }
    }
}

/// The parts of a literal other than its lexical form.
#[derive(Clone, Copy, Debug)]
pub enum LiteralKind<'a> {
    /// No other part: an `xsd:string`.
    Simple,
    /// A language tag.
    Language(&'a str),
    /// A datatype other than `xsd:string`.
    Datatype(Datatype<'a>),
}

/// A datatype IRI.
#[derive(Clone, Copy, Debug)]
pub struct Datatype<'a>(pub(crate) DatatypeText<'a>);

/// The representation of a datatype in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DatatypeText<'a> {
    /// The IRI as it follows a lexical form: `"^^<iri>`.
    Suffix {
        /// Ready to be copied.
        suffix: Padded<'a>,
        /// No character needs an escape in N-Triples.
        plain: bool,
    },
    /// The IRI without brackets.
    Bare {
        /// The whole IRI, without brackets.
        iri: &'a str,
        /// As in `Suffix`; `false` if unchecked.
        plain: bool,
    },
}

pub(crate) const DATATYPE_OPEN: &str = "\"^^<";

impl<'a> Datatype<'a> {
    /// Creates a datatype in one piece.
    pub const fn new(iri: &'a str) -> Self {
        Datatype(DatatypeText::Bare { iri, plain: false })
    }

    /// Creates a datatype in one piece that needs no escapes in N-Triples.
    #[inline(always)]
    pub(crate) fn new_plain(iri: &'a str) -> Self {
        Datatype(DatatypeText::Bare { iri, plain: true })
    }

    /// The IRI without brackets.
    #[inline(always)]
    pub fn iri(&self) -> &'a str {
        match self.0 {
            DatatypeText::Suffix { suffix, .. } => &suffix.text()[DATATYPE_OPEN.len()..suffix.len() - 1],
            DatatypeText::Bare { iri, .. } => iri,
        }
    }

    /// Whether the IRI needs no escapes in N-Triples.
    pub(crate) fn is_plain(&self) -> bool {
        match self.0 {
            DatatypeText::Suffix { plain, .. } => plain,
            DatatypeText::Bare { iri, plain } => plain || is_named_plainly(iri),
        }
    }
}

impl<'a> Term<'a> {
    /// Creates an IRI in one piece.
    pub const fn iri(iri: &'a str) -> Self {
        Term::Iri(Iri::new(iri))
    }

    /// Creates a literal without language tag and datatype.
    pub const fn simple_literal(lex: &'a str) -> Self {
        Term::Literal(Literal::new(lex, LiteralKind::Simple))
    }

    /// Creates a language-tagged string.
    pub const fn language_literal(lex: &'a str, tag: &'a str) -> Self {
        Term::Literal(Literal::new(lex, LiteralKind::Language(tag)))
    }

    /// Creates a literal with a datatype.
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
    /// The whole IRI and `>`.
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
    /// Creates an IRI.
    pub fn iri(iri: &str) -> Self {
        let plain = is_named_plainly(iri);
        TermBuf::Iri(IriBuf { close: PaddedBuf::new(&[iri, ">"]), plain })
    }

    /// Creates a blank node with this label, without `_:`.
    pub fn blank_node(label: &str) -> Self {
        TermBuf::BlankNode(label.to_owned())
    }

    /// Creates a literal without language tag and datatype.
    pub fn simple_literal(lex: &str) -> Self {
        TermBuf::literal(lex, LiteralKindBuf::Simple)
    }

    /// Creates a language-tagged string.
    pub fn language_literal(lex: &str, tag: &str) -> Self {
        TermBuf::literal(lex, LiteralKindBuf::Language(tag.to_owned()))
    }

    /// Creates a literal with a datatype; `xsd:string` makes it a simple literal.
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

    /// Returns the term if it is an IRI.
    pub(crate) fn as_iri(&self) -> Option<Iri<'_>> {
        match self.as_term() {
            Term::Iri(iri) => Some(iri),
            _ => None,
        }
    }

    /// Bytes of the text in this term, except text in quoted triples.
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

    /// Bytes that this term needs in addition to its own size, including nested terms.
    pub(crate) fn size(&self) -> usize {
        match self {
            TermBuf::Triple(triple) => {
                size_of::<Triple>() + triple.terms.iter().map(TermBuf::size).sum::<usize>()
            }
            leaf => leaf.text_bytes(),
        }
    }

    /// Borrows this term.
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
