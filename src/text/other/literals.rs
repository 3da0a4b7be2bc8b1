//! XML literals of RDF/XML, which the library does not always write as valid XML.

use std::collections::HashSet;

use memchr::memchr;
use oxrdf::vocab::rdf;
use oxrdf::{Literal, Quad, Term};

use crate::error::{Error, ErrorKind, Result};

/// Removes the namespace declarations that the library writes twice: those of an element itself.
pub(super) fn declare_once(quad: &mut Quad) {
    let Term::Literal(literal) = &quad.object else { return };
    if literal.datatype() == rdf::XML_LITERAL
        && let Some(text) = declared_once(literal.value())
    {
        quad.object = Literal::new_typed_literal(text, rdf::XML_LITERAL).into();
    }
}

fn declared_once(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(begin) = memchr(b'<', &text.as_bytes()[at..]) {
        at += begin + 1;
        let mut seen = HashSet::new();
        // the rest of a start tag is a sequence of ` name="value"`
        while let Some(equals) = text[at..].find(['=', '>']).filter(|end| text[at + end..].starts_with('=')) {
            let name = text[at..at + equals].rfind(' ').map(|space| at + space)?;
            let value = at + equals + 2;
            let end = value + text[value..].find('"')? + 1;
            let key = &text[name + 1..at + equals];
            if (key == "xmlns" || key.starts_with("xmlns:")) && !seen.insert(key) {
                out.push_str(&text[copied..name]);
                copied = end;
            }
            at = end;
        }
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// Rejects an attribute that the library would copy into a literal unchanged, if this is not valid XML or
/// changes its meaning.
pub(super) fn check_attribute(value: &[u8], quote: u8) -> Result<()> {
    if quote == b'\'' && memchr(b'"', value).is_some() {
        return refuse(
            "an attribute value in single quotes that contains \"",
            "write the value in double quotes, with &quot;",
        );
    }
    let is_known =
        |name: &[u8]| name.starts_with(b"#") || matches!(name, b"lt" | b"gt" | b"amp" | b"apos" | b"quot");
    let names =
        value.split(|b| *b == b'&').skip(1).map(|rest| rest.split(|b| *b == b';').next().unwrap_or(rest));
    for name in names {
        if !is_known(name) {
            return refuse("an entity of the document in an attribute", "write the value of the entity");
        }
    }
    Ok(())
}

/// Rejects a comment or an instruction, which the library omits from a literal.
pub(super) fn refuse_comment() -> Result<()> {
    refuse("a comment or a processing instruction", "remove it, or write the literal as a string")
}

fn refuse(what: &str, advice: &str) -> Result<()> {
    let message = format!("{what} within rdf:parseType=\"Literal\" cannot be kept: {advice}");
    Err(Error::new(ErrorKind::TextSyntax, message))
}

/// Rejects characters that XML does not allow, also as references.
pub(super) fn check_characters(text: &[u8], has_references: bool) -> Result<()> {
    let is_control = |b: &u8| *b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r');
    if let Some(found) = text.iter().find(|b| is_control(b)) {
        return Err(not_xml(u32::from(*found)));
    }
    for end in [b"\xef\xbf\xbe", b"\xef\xbf\xbf"] {
        if memchr(0xef, text).is_some() && memchr::memmem::find(text, end).is_some() {
            return Err(not_xml(0xff40 + u32::from(end[2])));
        }
    }
    if !has_references {
        return Ok(());
    }
    for reference in text.split(|b| *b == b'&').skip(1).filter_map(|rest| rest.strip_prefix(b"#")) {
        if let Some(number) = number_of(reference)
            && (number < 0x20 && !matches!(number, 9 | 10 | 13) || matches!(number, 0xfffe | 0xffff))
        {
            return Err(not_xml(number));
        }
    }
    Ok(())
}

/// The number in a character reference, from the text after its `#`.
pub(super) fn number_of(reference: &[u8]) -> Option<u32> {
    let digits = &reference[..memchr(b';', reference)?];
    let digits = std::str::from_utf8(digits).ok()?;
    match digits.strip_prefix('x') {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}

fn not_xml(number: u32) -> Error {
    Error::new(ErrorKind::TextSyntax, format!("U+{number:04X} is not a character of XML 1.0"))
}
