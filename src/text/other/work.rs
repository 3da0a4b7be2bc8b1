//! Limits the output of a parser relative to the size of the document.

use crate::error::{Error, ErrorKind, Result};
use crate::limits::{EXPANSION_GRACE, Limits};

/// Compares the size of the output with the size of the input.
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
