//! Bytes that were read once and are read again soon.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::SpooledTempFile;

use crate::error::{Error, ErrorKind};

/// Up to this much stays in memory.
const IN_MEMORY: usize = 1 << 20;

struct Spool {
    file: SpooledTempFile,
    read: u64,
    written: u64,
    most: u64,
}

impl Spool {
    /// Gives back the room of what was read, once it is more than what is still to be read.
    fn forget_read(&mut self) -> io::Result<()> {
        let unread = self.written - self.read;
        if self.read < unread.max(IN_MEMORY as u64) {
            return Ok(());
        }
        let mut piece = vec![0; 64 << 10];
        let mut moved = 0;
        while moved < unread {
            let most = (unread - moved).min(piece.len() as u64) as usize;
            self.file.seek(SeekFrom::Start(self.read + moved))?;
            self.file.read_exact(&mut piece[..most])?;
            self.file.seek(SeekFrom::Start(moved))?;
            self.file.write_all(&piece[..most])?;
            moved += most as u64;
        }
        self.file.set_len(unread)?;
        (self.read, self.written) = (0, unread);
        Ok(())
    }
}

/// Reads a source and keeps what it read.
pub(super) struct Tee {
    source: Box<dyn Read + Send>,
    spool: Arc<Mutex<Spool>>,
}

/// Reads what a [`Tee`] kept; its end is not the end of the source.
pub(super) struct Kept(Arc<Mutex<Spool>>);

/// Splits a source in two readers; at most `most` bytes lie between them.
pub(super) fn split(source: Box<dyn Read + Send>, most: u64) -> (Tee, Kept) {
    let spool = Spool { file: SpooledTempFile::new(IN_MEMORY), read: 0, written: 0, most };
    let spool = Arc::new(Mutex::new(spool));
    (Tee { source, spool: Arc::clone(&spool) }, Kept(spool))
}

impl Read for Tee {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(buffer)?;
        let mut spool = self.spool.lock().unwrap_or_else(PoisonError::into_inner);
        if spool.written - spool.read + n as u64 > spool.most {
            let message = "a patch is too large to keep until its transactions end";
            let error = Error::limit(ErrorKind::LimitTransaction, "transaction_bytes", message);
            return Err(io::Error::other(error));
        }
        spool.forget_read()?;
        let end = spool.written;
        spool.file.seek(SeekFrom::Start(end))?;
        spool.file.write_all(&buffer[..n])?;
        spool.written += n as u64;
        Ok(n)
    }
}

impl Read for Kept {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut spool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let start = spool.read;
        spool.file.seek(SeekFrom::Start(start))?;
        let n = spool.file.read(buffer)?;
        spool.read += n as u64;
        if spool.read == spool.written {
            spool.file.set_len(0)?;
            (spool.read, spool.written) = (0, 0);
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that never catches up does not make the file grow with the stream.
    #[test]
    fn room_of_what_was_read_is_used_again() {
        let bytes: Vec<u8> = (0..8u32 << 20).map(|n| (n / 7) as u8).collect();
        let (mut tee, mut kept) = split(Box::new(io::Cursor::new(bytes.clone())), 1 << 20);
        let mut buffer = vec![0; 1000];
        tee.read_exact(&mut buffer).expect("more than that");
        let (mut got, mut most) = (Vec::new(), 0);
        loop {
            let n = tee.read(&mut buffer).expect("within the limit");
            most = most.max(kept.0.lock().expect("alone").written);
            let mut piece = vec![0; if n == 0 { 2000 } else { n }];
            let n = kept.read(&mut piece).expect("a file");
            got.extend_from_slice(&piece[..n]);
            if n == 0 {
                break;
            }
        }
        assert!(got == bytes);
        assert!(most < 3 << 20, "{most} bytes");
    }
}
