//! Words of RDF Patch text: keywords, names, namespaces, and the end of a row.

use super::lex::{Kind, Lex, Lexed, Lexer, Scratch, Stop, bad};
use super::rows::Halt;
use crate::error::{Error, ErrorKind, Result, excerpt};

/// Reads the dot of a row, after white space and comments.
#[inline(always)]
pub(super) fn end_row(lexer: &mut Lexer<'_>, start: usize) -> Lex<()> {
    lexer.skip_lines()?;
    if lexer.peek()? != b'.' {
        return bad(ErrorKind::TextRow, lexer.at, "expected a dot at the end of the row");
    }
    lexer.at += 1;
    lexer.check_row(start)
}

/// The end of the word at this place; a dot at its end belongs to the row.
pub(super) fn keyword_end(lexer: &Lexer<'_>) -> Lex<usize> {
    let end = lexer.word_end();
    if end == lexer.text.len() {
        return Err(Stop::End);
    }
    let word = lexer.text[lexer.at..end].trim_end_matches('.');
    Ok(lexer.at + word.len())
}

/// Reads a word or a string.
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

/// Reads an IRI, or a string that contains one.
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
                "a namespace must be an IRI, or a string without tag or datatype",
            );
        }
        let iri = string.string(lexer.text, scratch).to_owned();
        lexer.check_absolute(&iri, start)?;
        scratch.set_iri([&iri, ""]);
        return Ok(Lexed::iri_in_scratch(start, end, scratch));
    }
    let iri = lexer.term(scratch).map_err(|stop| hint(stop, lexer))?;
    if iri.kind != Kind::Iri {
        return bad(ErrorKind::TextTerm, start, "a namespace must be an IRI or a string");
    }
    Ok(iri)
}

#[cold]
pub(super) fn no_keyword<T>(lexer: &Lexer<'_>, start: usize, word: &str) -> Result<T, Halt> {
    // the input may end inside a keyword
    if matches!(word, "P" | "T") && lexer.text[start..].trim_start_matches(word) == "\n" {
        return Err(Halt::Text(Stop::End));
    }
    let message = match (word, lexer.byte(start)?) {
        ("", b'.') => "a row has nothing before its dot".to_owned(),
        ("", b'@') => "@prefix belongs to RDF Patch v1: read the file with format \"rdfp-v1\"".to_owned(),
        ("", _) => "expected A, D, PA, PD, TX, TC, TA, Z or H at the beginning of the row".to_owned(),
        (word, _) => {
            let hint = match word.to_ascii_uppercase().as_str() {
                "A" | "D" | "PA" | "PD" | "TX" | "TB" | "TC" | "TA" | "Z" | "H" => {
                    "; keywords are upper case"
                }
                _ => "",
            };
            format!("{} is not a keyword{hint}", excerpt(word))
        }
    };
    Ok(bad(ErrorKind::TextKeyword, start, message)?)
}

/// Adds a hint for text that is a term only elsewhere; asks for more text if a word may continue.
#[cold]
pub(super) fn hint(stop: Stop, lexer: &Lexer<'_>) -> Stop {
    let Stop::Bad(error) = stop else { return stop };
    let (ErrorKind::TextTerm, Some(at)) = (error.kind(), error.position().offset) else {
        return Stop::Bad(error);
    };
    for (word, message) in [
        ("R", "R repeats a term only in RDF Patch v1: read the file with format \"rdfp-v1\""),
        ("ANY", "ANY and U are not terms"),
        ("U", "ANY and U are not terms"),
        ("?", "a variable is not a term of data"),
    ] {
        match has_word(lexer, at as usize, word) {
            Ok(true) => return Stop::Bad(Error::new(error.kind(), message).moved_to(at)),
            Ok(false) => {}
            Err(stop) => return stop,
        }
    }
    Stop::Bad(error)
}

/// Whether this word is at this place; a dot after it belongs to the row.
fn has_word(lexer: &Lexer<'_>, at: usize, word: &str) -> Lex<bool> {
    for (place, wanted) in (at..).zip(word.bytes()) {
        if lexer.byte(place)? != wanted {
            return Ok(false);
        }
    }
    let lexer = Lexer::new(lexer.text, at + word.len(), lexer.rules);
    Ok(word == "?" || lexer.peek()? == b'.' || lexer.word_end() == lexer.at)
}
