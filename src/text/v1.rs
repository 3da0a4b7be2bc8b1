//! The additions of RDF Patch v1 (RDF Tuples): `R`, `@prefix` and prefixed names.

use std::collections::HashMap;

use super::lex::{Kind, Lex, Lexed, Lexer, Scratch, Stop, bad};
use super::nquads::StatementReader;
use crate::error::{Error, ErrorKind};
use crate::sink::Statement;
use crate::term::TermBuf;

/// Memory of an entry in addition to its text.
const ENTRY: usize = 64;

/// The previous row, and the prefixes.
#[derive(Debug)]
pub(super) struct Tuples {
    last: Option<[TermBuf; 4]>,
    prefixes: HashMap<String, String>,
    bytes: usize,
    /// Bytes of the previous row.
    last_bytes: usize,
    most: usize,
}

impl Tuples {
    pub(super) fn new(most: usize) -> Self {
        Tuples { last: None, prefixes: HashMap::new(), bytes: 0, last_bytes: 0, most }
    }

    /// Reads the term at `place`; returns whether it is the term of the previous row.
    pub(super) fn lex(&self, place: usize, lexer: &mut Lexer<'_>, to: &mut StatementReader) -> Lex<bool> {
        let start = lexer.at;
        if !matches!(lexer.peek()?, b'<' | b'"' | b'\'' | b'_' | b'0'..=b'9' | b'+' | b'-' | b'.') {
            let end = lexer.word_end();
            match (&lexer.text[start..end], lexer.byte(end)?) {
                (prefix, b':') => {
                    let iri = self.prefixed(prefix, end, lexer, to)?;
                    let scratch = to.scratch(place);
                    scratch.set_iri([&iri, ""]);
                    let iri = Lexed::iri_in_scratch(start, lexer.at, scratch);
                    to.put(place, iri)?;
                    return Ok(false);
                }
                (word, _) if word.trim_end_matches('.') == "R" => {
                    lexer.at = start + 1;
                    return self.check_repeat(place, start);
                }
                _ => {}
            }
        }
        if let b'"' | b'\'' = lexer.peek()? {
            self.literal(place, lexer, to)?;
        } else {
            to.lex(place, lexer)?;
        }
        Ok(false)
    }

    /// Reads a literal, whose datatype may be a prefixed name.
    fn literal(&self, place: usize, lexer: &mut Lexer<'_>, to: &mut StatementReader) -> Lex<()> {
        let start = lexer.at;
        let literal = lexer.string(to.scratch(place))?;
        lexer.skip_lines()?;
        let is_typed = lexer.peek()? == b'^' && lexer.byte(lexer.at + 1)? == b'^';
        if is_typed {
            lexer.at += 2;
            lexer.skip_lines()?;
        }
        if !is_typed || lexer.peek()? == b'<' {
            lexer.at = start;
            return to.lex(place, lexer);
        }
        let (name, colon) = (lexer.at, lexer.word_end());
        if lexer.byte(colon)? != b':' {
            return lexer.no_term();
        }
        let datatype = self.prefixed(&lexer.text[name..colon], colon, lexer, to)?;
        let literal = literal.with_datatype(lexer.at, datatype, to.scratch(place));
        to.put(place, literal)
    }

    fn check_repeat(&self, place: usize, start: usize) -> Lex<bool> {
        match &self.last {
            Some(last) if last[place] != TermBuf::DefaultGraph => Ok(true),
            Some(_) => {
                bad(ErrorKind::TextRepeat, start, "R repeats the graph, but the row before has no graph")
            }
            None => bad(ErrorKind::TextRepeat, start, "R is in the first row, so it has nothing to repeat"),
        }
    }

    /// Reads `prefix:local`; the colon is at `colon`.
    fn prefixed(
        &self,
        prefix: &str,
        colon: usize,
        lexer: &mut Lexer<'_>,
        to: &StatementReader,
    ) -> Lex<String> {
        let start = lexer.at;
        let Some(namespace) = self.prefixes.get(prefix) else {
            return bad(ErrorKind::TextPrefixed, start, format!("the prefix {prefix}: is not declared"));
        };
        let (local, end) = local(lexer, colon + 1)?;
        to.check_length(namespace.len() + local.len(), start)?;
        lexer.at = end;
        Ok([namespace, local.as_str()].concat())
    }

    /// Reads `@prefix name: <iri> .`
    pub(super) fn declare(&mut self, lexer: &mut Lexer<'_>, scratch: &mut Scratch) -> Lex<()> {
        let start = lexer.at;
        lexer.at += 1;
        let end = lexer.word_end();
        if end == lexer.text.len() {
            return Err(Stop::End);
        }
        if &lexer.text[lexer.at..end] != "prefix" {
            return bad(ErrorKind::TextKeyword, start, "expected @prefix");
        }
        lexer.at = end;
        lexer.skip_lines()?;
        let label = lexer.at;
        let colon = lexer.word_end();
        if lexer.byte(colon)? != b':' {
            return bad(ErrorKind::TextPrefixed, label, "expected a colon after the name of the prefix");
        }
        lexer.at = colon + 1;
        lexer.skip_lines()?;
        if lexer.peek()? != b'<' {
            return bad(ErrorKind::TextIri, lexer.at, "a namespace must be an IRI in angle brackets");
        }
        let at = lexer.at;
        let iri = lexer.iri(scratch)?;
        if iri.kind != Kind::Iri {
            return bad(ErrorKind::TextIri, at, "a namespace must be an IRI, not a blank node");
        }
        lexer.skip_lines()?;
        if lexer.peek()? != b'.' {
            return bad(ErrorKind::TextRow, lexer.at, "expected a dot at the end of @prefix");
        }
        lexer.at += 1;
        let (label, iri) = (&lexer.text[label..colon], iri.string(lexer.text, scratch));
        self.bytes += label.len() + iri.len() + ENTRY;
        if let Some(before) = self.prefixes.insert(label.to_owned(), iri.to_owned()) {
            self.bytes -= label.len() + before.len() + ENTRY;
        }
        if self.bytes > self.most {
            let message = format!("prefixes of more than {} bytes", self.most);
            let error = Error::limit(ErrorKind::LimitLookup, "lookup_bytes", message);
            return Err(Stop::Bad(error.moved_to(start as u64)));
        }
        Ok(())
    }

    /// Stores the terms of a row, except those that repeat.
    pub(super) fn remember(&mut self, text: &str, read: &StatementReader, repeats: [bool; 4]) {
        let last = self.last.get_or_insert([const { TermBuf::DefaultGraph }; 4]);
        for (place, term) in last.iter_mut().enumerate().filter(|(place, _)| !repeats[*place]) {
            let (lexed, scratch) = read.lexed(place);
            *term = lexed.owned(text, scratch);
        }
        self.last_bytes = last.iter().map(TermBuf::size).sum();
    }

    /// The stored row.
    pub(super) fn statement(&self) -> Statement<'_> {
        match &self.last {
            Some(last) => Statement::of(last.each_ref().map(TermBuf::as_term)),
            None => Statement::empty(),
        }
    }

    /// Bytes that are kept from row to row.
    pub(super) fn kept_bytes(&self) -> usize {
        self.bytes + self.last_bytes
    }
}

/// Reads the local part of a name (`PN_LOCAL` of Turtle); also returns its end.
fn local(lexer: &Lexer<'_>, start: usize) -> Lex<(String, usize)> {
    let text = lexer.text;
    let (mut local, mut at, mut dots) = (String::new(), start, 0);
    loop {
        let c = text[at..].chars().next().ok_or(Stop::End)?;
        match c {
            '.' => {
                dots += 1;
                at += 1;
                continue;
            }
            '\\' => {
                let escaped = text[at + 1..].chars().next().ok_or(Stop::End)?;
                if !"_~.-!$&'()*+,;=/?#@%".contains(escaped) {
                    return bad(
                        ErrorKind::TextEscape,
                        at,
                        "this character cannot be escaped in a prefixed name",
                    );
                }
                flush(&mut local, &mut dots);
                local.push(escaped);
                at += 2;
                continue;
            }
            '%' => {
                let digits = text.as_bytes().get(at + 1..at + 3).ok_or(Stop::End)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return bad(ErrorKind::TextEscape, at, "expected two hexadecimal digits after %");
                }
            }
            c if c.is_alphanumeric() || matches!(c, '_' | '-' | ':') || c >= '\u{80}' => {}
            _ => break,
        }
        flush(&mut local, &mut dots);
        local.push(c);
        at += c.len_utf8();
    }
    // dots at the end belong to the row
    Ok((local, at - dots))
}

fn flush(local: &mut String, dots: &mut usize) {
    local.extend(std::iter::repeat_n('.', std::mem::take(dots)));
}
