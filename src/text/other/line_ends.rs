//! Normalizes line ends as XML does.

use memchr::{memchr, memchr3};

/// Appends text with normalized line ends, which the parser leaves unchanged.
pub(super) fn push_lines(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some(at) = memchr(b'\r', rest) {
        out.extend_from_slice(&rest[..at]);
        out.push(b'\n');
        rest = rest[at + 1..].strip_prefix(b"\n").unwrap_or(&rest[at + 1..]);
    }
    out.extend_from_slice(rest);
}

/// The value of an attribute with spaces in place of tabs and line ends, as XML normalizes them; `None` if it
/// has none.
pub(super) fn one_line(value: &[u8]) -> Option<String> {
    memchr3(b'\t', b'\n', b'\r', value)?;
    Some(std::str::from_utf8(value).ok()?.replace("\r\n", " ").replace(['\t', '\n', '\r'], " "))
}
