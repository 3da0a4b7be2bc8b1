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

/// Reads a source and keeps what it read.
pub(super) struct Tee {
    source: Box<dyn Read + Send>,
    spool: Arc<Mutex<Spool>>,
}

/// Reads what a [`Tee`] kept; its end is not the end of the source.
pub(super) struct Kept(Arc<Mutex<Spool>>);

/// Splits a source in two readers; at most `most` bytes lie between them.
pub(super) fn split(source: Box<dyn Read + Send>, most: u64) -> (Tee, Kept) {
    let spool = Spool {
        file: SpooledTempFile::new(IN_MEMORY),
        read: 0,
        written: 0,
        most,
    };
    let spool = Arc::new(Mutex::new(spool));
    (
        Tee {
            source,
            spool: Arc::clone(&spool),
        },
        Kept(spool),
    )
}

impl Read for Tee {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(buffer)?;
        let mut spool = self.spool.lock().unwrap_or_else(PoisonError::into_inner);
        if spool.written - spool.read + n as u64 > spool.most {
            let message = "a patch is too long to wait for the outcome of its transactions";
            let error = Error::limit(ErrorKind::LimitTransaction, "transaction_bytes", message);
            return Err(io::Error::other(error));
        }
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
