//! Entities of a document type, and the size of the text and names that use them.

use std::collections::HashMap;

use memchr::{memchr, memchr2};

use super::guarded::token_too_long;
use super::labels::{ENTRY, too_many};
use super::literals::{check_characters, number_of};
use crate::error::{Error, ErrorKind, Result};

/// The entities that a document declares, expanded as the parser of the library expands them.
#[derive(Debug, Default)]
pub(super) struct Entities {
    known: HashMap<String, String>,
    bytes: usize,
    /// The longest text, and the maximum size of all entities.
    longest: usize,
    most: usize,
}

impl Entities {
    pub(super) fn new(longest: usize, most: usize) -> Self {
        Entities { longest, most, ..Entities::default() }
    }

    /// Reads the declarations of a document type; other forms are left to the parser, which rejects them.
    pub(super) fn declare(&mut self, doctype: &[u8]) -> Result<()> {
        let Ok(text) = std::str::from_utf8(doctype) else { return Ok(()) };
        for part in text.split('<').filter_map(|part| part.strip_prefix("!ENTITY")) {
            let part = part.trim_start();
            let part = part.strip_prefix('%').unwrap_or(part).trim_start();
            let Some((name, rest)) = part.split_once(|c: char| c.is_ascii_whitespace()) else {
                return Ok(());
            };
            let Some((value, _)) = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'))
            else {
                return Ok(());
            };
            check_value(value)?;
            let length = self.length(value.as_bytes())?;
            self.bytes += 2 * name.len() + 2 * length + ENTRY;
            if self.bytes > self.most {
                return Err(too_many("entities", self.most));
            }
            let value = self.expand(value);
            self.known.insert(name.to_owned(), value);
        }
        Ok(())
    }

    /// Maximum size of a text after its references are replaced; returns an error if it is larger than a term
    /// may be.
    pub(super) fn length(&self, text: &[u8]) -> Result<usize> {
        let mut length = text.len();
        let mut rest = text;
        while let Some(at) = memchr(b'&', rest) {
            rest = &rest[at + 1..];
            let Some(end) = memchr2(b'&', b';', rest) else { break };
            let name = std::str::from_utf8(&rest[..end]).unwrap_or_default();
            length += self.known.get(name).map_or(0, String::len);
            if length > self.longest {
                return Err(token_too_long(self.longest));
            }
        }
        if length > self.longest { Err(token_too_long(self.longest)) } else { Ok(length) }
    }

    /// Replaces the references in a text whose length was checked.
    pub(super) fn expand(&self, text: &str) -> String {
        let mut all = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('&') {
            all.push_str(before);
            let Some((name, after)) = after.split_once(';') else {
                rest = after;
                continue;
            };
            rest = after;
            let number = name.strip_prefix('#').and_then(|number| match number.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16).ok(),
                None => number.parse().ok(),
            });
            match (name, number.and_then(char::from_u32)) {
                (_, Some(c)) => all.push(c),
                ("lt", _) => all.push('<'),
                ("gt", _) => all.push('>'),
                ("amp", _) => all.push('&'),
                ("apos", _) => all.push('\''),
                ("quot", _) => all.push('"'),
                _ => all.push_str(self.known.get(name).map_or("", String::as_str)),
            }
        }
        all.push_str(rest);
        all
    }
}

/// Rejects references to `&` and `<` in the value of an entity: their replacement is parsed again where the
/// entity is used, but not by the parser of the library.
fn check_value(value: &str) -> Result<()> {
    check_characters(value.as_bytes(), true)?;
    let mut references = value.split('&').skip(1).filter_map(|rest| rest.strip_prefix('#'));
    if references.any(|reference| matches!(number_of(reference.as_bytes()), Some(0x26 | 0x3c))) {
        let message = "the value of an entity has a numeric reference to & or <, which would be read twice; \
                       write &amp; or &lt;";
        return Err(Error::new(ErrorKind::TextSyntax, message));
    }
    Ok(())
}
