//! How streams of our own writer start.

use crate::encode::write_patch_options;
use crate::limits::MAX_NESTING;
use crate::options::PatchOptions;
use crate::restart::{MARK_KEY, Mark};
use crate::wire::{Buffer, Cursor, Key};

/// Whether a stream that starts so has a mark that says that a footer comes.
pub(super) fn announces_footer(start: &[u8]) -> bool {
    first_mark(start).is_some_and(|(mark, _)| mark.footer)
}

/// Whether a Jelly-Patch stream that starts so is marked as one that begins again, with these options: end to end,
/// files of these are one stream. 128 bytes are enough to see that.
pub fn is_part(start: &[u8], options: &PatchOptions) -> bool {
    let (mut row, mut rows) = (Buffer::default(), Buffer::default());
    row.bytes(1, write_patch_options(options).as_bytes());
    rows.bytes(1, row.as_bytes());
    first_mark(start).is_some_and(|(mark, rest)| mark.ordinal == 0 && rest.starts_with(rows.as_bytes()))
}

/// The mark at the start of a stream with lengths, and what comes behind the mark.
fn first_mark(start: &[u8]) -> Option<(Mark, &[u8])> {
    let mut cursor = Cursor::new(start);
    cursor.varint().ok()?;
    let Key { field: 15, .. } = cursor.key().ok()? else {
        return None;
    };
    let (key, value) = crate::decode::metadata_entry(cursor.bytes().ok()?, MAX_NESTING).ok()?;
    let mark = Mark::decode(value).ok().filter(|_| key == MARK_KEY)?;
    Some((mark, cursor.rest))
}
