//! What a parser makes of a document, against the bytes of the document.

use crate::error::{Error, ErrorKind, Result};
use crate::limits::{EXPANSION_GRACE, Limits};

/// Counts what is made of what is read.
#[derive(Debug)]
pub(super) struct Work {
    made: u64,
    read: u64,
    most: u64,
}

impl Work {
    pub(super) fn new(limits: &Limits) -> Self {
        Work { made: 0, read: 0, most: limits.expansion }
    }

    pub(super) fn add(&mut self, made: usize, read: usize) -> Result<()> {
        self.made += made as u64;
        self.read += read as u64;
        if self.most == 0 || self.made <= EXPANSION_GRACE || self.made / self.most <= self.read {
            return Ok(());
        }
        let message = format!(
            "{} bytes from {} bytes of input: more than {} for each",
            self.made, self.read, self.most
        );
        Err(Error::limit(ErrorKind::LimitExpansion, "expansion", message))
    }
}
