//! Names of files in a folder of patches: which files hold patches, and their order.

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::compression::unpacked;

/// File name extensions of patch formats in folders.
const PATCHES: [&str; 3] = [".jellyp", ".rdfp", ".trp"];

/// Whether a file with this name in a folder holds patches: by its extension, or by the number at its end.
pub fn holds_patches(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let plain = unpacked(&lower);
    !name.starts_with(['.', '_'])
        && (PATCHES.iter().any(|ending| plain.ends_with(ending))
            || plain.ends_with(|last: char| last.is_ascii_digit()))
}

/// The last part of a path or URL.
pub(super) fn file_name(name: &str) -> &str {
    name.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or(name)
}

/// The number of the patch in a file such as `patch-0007.jellyp.zst`.
pub(crate) fn number_in(name: &str) -> Option<u64> {
    let lower = name.to_ascii_lowercase();
    let rest = unpacked(&lower).strip_prefix("patch-")?;
    let digits = PATCHES.iter().find_map(|ending| rest.strip_suffix(ending)).unwrap_or(rest);
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// The name of the patch with this number, with the ending of another file in its folder.
pub(super) fn name_like(number: u64, other: &str) -> String {
    let ending = other.strip_prefix("patch-").unwrap_or_default();
    format!("patch-{number:04}{}", ending.trim_start_matches(|digit: char| digit.is_ascii_digit()))
}

/// Sorts files by name, with numbers by value: `patch-9` before `patch-10`.
///
/// If there is `log` beside `log.1` and `log.2`, files are renamed when a new one begins, as logrotate and
/// Jena's policy `shift` do: the highest number is the oldest file.
pub(super) fn in_order<T>(files: &mut [T], name: impl Fn(&T) -> &str) {
    let names: HashSet<String> = files.iter().map(|file| name(file).to_owned()).collect();
    files.sort_by_cached_key(|file| {
        let name = name(file);
        let age = shifted(name).filter(|(before, _)| names.contains(*before));
        let (name, is_last, number) = match age {
            Some((before, number)) => (before, false, number),
            None => (name, true, 0),
        };
        (key(name), is_last, Reverse(number))
    });
}

/// The name of a renamed file before the rename, and its number.
pub(super) fn shifted(name: &str) -> Option<(&str, u64)> {
    let (before, digits) = unpacked(name).rsplit_once('.')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    (is_number && !before.is_empty()).then(|| (before, digits.parse().unwrap_or(u64::MAX)))
}

/// The sort key of a name: pieces of text, which sort before numbers, and numbers by length and digits
/// without leading zeros, then by all digits.
fn key(name: &str) -> Vec<(bool, usize, String, String)> {
    let mut rest = name;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let is_number = rest.starts_with(|first: char| first.is_ascii_digit());
        let end = rest.find(|next: char| next.is_ascii_digit() != is_number).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        let value = if is_number { piece.trim_start_matches('0') } else { piece };
        let length = if is_number { value.len() } else { 0 };
        pieces.push((is_number, length, value.to_owned(), piece.to_owned()));
        rest = after;
    }
    pieces
}
