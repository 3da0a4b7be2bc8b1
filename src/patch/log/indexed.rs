//! What `_index.jsonl` of a log knows of its end: a file that is lost at the end leaves nothing else behind.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use flate2::Crc;

/// The name of the index.
pub(super) const INDEX: &str = "_index.jsonl";
/// Lines at the end have the last versions, whoever wrote them.
const TAIL: u64 = 256 << 10;
/// Stands before the checksum of the line, which is its last member.
const CHECKSUM: &str = ",\"crc\":\"";

/// The last version that the index of a folder knows. An index that cannot be read knows none: it is derived.
pub fn last(folder: &Path) -> Option<u64> {
    let mut file = File::open(folder.join(INDEX)).ok()?;
    let size = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    bytes.split(|&byte| byte == b'\n').filter_map(version).max()
}

/// The version of a line that is whole: `{"version":7,...,"crc":"01234567"}`, the checksum of what is before it.
fn version(line: &[u8]) -> Option<u64> {
    let line = std::str::from_utf8(line).ok()?;
    let (body, checksum) = line.strip_suffix("\"}")?.rsplit_once(CHECKSUM)?;
    let mut crc = Crc::new();
    crc.update(body.as_bytes());
    if u32::from_str_radix(checksum, 16) != Ok(crc.sum()) {
        return None;
    }
    let digits = body.strip_prefix("{\"version\":")?;
    digits[..digits.find(|c: char| !c.is_ascii_digit())?].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn lines_that_are_torn_do_not_count() {
        let line = br#"{"version":12,"name":"patch-0012.rdfp","crc":"6fa7dc86"}"#;
        let mut crc = flate2::Crc::new();
        crc.update(&line[..line.len() - 18]);
        let right = format!("{{\"version\":12,\"name\":\"patch-0012.rdfp\",\"crc\":\"{:08x}\"}}", crc.sum());
        assert_eq!(version(right.as_bytes()), Some(12));
        assert_eq!(version(right.replace("0012", "0013").as_bytes()), None);
        for end in 0..right.len() {
            assert_eq!(version(&right.as_bytes()[..end]), None);
        }
    }
}
