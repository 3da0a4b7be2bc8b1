//! A file that several readers share, each with its own position.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// A source that can be read at any position.
pub trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

/// A file that was opened once and is read through clones of this value.
#[derive(Clone)]
pub struct SharedFile {
    file: Arc<Mutex<Inner>>,
    length: u64,
    at: u64,
}

struct Inner {
    file: Box<dyn ReadSeek>,
    /// The current position of the file, if known.
    at: Option<u64>,
}

impl SharedFile {
    /// Creates a shared file and determines its length.
    pub fn new(mut file: Box<dyn ReadSeek>) -> io::Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        Ok(SharedFile { file: Arc::new(Mutex::new(Inner { file, at: Some(length) })), length, at: 0 })
    }

    /// Length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }
}

impl Read for SharedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut inner = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.at.take() != Some(self.at) {
            inner.file.seek(SeekFrom::Start(self.at))?;
        }
        let read = inner.file.read(buffer)?;
        self.at += read as u64;
        inner.at = Some(self.at);
        Ok(read)
    }
}

impl Seek for SharedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reader_has_its_place() {
        let mut first = SharedFile::new(Box::new(io::Cursor::new(b"0123456789".to_vec()))).unwrap();
        let (mut second, mut two) = (first.clone(), [0; 2]);
        assert_eq!(second.seek(SeekFrom::End(-4)).unwrap(), 6);
        for (one, other) in [(b"01", b"67"), (b"23", b"89")] {
            first.read_exact(&mut two).unwrap();
            assert_eq!(&two, one);
            second.read_exact(&mut two).unwrap();
            assert_eq!(&two, other);
        }
        assert_eq!((second.read(&mut two).unwrap(), first.length()), (0, 10));
        assert!(first.seek(SeekFrom::Current(-5)).is_err());
    }
}
