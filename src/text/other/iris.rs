//! Checks that the parser of Turtle omits because it is lenient and accepts IRIs like N-Triples.

use memchr::memchr2;

use crate::error::{Error, ErrorKind, Result, excerpt};
use crate::scan::{has_scheme, is_plain_iri};

/// Rejects an IRI with forbidden characters, and an IRI without a scheme if there is no base.
pub(super) fn check_iri(iri: &[u8], has_base: bool) -> Result<()> {
    // the parser rejects other bytes and invalid escapes
    let Ok(text) = std::str::from_utf8(iri) else { return Ok(()) };
    if !text.split('\\').all(is_plain_iri) {
        let message = format!("the IRI {} has characters that are not allowed", excerpt(text));
        return Err(Error::new(ErrorKind::TextIri, message));
    }
    if !has_base && !is_whole(text) {
        return Err(without_base(text, "declare one, such as @base <http://example.org/> ."));
    }
    Ok(())
}

/// Whether an IRI of Turtle has the same meaning with any base. An IRI with escapes does if its first part
/// ends with a colon, because an escaped character is never allowed in a scheme. The parser reports invalid
/// escapes.
pub(super) fn is_whole(iri: &str) -> bool {
    let has_colon = |iri: &str| iri.split(['/', '?', '#']).next().is_some_and(|part| part.contains(':'));
    has_scheme(iri.as_bytes()) || iri.contains('\\') && unescaped(iri).is_none_or(|iri| has_colon(&iri))
}

/// The error for an IRI without a scheme, if no base completes it; `how` names the way to declare a base in
/// the format.
#[cold]
pub(super) fn without_base(iri: &str, how: &str) -> Error {
    let iri = excerpt(iri);
    let message = format!("the IRI {iri} has no scheme, and the document has no base: {how}");
    Error::new(ErrorKind::TextIri, message)
}

/// An IRI of Turtle with resolved escapes; `None`: some escapes are invalid.
fn unescaped(iri: &str) -> Option<String> {
    let mut parts = iri.split('\\');
    let mut all = parts.next()?.to_owned();
    for part in parts {
        let digits = if part.starts_with('u') { 4 } else { 8 };
        let rest = part.strip_prefix(['u', 'U'])?;
        all.push(char::from_u32(u32::from_str_radix(rest.get(..digits)?, 16).ok()?)?);
        all.push_str(&rest[digits..]);
    }
    Some(all)
}

/// Rejects a line end in a string that is delimited by one quotation mark, not three.
pub(super) fn check_line(text: &[u8]) -> Result<()> {
    match memchr2(b'\n', b'\r', text) {
        Some(_) => Err(Error::new(
            ErrorKind::TextSyntax,
            "a string does not end on its line; use three quotes for several lines",
        )),
        None => Ok(()),
    }
}

/// Rejects an escape that is not allowed in names.
pub(super) fn check_escape(escaped: Option<&u8>) -> Result<()> {
    match escaped {
        Some(b) if !b"_~.-!$&'()*+,;=/?#@%".contains(b) => {
            let message = format!("\\{} is not an escape of a name", char::from(*b).escape_debug());
            Err(Error::new(ErrorKind::TextSyntax, message))
        }
        _ => Ok(()),
    }
}
