//! The entries of `_index.jsonl` about the files of a log. They are the only trace of a file that is lost at
//! the end, or that is cut at the end of a row.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use flate2::Crc;

use super::manifest::{Value, fields};
use super::names::number_in;
use super::summary::summary_of;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::patch::again::Again;
use crate::patch::work::Work;
use crate::term::TermBuf;

/// The name of the index.
pub(super) const INDEX: &str = "_index.jsonl";
/// The lines in this many bytes at the end include the last versions, whichever program wrote them.
const TAIL: u64 = 256 << 10;
/// Precedes the checksum of the line, which is its last member.
const CHECKSUM: &str = ",\"crc\":\"";
const OTHER_ROWS: &str = "other rows than";

/// The files of a log according to its index.
#[derive(Clone, Debug, Default)]
pub(super) struct Indexed {
    files: HashMap<u64, Known>,
}

/// The index entry for the file of a version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    name: String,
    bytes: u64,
    /// Time of the last modification, in nanoseconds since 1970.
    changed: Option<u128>,
    /// The id of its patch, as a term.
    id: Option<String>,
    /// [`RowsDigest`](super::digest::RowsDigest) of its rows, in hexadecimal.
    digest: Option<String>,
}

impl Indexed {
    /// Reads the index of a folder. An index that cannot be read has no entries, because it is derived data.
    pub(super) fn of(folder: &Path) -> Self {
        Indexed { files: lines(folder, u64::MAX) }
    }

    /// Reads only the end of the index.
    pub(super) fn end_of(folder: &Path) -> Self {
        Indexed { files: lines(folder, TAIL) }
    }

    /// The last version in the index.
    pub(super) fn last(&self) -> Option<u64> {
        self.files.keys().max().copied()
    }

    /// The name of the file of a version.
    pub(super) fn name(&self, version: u64) -> Option<&str> {
        self.files.get(&version).map(|known| known.name.as_str())
    }

    /// The fault of a file, judged by its size; `None`: there is none, or the index does not know this file.
    pub(super) fn fault(&self, version: u64, name: &str, size: u64) -> Option<String> {
        let known = self.files.get(&version)?;
        other_size(name, (&known.name, known.bytes), size)
    }

    /// The fault in the rows of a file. The rows are read if the modification time shows a change, or if
    /// `always` is set. For a file of another size, use [`Self::fault`].
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn other_rows(
        &self,
        source: &Again,
        always: bool,
        work: &mut Work<'_>,
    ) -> Result<Option<String>> {
        let Some((known, is_changed)) = source.path().and_then(|path| self.of_file(path)) else {
            return Ok(None);
        };
        let Some(digest) = known.digest.as_deref().filter(|_| always || is_changed) else { return Ok(None) };
        let is_known = hex_digest(summary_of(source, true, work)?.digest) == digest;
        Ok((!is_known).then(|| changed(&known.name, OTHER_ROWS, "")))
    }

    /// The id of the only patch of a file, and the size of the file, if the file matches the index; then it
    /// need not be read.
    pub(super) fn patch(&self, path: &Path) -> Option<(Option<TermBuf>, u64)> {
        let (known, _) = self.of_file(path).filter(|(_, is_changed)| !is_changed)?;
        let id = known.id.as_deref().map(TermBuf::from_text).transpose().ok()?;
        Some((id, known.bytes))
    }

    /// The entry for a file that has the name and the size of its version, and whether the modification time
    /// differs.
    fn of_file(&self, path: &Path) -> Option<(&Known, bool)> {
        let name = path.file_name()?.to_str()?;
        let known = self.files.get(&number_in(name)?).filter(|known| known.name == name)?;
        let meta = path.metadata().ok().filter(|meta| meta.len() == known.bytes)?;
        Some((known, changed_at(&meta) != known.changed))
    }
}

/// Time of the last modification of a file, in nanoseconds since 1970.
fn changed_at(meta: &Metadata) -> Option<u128> {
    Some(meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos())
}

/// Formats a digest as in the index.
pub fn hex_digest(digest: [u8; 32]) -> String {
    digest.map(|byte| format!("{byte:02x}")).concat()
}

/// Rejects a file of a log that does not match the name, size and digest in its index. `digest` is the digest
/// of the file, if it is known.
pub fn refuse_changed(path: &Path, known: (&str, u64, &str), size: u64, digest: Option<&str>) -> Result<()> {
    let (known_name, known_size, known_digest) = known;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let other_rows = || {
        let is_other = digest.is_some_and(|digest| digest != known_digest);
        is_other.then(|| changed(&name, OTHER_ROWS, ""))
    };
    let Some(message) = other_size(&name, (known_name, known_size), size).or_else(other_rows) else {
        return Ok(());
    };
    let place = Position { source: Some(path.to_string_lossy().into()), ..Position::default() };
    Err(Error::new(ErrorKind::PatchDamaged, message).located(&place))
}

fn other_size(name: &str, known: (&str, u64), size: u64) -> Option<String> {
    let is_other = known.0 == name && known.1 != size;
    is_other.then(|| changed(name, &format!("{size} bytes, but"), &format!(" {}", known.1)))
}

fn changed(name: &str, found: &str, known: &str) -> String {
    format!(
        "{name} has {found} {INDEX} records{known}: the file was cut off or changed; if that was on purpose, remove {INDEX}"
    )
}

/// The last version in the index of a folder.
pub fn last(folder: &Path) -> Option<u64> {
    Indexed::end_of(folder).last()
}

fn lines(folder: &Path, most: u64) -> HashMap<u64, Known> {
    let read = || {
        let mut file = File::open(folder.join(INDEX))?;
        let size = file.metadata()?.len();
        file.seek(SeekFrom::Start(size.saturating_sub(most)))?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        std::io::Result::Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    bytes.split(|&byte| byte == b'\n').filter_map(line).collect()
}

/// Parses a complete line into its version and file: `{"version":7,...,"crc":"01234567"}` has the checksum of
/// the text before it.
fn line(line: &[u8]) -> Option<(u64, Known)> {
    let text = std::str::from_utf8(line).ok()?;
    let (body, checksum) = text.strip_suffix("\"}")?.rsplit_once(CHECKSUM)?;
    let mut crc = Crc::new();
    crc.update(body.as_bytes());
    if u32::from_str_radix(checksum, 16) != Ok(crc.sum()) {
        return None;
    }
    let (mut version, mut name, mut size, mut known) = (None, None, None, Known::default());
    for (key, value) in fields(INDEX, line).ok()? {
        match (key.as_str(), value) {
            ("version", Value::Number(number)) => version = number.parse().ok(),
            ("size", Value::Number(number)) => size = number.parse().ok(),
            ("name", Value::Text(text)) => name = Some(text),
            ("mtime", Value::Number(number)) => known.changed = number.parse().ok(),
            ("id", Value::Text(text)) => known.id = Some(text),
            ("digest", Value::Text(text)) => known.digest = Some(text),
            _ => {}
        }
    }
    Some((version?, Known { name: name?, bytes: size?, ..known }))
}

#[cfg(test)]
mod tests {
    use super::{Known, line};

    #[test]
    fn lines_that_are_torn_do_not_count() {
        let body = r#"{"version":12,"name":"patch-0012.rdfp","size":7,"mtime":1700000000123456789,"id":"<u:1>","digest":"00ff""#;
        let mut crc = flate2::Crc::new();
        crc.update(body.as_bytes());
        let right = format!("{body},\"crc\":\"{:08x}\"}}", crc.sum());
        let known = Known {
            name: "patch-0012.rdfp".to_owned(),
            bytes: 7,
            changed: Some(1_700_000_000_123_456_789),
            id: Some("<u:1>".to_owned()),
            digest: Some("00ff".to_owned()),
        };
        assert_eq!(line(right.as_bytes()), Some((12, known)));
        assert_eq!(line(right.replace("0012", "0013").as_bytes()), None);
        for end in 0..right.len() {
            assert_eq!(line(&right.as_bytes()[..end]), None);
        }
    }
}
