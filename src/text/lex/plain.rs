//! Parses one canonical term that fills a whole string.

use memchr::memchr2;

use super::{Kind, Lex, Lexer, Rules, Scratch, Stop, bad};
use crate::error::{Error, ErrorKind, Result, excerpt};
use crate::limits::MAX_NESTING;
use crate::scan::{is_plain_iri, is_plain_label};
use crate::term::{Datatype, Iri, Literal, LiteralKind, Term, TermBuf, XSD_STRING, is_named_plainly};

/// Canonical text and its equivalents.
const RULES: Rules = Rules {
    odd_iris: false,
    absolute_iris: false,
    no_angle_labels: false,
    quotes: false,
    bare: false,
    old_triples: true,
    free_lines: false,
    spaced_tails: false,
    raw_lines: true,
    odd_tags: true,
    nesting: MAX_NESTING,
    row_bytes: usize::MAX,
};

/// Parses the canonical text of a term in a column; the empty text is the default graph.
#[inline]
pub(crate) fn term_of<'a>(text: &'a str, scratch: &'a mut Scratch) -> Result<Term<'a>> {
    match plain_term_of(text) {
        Some(term) => Ok(term),
        None => odd_term_of(text, scratch),
    }
}

impl TermBuf {
    /// Parses a term of canonical N-Triples; the empty text is the default graph.
    pub fn from_text(text: &str) -> Result<Self> {
        term_of(text, &mut Scratch::default()).map(TermBuf::from)
    }
}

/// Like [`term_of`], for text without escapes that is not a quoted triple.
#[inline]
pub(crate) fn plain_term_of(text: &str) -> Option<Term<'_>> {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(b'<'), Some(b'>')) if bytes.len() > 1 => {
            let iri = &text[1..bytes.len() - 1];
            is_named_plainly(iri).then_some(Term::Iri(Iri::new_plain(iri)))
        }
        (Some(b'"'), Some(_)) => literal_of(text),
        (Some(b'_'), Some(_)) => {
            let label = text.strip_prefix("_:")?;
            is_plain_label(label).then_some(Term::BlankNode(label))
        }
        (None, _) => Some(Term::DefaultGraph),
        _ => None,
    }
}

/// Parses a literal without escapes.
#[inline]
fn literal_of(text: &str) -> Option<Term<'_>> {
    let bytes = text.as_bytes();
    let close = 1 + memchr2(b'"', b'\\', &bytes[1..])?;
    if bytes[close] != b'"' {
        return None;
    }
    let lex = &text[1..close];
    let tail = &text[close + 1..];
    let literal = |kind| Some(Term::Literal(Literal::new(lex, kind)));
    if tail.is_empty() {
        return literal(LiteralKind::Simple);
    }
    if let Some(datatype) = tail.strip_prefix("^^<") {
        let datatype = datatype.strip_suffix('>').filter(|datatype| is_named_plainly(datatype))?;
        return literal(match datatype {
            XSD_STRING => LiteralKind::Simple,
            other => LiteralKind::Datatype(Datatype::new_plain(other)),
        });
    }
    // Jelly does not check tags; text with a backslash is left to the lexer
    let tag = tail.strip_prefix('@').filter(|tag| is_plain_iri(tag))?;
    literal(LiteralKind::Language(tag))
}

#[cold]
fn odd_term_of<'a>(text: &'a str, scratch: &'a mut Scratch) -> Result<Term<'a>> {
    match lex_whole(text, scratch) {
        Ok(lexed) => Ok(lexed.whole(text, scratch)),
        Err(stop) => {
            let why = match &stop {
                Stop::End => "it ends too early",
                Stop::Bad(error) => error.message(),
            };
            let kind = match &stop {
                Stop::End => ErrorKind::TextTerm,
                Stop::Bad(error) => error.kind(),
            };
            Err(Error::new(kind, format!("{} is not the canonical text of a term: {why}", excerpt(text))))
        }
    }
}

fn lex_whole(text: &str, scratch: &mut Scratch) -> Lex {
    let mut lexer = Lexer::new(text, 0, RULES);
    let mut lexed = match lexer.peek()? {
        b'"' => lexer.string(scratch)?,
        _ => lexer.term(scratch)?,
    };
    let tail = lexer.at;
    if lexed.kind == Kind::Simple {
        match text.as_bytes().get(tail) {
            Some(b'@') if is_plain_iri(&text[tail + 1..]) => {
                lexed.kind = Kind::Language;
                return Ok(lexed.with_tail(tail + 1, text.len()));
            }
            Some(b'@') => lexed = lexer.language(lexed, scratch)?,
            Some(b'^') => lexed = lexer.datatype(lexed, scratch)?,
            _ => {}
        }
    }
    if lexer.at < text.len() {
        return bad(ErrorKind::TextTerm, lexer.at, "it has more than one term");
    }
    Ok(lexed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Triple;

    #[track_caller]
    fn returns(term: &TermBuf) {
        let text = term.as_term().to_string();
        let mut scratch = Scratch::default();
        let again = term_of(&text, &mut scratch).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(&TermBuf::from(again), term, "{text}");
    }

    #[test]
    fn text_and_term_are_one_to_one() {
        let strings = [
            "",
            "a",
            "_:a",
            "http://example.org/a#b",
            "a b",
            "\\u005F:x",
            "<>\"{}|^`\\",
            "\u{0}\t\r\n\u{7f}",
            "ä\u{1f600}",
            "\u{fffe}\u{ffff}",
            ".",
            "a.",
            "-",
            "0.b",
            "x\"y",
            "'",
            ">",
            "<<( ",
            " )>>",
            "\"@en",
            "^^<x>",
        ];
        let mut all = vec![TermBuf::DefaultGraph];
        for text in strings {
            all.extend([TermBuf::iri(text), TermBuf::blank_node(text), TermBuf::simple_literal(text)]);
            all.extend([TermBuf::typed_literal("1", text), TermBuf::typed_literal(text, "urn:d")]);
            all.extend([TermBuf::typed_literal(text, text), TermBuf::language_literal(text, "en-GB--ltr")]);
            all.extend([TermBuf::language_literal(text, "1_odd@tag"), TermBuf::language_literal("c", text)]);
        }
        // tags of all characters with a meaning in some place
        let pieces =
            ["", "e", "-", " ", "\"", "@", "\\", "u0041", ">", ")>>", "<", "\n", "\u{e9}", "\u{1f600}", "^"];
        for n in 0..pieces.len().pow(3) {
            let tag: String = [n, n / 15, n / 225].map(|place| pieces[place % 15]).concat();
            all.push(TermBuf::language_literal("c", &tag));
        }
        let mut texts: Vec<_> = all.iter().map(|term| (term.as_term().to_string(), term)).collect();
        texts.sort_by(|a, b| a.0.cmp(&b.0));
        assert!(texts.windows(2).all(|two| two[0].0 != two[1].0 || two[0].1 == two[1].1));
        all.iter().for_each(returns);
        for (n, subject) in all.iter().enumerate().skip(1).step_by(2) {
            let object = &all[all.len() - 1 - n];
            let inner = Triple { terms: [subject.clone(), TermBuf::iri("urn:p"), object.clone()] };
            let inner = TermBuf::Triple(Box::new(inner));
            returns(&inner);
            returns(&TermBuf::Triple(Box::new(Triple {
                terms: [inner.clone(), TermBuf::iri("urn:q"), inner],
            })));
        }
        assert!(all.len() > 160);
    }

    #[test]
    fn what_means_the_same_is_read_and_the_rest_refused() {
        let mut scratch = Scratch::default();
        let string = format!("\"a\"^^<{XSD_STRING}>");
        for (text, canonical) in [
            (string.as_str(), "\"a\""),
            ("\"a\nb\"", "\"a\\nb\""),
            ("\"\\ta\nb\"", "\"\\ta\\nb\""),
            ("<\\u0061>", "<a>"),
            ("\"a\"@en_US", "\"a\"@en\\u005FUS"),
            ("\"a\"@\\u0065n", "\"a\"@en"),
            ("<_:a>", "_:a"),
            ("\"\\u0041\"", "\"A\""),
            ("<< <a> <b> <c> >>", "<<( <a> <b> <c> )>>"),
            ("<<(<a><b>\"c\")>>", "<<( <a> <b> \"c\" )>>"),
        ] {
            assert_eq!(term_of(text, &mut scratch).unwrap().to_string(), canonical);
        }
        for text in [
            "a",
            "<a",
            "a>",
            "<",
            ">",
            "<a> ",
            " <a>",
            "<a><b>",
            "<a b>",
            "\"",
            "\"a",
            "a\"",
            "\"a\"b\"",
            "\"a\"@e n",
            "\"a\" ",
            "\"a\" @en",
            "\"a\" ^^<a>",
            "\"a\"^^ <a>",
            "<<( <a> <b> \"c\" @en )>>",
            "<<( <a> <b> \"c\"^^ <d> )>>",
            "\"a\"@e\\n",
            "\"a\"@e\\u00",
            "<<( <a> <b> \"c\"@en_US )>>",
            "\"a\"^",
            "\"a\"^^",
            "\"a\"^^a",
            "\"a\"^^<_:a>",
            "_:",
            "_:a b",
            "_:a.",
            "_a",
            "ex:a",
            "5",
            "true",
            "\"\\ud83d\\ude00\"",
            "\"\\x\"",
            "<\\n>",
            "<<( <a> <b> )>>",
            "<<( <a> <b> <c>",
            "<<( <a> <b> <c> >>",
            "<< <a> <b> <c> )>>",
            "'a'",
        ] {
            assert!(term_of(text, &mut scratch).is_err(), "{text}");
        }
    }
}
