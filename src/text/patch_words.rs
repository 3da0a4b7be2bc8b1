//! Words of RDF Patch text: keywords, names, namespaces, and the end of a row.

use super::lex::{Kind, Lex, Lexed, Lexer, Scratch, Stop, bad};
use super::rows::Halt;
use crate::error::{Error, ErrorKind, Result, excerpt};

/// The dot of a row, behind white space and comments.
#[inline(always)]
pub(super) fn end_row(lexer: &mut Lexer<'_>, start: usize) -> Lex<()> {
    lexer.skip_lines()?;
    if lexer.peek()? != b'.' {
        return bad(ErrorKind::TextRow, lexer.at, "a row ends with a dot");
    }
    lexer.at += 1;
    lexer.check_row(start)
}

/// Where the word at this place ends; a dot at its end is that of the row.
pub(super) fn keyword_end(lexer: &Lexer<'_>) -> Lex<usize> {
    let end = lexer.word_end();
    if end == lexer.text.len() {
        return Err(Stop::End);
    }
    let word = lexer.text[lexer.at..end].trim_end_matches('.');
    Ok(lexer.at + word.len())
}

/// A word or a string.
pub(super) fn name(lexer: &mut Lexer<'_>, scratch: &mut Scratch, what: &str) -> Lex {
    let start = lexer.at;
    match lexer.peek()? {
        b'"' => return lexer.string(scratch),
        b'\'' if lexer.rules.quotes => return lexer.string(scratch),
        _ => {}
    }
    let end = keyword_end(lexer)?;
    let word = &lexer.text[start..end];
    if !word.starts_with(char::is_alphabetic) || lexer.byte(end)? == b':' {
        return bad(ErrorKind::TextRow, start, what);
    }
    lexer.at = end;
    Ok(Lexed::name(start, end))
}

/// An IRI, or a string that holds one.
pub(super) fn namespace(lexer: &mut Lexer<'_>, scratch: &mut Scratch) -> Lex {
    let start = lexer.at;
    if matches!(lexer.peek()?, b'"') || lexer.rules.quotes && lexer.peek()? == b'\'' {
        let string = lexer.string(scratch)?;
        let end = lexer.at;
        lexer.skip_lines()?;
        if let b'@' | b'^' = lexer.peek()? {
            return bad(
                ErrorKind::TextTerm,
                start,
                "a namespace is an IRI, or a string without tag or datatype",
            );
        }
        let iri = string.string(lexer.text, scratch).to_owned();
        lexer.check_absolute(&iri, start)?;
        scratch.set_iri([&iri, ""]);
        return Ok(Lexed::iri_in_scratch(start, end, scratch));
    }
    let iri = lexer.term(scratch).map_err(|stop| hint(stop, lexer))?;
    if iri.kind != Kind::Iri {
        return bad(ErrorKind::TextTerm, start, "a namespace is an IRI or a string");
    }
    Ok(iri)
}

#[cold]
pub(super) fn no_keyword<T>(lexer: &Lexer<'_>, start: usize, word: &str) -> Result<T, Halt> {
    let message = match (word, lexer.byte(start)?) {
        ("", b'.') => "a row without anything before its dot".to_owned(),
        ("", b'@') => "@prefix is of RDF Patch v1: read it as format \"rdfp-v1\"".to_owned(),
        ("", _) => "a row begins with A, D, PA, PD, TX, TC, TA, Z or H".to_owned(),
        (word, _) => {
            let hint = match word.to_ascii_uppercase().as_str() {
                "A" | "D" | "PA" | "PD" | "TX" | "TB" | "TC" | "TA" | "Z" | "H" => {
                    "; keywords are upper case"
                }
                _ => "",
            };
            format!("{} is no keyword{hint}", excerpt(word))
        }
    };
    Ok(bad(ErrorKind::TextKeyword, start, message)?)
}

/// Says more about what is no term here but elsewhere.
#[cold]
pub(super) fn hint(stop: Stop, lexer: &Lexer<'_>) -> Stop {
    let Stop::Bad(error) = stop else { return stop };
    let Some(at) = error.position().offset else { return Stop::Bad(error) };
    let word = Lexer::new(lexer.text, at as usize, lexer.rules);
    let word = &lexer.text[at as usize..word.word_end()];
    let message = match (error.kind(), word.trim_end_matches('.')) {
        (ErrorKind::TextTerm, "R") => "R repeats a term in RDF Patch v1 only: read it as format \"rdfp-v1\"",
        (ErrorKind::TextTerm, "ANY" | "U") => "ANY and U stand for no term",
        (ErrorKind::TextTerm, "") if lexer.text[at as usize..].starts_with('?') => {
            "a variable is no term of data"
        }
        _ => return Stop::Bad(error),
    };
    Stop::Bad(Error::new(error.kind(), message).moved_to(at))
}
