//! The identity of a file: compares the file of an index or a split with the current file.
//!
//! A file is the same if the system reports the same size, modification time, change time and inode. If one
//! of these differs, as in a copy, or is not conclusive (the file changed just now, and clocks are coarse),
//! the bytes decide: the CRC-32C of all bytes, which is as fast as reading.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::time::{Duration, SystemTime};

/// Bytes read at a time.
const CHUNK: usize = 1 << 20;
/// Two changes within this time may have the same timestamp.
const COARSE: Duration = Duration::from_secs(2);

/// Metadata of a file: modification time and change time in nanoseconds, and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(pub(crate) [u64; 3]);

impl Stamp {
    /// The stamp of a file; `None`: the system does not report enough.
    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "other systems may not say enough")]
    pub(crate) fn of(file: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let nanoseconds =
            |seconds: i64, part: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(part).cast_unsigned();
        let modified = nanoseconds(file.mtime(), file.mtime_nsec());
        Some(Stamp([modified, nanoseconds(file.ctime(), file.ctime_nsec()), file.ino()]))
    }

    /// The stamp of a file; `None`: the system does not report enough.
    #[cfg(not(unix))]
    pub(crate) fn of(_: &Metadata) -> Option<Self> {
        None
    }

    /// Whether a change from now on gives another stamp.
    pub(crate) fn is_settled(self) -> bool {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let settled = now.saturating_sub(COARSE).as_nanos();
        self.0[..2].iter().all(|&time| u128::from(time) < settled)
    }

    fn modified(self) -> u64 {
        self.0[0]
    }
}

/// The first bytes of a file, with their checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Checked {
    pub(crate) bytes: u64,
    pub(crate) checksum: u32,
}

impl Checked {
    /// Computes the checksum of the first `bytes` bytes of a file; a shorter file has another checksum.
    pub(crate) fn of(file: &mut File, bytes: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(0))?;
        let (mut buffer, mut checksum, mut left) = (vec![0; CHUNK], 0, bytes);
        while left > 0 {
            let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            match file.read(&mut buffer[..most]) {
                Ok(0) => break,
                Ok(read) => {
                    checksum = crc32c::crc32c_append(checksum, &buffer[..read]);
                    left -= read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Checked { bytes: bytes - left, checksum })
    }
}

/// The identity of a file: its stored bytes, compressed or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) size: u64,
    /// `None`: it is not a file, or the system does not report enough.
    pub(crate) stamp: Option<Stamp>,
    /// `None`: not all of it was read.
    pub(crate) checked: Option<Checked>,
}

impl Identity {
    /// Whether the file is still the same and has the same size. Without a checksum, a file that was not
    /// modified since is considered the same.
    pub(crate) fn is_of(&self, mut file: File) -> io::Result<bool> {
        let found = file.metadata()?;
        if found.len() != self.size {
            return Ok(false);
        }
        let stamp = Stamp::of(&found);
        Ok(match (self.stamp, stamp, self.checked) {
            (Some(known), Some(stamp), _) if known == stamp && stamp.is_settled() => true,
            (.., Some(checked)) => Checked::of(&mut file, checked.bytes)? == checked,
            (Some(known), Some(stamp), None) => known.modified() == stamp.modified(),
            _ => true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_that_may_come_again_is_not_settled() {
        let at = |seconds: u64| Stamp([seconds * 1_000_000_000, 5, 7]);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        assert!(at(now - 3600).is_settled());
        assert!(!at(now).is_settled() && !at(now + 3600).is_settled());
    }

    #[test]
    fn bytes_decide_where_the_system_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let open = || File::open(&path).unwrap();
        std::fs::write(&path, b"0123456789").unwrap();
        let checked = Checked::of(&mut open(), 10).unwrap();
        let other = Some(Stamp([1, 2, 3]));
        let known = Identity { size: 10, stamp: other, checked: Some(checked) };
        assert!(known.is_of(open()).unwrap());
        assert!(
            !Identity { checked: None, ..known }.is_of(open()).unwrap(),
            "another time, and nothing more"
        );
        std::fs::write(&path, b"0123x56789").unwrap();
        assert!(!known.is_of(open()).unwrap());
        let stamp = Stamp::of(&open().metadata().unwrap());
        assert!(!Identity { stamp, ..known }.is_of(open()).unwrap(), "the same stamp, but changed just now");
        std::fs::write(&path, b"0123456789a").unwrap();
        assert!(!known.is_of(open()).unwrap());
        assert_eq!(Checked::of(&mut open(), 10).unwrap(), checked);
        assert_eq!(Checked::of(&mut open(), 99).unwrap().bytes, 11);
    }
}
