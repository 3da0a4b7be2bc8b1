//! `<iri>` and `<_:label>`.

use memchr::memchr;

use super::{Kind, Lex, Lexed, Lexer, Scratch, Stop, bad, unescape};
use crate::error::{ErrorKind, excerpt};
use crate::scan::{has_scheme, is_plain_iri};
use crate::term::is_named_plainly;

impl Lexer<'_> {
    #[inline(always)]
    pub(super) fn iri_or_triple(&mut self, scratch: &mut Scratch) -> Lex {
        if self.byte(self.at + 1)? == b'<' {
            return self.triple(scratch);
        }
        self.iri(scratch)
    }

    /// Reads the term that begins with `<`.
    #[inline(always)]
    pub(crate) fn iri(&mut self, scratch: &mut Scratch) -> Lex {
        let start = self.at;
        let inside = start + 1;
        let Some(length) = memchr(b'>', &self.text.as_bytes()[inside..]) else {
            return self.endless_iri(inside);
        };
        let end = inside + length;
        let iri = &self.text[inside..end];
        if !is_named_plainly(iri) || self.rules.absolute_iris {
            return self.odd_iri(end, scratch);
        }
        self.at = end + 1;
        Ok(Lexed::at(Kind::Iri, start, end + 1).with_text(inside, end))
    }

    /// The result if the text ends first; if the IRI is invalid before that, the error that [`Self::odd_iri`]
    /// would report.
    #[cold]
    fn endless_iri(&self, inside: usize) -> Lex {
        self.check_angle_label(inside)?;
        self.check_characters(inside, self.text.len())?;
        Err(Stop::End)
    }

    fn check_characters(&self, start: usize, end: usize) -> Lex<()> {
        let bytes = &self.text.as_bytes()[start..end];
        let odd = self.rules.odd_iris || bytes.starts_with(b"_:");
        let wrong = |b: &u8| match *b {
            b' ' | b'\t' | b'\n' | b'\r' | b'<' => true,
            b'"' | b'{' | b'}' | b'|' | b'^' | b'`' | 0..0x20 => !odd,
            _ => false,
        };
        match bytes.iter().position(wrong) {
            Some(at) => {
                let what = char::from(bytes[at]).escape_debug();
                bad(ErrorKind::TextIri, start + at, format!("an IRI cannot contain '{what}'"))
            }
            None => Ok(()),
        }
    }

    /// Rejects `<_:label>` where it is not allowed; its content begins at `inside`.
    fn check_angle_label(&self, inside: usize) -> Lex<()> {
        if self.rules.no_angle_labels && self.text[inside..].starts_with("_:") {
            let message = "<_:label> is syntax of RDF Patch only; write _:label";
            return bad(ErrorKind::TextLabel, inside - 1, message);
        }
        Ok(())
    }

    /// Reads an IRI with escapes, an invalid IRI, or a blank node.
    #[inline(never)]
    fn odd_iri(&mut self, end: usize, scratch: &mut Scratch) -> Lex {
        let start = self.at;
        let inside = start + 1;
        let iri = &self.text[inside..end];
        self.check_angle_label(inside)?;
        let is_label = iri.starts_with("_:");
        let text = inside + 2 * usize::from(is_label);
        if is_label && is_plain_iri(iri) {
            self.at = end + 1;
            return Ok(Lexed::at(Kind::BlankNode, start, end + 1).with_text(text, end));
        }
        self.check_characters(inside, end)?;
        let kind = if is_label { Kind::BlankNode } else { Kind::Iri };
        let mut lexed = Lexed::at(kind, start, end + 1).with_text(text, end);
        let mut own = &self.text[text..end];
        if iri.contains('\\') {
            unescape::iri(self, text, end, &mut scratch.text)?;
            lexed = lexed.unescaped();
            own = &scratch.text;
        }
        lexed.plain = is_named_plainly(own);
        if !is_label {
            self.check_absolute(own, start)?;
        }
        self.at = end + 1;
        Ok(lexed)
    }

    /// Rejects an IRI without a scheme if one is required; the IRI begins at `start`.
    pub(crate) fn check_absolute(&self, iri: &str, start: usize) -> Lex<()> {
        if !self.rules.absolute_iris {
            return Ok(());
        }
        if !is_plain_iri(iri) {
            let message = format!("the IRI {} has characters that are not allowed", excerpt(iri));
            return bad(ErrorKind::TextIri, start, message);
        }
        if !has_scheme(iri.as_bytes()) {
            return bad(ErrorKind::TextIri, start, format!("the IRI {} has no scheme", excerpt(iri)));
        }
        Ok(())
    }
}
