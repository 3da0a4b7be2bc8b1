//! Strings, and what can follow them.

use memchr::memchr2;

use super::{Kind, Lex, Lexed, Lexer, Scratch, Stop, bad, unescape};
use crate::error::ErrorKind;
use crate::scan::{is_plain_literal, is_tag_byte};
use crate::term::XSD_STRING;

/// The content of a string.
#[derive(Clone, Copy)]
struct Quoted {
    start: usize,
    end: usize,
    /// The place after the closing quotes.
    after: usize,
    escaped: bool,
    plain: bool,
}

impl Lexer<'_> {
    /// Reads a literal.
    #[inline(always)]
    pub(crate) fn literal(&mut self, scratch: &mut Scratch) -> Lex {
        let start = self.at;
        let quoted = self.quoted()?;
        let mut lexed = Lexed::at(Kind::Simple, start, quoted.after).with_text(quoted.start, quoted.end);
        lexed.plain = quoted.plain;
        if quoted.escaped {
            lexed = self.unescaped(quoted, lexed, scratch)?;
        }
        self.at = quoted.after;
        match self.peek()? {
            b'@' => self.language(lexed, scratch),
            b'^' => self.datatype(lexed, scratch),
            b' ' if !matches!(self.byte(self.at + 1)?, b' ' | b'\t' | b'\r' | b'\n' | b'#' | b'@' | b'^') => {
                Ok(lexed)
            }
            b' ' | b'\t' | b'\r' | b'\n' | b'#' if self.rules.spaced_tails => self.spaced(lexed, scratch),
            _ => Ok(lexed),
        }
    }

    /// Reads the rest after a string and white space: a tag or a datatype can follow.
    #[cold]
    fn spaced(&mut self, lexed: Lexed, scratch: &mut Scratch) -> Lex {
        let after = self.at;
        self.skip_space()?;
        match self.peek()? {
            b'@' => self.language(lexed, scratch),
            b'^' => self.datatype(lexed, scratch),
            _ => {
                self.at = after;
                Ok(lexed)
            }
        }
    }

    /// Reads only a string, not what follows it.
    pub(crate) fn string(&mut self, scratch: &mut Scratch) -> Lex {
        let start = self.at;
        let quoted = self.quoted()?;
        let mut lexed = Lexed::at(Kind::Simple, start, quoted.after).with_text(quoted.start, quoted.end);
        lexed.plain = quoted.plain;
        if quoted.escaped {
            lexed = self.unescaped(quoted, lexed, scratch)?;
        }
        self.at = quoted.after;
        Ok(lexed)
    }

    #[inline(never)]
    fn unescaped(&self, quoted: Quoted, lexed: Lexed, scratch: &mut Scratch) -> Lex {
        unescape::string(self, quoted.start, quoted.end, &mut scratch.text)?;
        let mut lexed = lexed.unescaped();
        lexed.plain = is_plain_literal(&scratch.text);
        Ok(lexed)
    }

    /// Finds the string that begins here.
    #[inline(always)]
    fn quoted(&self) -> Lex<Quoted> {
        let bytes = self.text.as_bytes();
        let quote = bytes[self.at];
        let start = self.at + 1;
        if self.rules.quotes && self.byte(start)? == quote && self.byte(start + 1)? == quote {
            return self.long_string(quote);
        }
        let Some(length) = memchr2(quote, b'\\', &bytes[start..]) else {
            return self.endless_string(start);
        };
        let end = start + length;
        if bytes[end] == quote {
            if length == 0 && !self.rules.quotes && self.byte(start + 1)? == quote {
                return self.three_quotes();
            }
            let plain = is_plain_literal(&self.text[start..end]);
            if !plain {
                self.check_line(start, end)?;
            }
            return Ok(Quoted { start, end, after: end + 1, escaped: false, plain });
        }
        self.escaped_string(quote, start, end)
    }

    /// Finds the end of a string with escapes; the first escape is at `at`.
    fn escaped_string(&self, quote: u8, start: usize, mut at: usize) -> Lex<Quoted> {
        let bytes = self.text.as_bytes();
        loop {
            if bytes[at] == quote {
                self.check_line(start, at)?;
                return Ok(Quoted { start, end: at, after: at + 1, escaped: true, plain: false });
            }
            // a backslash includes the byte after it
            let next = (at + 2).min(bytes.len());
            match memchr2(quote, b'\\', &bytes[next..]) {
                Some(length) => at = next + length,
                None => return self.endless_string(start),
            }
        }
    }

    /// Finds a long string: `"""..."""` or `'''...'''`.
    #[cold]
    fn long_string(&self, quote: u8) -> Lex<Quoted> {
        let bytes = self.text.as_bytes();
        let start = self.at + 3;
        let (mut at, mut escaped) = (start, false);
        loop {
            at += memchr2(quote, b'\\', bytes.get(at..).ok_or(Stop::End)?).ok_or(Stop::End)?;
            if bytes[at] == b'\\' {
                escaped = true;
                at += 2;
                continue;
            }
            let quotes = bytes[at..].iter().take_while(|&&b| b == quote).count();
            if at + quotes == bytes.len() && quotes < 6 {
                // more quotes may follow; the caller adds a space at the end of the input
                return Err(Stop::End);
            }
            if quotes >= 3 {
                // of up to five quotes, the last three close the string
                let end = at + quotes.min(5) - 3;
                let plain = is_plain_literal(&self.text[start..end]);
                return Ok(Quoted { start, end, after: end + 3, escaped, plain });
            }
            at += quotes;
        }
    }

    /// Rejects three quotes where long strings are not allowed, because readers that allow them would read
    /// another string.
    #[cold]
    fn three_quotes(&self) -> Lex<Quoted> {
        let message = r#"expected a string in "quotes", found three quotes, which only Turtle has"#;
        bad(ErrorKind::TextString, self.at, message)
    }

    #[cold]
    fn endless_string(&self, start: usize) -> Lex<Quoted> {
        self.check_line(start, self.text.len())?;
        Err(Stop::End)
    }

    #[cold]
    fn check_line(&self, start: usize, end: usize) -> Lex<()> {
        match memchr2(b'\n', b'\r', &self.text.as_bytes()[start..end]) {
            Some(length) if !self.rules.raw_lines => {
                let message = "a string does not end on its line; write \\n for a line end";
                bad(ErrorKind::TextString, start + length, message)
            }
            _ => Ok(()),
        }
    }

    /// Reads `@tag`, with `--ltr` or `--rtl`.
    #[inline]
    pub(super) fn language(&mut self, mut lexed: Lexed, scratch: &mut Scratch) -> Lex {
        let start = self.at + 1;
        let bytes = &self.text.as_bytes()[start..];
        if self.rules.odd_tags {
            return self.odd_language(lexed, start, scratch);
        }
        let length = bytes.iter().position(|&b| !is_tag_byte(b)).ok_or(Stop::End)?;
        let end = start + length;
        let tag = &self.text[start..end];
        if !is_language(tag) {
            let tag = crate::error::excerpt(tag);
            return bad(ErrorKind::TextLanguage, self.at, format!("{tag} is not a language tag"));
        }
        self.at = end;
        (lexed.kind, lexed.end) = (Kind::Language, end);
        Ok(lexed.with_tail(start, end))
    }

    /// Reads a tag in columns: any characters, with escapes for those that no tag can have.
    #[cold]
    fn odd_language(&mut self, mut lexed: Lexed, start: usize, scratch: &mut Scratch) -> Lex {
        let bytes = &self.text.as_bytes()[start..];
        let length = bytes.iter().position(|&b| !is_tag_byte(b) && b != b'\\').unwrap_or(bytes.len());
        let end = start + length;
        self.at = end;
        (lexed.kind, lexed.end) = (Kind::Language, end);
        if !bytes[..length].contains(&b'\\') {
            return Ok(lexed.with_tail(start, end));
        }
        unescape::iri(self, start, end, &mut scratch.datatype)?;
        Ok(lexed.tail_unescaped())
    }

    /// Reads `^^<iri>`.
    #[inline(always)]
    pub(super) fn datatype(&mut self, mut lexed: Lexed, scratch: &mut Scratch) -> Lex {
        let carets = self.at;
        if self.byte(carets + 1)? != b'^' {
            return bad(ErrorKind::TextTerm, carets, "expected ^^ before the datatype");
        }
        self.at = carets + 2;
        if self.peek()? != b'<' {
            self.find_datatype()?;
        }
        let start = self.at;
        let text = std::mem::take(&mut scratch.text);
        let iri = self.iri(scratch);
        let datatype = std::mem::replace(&mut scratch.text, text);
        let iri = iri?;
        if iri.kind != Kind::Iri {
            return bad(ErrorKind::TextTerm, start, "the datatype must be an IRI");
        }
        lexed.end = self.at;
        lexed.tail_plain = iri.plain;
        let in_text = iri.is_in_text();
        let own = match in_text {
            Some((start, end)) => &self.text[start..end],
            None => &datatype,
        };
        if own == XSD_STRING {
            return Ok(lexed);
        }
        lexed.kind = Kind::Datatype;
        match in_text {
            Some((start, end)) => Ok(lexed.with_tail(start, end)),
            None => {
                scratch.datatype = datatype;
                Ok(lexed.tail_unescaped())
            }
        }
    }

    /// Skips white space before the IRI of a datatype.
    #[cold]
    fn find_datatype(&mut self) -> Lex<()> {
        if self.rules.spaced_tails {
            self.skip_space()?;
        }
        if self.peek()? == b'<' { Ok(()) } else { self.no_term() }
    }
}

/// Whether a tag matches `[a-zA-Z]+ ('-' [a-zA-Z0-9]+)* ('--' ('ltr' | 'rtl'))?`.
pub(crate) fn is_language(tag: &str) -> bool {
    let tag = tag.strip_suffix("--ltr").or_else(|| tag.strip_suffix("--rtl")).unwrap_or(tag);
    let mut parts = tag.as_bytes().split(|&b| b == b'-');
    let first = parts.next().unwrap_or_default();
    !first.is_empty() && first.iter().all(u8::is_ascii_alphabetic) && parts.all(|part| !part.is_empty())
}
