//! Checks which strings can be written as they are, and which need escapes.

use crate::error::{Error, ErrorKind, Result, excerpt};

/// Whether a lexical form can be written between quotes without escapes.
///
/// Canonical N-Triples of RDF 1.2 escapes `"`, `\`, U+0000 to U+001F, U+007F, U+FFFE and U+FFFF.
pub(crate) fn is_plain_literal(text: &str) -> bool {
    let bytes = text.as_bytes();
    let nonchar = || any(bytes, |b| b == 0xef) && text.contains(['\u{fffe}', '\u{ffff}']);
    !any(bytes, literal_escaped) && !nonchar()
}

/// Returns the text if it is ASCII and can be written between quotes without escapes.
#[inline(always)]
pub(crate) fn plain_ascii_literal(bytes: &[u8]) -> Option<&str> {
    ascii_without(bytes, literal_escaped)
}

/// Returns the text if it is ASCII and needs no escapes in an IRI. Also rejects `!` and `~`.
#[inline(always)]
pub(crate) fn plain_ascii_iri(bytes: &[u8]) -> Option<&str> {
    ascii_without(bytes, iri_careful)
}

/// Returns the text if it is ASCII.
#[inline(always)]
pub(crate) fn ascii(bytes: &[u8]) -> Option<&str> {
    ascii_without(bytes, |_| false)
}

/// Returns the text if it is ASCII and no byte passes the test.
#[inline(always)]
#[expect(unsafe_code, reason = "from_utf8 would go over the text again: 4 to 9 % of reading a row")]
fn ascii_without(bytes: &[u8], test: impl Fn(u8) -> bool + Copy) -> Option<&str> {
    // SAFETY: ASCII is UTF-8
    (!any(bytes, |b| (b >= 0x80) | test(b))).then(|| unsafe { str::from_utf8_unchecked(bytes) })
}

/// Whether `byte` must be escaped in a literal.
#[inline(always)]
fn literal_escaped(b: u8) -> bool {
    (b < 0x20) | (b == b'"') | (b == b'\\') | (b == 0x7f)
}

/// Number of bytes of a lexical form before the first byte that may need an escape.
#[inline]
pub(crate) fn plain_run(bytes: &[u8]) -> usize {
    run(bytes, |b| literal_escaped(b) | (b == 0xef)) // U+FFFE and U+FFFF begin with this byte
}

/// Number of bytes before the first byte that no blank node label contains.
#[inline(always)]
pub(crate) fn label_run(bytes: &[u8]) -> usize {
    run(bytes, |b| !is_label_byte(b) & (b < 0x80))
}

/// Length of the ASCII blank node label that begins here; `None` if it is not a plain label.
#[inline(always)]
pub(crate) fn plain_label_run(bytes: &[u8]) -> Option<usize> {
    let length = run(bytes, |b| !is_label_byte(b));
    let last = bytes[..length].last()?;
    (!matches!(bytes[0], b'-' | b'.') && *last != b'.').then_some(length)
}

/// Whether an IRI begins with a scheme.
pub(crate) fn has_scheme(iri: &[u8]) -> bool {
    let scheme = &iri[..memchr::memchr(b':', iri).unwrap_or(0)];
    scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

/// Whether every character is allowed in an IRI: not `<>"{}|^`, backtick, backslash, or U+0000 to space.
#[inline(always)]
pub(crate) fn is_plain_iri(text: &str) -> bool {
    is_plain_part(text.as_bytes())
}

/// Like [`is_plain_iri`], for a part of an IRI.
#[inline(always)]
pub(crate) fn is_plain_part(bytes: &[u8]) -> bool {
    !any(bytes, iri_careful) || is_plain_odd_part(bytes)
}

/// Whether an IRI between `<` and `>` can begin with these bytes, or be these bytes: `<_:` would be a blank
/// node.
#[inline(always)]
pub(crate) fn starts_plainly(bytes: &[u8]) -> bool {
    is_plain_part(bytes) && !bytes.starts_with(b"_:")
}

/// [`is_plain_part`] for a part with `!`, `~`, characters beyond ASCII, or characters that need escapes.
#[cold]
fn is_plain_odd_part(bytes: &[u8]) -> bool {
    !any(bytes, iri_escaped)
}

/// Whether the bytes contain a `"` or a backslash.
#[inline(always)]
pub(crate) fn has_quote(bytes: &[u8]) -> bool {
    any(bytes, |b| (b == b'"') | (b == b'\\'))
}

/// True for all bytes for which `iri_escaped` is true and for a few more, in half the steps.
#[inline(always)]
fn iri_careful(b: u8) -> bool {
    (b.wrapping_sub(b'#') > b'z' - b'#') | (b & !0x62 == 0x1c) | (b == b'`') // the second test: `<>\^`
}

/// Whether `byte` is allowed in a language tag.
#[inline(always)]
pub(crate) fn is_tag_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() | (b == b'-')
}

/// Whether `byte` must be escaped in an IRI.
#[inline(always)]
pub(crate) fn iri_escaped(b: u8) -> bool {
    (b <= 0x20)
        | (b == b'"')
        | (b & !2 == b'<') // and `>`
        | (b & !2 == b'\\') // and `^`
        | (b == b'`')
        | (b.wrapping_sub(b'{') < 3) // `{`, `|` and `}`
}

/// Bytes tested together, so that the compiler can use vectors.
const BLOCK: usize = 16;

/// Number of bytes before the first byte that an IRI cannot contain without an escape.
#[inline(always)]
pub(crate) fn iri_run(bytes: &[u8]) -> usize {
    let length = run(bytes, iri_careful);
    match bytes.get(length) {
        Some(&b) if !iri_escaped(b) => odd_iri_run(bytes, length),
        _ => length,
    }
}

/// Like [`iri_run`], for an IRI with `!`, `~` or characters beyond ASCII after the first `done` bytes.
#[cold]
fn odd_iri_run(bytes: &[u8], done: usize) -> usize {
    done + run(&bytes[done..], iri_escaped)
}

/// Number of bytes before the first byte that no language tag contains.
#[inline(always)]
pub(crate) fn tag_run(bytes: &[u8]) -> usize {
    bytes.iter().position(|&b| !is_tag_byte(b)).unwrap_or(bytes.len())
}

/// Number of bytes before the first byte that passes the test.
#[inline(always)]
fn run(bytes: &[u8], test: impl Fn(u8) -> bool + Copy) -> usize {
    let (blocks, rest) = bytes.as_chunks();
    let mut done = 0;
    for block in blocks {
        let found = passing(block, test);
        if found != 0 {
            return done + found.trailing_zeros() as usize;
        }
        done += BLOCK;
    }
    done + rest.iter().position(|&b| test(b)).unwrap_or(rest.len())
}

/// Whether any byte passes the test; blocks overlap at the end.
#[inline(always)]
fn any(bytes: &[u8], test: impl Fn(u8) -> bool + Copy) -> bool {
    if let Some(last) = bytes.last_chunk() {
        let (blocks, _) = bytes[..bytes.len() - 1].as_chunks();
        // a loop, because the compiler does not inline `Iterator::any`
        for block in blocks {
            if passing(block, test) != 0 {
                return true;
            }
        }
        return passing(last, test) != 0;
    }
    // assembled in a register: memory would be read before it is written
    let block = if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk()) {
        u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << 64
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk()) {
        let both = u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
        u128::from(both) | u128::from(both) << 64
    } else {
        return bytes.iter().any(|&b| test(b));
    };
    passing(&block.to_le_bytes(), test) != 0
}

/// Returns one bit per byte, set if the byte passes the test.
///
/// The compiler vectorizes the test, but would need 100 instructions or more to collect the bits.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[expect(unsafe_code, reason = "14 to 25 instructions for a block, not 170 to 300; SSE2 is part of x86-64")]
fn passing(block: &[u8; BLOCK], test: impl Fn(u8) -> bool) -> u32 {
    use std::arch::x86_64::{__m128i, _mm_movemask_epi8};
    let mut found = [0; BLOCK];
    // a loop, because the compiler does not inline `map`
    for (found, &b) in found.iter_mut().zip(block) {
        *found = u8::from(test(b)).wrapping_neg();
    }
    // SAFETY: both types are 16 bytes of any content, and every x86-64 has SSE2
    unsafe { _mm_movemask_epi8(std::mem::transmute::<[u8; BLOCK], __m128i>(found)) as u32 }
}

/// Returns one bit per byte, set if the byte passes the test.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn passing(block: &[u8; BLOCK], test: impl Fn(u8) -> bool) -> u32 {
    block.iter().rev().fold(0, |found, &b| found << 1 | u32::from(test(b)))
}

/// Whether a label is a `BLANK_NODE_LABEL` of N-Triples (without `_:`).
#[inline(always)]
pub(crate) fn is_plain_label(label: &str) -> bool {
    is_plain_ascii_label(label.as_bytes()) || is_plain_unicode_label(label)
}

/// Like [`is_plain_label`], and ASCII.
#[inline(always)]
pub(crate) fn is_plain_ascii_label(label: &[u8]) -> bool {
    let (Some(first), Some(last)) = (label.first(), label.last()) else { return false };
    !any(label, |b| !is_label_byte(b)) && !matches!(first, b'-' | b'.') && *last != b'.'
}

/// Whether a byte is an ASCII character of labels: letters, digits, `_`, `-` and `.`.
#[inline(always)]
fn is_label_byte(b: u8) -> bool {
    ((b | 0x20).wrapping_sub(b'a') < 26)
        | (b.wrapping_sub(b'0') < 10)
        | (b.wrapping_sub(b'-') < 2)
        | (b == b'_')
}

#[cold]
fn is_plain_unicode_label(label: &str) -> bool {
    let starts = |c: char| is_name_start(c) || c == '_' || c.is_ascii_digit();
    label.starts_with(starts) && is_name_rest(label)
}

/// Whether a name is a `PN_PREFIX` of Turtle, or the empty name.
pub(crate) fn is_prefix_name(name: &str) -> bool {
    name.is_empty() || name.starts_with(is_name_start) && is_name_rest(name)
}

/// Rejects a prefix name that Turtle does not allow.
pub(crate) fn check_prefix_name(name: &str) -> Result<()> {
    if is_prefix_name(name) {
        return Ok(());
    }
    let hint = if name.ends_with(':') { "; the colon is not part of the name" } else { "" };
    let message = format!("{} cannot be the name of a prefix in Turtle{hint}", excerpt(name));
    Err(Error::new(ErrorKind::PatchName, message))
}

/// `((PN_CHARS | '.')* PN_CHARS)?` of Turtle.
fn is_name_rest(name: &str) -> bool {
    let goes_on = |c: char| {
        is_name_start(c)
            || c.is_ascii_digit()
            || matches!(c, '_' | '-' | '.' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
    };
    name.chars().all(goes_on) && !name.ends_with('.')
}

/// `PN_CHARS_BASE` of N-Triples and Turtle.
fn is_name_start(c: char) -> bool {
    matches!(c, 'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
        | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}'
        | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}'
        | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}' | '\u{10000}'..='\u{effff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_judged_at_every_place_of_every_length() {
        for length in 1..40 {
            for place in 0..length {
                for byte in 0..=0xffu8 {
                    let mut bytes = vec![b'a'; length];
                    bytes[place] = byte;
                    let escaped = byte < 0x20 || b"\"\\\x7f".contains(&byte);
                    let is_ascii = byte < 0x80;
                    let plain = plain_ascii_literal(&bytes);
                    assert_eq!(plain.is_some(), is_ascii && !escaped);
                    assert_eq!(ascii(&bytes).is_some(), is_ascii);
                    let careful = escaped || byte == 0xef;
                    let run = if careful { place } else { length };
                    assert_eq!(plain_run(&bytes), run, "{byte} {place} {length}");
                    let ends = !byte.is_ascii_alphanumeric() && !b"_-.".contains(&byte) && is_ascii;
                    assert_eq!(label_run(&bytes), if ends { place } else { length });
                    let label = &bytes[..if ends || !is_ascii { place } else { length }];
                    let is_plain = !label.is_empty() && !b"-.".contains(&label[0]) && !label.ends_with(b".");
                    assert_eq!(plain_label_run(&bytes), is_plain.then_some(label.len()));
                    let banned = byte <= b' ' || b"<>\"{}|^`\\".contains(&byte);
                    assert_eq!(iri_escaped(byte), banned);
                    assert_eq!(iri_run(&bytes), if banned { place } else { length });
                    let Ok(label) = std::str::from_utf8(&bytes) else {
                        continue;
                    };
                    let inside = byte.is_ascii_alphanumeric() || byte == b'_';
                    let plain = inside
                        || byte == b'-' && place > 0
                        || byte == b'.' && place > 0 && place + 1 < length;
                    assert_eq!(is_plain_label(label), plain, "{label}");
                    assert_eq!(is_plain_iri(label), !banned);
                    assert_eq!(is_plain_literal(label), !escaped);
                }
            }
        }
        assert!(plain_ascii_literal(b"") == Some("") && is_plain_iri("") && !is_plain_label(""));
        assert!(
            is_plain_literal("\u{fffd}") && !is_plain_literal("\u{fffe}") && !is_plain_literal("\u{ffff}")
        );
    }
}
