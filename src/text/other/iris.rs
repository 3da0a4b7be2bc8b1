//! What the parser of Turtle is to refuse although it is lenient, and takes IRIs as N-Triples has them.

use memchr::memchr2;

use crate::error::{Error, ErrorKind, Result, excerpt};
use crate::scan::{has_scheme, is_plain_iri};

/// Rejects an IRI with characters that no IRI has, and one without a scheme where there is no base.
pub(super) fn check_iri(iri: &[u8], has_base: bool) -> Result<()> {
    // the parser rejects other bytes, and wrong escapes
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

/// Says whether an IRI of Turtle means the same with any base. One with escapes does if a colon ends its first part,
/// for what is escaped may stand in no scheme; of wrong escapes the parser says more.
pub(super) fn is_whole(iri: &str) -> bool {
    let has_colon = |iri: &str| iri.split(['/', '?', '#']).next().is_some_and(|part| part.contains(':'));
    has_scheme(iri.as_bytes()) || iri.contains('\\') && unescaped(iri).is_none_or(|iri| has_colon(&iri))
}

/// The error of an IRI that has no scheme, where no base completes it; `how` says what its format has for that.
#[cold]
pub(super) fn without_base(iri: &str, how: &str) -> Error {
    let iri = excerpt(iri);
    let message = format!("the IRI {iri} has no scheme, and the document has no base: {how}");
    Error::new(ErrorKind::TextIri, message)
}

/// An IRI of Turtle, its escapes resolved; `None`: some are wrong.
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

/// Rejects a line end in a string of one quote.
pub(super) fn check_line(text: &[u8]) -> Result<()> {
    match memchr2(b'\n', b'\r', text) {
        Some(_) => Err(Error::new(
            ErrorKind::TextSyntax,
            "a string does not end on its line; use three quotes for several lines",
        )),
        None => Ok(()),
    }
}

/// Rejects an escape that names have not.
pub(super) fn check_escape(escaped: Option<&u8>) -> Result<()> {
    match escaped {
        Some(b) if !b"_~.-!$&'()*+,;=/?#@%".contains(b) => {
            let message = format!("\\{} is not an escape of a name", char::from(*b).escape_debug());
            Err(Error::new(ErrorKind::TextSyntax, message))
        }
        _ => Ok(()),
    }
}
