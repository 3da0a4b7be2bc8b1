//! Writes terms as canonical N-Triples text.

use std::fmt;

use crate::blank::Scope;
use crate::buffer::{Padded, TextBuffer};
use crate::scan::{iri_escaped, is_plain_label, is_tag_byte, plain_run};
use crate::term::{Datatype, DatatypeText, Iri, IriText, Literal, LiteralKind, Term, is_named_plainly};

impl fmt::Display for Term<'_> {
    /// Writes canonical N-Triples (RDF 1.2); the default graph is empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = TextBuffer::default();
        TermWriter::new(&mut text).term(self);
        f.write_str(&String::from_utf8_lossy(text.as_bytes()))
    }
}

/// Appends terms to a buffer.
pub(crate) struct TermWriter<'o> {
    out: &'o mut TextBuffer,
    scope: Scope<'o>,
    /// Whether every label is written as `<_:label>`.
    angles: bool,
}

impl<'o> TermWriter<'o> {
    #[inline(always)]
    pub(crate) fn new(out: &'o mut TextBuffer) -> Self {
        Self::scoped(out, Scope::NONE)
    }

    /// Creates a writer that writes scopes before labels.
    #[inline(always)]
    pub(crate) fn scoped(out: &'o mut TextBuffer, scope: Scope<'o>) -> Self {
        TermWriter { out, scope, angles: false }
    }

    /// Creates a writer that writes blank nodes as `<_:label>`, as in RDF Patch.
    #[inline(always)]
    pub(crate) fn with_angles(out: &'o mut TextBuffer) -> Self {
        TermWriter { out, scope: Scope::NONE, angles: true }
    }

    /// Appends a term; the default graph is empty.
    #[inline(always)]
    pub(crate) fn term(&mut self, term: &Term<'_>) {
        match term {
            Term::Iri(iri) => self.iri(iri),
            Term::BlankNode(label) => self.blank_node(label),
            Term::Literal(literal) => self.literal(literal),
            Term::Triple(triple) => {
                self.push("<<( ");
                for term in &triple.terms {
                    self.nested(&term.as_term());
                    self.push(" ");
                }
                self.push(")>>");
            }
            Term::DefaultGraph => {}
        }
    }

    /// Appends a term of a quoted triple; the reader has limited its depth.
    #[inline(never)]
    fn nested(&mut self, term: &Term<'_>) {
        self.term(term);
    }

    #[inline(always)]
    pub(crate) fn iri(&mut self, iri: &Iri<'_>) {
        match iri.0 {
            IriText::Pieces { open, close, plain: true } => self.out.push_padded(open, close),
            IriText::Pieces { .. } => self.escaped_iri(iri.prefix(), iri.name()),
            IriText::Bare { iri, plain: true } => self.out.push_iri(iri),
            IriText::Bare { iri, .. } => self.bare_iri(iri),
        }
    }

    #[inline(never)]
    fn bare_iri(&mut self, iri: &str) {
        if is_named_plainly(iri) { self.out.push_iri(iri) } else { self.escaped_iri("", iri) }
    }

    #[cold]
    fn escaped_iri(&mut self, prefix: &str, name: &str) {
        self.push("<");
        let start = self.out.len();
        self.iri_text(prefix);
        self.iri_text(name);
        // `<_:` would be a blank node
        if self.out.as_bytes()[start..].starts_with(b"_:") {
            self.out.splice(start, "\\u005F");
        }
        self.push(">");
    }

    fn iri_text(&mut self, text: &str) {
        for &byte in text.as_bytes() {
            if iri_escaped(byte) {
                self.unicode_escape(byte.into());
            } else {
                self.out.push_byte(byte);
            }
        }
    }

    #[inline(never)]
    pub(crate) fn blank_node(&mut self, label: &str) {
        if is_plain_label(label) && !self.angles {
            self.push("_:");
            self.push(self.scope.before(label));
            self.push(label);
        } else {
            self.odd_blank_node(label);
        }
    }

    #[inline(never)]
    fn odd_blank_node(&mut self, label: &str) {
        self.push("<_:");
        self.push(self.scope.before(label));
        self.iri_text(label);
        self.push(">");
    }

    #[inline(never)]
    pub(crate) fn literal(&mut self, literal: &Literal<'_>) {
        match (literal.plain, literal.kind) {
            (true, LiteralKind::Simple) => self.out.push_quoted(literal.lex, Padded::QUOTE),
            (true, LiteralKind::Datatype(Datatype(DatatypeText::Suffix { suffix, plain: true }))) => {
                self.out.push_quoted(literal.lex, suffix);
            }
            (true, LiteralKind::Datatype(Datatype(DatatypeText::Bare { iri, plain: true }))) => {
                self.out.push_quoted(literal.lex, Padded::DATATYPE);
                self.push(iri);
                self.out.push_byte(b'>');
            }
            (true, LiteralKind::Language(tag)) => {
                self.out.push_quoted(literal.lex, Padded::LANGUAGE);
                self.tag(tag);
            }
            _ => self.odd_literal(literal),
        }
    }

    #[inline(never)]
    fn odd_literal(&mut self, literal: &Literal<'_>) {
        self.push("\"");
        self.escaped_literal(literal.lex);
        match literal.kind {
            LiteralKind::Simple => self.push("\""),
            LiteralKind::Language(tag) => {
                self.push("\"@");
                self.tag(tag);
            }
            LiteralKind::Datatype(datatype) => {
                self.push("\"^^");
                if datatype.is_plain() {
                    self.out.push_iri(datatype.iri());
                } else {
                    self.escaped_iri("", datatype.iri());
                }
            }
        }
    }

    /// Appends a language tag. Jelly does not check tags, so characters that no tag can have are escaped, and
    /// no two terms have the same text.
    fn tag(&mut self, tag: &str) {
        if tag.bytes().all(is_tag_byte) {
            self.push(tag);
        } else {
            self.odd_tag(tag);
        }
    }

    #[cold]
    fn odd_tag(&mut self, tag: &str) {
        for c in tag.chars() {
            match c {
                '\u{10000}'.. => self.push(&format!("\\U{:08X}", c as u32)),
                c if c.is_ascii_alphanumeric() || c == '-' => self.out.push_byte(c as u8),
                c => self.unicode_escape(c as u32),
            }
        }
    }

    /// Appends a string in quotes, from its pieces.
    pub(crate) fn string(&mut self, pieces: &[&str]) {
        self.push("\"");
        for piece in pieces {
            self.escaped_literal(piece);
        }
        self.push("\"");
    }

    fn escaped_literal(&mut self, mut lex: &str) {
        loop {
            let (run, rest) = lex.split_at(plain_run(lex.as_bytes()));
            self.push(run);
            let mut chars = rest.chars();
            let Some(c) = chars.next() else { break };
            lex = chars.as_str();
            match c {
                '"' => self.push("\\\""),
                '\\' => self.push("\\\\"),
                '\n' => self.push("\\n"),
                '\r' => self.push("\\r"),
                '\t' => self.push("\\t"),
                '\u{8}' => self.push("\\b"),
                '\u{c}' => self.push("\\f"),
                '\0'..='\u{1f}' | '\u{7f}' | '\u{fffe}' | '\u{ffff}' => {
                    self.unicode_escape(c as u32);
                }
                _ => self.push(c.encode_utf8(&mut [0; 4])),
            }
        }
    }

    fn unicode_escape(&mut self, code: u32) {
        self.push(&format!("\\u{code:04X}"));
    }

    #[inline(always)]
    fn push(&mut self, text: &str) {
        self.out.push(text);
    }
}
