//! Resolves backslash escapes.

use super::{Lex, Lexer, bad};
use crate::error::ErrorKind;

/// Appends the text from `start` to `end` to `out`; only `\u` and `\U` escapes are allowed.
pub(super) fn iri(lexer: &Lexer<'_>, start: usize, end: usize, out: &mut String) -> Lex<()> {
    unescape(lexer, start, end, out, false)
}

/// Appends the string from `start` to `end` to `out`.
pub(super) fn string(lexer: &Lexer<'_>, start: usize, end: usize, out: &mut String) -> Lex<()> {
    unescape(lexer, start, end, out, true)
}

fn unescape(lexer: &Lexer<'_>, start: usize, end: usize, out: &mut String, letters: bool) -> Lex<()> {
    out.clear();
    let text = &lexer.text[..end];
    let mut at = start;
    while let Some(run) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        out.push_str(&text[at..at + run]);
        at += run;
        let (c, length) = match text.as_bytes().get(at + 1) {
            Some(b'u') if lexer.rules.quotes && text[at + 2..].starts_with('{') => braces(text, at)?,
            Some(b'u') => code(text, at, 4)?,
            Some(b'U') => code(text, at, 8)?,
            Some(&letter) if letters => match letter {
                b't' => ('\t', 2),
                b'n' => ('\n', 2),
                b'r' => ('\r', 2),
                b'b' => ('\u{8}', 2),
                b'f' => ('\u{c}', 2),
                b'"' | b'\'' | b'\\' => (char::from(letter), 2),
                _ => return wrong(text, at),
            },
            _ => return wrong(text, at),
        };
        out.push(c);
        at += length;
    }
    out.push_str(&text[at..]);
    Ok(())
}

/// Reads `\uXXXX` or `\UXXXXXXXX`.
fn code(text: &str, at: usize, digits: usize) -> Lex<(char, usize)> {
    let length = 2 + digits;
    match text.get(at + 2..at + length).and_then(character) {
        Some(c) => Ok((c, length)),
        None => wrong(text, at),
    }
}

/// Reads `\u{X}`.
fn braces(text: &str, at: usize) -> Lex<(char, usize)> {
    let inside = &text[at + 3..];
    let found = inside.find('}').filter(|&length| length <= 8);
    match found.and_then(|length| Some((character(&inside[..length])?, length + 4))) {
        Some(found) => Ok(found),
        None => wrong(text, at),
    }
}

/// Parses a character; surrogates are not characters.
fn character(digits: &str) -> Option<char> {
    let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)).flatten()
}

#[cold]
fn wrong<T>(text: &str, at: usize) -> Lex<T> {
    let escape: String = text[at..].chars().take(if text[at..].starts_with("\\u") { 6 } else { 2 }).collect();
    bad(ErrorKind::TextEscape, at, format!("{escape} does not stand for a character"))
}
