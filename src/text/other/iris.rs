//! What the parser of Turtle is to refuse although it is lenient, and takes IRIs as N-Triples has them.

use memchr::{memchr, memchr2};

use crate::error::{Error, ErrorKind, Result};
use crate::scan::{has_scheme, is_plain_iri};

/// Says whether an IRI means the same with any base; of one with escapes, which may hide a scheme, it is believed.
pub(super) fn is_whole(iri: &[u8]) -> bool {
    has_scheme(iri) || memchr(b'\\', iri).is_some()
}

/// Refuses an IRI with characters that no IRI has, and one without a scheme where there is no base.
pub(super) fn check_iri(iri: &[u8], has_base: bool) -> Result<()> {
    // the parser refuses other bytes, and wrong escapes
    let Ok(text) = std::str::from_utf8(iri) else { return Ok(()) };
    if !text.split('\\').all(is_plain_iri) {
        return Err(Error::new(ErrorKind::TextIri, "an IRI with characters that it may not hold"));
    }
    if !has_base && !is_whole(iri) {
        return Err(Error::new(ErrorKind::TextIri, "an IRI without a scheme, in a document without a base"));
    }
    Ok(())
}

/// Refuses a line end in a string of one quote.
pub(super) fn check_line(text: &[u8]) -> Result<()> {
    match memchr2(b'\n', b'\r', text) {
        Some(_) => {
            Err(Error::new(ErrorKind::TextSyntax, "a string of one quote that goes on in the next line"))
        }
        None => Ok(()),
    }
}

/// Refuses an escape that names have not.
pub(super) fn check_escape(escaped: Option<&u8>) -> Result<()> {
    match escaped {
        Some(b) if !b"_~.-!$&'()*+,;=/?#@%".contains(b) => {
            let message = format!("\\{} is not an escape of names", char::from(*b).escape_debug());
            Err(Error::new(ErrorKind::TextSyntax, message))
        }
        _ => Ok(()),
    }
}
