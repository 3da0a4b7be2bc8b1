//! Finds the end of a piece of XML markup: a tag, a comment, a section, a declaration.

use memchr::{memchr_iter, memchr2_iter, memchr3_iter};

/// Size of the markup that begins here, by the rules of the parser; `None` if its end is not in `input`.
pub(super) fn markup_length(input: &[u8]) -> Option<usize> {
    let end_after = |least: usize, ending: &[u8]| {
        memchr_iter(b'>', input).find(|at| *at >= least && input[..*at].ends_with(ending))
    };
    let end = match input.get(1..3)? {
        [b'!', b'-'] => end_after(6, b"--"),
        [b'!', b'['] => end_after(4, b"]]"),
        [b'!', b'D' | b'd'] => {
            let mut depth = 0_usize;
            memchr2_iter(b'<', b'>', &input[2..]).find_map(|at| {
                if input[2 + at] == b'<' {
                    depth += 1;
                    return None;
                }
                let end = (depth == 0).then_some(2 + at);
                depth = depth.saturating_sub(1);
                end
            })
        }
        // the parser knows no other form
        [b'!', _] => Some(input.len() - 1),
        [b'?', _] => end_after(2, b"?"),
        _ => {
            let mut quote = 0;
            memchr3_iter(b'>', b'\'', b'"', &input[1..]).map(|at| at + 1).find(|at| {
                let b = input[*at];
                if quote == 0 && b != b'>' {
                    quote = b;
                } else if quote == b {
                    quote = 0;
                } else {
                    return quote == 0 && b == b'>';
                }
                false
            })
        }
    };
    end.map(|end| end + 1)
}
