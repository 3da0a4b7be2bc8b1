//! Numbers and booleans without quotes.

use super::{Kind, Lex, Lexed, Lexer, Scratch, Stop, bad, is_word_byte};
use crate::error::ErrorKind;

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

impl Lexer<'_> {
    /// Reads `true` or `false`.
    pub(super) fn boolean(&mut self, scratch: &mut Scratch) -> Lex {
        let word = self.word_end();
        if word == self.text.len() {
            return Err(Stop::End);
        }
        let end = self.at + self.text[self.at..word].trim_end_matches('.').len();
        match &self.text[self.at..end] {
            "true" | "false" if self.byte(end)? != b':' => Ok(self.bare(end, "boolean", scratch)),
            _ => self.no_term(),
        }
    }

    /// Reads an integer, decimal or double of Turtle.
    pub(super) fn number(&mut self, scratch: &mut Scratch) -> Lex {
        let bytes = self.text.as_bytes();
        let digits = |at: usize| {
            let run = bytes[at..].iter().position(|b| !b.is_ascii_digit());
            run.map(|run| at + run).ok_or(Stop::End)
        };
        let start = self.at + usize::from(matches!(bytes[self.at], b'+' | b'-'));
        let mut end = digits(start)?;
        let whole = end - start;
        let mut fraction = 0;
        let mut name = "integer";
        if bytes[end] == b'.' {
            let after = digits(end + 1)?;
            fraction = after - end - 1;
            // without digits after it, it is the dot of the row or of `1.e5`
            if fraction > 0 || (whole > 0 && exponent(bytes, after)?.is_some()) {
                (end, name) = (after, "decimal");
            }
        }
        if whole + fraction > 0
            && let Some(start) = exponent(bytes, end)?
        {
            (end, name) = (digits(start)?, "double");
        }
        if whole + fraction == 0 || is_word_byte(self.byte(end)?) && bytes[end] != b'.' {
            let end = (self.at + 1).max(self.word_end());
            if end == self.text.len() {
                return Err(Stop::End);
            }
            let number = crate::error::excerpt(&self.text[self.at..end]);
            return bad(ErrorKind::TextNumber, self.at, format!("{number} is not a number"));
        }
        Ok(self.bare(end, name, scratch))
    }

    fn bare(&mut self, end: usize, name: &str, scratch: &mut Scratch) -> Lexed {
        let start = std::mem::replace(&mut self.at, end);
        scratch.datatype.clear();
        scratch.datatype.push_str(XSD);
        scratch.datatype.push_str(name);
        Lexed::at(Kind::Datatype, start, end).with_text(start, end).tail_unescaped()
    }
}

/// The start of the digits of an exponent, if there is one at `at`.
fn exponent(bytes: &[u8], at: usize) -> Lex<Option<usize>> {
    let byte = |at: usize| bytes.get(at).copied().ok_or(Stop::End);
    if !matches!(byte(at)?, b'e' | b'E') {
        return Ok(None);
    }
    let start = at + 1 + usize::from(matches!(byte(at + 1)?, b'+' | b'-'));
    Ok(byte(start)?.is_ascii_digit().then_some(start))
}
