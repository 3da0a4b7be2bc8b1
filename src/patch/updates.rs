//! The rows of a patch as SPARQL Update.

use std::vec::IntoIter;

use super::again::Again;
use super::log::{Log, LogOptions};
use super::net::Net;
use super::stored::Stored;
use super::work::{Watch, Work};
use crate::convert::Skolem;
use crate::error::{Error, ErrorKind, Result};
use crate::sink::Statement;
use crate::text::UpdateWriter;

/// The SPARQL operations of one patch: its committed net rows, deletes before adds.
pub struct Updates {
    /// Whether each row adds, and its place.
    rows: IntoIter<(bool, u64)>,
    stored: Stored,
    writer: UpdateWriter,
    skolem: Option<Skolem>,
    /// Number of rows that add.
    pub added: u64,
    /// Number of rows that delete.
    pub deleted: u64,
    /// Number of prefix changes, which have no SPARQL operation.
    pub prefixes: u64,
}

impl Updates {
    /// Reads a patch; `skolem` turns its blank nodes into IRIs.
    ///
    /// # Errors
    /// `patch.several`: the source has no patch, or several. A row cannot be written in SPARQL: the errors of
    /// [`UpdateWriter::row`].
    pub fn new(patch: Again, writer: UpdateWriter, skolem: Option<Skolem>, watch: Watch<'_>) -> Result<Self> {
        let mut work = Work::new(watch);
        let log = Log::open(vec![patch].into(), LogOptions::default(), &mut work)?;
        if log.versions() != 1 {
            let message = format!("expected one patch, found {}", log.versions());
            return Err(Error::new(ErrorKind::PatchSeveral, message));
        }
        let mut net = Net::new(true)?;
        log.replay(1..2, "reading the patch", &mut net, &mut work)?;
        let picked = net.pick(|entry| Some(entry.is_added()))?;
        let (added, deleted) = (picked.adds.len() as u64, picked.deletes.len() as u64);
        let deletes = picked.deletes.into_iter().map(|(_, place)| (false, place));
        let adds = picked.adds.into_iter().map(|(_, place)| (true, place));
        let rows: Vec<_> = deletes.chain(adds).collect();
        let mut updates = Updates {
            prefixes: picked.prefixes.iter().count() as u64,
            rows: rows.into_iter(),
            stored: picked.stored,
            writer,
            skolem,
            added,
            deleted,
        };
        // all of them, before the first one is sent
        for (_, place) in updates.rows.clone() {
            updates.named(place, |_, statement| UpdateWriter::check(statement))?;
        }
        Ok(updates)
    }

    /// Passes on the statement at a place, with its blank nodes renamed.
    fn named(
        &mut self,
        place: u64,
        take: impl FnOnce(&mut UpdateWriter, &Statement<'_>) -> Result<()>,
    ) -> Result<()> {
        let statement = self.stored.get(place)?;
        match &mut self.skolem {
            Some(skolem) => take(&mut self.writer, &skolem.statement(&statement)?),
            None => take(&mut self.writer, &statement),
        }
    }

    /// Returns the next operation; a store may take several operations in one request.
    ///
    /// # Errors
    /// `io`: the temporary file of the rows cannot be read.
    pub fn next_operation(&mut self) -> Result<Option<String>> {
        while !self.writer.is_full()
            && let Some((adds, place)) = self.rows.next()
        {
            self.named(place, |writer, statement| writer.row(statement, adds))?;
        }
        Ok(self.writer.take())
    }
}
