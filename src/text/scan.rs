//! Which strings can be written as they are, and which need escapes.

/// Whether a lexical form stands between quotes as it is.
///
/// Canonical N-Triples of RDF 1.2 escapes `"`, `\`, U+0000 to U+001F, U+007F, U+FFFE and U+FFFF.
#[inline]
pub(crate) fn is_plain_literal(text: &str) -> bool {
    let bytes = text.as_bytes();
    !any(bytes, |b| {
        (b < 0x20) | (b == b'"') | (b == b'\\') | (b == 0x7f) | (b == 0xef)
    }) || !(any(bytes, |b| {
        (b < 0x20) | (b == b'"') | (b == b'\\') | (b == 0x7f)
    }) || text.contains(['\u{fffe}', '\u{ffff}']))
}

/// Whether every character may stand in an IRI: not `<>"{}|^`, backtick, backslash, or up to space.
#[inline]
pub(crate) fn is_plain_iri(text: &str) -> bool {
    !any(text.as_bytes(), |b| IRI_ESCAPED[b as usize])
}

/// Whether `byte` must be escaped in an IRI.
pub(crate) fn iri_escaped(byte: u8) -> bool {
    IRI_ESCAPED[byte as usize]
}

static IRI_ESCAPED: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = b <= 0x20
            || matches!(
                b as u8,
                b'<' | b'>' | b'"' | b'{' | b'}' | b'|' | b'^' | b'`' | b'\\'
            );
        b += 1;
    }
    table
};

/// Looks at sixteen bytes at a time, so that the compiler can use vectors; the last sixteen overlap.
#[inline(always)]
fn any(bytes: &[u8], test: impl Fn(u8) -> bool + Copy) -> bool {
    if bytes.len() < 16 {
        return bytes.iter().any(|&b| test(b));
    }
    let (blocks, tail) = bytes.as_chunks::<16>();
    let block_has = |block: &[u8; 16]| block.iter().fold(false, |found, &b| found | test(b));
    blocks.iter().any(block_has)
        || (!tail.is_empty() && bytes.last_chunk::<16>().is_some_and(block_has))
}

/// Whether a label is a `BLANK_NODE_LABEL` of N-Triples (without `_:`).
#[inline]
pub(crate) fn is_plain_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(&first), Some(&last)) if bytes.iter().all(|&b| LABEL_BYTE[b as usize]) => {
            first != b'-' && first != b'.' && last != b'.'
        }
        (Some(_), Some(_)) => is_plain_unicode_label(label),
        _ => false,
    }
}

static LABEL_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 128 {
        table[b] = (b as u8).is_ascii_alphanumeric() || matches!(b as u8, b'_' | b'-' | b'.');
        b += 1;
    }
    table
};

#[cold]
fn is_plain_unicode_label(label: &str) -> bool {
    let starts = |c: char| is_name_start(c) || c == '_' || c.is_ascii_digit();
    let goes_on = |c: char| {
        starts(c)
            || matches!(c, '-' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
            || c == '.'
    };
    label.starts_with(starts) && label.chars().all(goes_on) && !label.ends_with('.')
}

/// `PN_CHARS_BASE` of N-Triples.
fn is_name_start(c: char) -> bool {
    matches!(c, 'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
        | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}'
        | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}'
        | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}' | '\u{10000}'..='\u{effff}')
}
