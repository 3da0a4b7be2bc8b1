//! The text between two tags of RDF/XML as one piece. Of several pieces, with comments, instructions or sections between
//! them, the parser drops those that are white space, and rejects the others.

use super::guarded::token_too_long;
use super::line_ends::push_lines;
use crate::error::Result;

/// Comments and instructions that stand between pieces of a text.
#[derive(Debug, Default)]
pub(super) struct Between(Vec<u8>);

impl Between {
    /// Writes a section as text, and keeps a comment or an instruction until the text ends; `false`: the markup is none of them.
    ///
    /// # Errors
    /// `limit.term_bytes`: there are more than `most` bytes of them in one text.
    pub(super) fn take(&mut self, markup: &[u8], most: usize, out: &mut Vec<u8>) -> Result<bool> {
        if let Some(section) = markup.strip_prefix(b"<![CDATA[") {
            push_escaped(out, section.strip_suffix(b"]]>").unwrap_or(section));
        } else if markup.starts_with(b"<!--") || markup.starts_with(b"<?") {
            self.0.extend_from_slice(markup);
            if self.0.len() > most {
                return Err(token_too_long(most));
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Writes what was kept: a tag follows, or the end.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        push_lines(out, &self.0);
        self.0.clear();
    }
}

fn push_escaped(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some(at) = memchr::memchr3(b'&', b'<', b'>', rest) {
        push_lines(out, &rest[..at]);
        out.extend_from_slice(match rest[at] {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            _ => b"&gt;",
        });
        rest = &rest[at + 1..];
    }
    push_lines(out, rest);
}
