//! Terms from text: canonical rows, N-Triples, N-Quads (`<< s p o >>` too, and any term anywhere),
//! RDF Patch and the `.rows` files. For well-formed test data only: it panics at anything else.

use super::term::{Kind, Term};

pub struct Lexer<'a> {
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    pub fn new(line: &'a str) -> Self {
        Lexer { rest: line }
    }

    /// Whether the line, or a statement's final dot, has been reached.
    pub fn at_end(&mut self) -> bool {
        self.skip_space();
        self.rest.is_empty() || self.rest == "."
    }

    /// A bare word.
    pub fn word(&mut self) -> &'a str {
        self.skip_space();
        self.take_until(' ')
    }

    /// A word in quotes, or bare.
    pub fn string(&mut self) -> String {
        self.skip_space();
        if self.eat("\"") { self.quoted() } else { self.take_until(' ').to_owned() }
    }

    pub fn term(&mut self) -> Term {
        self.skip_space();
        if self.eat("<<(") {
            self.triple(")>>")
        } else if self.eat("<<") {
            self.triple(">>")
        } else if self.eat("<") {
            self.iri_or_blank()
        } else if self.eat("_:") {
            Term::Blank(self.take_until(' ').to_owned())
        } else if self.eat("\"") {
            self.literal()
        } else if self.eat("DEFAULT") {
            Term::DefaultGraph
        } else {
            panic!("no term at {:?}", self.rest)
        }
    }

    /// Canonical text; `None` for the `NULL` of `.rows` files.
    pub fn term_or_null(&mut self) -> Option<String> {
        self.skip_space();
        if self.eat("NULL") { None } else { Some(self.term().to_string()) }
    }

    fn triple(&mut self, end: &str) -> Term {
        let terms = Box::new([self.term(), self.term(), self.term()]);
        self.skip_space();
        assert!(self.eat(end), "no {end:?} at {:?}", self.rest);
        Term::Triple(terms)
    }

    fn iri_or_blank(&mut self) -> Term {
        let raw = self.take_until('>');
        assert!(self.eat(">"), "an IRI does not end");
        match raw.strip_prefix("_:") {
            Some(label) => Term::Blank(unescape(label)),
            None => Term::Iri(unescape(raw)),
        }
    }

    fn literal(&mut self) -> Term {
        let lexical = self.quoted();
        let kind = if self.eat("@") {
            Kind::Language(unescape(self.take_until(' ')))
        } else if self.eat("^^<") {
            match self.iri_or_blank() {
                Term::Iri(iri) => Kind::Datatype(iri),
                _ => panic!("a datatype is an IRI"),
            }
        } else {
            Kind::Simple
        };
        Term::Literal(lexical, kind)
    }

    /// What is left of a string, its first quote read.
    fn quoted(&mut self) -> String {
        let mut escaped = false;
        let end = self.rest.find(|c| {
            let is_end = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            is_end
        });
        let (raw, rest) = self.rest.split_at(end.expect("a string does not end"));
        self.rest = &rest[1..];
        unescape(raw)
    }

    fn take_until(&mut self, end: char) -> &'a str {
        let at = self.rest.find(end).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(at);
        self.rest = rest;
        taken
    }

    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }
}

fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let digits = match after.as_bytes()[0] {
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        text.push(match after.as_bytes()[0] {
            b'u' | b'U' => u32::from_str_radix(&after[1..=digits], 16)
                .ok()
                .and_then(char::from_u32)
                .unwrap_or_else(|| panic!("no character: {after:?}")),
            b't' => '\t',
            b'b' => '\u{8}',
            b'n' => '\n',
            b'r' => '\r',
            b'f' => '\u{c}',
            c @ (b'"' | b'\'' | b'\\') => char::from(c),
            _ => panic!("no escape: {after:?}"),
        });
        rest = &after[1 + digits..];
    }
    text + rest
}
