//! Changes language tags to lower case, because terms are compared without their case.

/// Changes the language tags in a canonical term to lower case; returns whether this changed anything.
pub(crate) fn fold_tags(text: &mut [u8]) -> bool {
    let (mut at, mut folded) = (0, false);
    while let Some(open) = memchr::memchr(b'"', &text[at..]) {
        at += open + 1;
        // the quotation mark that ends the lexical form
        loop {
            match memchr::memchr2(b'"', b'\\', &text[at..]) {
                None => return folded,
                Some(next) if text[at + next] == b'\\' => at = (at + next + 2).min(text.len()),
                Some(next) => {
                    at += next + 1;
                    break;
                }
            }
        }
        if text.get(at) != Some(&b'@') {
            continue;
        }
        while at < text.len() && text[at] != b' ' {
            // `\U` escapes characters that no tag should have; `\u` would be another escape
            if text[at].is_ascii_uppercase() && text[at - 1] != b'\\' {
                text[at] = text[at].to_ascii_lowercase();
                folded = true;
            }
            at += 1;
        }
    }
    folded
}
