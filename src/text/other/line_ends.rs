//! Line ends as XML reads them.

use memchr::{memchr, memchr3};

/// Adds text with the line ends that XML reads in place of all others, which the parser leaves as they are.
pub(super) fn push_lines(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some(at) = memchr(b'\r', rest) {
        out.extend_from_slice(&rest[..at]);
        out.push(b'\n');
        rest = rest[at + 1..].strip_prefix(b"\n").unwrap_or(&rest[at + 1..]);
    }
    out.extend_from_slice(rest);
}

/// The value of an attribute with the spaces that XML reads in place of tabs and line ends; nothing if it has none.
pub(super) fn one_line(value: &[u8]) -> Option<String> {
    memchr3(b'\t', b'\n', b'\r', value)?;
    Some(std::str::from_utf8(value).ok()?.replace("\r\n", " ").replace(['\t', '\n', '\r'], " "))
}
